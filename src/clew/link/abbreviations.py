"""Abbreviations that a text explains itself: "tardive dyskinesia (TD)", and then TD alone.

After Schwartz and Hearst (2003): beside every bracket, the shortest stretch of words in which all letters of the short
form occur in order, its first letter beginning a word. Text in, the pairs with their places out.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Abbreviation", "find_abbreviations"]

Span = tuple[int, int]

BRACKET = re.compile(r"\(([^()\[\]\n]{1,150})\)|\[([^()\[\]\n]{1,150})\]")
SHORT_FORM = re.compile(r"(?=[^\W_])[\w.\-/+'’]+(?: [\w.\-/+'’]+)?")
BREAK = re.compile(r"[.!?;:]\s|[()\[\]]|\n\s*\n")  # a long form does not reach across these
WORD_START = re.compile(r"(?<![^\W_])[^\W_]")
CUT_OFF = re.compile(r"\b(?:a|an|and|as|at|by|for|from|in|of|on|or|the|to|was|were|with)\Z")
LONGEST_SHORT, LONGEST_LONG = 10, 200  # characters


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """A short form and what it stands for, with the places where the text says so."""

    short: str
    long: str
    short_span: Span
    long_span: Span


def find_abbreviations(text: str) -> list[Abbreviation]:
    """The abbreviations a text explains, in its order; of two explanations of one short form the first counts.

    >>> found = find_abbreviations("Tardive dyskinesia (TD) and EPS (extrapyramidal signs).")
    >>> [(each.short, each.long) for each in found]
    [('TD', 'Tardive dyskinesia'), ('EPS', 'extrapyramidal signs')]
    """
    found: dict[str, Abbreviation] = {}
    for bracket in BRACKET.finditer(text):
        group = 1 if bracket[1] is not None else 2
        pair = _short_inside(text, bracket.start(), bracket.span(group)) or _long_inside(
            text, bracket.start(), bracket.span(group)
        )
        if pair is not None:
            found.setdefault(pair.short, pair)
    return list(found.values())


def _short_inside(text: str, opening: int, inside: Span) -> Abbreviation | None:
    """The reading "long form (SHORT)"."""
    # What follows a comma or semicolon inside is something else: "(TD; 3 patients)", "(TD, n = 3)".
    stated = re.split(r"[,;]|\bor\b", text[slice(*inside)], maxsplit=1)[0].strip(" \"'“”‘’")
    start = text.index(stated, inside[0]) if stated else inside[0]
    if not _may_be_short(stated):
        return None
    before = max(0, opening - LONGEST_LONG)
    for broken in BREAK.finditer(text, before, opening):
        before = broken.end()
    span = _shortest_long_form(text, stated, (before, opening))
    return None if span is None else Abbreviation(stated, text[slice(*span)], (start, start + len(stated)), span)


def _long_inside(text: str, opening: int, inside: Span) -> Abbreviation | None:
    """The reading "SHORT (long form)"."""
    before = re.search(r"([^\s()\[\],;:]+)\s\Z", text[max(0, opening - 40) : opening])
    if before is None or not _may_be_short(before[1]):
        return None
    start = max(0, opening - 40) + before.start(1)
    span = _shortest_long_form(text, before[1], inside)
    # The letters of the short form must begin where the bracket begins, else any long bracket would do.
    if span is None or text[inside[0] : span[0]].strip(" \"'“‘"):
        return None
    end = re.split(r"[,;]", text[slice(*span)], maxsplit=1)[0].rstrip()
    span = (span[0], span[0] + len(end))
    return Abbreviation(before[1], text[slice(*span)], (start, start + len(before[1])), span)


def _may_be_short(text: str) -> bool:
    return (
        2 <= len(text) <= LONGEST_SHORT
        and SHORT_FORM.fullmatch(text) is not None
        and any(letter.isupper() for letter in text)
        and not text.isnumeric()
    )


def _shortest_long_form(text: str, short: str, where: Span) -> Span | None:
    """The shortest stretch that ends where `where` ends and spells the short form, if it reads like an explanation."""
    first, last = where
    while last > first and text[last - 1] in " \t\n\"'“”‘’,":
        last -= 1
    letters = [letter.lower() for letter in short if letter.isalnum()]
    at = last
    for number, letter in reversed(list(enumerate(letters))):
        at = next(_places(text, letter, first, at, starting=number == 0), -1)
        if at < 0:
            return None
    long = text[at:last]
    words = len(long.split())
    allowed = min(len(letters) + 5, 2 * len(letters))
    # Not an explanation: too many words for the letters, no longer than the short form, holding it, or cut off.
    if words > allowed or len(long) <= len(short) or short in re.split(r"[\s\-/+]", long) or CUT_OFF.search(long):
        return None
    return at, last


def _places(text: str, letter: str, first: int, last: int, *, starting: bool) -> Iterator[int]:
    """Where a letter stands before `last`, nearest first; with `starting` only where it begins a word."""
    for at in range(last - 1, first - 1, -1):
        if text[at].lower() == letter and (not starting or WORD_START.match(text, at)):
            yield at
