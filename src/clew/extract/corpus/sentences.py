"""Sentences of a passage, as offsets into its text.

Hand-written rules for scientific English: a full stop ends a sentence unless it belongs to an abbreviation, an initial,
a number or a species name. One pass, so ten million characters on one line are no trouble; a stretch without an end is
cut at a fixed length.
"""

import re
from collections.abc import Iterator

from clew.extract.corpus.document import Span
from clew.extract.corpus.word_lists import word_list
from clew.link.context import ABBREVIATIONS

__all__ = ["LONGEST_SENTENCE", "split_passage"]

LONGEST_SENTENCE = 2000  # characters

# Full stops after these words end no sentence, or do so only where the next word clearly begins one.
PERHAPS_LAST = word_list("perhaps last")
NEVER_LAST = (ABBREVIATIONS - PERHAPS_LAST) | word_list("never last")
OPENERS = word_list("openers")
ENDING = re.compile(r"(?<![.!?])[.!?]++[\"'”’)\]]*+(?=\s|\Z)|(?<=[a-z)\]]{3})\.(?=[A-Z][a-z]*\s)")
WORD_AFTER = re.compile(r"\s*[(\[\"'“‘]*(\S+)")
ENUMERATION = re.compile(r"(?:\A|[:;]\s)\(?\d{1,2}\Z")  # "as follows: 1. Gout"
INITIAL = re.compile(r"(?:\A|[^\w])[A-Z]\Z")
MIXED = re.compile(r"[a-zα-ω]{1,3}(?:[A-Z]|\d|-)")  # a small letter that begins a name: p53, mRNA, α-synuclein
REACH = 60  # characters looked at on either side of a full stop


def split_passage(
    text: str, start: int = 0, end: int | None = None, *, longest: int = LONGEST_SENTENCE
) -> Iterator[Span]:
    """The spans of the sentences of text[start:end], without the space around them; together they hold every word.

    >>> text = "Given 2.5 mg (Fig. 1) i.v. to E. coli. p53 rose, e.g. in Dr. Li's rats. Vitamin C. No."
    >>> [text[a:b] for a, b in split_passage(text)]
    ['Given 2.5 mg (Fig. 1) i.v. to E. coli.', "p53 rose, e.g. in Dr. Li's rats.", 'Vitamin C.', 'No.']
    """
    end = len(text) if end is None else end
    first = start
    for ending in ENDING.finditer(text, start, end):
        if _ends_sentence(text, first, ending.start(), ending.end(), end):
            yield from _cut(text, first, ending.end(), longest)
            first = ending.end()
    yield from _cut(text, first, end, longest)


def _ends_sentence(text: str, first: int, stop: int, after: int, end: int) -> bool:
    if after >= end or text[stop] != ".":
        return True
    next_word = WORD_AFTER.match(text, after, min(end, after + REACH))
    following = next_word[1] if next_word else ""
    opens = following.rstrip(",:;.").lower() in OPENERS and following[:1].isupper()
    if not text[after].isspace():
        return opens  # "treatment.The": the space was forgotten, unless it is a name
    before = text[max(first, stop - REACH) : stop]
    if ENUMERATION.search(before.lstrip()):
        return False
    word = (before.rsplit(maxsplit=1) or [""])[-1].lstrip("([\"'“‘")
    last = word.lower()
    if following[:1].islower():
        return bool(MIXED.match(following)) and len(last) > 2 and last not in NEVER_LAST and last not in PERHAPS_LAST
    if last in ("no", "nos"):
        return not following[:1].isdecimal()
    if last in PERHAPS_LAST or INITIAL.search(word):
        return opens
    return last not in NEVER_LAST


def _cut(text: str, start: int, end: int, longest: int) -> Iterator[Span]:
    """The span without the space around it, in pieces of at most `longest` characters, cut between words."""
    while start < end:
        while start < end and text[start].isspace():
            start += 1
        stop = end
        if end - start > longest:
            space = text.rfind(" ", start + 1, start + longest)
            stop = space if space > 0 else start + longest
        last = stop
        while last > start and text[last - 1].isspace():
            last -= 1
        if last > start:
            yield start, last
        start = stop
