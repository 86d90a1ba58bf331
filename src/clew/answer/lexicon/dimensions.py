"""What attributes measure: dimensions with their nouns, adjectives and verbs, and units (dimensions.json)."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from clew.answer.lexicon.forms import tokens_of, word_table

__all__ = ["ANY_TIME", "Dimension", "Unit", "compared_forms", "dimensions", "is_generic", "tells_direction", "units"]

ANY_TIME = "any time"
VOWELS = "aeiou"


@dataclass(frozen=True, slots=True)
class Dimension:
    """What people measure: `more` and `less` are adjectives, `counted` nouns behind a number, `time` if it is a day."""

    name: str
    nouns: tuple[str, ...]
    counted: tuple[str, ...]
    more: tuple[str, ...]
    less: tuple[str, ...]
    verbs: tuple[str, ...]
    time: bool

    def is_said_by(self, stems: tuple[str, ...]) -> bool:
        """Whether one of its nouns or, of a time, its verbs is among the words of a name."""
        phrases = (*self.nouns, *self.counted, *(self.verbs if self.time else ()))
        return any(_inside(tuple(token.stem for token in tokens_of(phrase)), stems) for phrase in phrases)


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit, what it measures, and how many of the first unit of its kind one of it is."""

    name: str
    measures: str
    factor: float


@cache
def dimensions() -> Mapping[str, Dimension]:
    """All dimensions by name."""
    return {
        name: Dimension(
            name,
            tuple(each["nouns"]),
            tuple(each.get("counted", ())),
            tuple(each["more"]),
            tuple(each["less"]),
            tuple(each["verbs"]),
            bool(each.get("time")),
        )
        for name, each in _table()["dimensions"].items()
    }


def is_generic(adjective: str) -> bool:
    """Whether an adjective may be said of any number: how high is a fee, or a hill."""
    return any(adjective in each for each in _table()["generic"].values())


@cache
def units() -> Mapping[str, Unit]:
    """Units by everything they are called, in lower case and in the singular."""
    found: dict[str, Unit] = {}
    for measures, listed in _table()["units"].items():
        for name, (factor, *called) in listed.items():
            for each in (name, *called):
                found.setdefault(each, Unit(name, measures, float(factor)))
    return found


@cache
def compared_forms(adjective: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The comparative and superlative forms of an adjective.

    >>> compared_forms("big"), compared_forms("heavy")[1], compared_forms("populous")[0]
    ((('bigger', 'more big'), ('biggest', 'most big')), ('heaviest', 'most heavy'), ('populouser', 'more populous'))
    """
    plain = adjective.removesuffix("e")
    if adjective.endswith("y") and adjective[-2] not in VOWELS:
        plain = f"{adjective[:-1]}i"
    elif re.fullmatch(r"[^aeiou]*[aeiou][bdgmnpt]", adjective):
        plain = adjective + adjective[-1]
    irregular: Mapping[str, list[str]] = _table()["irregular"]
    other = [form for form, meant in irregular.items() if adjective in meant]
    more = [
        form for form in other if not form.endswith("st") and not form.endswith("imum") and form not in ("max", "min")
    ]
    return (
        (f"{plain}er", f"more {adjective}", *more),
        (f"{plain}est", f"most {adjective}", *(form for form in other if form not in more)),
    )


def tells_direction(comparative: str) -> bool:
    """Whether it is known which way a comparative goes: *heavier*, but not a *finer* perforation.

    >>> tells_direction("heavier"), tells_direction("finer")
    (True, False)
    """
    return comparative in _directed()


@cache
def _directed() -> frozenset[str]:
    adjectives = {each for dimension in dimensions().values() for each in (*dimension.more, *dimension.less)}
    adjectives.update(each for listed in _table()["generic"].values() for each in listed)
    return frozenset(form for each in adjectives for form in compared_forms(each)[0])


def _inside(phrase: tuple[str, ...], stems: tuple[str, ...]) -> bool:
    return any(stems[at : at + len(phrase)] == phrase for at in range(len(stems) - len(phrase) + 1))


def _table() -> Any:
    return word_table("dimensions.json")
