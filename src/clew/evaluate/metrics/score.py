"""One question scored by every accepted interpretation of its gold; the best counts."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from clew.errors import InputError
from clew.evaluate.metrics.matches import Row, Value, first_of, same_value, set_match, top_match
from clew.evaluate.metrics.ranking import MEASURES, measure

__all__ = ["MATCHES", "Given", "Gold", "GoldSet", "GoldTop", "GoldValue", "ItemScore", "Seconds", "score"]

MATCHES = ("result_match", "query_match")
RIGHT = "right"  # stands for a number or a boolean in a list of one


@dataclass(frozen=True, slots=True)
class GoldSet:
    """Ids in no order."""

    ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class GoldValue:
    """A number, or yes or no."""

    value: Value


@dataclass(frozen=True, slots=True)
class GoldTop:
    """The first n of these rows; every row that ties can bring in is there."""

    rows: tuple[Row, ...]
    n: int
    least: bool = False


Gold = GoldSet | GoldValue | GoldTop


@dataclass(frozen=True, slots=True)
class Given:
    """What a system gave: items in ranked order or a value; neither is an explicit empty answer."""

    items: tuple[tuple[str, float | None], ...] = ()
    value: Value | None = None
    abstained: bool = False
    failed: bool = False

    @property
    def ids(self) -> tuple[str, ...]:
        return tuple(id for id, _ in self.items)


@dataclass(frozen=True, slots=True)
class Seconds:
    """Where the time went."""

    understanding: float = 0.0
    execution: float = 0.0
    text: float = 0.0

    def phases(self) -> tuple[float, ...]:
        """In the order of PHASES."""
        items = self.understanding + self.execution
        return self.understanding, self.execution, self.text, items, items + self.text


@dataclass(frozen=True, slots=True)
class ItemScore:
    """One question: correct or not, every measure, and the interpretation of the gold that matched (None: none)."""

    id: str
    level: str
    result_match: bool
    query_match: bool
    measures: Mapping[str, float]  # MEASURES → 0..1
    reading: int | None = None
    abstained: bool = False
    failed: bool = False
    seconds: Seconds = field(default_factory=Seconds)

    @property
    def answered(self) -> bool:
        return not (self.abstained or self.failed)

    def value(self, name: str) -> float:
        """A measure, or a match as 0 or 1, by its name."""
        return float(getattr(self, name)) if name in MATCHES else self.measures[name]


def score(
    id: str,
    level: str,
    given: Given,
    readings: Sequence[Gold],
    *,
    query_match: bool = False,
    seconds: Seconds | None = None,
) -> ItemScore:
    """Score an answer by each interpretation of the gold; the best counts. Abstentions and failures score 0."""
    if not readings:
        raise InputError(f"question {id} has no gold: give at least one interpretation")
    seconds = seconds or Seconds()
    if given.abstained or given.failed:
        nothing = dict.fromkeys(MEASURES, 0.0)
        return ItemScore(id, level, False, False, nothing, None, given.abstained, given.failed, seconds)
    tried = [_compare(gold, given) for gold in readings]
    best = max(range(len(tried)), key=lambda at: (tried[at][0], tried[at][1]["f1"], tried[at][1]["average_precision"]))
    right, measures = tried[best]
    reading = best if right or any(measures.values()) else None
    return ItemScore(id, level, right, query_match, measures, reading, seconds=seconds)


def _compare(gold: Gold, given: Given) -> tuple[bool, dict[str, float]]:
    """Whether it is right, and the measures; an answer of another kind than the gold is wrong throughout."""
    if isinstance(gold, GoldValue) or given.value is not None:
        right = isinstance(gold, GoldValue) and given.value is not None and same_value(given.value, gold.value)
        return right, measure((RIGHT,) if right else (), {RIGHT})
    if isinstance(gold, GoldTop):
        right = top_match(given.items, gold.rows, gold.n, least=gold.least)
        wanted = first_of(gold.rows, len(given.ids) if right else gold.n, given.ids, least=gold.least)
        return right, measure(given.ids, wanted)
    return set_match(given.ids, gold.ids), measure(given.ids, gold.ids)
