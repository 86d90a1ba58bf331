"""What a text says of a share: 3/5 is 0.6, 25% is 0.25, and a class of frequency is an interval (shares.json).

A comparison holds of an interval only if it holds of all of it: "Frequent" (30 to 79 %) is not more than half.
"""

import json
import operator
import re
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files

__all__ = ["holds_of_share", "in_plain_words", "named_shares", "share_of"]

FRACTION = re.compile(r"\s*(\d+)\s*(?:/|of|out of)\s*(\d+)\s*")
PERCENT = re.compile(r"\s*(\d+(?:\.\d+)?)\s*%\s*")
TESTS: Mapping[str, Callable[[float, float], bool]] = {
    ">": operator.gt,
    ">=": operator.ge,
    "<": operator.lt,
    "<=": operator.le,
    "=": operator.eq,
    "<>": operator.ne,
}
Interval = tuple[float, float]


@cache
def named_shares() -> dict[str, Interval]:
    """The classes of frequency that are known by an id, with the least and the greatest share that each stands for."""
    listed = json.loads(files("clew.answer.plans.assertions").joinpath("shares.json").read_text("utf-8"))
    return {name: (float(low), float(high)) for name, (low, high) in listed.items()}


@cache
def share_of(text: str) -> Interval | None:
    """The least and the greatest share that a text stands for; None for one that says nothing of the kind.

    >>> share_of("3/5"), share_of("25%"), share_of("HP:0040282"), share_of("often")
    ((0.6, 0.6), (0.25, 0.25), (0.3, 0.79), None)
    """
    if text in named_shares():
        return named_shares()[text]
    if found := FRACTION.fullmatch(text):
        part, whole = int(found[1]), int(found[2])
        return (part / whole, part / whole) if whole else None
    if found := PERCENT.fullmatch(text):
        return (float(found[1]) / 100,) * 2
    return None


def in_plain_words(text: str) -> str:
    """A value as people say it, if it is a fraction.

    >>> in_plain_words("124/197"), in_plain_words("25%"), in_plain_words("PCS")
    ('124 of 197 (63%)', '25%', 'PCS')
    """
    found = FRACTION.fullmatch(text)
    if found is None or not int(found[2]):
        return text
    return f"{int(found[1]):,} of {int(found[2]):,} ({int(found[1]) / int(found[2]):.0%})"


def holds_of_share(text: str, compared: str, wanted: float) -> bool:
    """Whether a comparison holds of every share that a text may stand for.

    >>> [holds_of_share(text, ">", 0.5) for text in ("3/5", "50%", "HP:0040281", "HP:0040282")]
    [True, False, True, False]
    """
    share = share_of(text)
    return share is not None and all(TESTS[compared](bound, wanted) for bound in share)
