"""One document of a corpus, and the text that every offset counts in.

A reader gives a title and passages; `lay_out` makes of them one text (title, a space, passages joined by spaces) and
the span of each, so that no sentence runs from one into the next.
"""

import re
import unicodedata
from dataclasses import dataclass
from functools import cache

__all__ = ["Document", "LaidOut", "Span", "lay_out", "make_storable"]

Span = tuple[int, int]

# Line and paragraph separators, half surrogate pairs and the byte order mark are no better than control characters.
SEPARATORS = (0x2028, 0x2029, 0xFEFF, 0xFFFE, 0xFFFF)
ENDED = re.compile(r"[.!?][\"'”’)\]]*\Z")
UNWELCOME = dict.fromkeys((*range(0x20), *range(0x7F, 0xA0), *range(0xD800, 0xE000), *SEPARATORS), " ")


@dataclass(frozen=True, slots=True)
class Document:
    """What a reader found: the text in passages, and what the record says about itself."""

    id: str
    title: str
    passages: tuple[str, ...]
    source: str
    license: str
    where: str  # file and place, for messages
    language: str | None = None  # as the record states it, such as "eng"
    animal: bool | None = None  # whether it is indexed as being about animals and not humans; None: not indexed
    exact: bool = False  # offsets of others count in this text: nothing may move


@dataclass(frozen=True, slots=True)
class LaidOut:
    """A document's whole text and the places of its title (if any) and passages in it."""

    text: str
    title: str
    places: tuple[Span, ...]


def lay_out(document: Document) -> LaidOut:
    """One text in Unicode's composed form, control characters replaced by spaces; a title gets a full stop, so that it
    is a sentence of its own.

    >>> found = lay_out(Document("1", "Gout", ("Colchicine\\thelps.",), "", "", ""))
    >>> found.text, found.places
    ('Gout. Colchicine helps.', ((0, 5), (6, 23)))
    """
    title, *passages = (_clean(part, document.exact) for part in (document.title, *document.passages))
    ended = title if not title or document.exact or ENDED.search(title) else f"{title}."
    parts = [part for part in (ended, *passages) if part or document.exact]
    places, at = [], 0
    for part in parts:
        if part:
            places.append((at, at + len(part)))
        at += len(part) + 1
    return LaidOut(" ".join(parts), title, tuple(places))


def make_storable(text: str) -> str:
    """The text with a space for every character that files and terminals choke on."""
    return text if text.isprintable() else text.translate(UNWELCOME)


def _clean(text: str, exact: bool) -> str:
    if not (exact or text.isascii() or _many_marks().search(text)):
        text = unicodedata.normalize("NFC", text)
    return make_storable(text) if exact else make_storable(text).strip()


@cache
def _many_marks() -> re.Pattern[str]:
    """More combining marks in a row than any writing needs (UAX 15): putting n of them in order takes n² steps."""
    marks = "".join(chr(code) for code in range(0x300, 0x1F000) if unicodedata.combining(chr(code)))
    return re.compile(f"[{marks}]{{31}}")
