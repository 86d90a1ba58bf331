"""Whether words that are not spelt as a name of the graph may be one."""

import re
from collections.abc import Sequence
from difflib import SequenceMatcher

from clew.answer.lexicon.forms import Token
from clew.link import Candidate
from clew.link.normalise import words_of

__all__ = ["is_meant", "is_proper", "is_symbol", "joins", "resembles"]

AHEAD, LESS_IF_AHEAD = 0.15, 0.08  # margin over the second best, and how far it lowers the minimum
RESEMBLES = 0.7  # minimum difflib ratio of a misspelt word to the right one
JOINS = re.compile(r"\s*(?:,|and|or|,\s*and|,\s*or|/|&)\s*")


def is_symbol(name: str, written: str) -> bool:
    """Whether a word in small letters is no symbol of capitals: to itch is not the gene ITCH."""
    return name.isalpha() and name.isupper() and written.islower() and len(written) > 1


def resembles(written: str, known: str, matched: str) -> bool:
    """Whether each word of `written` beyond `known` resembles a word of the matched name."""
    more = set(words_of(written)) - set(words_of(known))
    meant = words_of(matched)
    return all(any(SequenceMatcher(None, word, other).ratio() >= RESEMBLES for other in meant) for word in more)


def is_proper(token: Token) -> bool:
    """Whether a word is written as a proper name inside a question: "Wilson", but neither "MRI" nor the first word."""
    return token.start > 0 and token.text[:1].isupper() and token.text[1:].islower()


def is_meant(found: Sequence[Candidate], enough: float) -> bool:
    """Whether the best paraphrase is similar enough, or slightly less so but far ahead of the rest."""
    ahead = found[0].score - max((each.score for each in found[1:]), default=0.0)
    return found[0].score >= (enough - LESS_IF_AHEAD if ahead >= AHEAD else enough)


def joins(between: str) -> bool:
    """Whether a text between two names only joins them: a comma, and, or."""
    return JOINS.fullmatch(between) is not None
