"""What a question says of values, as records: what is asked for, conditions, an order."""

from dataclasses import dataclass

from clew.answer.names.meanings import Anchor
from clew.answer.values.attributes import Attribute
from clew.answer.values.vocabulary import Graded

__all__ = ["NOTHING_SAID", "ValueCondition", "ValueOrder", "ValueWords"]


@dataclass(frozen=True, slots=True)
class ValueCondition:
    """What a value must be: compared with a number, with the beginning of an ISO date, a text, or that of a name."""

    options: tuple[Attribute, ...]
    operator: str
    value: int | float | str | None
    unit: str | None = None
    than: Anchor | None = None
    start: int = 0


@dataclass(frozen=True, slots=True)
class ValueOrder:
    """What the answer is sorted by, and how many of it are wanted after `skip` others; None for all."""

    options: tuple[Graded, ...]
    number: int | None
    skip: int = 0
    chosen: bool = False  # among the names of the question
    end: int = 0  # where the words for it end: what is sorted may be named behind them


@dataclass(frozen=True, slots=True)
class ValueWords:
    """What a question says of values, and where."""

    asked: tuple[Attribute, ...] = ()
    aggregate: str = ""  # avg or sum
    unit: str | None = None  # that the value is asked for in
    conditions: tuple[ValueCondition, ...] = ()
    order: ValueOrder | None = None
    spans: tuple[tuple[int, int], ...] = ()
    unsure: bool = False  # what is meant is not quite what the graph has

    def __bool__(self) -> bool:
        return bool(self.asked or self.conditions or self.order)


NOTHING_SAID = ValueWords()
