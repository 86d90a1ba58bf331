"""Names that a question sets aside from what it asks for: "which countries border Germany, except Austria?".

In: the text and its names. Out: both without those names, which are no answers and lead to none.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from clew.answer.lexicon.forms import Token
from clew.answer.lexicon.words import Words
from clew.answer.names.meanings import Anchor, Meaning, inside
from clew.answer.reading.intent import asked_word
from clew.answer.reading.quantifier_words import LIST, padded

__all__ = ["Aside", "set_aside"]

ASIDE_FROM = re.compile(
    r"[,\s]\s*(?:except(?:\s+for|ing)?|excluding|other\s+than|apart\s+from|aside\s+from|besides|not\s+counting|"
    rf"leaving\s+out|leaving\s+aside)\s+(?:the\s+|an?\s+)?(?P<list>{LIST})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Aside:
    """Names that are set aside, and where the question says so."""

    meanings: tuple[Meaning, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()


def set_aside(
    text: str, anchors: Sequence[Anchor], tokens: Sequence[Token], words: Words
) -> tuple[str, Sequence[Anchor], Aside]:
    """The text and its names without those that are set aside from what is asked for."""
    outside = [token for token in tokens if not inside(token, anchors)]
    asked = asked_word(outside, [word for word in words.find_types(outside) if not word.implied], "list")
    types = {words.schema.type_of(label) for label in asked.labels} if asked is not None else set()
    span, names = _find(padded(text, anchors), anchors, types)
    if not names:
        return text, anchors, Aside()
    meant = [next(each for each in anchors[number].meanings if each.type in types) for number in sorted(names)]
    left = [anchor for number, anchor in enumerate(anchors) if number not in names]
    start, end = span
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}", left, Aside(tuple(meant), (span,))


def _find(text: str, anchors: Sequence[Anchor], types: Collection[str]) -> tuple[tuple[int, int], set[int]]:
    """Where a padded question sets aside some names of the types that it asks for, and which: "except Austria"."""
    found = ASIDE_FROM.search(text)
    if found is None:
        return (0, 0), set()
    start, end = found.span("list")
    names = {number for number, anchor in enumerate(anchors) if start <= anchor.start < end}
    fitting = all(any(meaning.type in types for meaning in anchors[number].meanings) for number in names)
    if not fitting or len(names) == len(anchors):
        return (0, 0), set()
    return (found.start(), max(anchors[number].end for number in names)), names
