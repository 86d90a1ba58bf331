"""How many of the names of a question must hold: any of them, none, at least two, exactly one, no other.

In: the question with each name as one mark (§) of the name's own length. Out: the quantity, the names it applies to and
its place, so that the rest of the question can be read without these words. `shape` puts it onto plans.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clew.answer.lexicon.numbers import COMPARISON, NUMBER, OPERATORS, read_number
from clew.answer.names.meanings import Anchor, one_of

__all__ = ["LIST", "NOTHING_SAID", "Quantity", "find_quantity", "padded", "with_quantity"]

AND = r"(?>\s*(?:,?\s+(?:and|or|nor|as well as)\s+|,\s*)(?:an?\s+|the\s+|both\s+)?)"  # matches in one way only:
LIST = rf"§(?:{AND}§)*"  # names are padded with spaces, and to try every split of each stretch would take for ever
ONLY, LEADING = r"(?:only|solely|exclusively|nothing but)", r"(?:with|by|in|to|of|from|on|for)"
ALONE = rf"(?:alone|only|exclusively|and (?:{LEADING} )?no(?:thing|body)? (?:other|else))\b"
THESE = rf"(?:the|these|those)(?:\s+following)?(?:\s+{NUMBER})?(?:\s+(?!of\b|in\b)[a-z]+)?\s*:?\s*"
OF = rf"\s+of\s+(?:{THESE})?(?:following\s*:?\s*)?"
THEM = r"(?:of\s+)?(?:them|these|those|which)"
THE = r"(?:the\s+|an?\s+)?"
NO, SOME = r"(?P<said>\b(?:not|never|no|nothing|nobody)\b)", r"(?:\s+(?!and\b|or\b|but\b|that\b|which\b)[a-z]+){0,6}?"
ALL_OF = rf"(?:\s+of\s+the)?\s+{NUMBER}|(?:\s+one)?\s+{THEM}"
ASIDE, END = r"\s*[,:(–—-]+\s*(?:in\s+|by\s+|of\s+)?", r"(?=\s*(?:[,?.!;]|but\b|and\b|$))"


@dataclass(frozen=True, slots=True)
class Quantity:
    """A quantity and the positions of the names it applies to: `kind` is count, any, none, only or all."""

    kind: str = ""
    names: tuple[int, ...] = ()
    operator: str = ">="
    number: int = 1
    spans: tuple[tuple[int, int], ...] = ()


NOTHING_SAID = Quantity()
PATTERNS: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (kind, re.compile(pattern, re.IGNORECASE))
    for kind, pattern in (
        ("only", rf"{NO}{SOME}\s+(?P<also>(?:other\s+than|except|besides|apart\s+from)\s+){THE}(?P<list>{LIST})"),
        ("only", rf"{NO}{SOME}\s+any(?:thing|one|body)\s+(?P<also>(?:else\s+)?but\s+){THE}(?P<list>{LIST})"),
        ("none", rf"(?P<said>\bneither)\s+(?P<list>{LIST})"),
        ("none", rf"(?P<said>\b(?:none|not any|without any){OF})(?P<list>{LIST})"),
        ("one", rf"(?P<said>\b(?:only|just|exactly)\s+one{OF})(?P<list>{LIST})"),
        ("any", rf"(?P<said>\b(?:any|one or more|at least (?:one|1)|either)(?:{OF}|\s+))(?P<list>{LIST})"),
        ("count", rf"(?P<said>\b(?P<how>{COMPARISON})?\s*(?P<number>{NUMBER})(?:\s+or\s+more)?{OF})(?P<list>{LIST})"),
        ("one", rf"(?P<list>{LIST})(?P<said>\s*,?\s*(?:but|and)\s+not\s+(?:in\s+|by\s+|of\s+|with\s+)?both\b)"),
        ("one", rf"(?P<said>\bnot\s+shared\s+(?:by|between|among)\s+)(?P<list>{LIST})"),
        ("one", rf"(?P<list>{LIST})(?P<said>\s+(?:that\s+)?(?:are|is)\s+not\s+shared\b)"),
        ("count", rf"(?P<list>{LIST})(?P<said>{ASIDE}(?P<how>{COMPARISON})\s+(?P<number>{NUMBER})\s+{THEM}\b)"),
        ("all", rf"(?P<list>{LIST})(?P<said>{ASIDE}(?:all|each|both)(?:{ALL_OF})?\)?{END})"),
        ("only", rf"(?P<list>{LIST})(?P<said>\s+(?:(?:is|are|was|were)\s+)?(?:the|its|their)\s+(?:only|sole)\s+\w+)"),
        ("only", rf"(?P<said>\b(?:only|sole)\s+)\w+\s+(?:is|are|was|were)\s+{THE}(?P<list>{LIST})"),
        ("only", rf"(?P<list>{LIST})\s+as\s+(?:its|his|her|their|the|an?)\s+(?P<said>(?:only|sole)\s+)"),
        ("only", rf"(?P<said>\b{ONLY}\s+)(?:{LEADING}\s+)?{THE}(?P<list>{LIST})"),
        ("only", rf"\b{LEADING}\s+(?P<said>{ONLY}\s+){THE}(?P<list>{LIST})"),
        ("only", rf"(?P<list>{LIST})(?P<said>\s+{ALONE})"),
        ("all", rf"(?P<said>\b(?:all|each|every one|both){OF})(?P<list>{LIST})"),
    )
)  # fmt: skip


def padded(text: str, anchors: Sequence[Anchor]) -> str:
    """The text with each name as one mark and as many spaces as it has more letters: every place stays where it is."""
    for anchor in anchors:
        text = f"{text[: anchor.start]}§{' ' * (anchor.end - anchor.start - 1)}{text[anchor.end :]}"
    return text


def find_quantity(text: str, anchors: Sequence[Anchor]) -> Quantity:
    """The quantity that a padded question puts on its names, by the first pattern that matches."""
    for kind, pattern in PATTERNS:
        found = pattern.search(text)
        if found is None:
            continue
        start, end = found.span("list")
        names = tuple(number for number, anchor in enumerate(anchors) if start <= anchor.start < end)
        also = [found.span("also")] if found.groupdict().get("also") else []
        quantity = Quantity(kind, names, spans=(found.span("said"), *also, *_nor(text, start, end, kind)))
        several = sum(" or " in anchor.meanings[0].name for anchor in anchors) + len(names) > 1
        if kind == "one" and several:
            return replace(quantity, kind="count", operator="=", number=1)
        if kind == "count" and several:
            return _counted(quantity, found)
        if kind in ("none", "only") or (kind in ("any", "all") and len(names) > 1):
            return quantity
    return NOTHING_SAID


def _counted(quantity: Quantity, found: re.Match[str]) -> Quantity:
    operator = OPERATORS[" ".join(found["how"].lower().split())] if found["how"] else ">="
    return replace(quantity, operator=operator, number=int(read_number(found["number"]) or 0))


def _nor(text: str, start: int, end: int, kind: str) -> list[tuple[int, int]]:
    """The small words between names that are denied, which nothing else reads."""
    return [found.span() for found in re.finditer(r"\bnor\b", text[:end]) if found.start() > start and kind == "none"]


def with_quantity(anchors: Sequence[Anchor], quantity: Quantity) -> tuple[Anchor, ...]:
    """The names, those of which any may hold as one, and those of which none may as denied."""
    if quantity.kind == "none":
        return tuple(replace(each, negated=number in quantity.names) for number, each in enumerate(anchors))
    if quantity.kind != "any":
        return tuple(anchors)
    joined = one_of([anchors[number] for number in quantity.names])
    if joined is None:
        return tuple(anchors)
    first, *others = quantity.names
    return tuple(joined if number == first else each for number, each in enumerate(anchors) if number not in others)
