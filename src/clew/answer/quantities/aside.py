"""Names that answers are chosen from, or not: "which of A, B and C border D?", "which border D, except A?".

In: the text and its names. Out: both without those names, which lead to no answer by themselves.
"""

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from clew.answer.lexicon.forms import Token
from clew.answer.lexicon.numbers import NUMBER
from clew.answer.lexicon.words import Words
from clew.answer.names.meanings import Anchor, Meaning, inside, one_of
from clew.answer.quantities.quantifier_words import LIST, padded
from clew.answer.quantities.recast import Stretch
from clew.answer.reading.intent import asked_word
from clew.plurals import plural

__all__ = ["Aside", "Choice", "choose_among", "set_aside"]

ASIDE_FROM = re.compile(
    r"(?:^|[,\s])\s*(?:except(?:\s+for|ing)?|excluding|other\s+than|apart\s+from|aside\s+from|besides|not\s+counting|"
    rf"leaving\s+out|leaving\s+aside)\s+(?:the\s+|an?\s+)?(?P<list>{LIST})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Aside:
    """Names that are set aside, and where the question says so."""

    meanings: tuple[Meaning, ...] = ()
    spans: tuple[tuple[int, int], ...] = ()


WHICH_OF = re.compile(
    rf"\b(?:which|what|who)(?P<of>\s+(?:of|among|out\s+of)\s+(?:the\s+)?(?P<list>{LIST}))", re.IGNORECASE
)
OF_FIRST = re.compile(
    rf"\s*(?P<of>(?:of|among|amongst|between|out\s+of)\s+(?:the\s+)?(?:[a-z]+\s+)?(?P<list>{LIST})\s*[,:–—-]\s*)"
    r"(?P<which>(?:which|what|who)(?:\s+ones?\b)?)(?P<noun>\s+(?!is|are|was|were|do|does|did|has|have|had|can)[a-z]+)?",
    re.IGNORECASE,
)
THESE = re.compile(
    rf"\b(?:which|what|who)(?P<of>\s+(?:of|among)\s+(?:these|those|the)(?:\s+following)?(?:\s+{NUMBER})?)\s+[a-z]+\b[^:]*"
    rf"(?P<end>\s*[:–—-]\s*(?P<list>{LIST}))\s*[?.]?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Choice:
    """The entities that answers are among, and what is read in the place of their names."""

    ids: tuple[str, ...] = ()
    stretches: tuple[Stretch, ...] = ()


def choose_among(text: str, anchors: Sequence[Anchor], words: Words) -> tuple[Sequence[Anchor], Choice]:
    """The other names, and the choice among those of "which of …" or "of …, which"; nothing where no type is common."""
    shown = padded(text, anchors)
    found = OF_FIRST.match(shown) or THESE.search(shown) or WHICH_OF.search(shown)
    if found is None:
        return anchors, Choice()
    start, end = found.span("list")
    named = [anchor for anchor in anchors if start <= anchor.start < end]
    whole, left = one_of(named), [anchor for anchor in anchors if anchor not in named]
    if whole is None or len(named) < 2 or not left:
        return anchors, Choice()
    meaning = whole.meanings[0]
    last = max(anchor.end for anchor in named)
    noun = plural(words.name_of(words.schema.label_of(meaning.type)))
    groups = found.groupdict()
    if "which" in groups:
        first = Stretch(*found.span("of"), "" if found["noun"] else "which")
        stretches: tuple[Stretch, ...] = (first,) if found["noun"] else (first, Stretch(*found.span("which"), noun))
    elif "end" in groups:
        stretches = (Stretch(*found.span("of"), ""), Stretch(found.start("end"), last, ""))
    else:
        stretches = (Stretch(found.start("of"), last, f" {noun} "),)
    return left, Choice(meaning.ids, stretches)


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
