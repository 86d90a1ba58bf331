"""Abbreviations defined in the text itself: "tardive dyskinesia (TD)", and then TD alone.

Schwartz and Hearst (2003): next to every bracket, the shortest span of words in which all letters of the short form
occur in order, its first letter at the start of a word. Takes a text, returns the pairs with their spans.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

__all__ = ["Abbreviation", "find_abbreviations"]

Span = tuple[int, int]

BRACKET = re.compile(r"\(([^()\[\]\n]{1,150})\)|\[([^()\[\]\n]{1,150})\]")
SHORT_FORM = re.compile(r"(?=[^\W_])[\w.\-/+'’]+(?: [\w.\-/+'’]+)?")
BREAK = re.compile(r"[.!?;:]\s|[()\[\]]|\n\s*\n")  # a long form does not cross these
WORD_START = re.compile(r"(?<![^\W_])[^\W_]")
CUT_OFF = re.compile(r"\b(?:a|an|and|as|at|by|for|from|in|of|on|or|the|to|was|were|with)\Z")
LONGEST_SHORT, LONGEST_LONG = 10, 200  # characters


@dataclass(frozen=True, slots=True)
class Abbreviation:
    """A short form and its long form, with their spans in the text."""

    short: str
    long: str
    short_span: Span
    long_span: Span


def find_abbreviations(text: str) -> list[Abbreviation]:
    """The abbreviations a text defines, in text order; if a short form is defined twice, the first definition counts.

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
    """The pattern "long form (SHORT)"."""
    # Ignore what follows a comma or semicolon in the brackets: "(TD; 3 patients)", "(TD, n = 3)".
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
    """The pattern "SHORT (long form)"."""
    before = re.search(r"([^\s()\[\],;:]+)\s\Z", text[max(0, opening - 40) : opening])
    if before is None or not _may_be_short(before[1]):
        return None
    start = max(0, opening - 40) + before.start(1)
    span = _shortest_long_form(text, before[1], inside)
    # The long form must start at the opening bracket, or any long bracket would match.
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
    """The shortest span that ends where `where` ends and spells the short form, if it is a plausible definition."""
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
    # Not a definition: too many words for the letters, no longer than the short form, containing it, or truncated.
    if words > allowed or len(long) <= len(short) or short in re.split(r"[\s\-/+]", long) or CUT_OFF.search(long):
        return None
    return at, last


def _places(text: str, letter: str, first: int, last: int, *, starting: bool) -> Iterator[int]:
    """Positions of a letter before `last`, nearest first; with `starting` only at the start of a word."""
    for at in range(last - 1, first - 1, -1):
        if text[at].lower() == letter and (not starting or WORD_START.match(text, at)):
            yield at
