"""What must hold of a property in a query plan, and the columns that such a condition compares.

"Tracks of over 60 minutes" is a condition on the property *minutes* of the slot for tracks; "older than its author"
compares two columns. A plan (`plan.py`) has its conditions in its parts.
"""

from dataclasses import dataclass, replace

from clew.answer.plans.operators import TURNED

__all__ = ["TOGETHER", "Asked", "Condition", "Joint", "Value"]

TOGETHER = "TOGETHER"  # operator of a condition on several columns at once, which only a plan that runs has
Scalar = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Asked:
    """A column of the answer: a slot or named step itself, one property of it, or (`sized`) how long that is.

    `numeric` is the number that the property's text states. A comparison is with `times` the property, and `plus`.
    """

    of: str
    key: str | None = None
    sized: bool = False
    numeric: bool = False
    plus: int | float = 0
    times: int | float = 1  # above 0


@dataclass(frozen=True, slots=True)
class Joint:
    """What ids and triples several slots and steps have in the rows that pass."""

    columns: tuple[Asked, ...]
    rows: tuple[tuple[str | int, ...], ...] = ()


Value = Scalar | tuple[Scalar, ...] | Asked | Joint


@dataclass(frozen=True, slots=True)
class Condition:
    """What must hold of a property of a slot or a named step.

    `operator` is = <> < <= > >= IN, CONTAINS, STARTS WITH, ENDS WITH, =~, HOLDS (a list has the value in it), IS NULL,
    IS NOT NULL, or DIFFERS (two slots are not the same entity). Of several texts one is enough; a value may also be
    another property; IN with None among its values lets absence pass, and so does `or_absent`: in office in 1999 is who
    left later, or never. All conditions on one step are about one single assertion (`assertions/provenance.py`).
    """

    of: str
    key: str
    operator: str
    value: Value = None
    negated: bool = False
    ignoring_case: bool = False
    sized: bool = False  # it is about how long the property is
    numeric: bool = False  # it is about the number that the property's text states (`running/values.py`)
    shared: bool = False  # it is about the share that the property of a step states, as 3/5 is 0.6 (`shares.py`)
    or_absent: bool = False

    @property
    def values(self) -> tuple["Scalar | Asked | Joint", ...]:
        """What it is compared with: of several values one is enough."""
        return self.value if isinstance(self.value, tuple) else (self.value,)

    @property
    def others(self) -> tuple[str, ...]:
        """The slots and steps that it mentions beside its own."""
        match self.value:
            case Asked(of):
                return (of,)
            case Joint(columns):
                return tuple(column.of for column in columns if column.of != self.of)
        return (str(self.value),) if self.operator == "DIFFERS" else ()

    @property
    def turned(self) -> "Condition":
        """A comparison of two properties, said from the other side."""
        assert isinstance(self.value, Asked)
        times, plus = self.value.times, self.value.plus
        here = Asked(self.of, self.key, self.sized, self.numeric, _plain(-plus / times), _plain(1 / times))
        of, key, sized, numeric = self.value.of, self.value.key or "", self.value.sized, self.value.numeric
        return replace(self, of=of, key=key, sized=sized, numeric=numeric, operator=TURNED[self.operator], value=here)

    @property
    def says_there_is_one(self) -> bool:
        """That an entity fills the slot, and no more: what keeps a slot required that only optional steps lead to."""
        return (self.key, self.operator, self.negated) == ("id", "IS NOT NULL", False)


def _plain(number: float) -> int | float:
    return int(number) if float(number).is_integer() else number
