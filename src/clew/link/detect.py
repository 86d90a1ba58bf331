"""Mentions in running text: the longest names first, never inside words, with abbreviations, marked by their context.

Words of the text are folded as names are and walked through the tree of all names at once. What guards against ordinary
words: a name that is one word written in capitals, such as the genes WAS, CAN and REST, counts only where the text
writes it in the same capitals and does not shout; a small word and a single letter never count otherwise.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from clew.link.abbreviations import Abbreviation, find_abbreviations
from clew.link.candidates import Linked
from clew.link.context import Marks, mark
from clew.link.normalise import SMALL_WORDS, WORDS, fold, plain

if TYPE_CHECKING:
    from clew.link.linker import Linker

__all__ = ["Detector", "Mention"]

SOME_WORDS = re.compile(f"({WORDS.pattern})")
PLAIN_WORDS = re.compile(r"([A-Za-z0-9]+(?:'[sS](?![A-Za-z0-9]))?)")  # the same in ASCII, faster
ENGLISH = SMALL_WORDS | {  # besides: words too common to be a name unless it is written in capitals
    "a", "all", "are", "as", "at", "be", "but", "can", "did", "do", "does", "had", "has", "have", "he", "her", "his",
    "how", "if", "into", "is", "it", "its", "may", "more", "most", "no", "non", "not", "other", "our", "out", "she",
    "so", "some", "such", "than", "that", "their", "them", "then", "there", "these", "they", "this", "those", "up",
    "was", "we", "were", "what", "when", "which", "who", "will", "would", "you",
}  # fmt: skip
SENTENCE_END = re.compile(r"[.!?;:](?=\s)|\n\s*\n")
REMEMBERED = 1 << 14  # names and words
AROUND, SHOUT = 40, 6  # letters on either side that are looked at, and the fewest by which a text can shout
DEEPEST = "normalised"  # stage: running text is searched for names, not for what resembles them
MEANT, WRITTEN_SO, REFUSED = "meant", "written so", "refused"


@dataclass(frozen=True, slots=True)
class Mention:
    """A name in a text: where it stands, what it may mean, and whether it is negated, uncertain, family or historical.

    `abbreviation_of` is the long form that the text itself gives for it.
    """

    start: int
    end: int
    text: str
    linked: Linked
    marks: Marks | None = None
    abbreviation_of: str | None = None


Match = tuple[int, int, Abbreviation | None]  # start, end, what it is short for


class Detector:
    """Finds mentions with a linker; remembers how the names it met were linked, since texts repeat themselves."""

    def __init__(self, linker: "Linker") -> None:
        self._linker = linker
        self._link = lru_cache(maxsize=REMEMBERED)(self._link_name)
        self._judge = lru_cache(maxsize=REMEMBERED)(self._judge_word)

    def detect(self, text: str, *, types: tuple[str, ...] | None = None, marks: bool = True) -> list[Mention]:
        """Every mention in a text, in order and without overlaps."""
        # From the last to the first, so that the first definition of an abbreviation counts.
        defined = reversed(find_abbreviations(text))
        shorts = {each.short: each for each in defined if self._link(each.long, None, types).best is not None}
        matches = _short_forms(text, shorts)
        for start, end in self._names(text):
            written = text[start:end]
            if written not in shorts and (types is None or self._link(written, None, types).best is not None):
                matches.append((start, end, None))
        mentions = []
        for start, end, short in _without_overlaps(matches, len(text)):
            written, long_form = text[start:end], None if short is None else short.long
            linked = self._link(written, long_form, types)
            if linked.best is not None:
                mentions.append(Mention(start, end, written, linked, None, long_form))
        return _marked(text, mentions) if marks else mentions

    def _link_name(self, name: str, long_form: str | None, types: tuple[str, ...] | None) -> Linked:
        return self._linker.link(name, type=types, long_form=long_form, deepest=DEEPEST)

    def _names(self, text: str) -> Iterator[tuple[int, int]]:
        """Every run of words that is a name, overlapping as they come."""
        parts = (PLAIN_WORDS if text.isascii() else SOME_WORDS).split(text)  # between words, a word, between words, …
        if len(parts) == 1:
            return
        bounds = np.cumsum(np.fromiter(map(len, parts), np.int64, len(parts)))
        word_starts, word_ends = bounds[0:-1:2], bounds[1::2]
        phrases = self._linker.index.phrases
        at, lengths, rows = phrases.find(phrases.number(parts[1::2]))
        starts, ends = word_starts[at], word_ends[at + lengths - 1]
        breaks = np.array([each.start() for each in SENTENCE_END.finditer(text)])
        crossing = np.searchsorted(breaks, starts) != np.searchsorted(breaks, ends)
        doubtful = (lengths == 1) | crossing
        yield from zip(starts[~doubtful].tolist(), ends[~doubtful].tolist(), strict=True)
        columns = (array[doubtful].tolist() for array in (starts, ends, rows, crossing))
        for start, end, row, crosses in zip(*columns, strict=True):
            verdict = self._judge(text[start:end], row, crosses)
            if verdict == MEANT or (verdict == WRITTEN_SO and not _shouts(text, start, end)):
                yield start, end

    def _judge_word(self, written: str, row: int, crosses: bool) -> str:
        """Whether a word can be the name of that row: surely, only if the text around it does not shout, or not.

        Words on two sides of a sentence's end are a name only where the name itself has that sign.
        """
        forms = [form.text for form in self._linker.index.forms(row)]
        if crosses:
            return MEANT if plain(written) in map(plain, forms) else REFUSED
        if not any(character.isalpha() for character in written) or len(fold(written)) < 2:
            return REFUSED
        symbols = set(filter(_is_symbol, forms))
        if len(symbols) < len(set(forms)) and fold(written) not in ENGLISH:
            return MEANT
        return WRITTEN_SO if {written, written.removesuffix("s")} & symbols else REFUSED


def _is_symbol(form: str) -> bool:
    """A word of capitals alone, such as WAS; a digit in it (FBN1) makes it unlike any ordinary word."""
    return form.isalpha() and form.isupper()


def _shouts(text: str, start: int, end: int) -> bool:
    """Whether the text around a match is all in capitals, so that capitals say nothing."""
    around = [letter for letter in text[max(0, start - AROUND) : start] + text[end : end + AROUND] if letter.isalpha()]
    return len(around) >= SHOUT and all(letter.isupper() for letter in around)


def _short_forms(text: str, shorts: Mapping[str, Abbreviation]) -> list[Match]:
    """Where the short forms that a text defines stand in it, in exactly their letters, or with a plural s."""
    if not shorts:
        return []
    longest_first = sorted(shorts, key=len, reverse=True)
    pattern = re.compile(rf"(?<![^\W_])({'|'.join(map(re.escape, longest_first))})s?(?![^\W_])")
    return [(match.start(), match.end(), shorts[match[1]]) for match in pattern.finditer(text)]


def _without_overlaps(matches: list[Match], length: int) -> list[Match]:
    """The longest matches, and of the others those that overlap no longer one, in the order of the text."""
    taken = bytearray(length)
    kept = []
    for match in sorted(matches, key=lambda match: (match[0] - match[1], match[0], match[2] is None)):
        start, end, _ = match
        if not (taken[start] or taken[end - 1]):  # a longer one can only reach in over an end
            taken[start:end] = b"\x01" * (end - start)
            kept.append(match)
    return sorted(kept, key=lambda match: match[0])


def _marked(text: str, mentions: list[Mention]) -> list[Mention]:
    found = mark(text, [(mention.start, mention.end) for mention in mentions])
    return [replace(mention, marks=marks) for mention, marks in zip(mentions, found, strict=True)]
