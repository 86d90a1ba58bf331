"""Words that contrast or liken two things: "a different ward than", "the same medicines as".

A plan in which two things have something in common is the opposite of the first, and less than the second.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clew.answer.grammar.parse import Tree
from clew.answer.lexicon.forms import Token
from clew.answer.lexicon.numbers import read_number
from clew.answer.lexicon.type_words import TypeWord
from clew.answer.names.meanings import Anchor

__all__ = ["CONTRASTING", "Contrast", "contrasts", "find_contrast", "is_set_apart", "likens_sets"]

CONTRASTING = frozenset({"different", "distinct", "differing"})
COUNTING = frozenset({"many", "most", "more", "fewest", "fewer", "least", "several", "all", "the", "which", "what"})
THAN = re.compile(r"\W+(?:[\w-]+\s+){0,4}?(?:than|from|to\s+§)(?:\b|(?<=§))", re.IGNORECASE)
AS = re.compile(r"\s+(?:[\w-]+\s+){1,4}?as\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Contrast:
    """The labels of which another one is meant than that of a name, and where the word begins that says so."""

    start: int
    labels: tuple[str, ...]


def find_contrast(
    text: str, tokens: Sequence[Token], found: Sequence[TypeWord], anchors: Sequence[Anchor]
) -> Contrast | None:
    """The type of which a question means another one than a name has: "a different consultant than Agnes"."""
    for at, token in enumerate(tokens):
        behind = next((word for word in found if word.first == at + 1), None)
        named = any(anchor.start > token.start for anchor in anchors)
        one = behind is not None and not tokens[behind.last - 1].text.lower().endswith("s")
        if behind is not None and one and named and is_set_apart(text, tokens, at):
            return Contrast(token.start, behind.labels)
    return None


def is_set_apart(text: str, tokens: Sequence[Token], at: int) -> bool:
    """Whether a word sets one thing apart from another, rather than counts each once ("how many different wards").

    `text` has each name as one mark.
    """
    if tokens[at].text.lower() not in CONTRASTING or _counts(tokens, at):
        return False
    return tokens[at - 1].text.lower() in ("a", "an") or THAN.match(text, tokens[at].end) is not None


def contrasts(tokens: Sequence[Token], at: int, trees: Sequence[Tree]) -> bool:
    """Whether a word says that several things differ: "nurses who work on different wards"."""
    if tokens[at].text.lower() not in CONTRASTING or at == 0 or _counts(tokens, at):
        return False
    places = [(tree, tree.at(tokens[at].start)) for tree in trees]
    objects = [tree.words[tree.words[place].head].role for tree, place in places if place is not None]
    return 2 * sum(role in ("dobj", "pobj") for role in objects) > len(trees)


def likens_sets(text: str, tokens: Sequence[Token], at: int, trees: Sequence[Tree]) -> bool:
    """Whether several things are the same: "the same medicines as Elsie" are all of hers, not one of them."""
    place = next(((tree, found) for tree in trees[:1] if (found := tree.at(tokens[at].start)) is not None), None)
    if tokens[at].text.lower() != "same" or place is None or AS.match(text, tokens[at].end) is None:
        return False
    tree, here = place
    return tree.words[tree.words[here].head].tag in ("NNS", "NNPS")


def _counts(tokens: Sequence[Token], at: int) -> bool:
    """Whether what stands before a word counts, or asks for, each of what it is said of."""
    before = [token.text.lower() for token in tokens[max(0, at - 2) : at]]
    last = before[-1] if before else ""
    return not before or last in COUNTING or read_number(last) is not None or before == ["number", "of"]
