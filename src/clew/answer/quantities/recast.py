"""Questions that name first what they choose from: "Of the teams that beat A, which have no coach?"; and "no more
than two", which is "at most two".

In: the text with each name as one mark (§) of the name's own length. Out: what to read in place of some stretches, so
that the rest reads "Which teams …" or "at most". Places of the text stay what they are. `affirmed` reads
"Doesn't A …?" as what it asks: whether A does.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clew.answer.lexicon.forms import Token
from clew.answer.lexicon.numbers import OPERATORS

__all__ = ["PLAIN", "Recast", "Stretch", "affirmed", "recast", "with_stretches"]

AMONG = re.compile(
    r"\s*(?:of|among|amongst|out\s+of)\s+(?:all\s+)?(?:of\s+)?(?:the\s+|those\s+)?(?P<set>[^,:]+[^,:\s])"
    r"(?P<which>\s*[,:]\s*(?:which|what|who)(?P<one>\s+one\b)?(?:\s+ones\b)?)",
    re.IGNORECASE,
)
APART = re.compile(  # "apart from herself, who" is "who else"
    r"\s*(?P<apart>(?:apart|aside)\s+from|except(?:\s+for)?|besides|other\s+than)\s+"
    r"(?:(?:him|her|it|one)self|themselves)(?P<which>\s*,\s*(?P<wh>who|which|what))\b",
    re.IGNORECASE,
)
DENIED = re.compile(r"\b(?P<no>no|not)\s+(?P<than>(?:more|fewer|less)\s+than)\b", re.IGNORECASE)

FRONTED = re.compile(  # not "Don't show …", which is no question
    r"\s*(?:(?:is|are|was|were|does|did|has|have|had|could|would|do)(?P<not>n['’]?t)|can(?P<t>['’]t))"
    r"(?=\s)(?!\s+(?:show|list|include|give|tell|count|name|forget|consider|return)\b)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Stretch:
    """A stretch of the text and what is read in its place."""

    start: int
    end: int
    written: str


@dataclass(frozen=True, slots=True)
class Recast:
    """What is read otherwise; `single` if one is asked for."""

    stretches: tuple[Stretch, ...] = ()
    single: bool = False


PLAIN = Recast()


def recast(text: str) -> Recast:
    """How to read a question as one that begins with "which"."""
    among, bounds = AMONG.match(text), tuple(_bounds(text))
    if (apart := APART.match(text)) is not None:
        said, another = ("who", "else") if apart["wh"].lower() == "who" else ("which", "other")
        return Recast(
            (Stretch(apart.start("apart"), apart.start("which"), said), Stretch(*apart.span("which"), another), *bounds)
        )
    if among is None:
        return Recast(bounds) if bounds else PLAIN
    first, again = Stretch(0, among.start("set"), "which "), Stretch(*among.span("which"), "")
    return Recast((first, again, *bounds), single=among["one"] is not None)


def _bounds(text: str) -> Iterator[Stretch]:
    """ "No more than two" denies nothing: it is "at most two"."""
    for found in DENIED.finditer(text):
        limit = "most" if OPERATORS[" ".join(found[0].lower().split())] == "<=" else "least"
        yield Stretch(*found.span("no"), "at")
        yield Stretch(*found.span("than"), limit)


def affirmed(text: str) -> str:
    """A question that begins with a denied auxiliary as the one about the fact itself, every word in its place.

    >>> affirmed("Doesn't warfarin clash with aspirin?")
    'Does    warfarin clash with aspirin?'
    """
    fronted = FRONTED.match(text)
    if fronted is None:
        return text
    start, end = fronted.span("not" if fronted["not"] else "t")
    return f"{text[:start]}{' ' * (end - start)}{text[end:]}"


def with_stretches(tokens: Sequence[Token], stretches: Sequence[Stretch]) -> list[Token]:
    """The words of a text, with those of each stretch replaced."""
    kept = [token for token in tokens if not any(each.start <= token.start < each.end for each in stretches)]
    kept += [Token(each.written.strip(), each.start, each.end) for each in stretches if each.written.strip()]
    return sorted(kept, key=lambda token: token.start)
