"""Which of some named entities has more: "Which disease has more symptoms, A or B?"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clew.answer.names.meanings import Anchor, one_of

__all__ = ["Compared", "find_compared"]

MORE = re.compile(
    r"\b(?:more|most|(?:larger|largest|greater|greatest|higher|highest|bigger) number of)\b", re.IGNORECASE
)
LESS = re.compile(r"\b(?:fewer|fewest|less|least|(?:smaller|smallest|lower|lowest) number of)\b", re.IGNORECASE)
WHICH = re.compile(r"\b(?:which|who|what)\b", re.IGNORECASE)
THAN = re.compile(r"\b(?:than|at least|at most)\b", re.IGNORECASE)
JUDGED = re.compile(r"\s*(?:do|does|did|has|have|is|are)\s[^§]*§.*\b(?:more|fewer|less)\b.*\bthan\b[^§]*§", re.I)
AMONG = re.compile(
    r"\b(?:which|what|who)\s+(?:one\s+)?(?:of|among|out of)\s+(?:the\s+\w+\s+)?§|"
    r"^\s*(?:of|among|amongst|between|out\s+of)\s+(?:the\s+)?(?:[a-z]+\s+)?§",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Compared:
    """The entities that are compared, of one type, and whether those with most come first.

    `judged` are those that must come before all others, where the question is whether they do.
    """

    type: str
    ids: tuple[str, ...]
    descending: bool
    judged: tuple[str, ...] = ()


def find_compared(text: str, anchors: Sequence[Anchor]) -> Compared | None:
    """What a question compares, from its text with names as marks; None unless all of its names are compared."""
    more, less = MORE.search(text), LESS.search(text)
    if len(anchors) == 2 and JUDGED.match(text) and (whole := one_of(anchors)) is not None:
        kind = whole.meanings[0].type
        first = next(meaning.ids for meaning in anchors[0].meanings if meaning.type == kind)
        return Compared(kind, whole.meanings[0].ids, less is None, first)
    either = len(anchors) == 1 and " or " in anchors[0].meanings[0].name
    among = len(anchors) > 1 and AMONG.search(text) is not None
    if not (more or less) or not WHICH.search(text) or THAN.search(text) or not (either or among):
        return None
    joined = one_of(anchors)
    if joined is None or not joined.meanings:
        return None
    return Compared(joined.meanings[0].type, joined.meanings[0].ids, less is None)
