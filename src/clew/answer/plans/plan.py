"""A query plan: what is looked for, as entities joined by relations, and what is wanted of it.

    MATCH (g:Gene)-[:ASSOCIATED_WITH]->(d:Disease {name: 'Marfan syndrome'}) RETURN DISTINCT g.id, g.name

is the plan of two slots (g, a Gene; d, a Disease of that name), one step between them, asking for g. Plans are what
runs: Cypher is read into them and rendered from them, so nothing that is no plan can reach a store.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from clew.answer.plans.condition import Asked, Condition, Joint
from clew.answer.plans.operators import COMPARISONS
from clew.errors import InputError

__all__ = [
    "ABSENT",
    "COUNTED",
    "OPTIONAL",
    "PATH_LENGTH",
    "REQUIRED",
    "Count",
    "Having",
    "Measure",
    "Part",
    "Plan",
    "Slot",
    "Sort",
    "Step",
]

REQUIRED, OPTIONAL, ABSENT, COUNTED = "required", "optional", "absent", "counted"
PATH_LENGTH = 4  # hops of a path between two named entities


@dataclass(frozen=True, slots=True, order=True)
class Slot:
    """A place in the pattern that an entity fills: of one of these types (of any where none is named)."""

    name: str
    types: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, order=True)
class Step:
    """A triple between two slots; `longest` above one follows the relation repeatedly, `either_way` in any direction.

    Only a step that something else of the plan mentions has a name.
    """

    subject: str
    relations: tuple[str, ...]  # any of them; of any relation where none is named
    object: str
    shortest: int = 1
    longest: int = 1
    either_way: bool = False
    name: str = ""

    @property
    def repeated(self) -> bool:
        return (self.shortest, self.longest) != (1, 1)

    @property
    def ends(self) -> tuple[str, str]:
        return self.subject, self.object


@dataclass(frozen=True, slots=True)
class Count:
    """How many different entities fill a slot of a counted part: at least three films, more films than plays.

    Of two counts that are compared, the first has the operator, and as its number the slot that the other counts.
    """

    of: str
    operator: str = ""  # = <> < <= > >=
    number: int | str = 0


@dataclass(frozen=True, slots=True)
class Part:
    """Steps and conditions that belong together: required, optional, absent (none may exist) or counted (at least n).

    An absent or counted part may be inside another of these and is then about what fills that one's slots: "all its
    neighbours use the euro" is an absent part (a neighbour) and inside it another (that neighbour uses the euro).
    """

    kind: str
    steps: tuple[Step, ...] = ()
    conditions: tuple[Condition, ...] = ()
    count: Count | None = None
    name: str = ""  # of a part that has others inside
    inside: str = ""  # the name of the part around it


@dataclass(frozen=True, slots=True)
class Measure:
    """A number for each row of what is asked: a count of distinct entities, or an aggregate of a property.

    `operator` and `value` keep only rows whose number passes, as in "more than three", and so does each further bound;
    a value that is a plan is the number that this one counts, as in "every one of them".
    """

    function: str  # count, sum, avg, min, max, collect
    of: str
    key: str | None = None
    operator: str | None = None
    value: "int | float | Plan | None" = None
    numeric: bool = False  # the numbers that the property's texts state are aggregated
    further: tuple[tuple[str, "int | float | Plan | None"], ...] = ()  # operators and values, as in "and less than ten"

    @property
    def bounds(self) -> tuple[tuple[str, "int | float | Plan | None"], ...]:
        """All operators with their values."""
        return () if self.operator is None else ((self.operator, self.value), *self.further)

    def bounded(self, operator: str, value: int | float) -> "Measure":
        """With one more bound."""
        if self.operator is None:
            return replace(self, operator=operator, value=value)
        return replace(self, further=(*self.further, (operator, value)))

    def passes(self, number: object) -> bool:
        """Whether a number is within all bounds."""
        return isinstance(number, int | float) and all(
            isinstance(value, int | float) and COMPARISONS[operator](number, value) for operator, value in self.bounds
        )


@dataclass(frozen=True, slots=True)
class Having:
    """What a measure must be for each entity of a slot, whatever else is asked of these: how many deliver over 60,000.

    Without a slot it is that of all rows together.
    """

    of: str
    measure: Measure


@dataclass(frozen=True, slots=True)
class Sort:
    """By a column, or by the measure where `by` is None."""

    by: Asked | None
    descending: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What to look for and what is wanted of it.

    `kind` is rows (asked columns and perhaps a measure), exists (whether there is any row), lacks (whether there is
    none) or path (a shortest path between the two slots of the only step). No asked column and a measure is one number.
    `having` is what the rows are chosen by before that.
    """

    slots: tuple[Slot, ...]
    parts: tuple[Part, ...]
    kind: str = "rows"
    asked: tuple[Asked, ...] = ()
    measure: Measure | None = None
    sort: tuple[Sort, ...] = ()
    skip: int = 0
    limit: int | None = None
    having: Having | None = None

    def __post_init__(self) -> None:
        slots = {slot.name for slot in self.slots}
        named = slots | {step.name for part in self.parts for step in part.steps if step.name}
        if len(slots) != len(self.slots):
            raise InputError("two slots of a plan have the same name")
        for name, known in self._mentioned(slots, named):
            if name not in known:
                raise InputError(f"the plan mentions {name!r}, which is none of its parts: {', '.join(sorted(named))}")
        around = {part.name for part in self.parts if part.kind in (ABSENT, COUNTED)}
        for part in self.parts:
            if (part.kind == COUNTED) != (part.count is not None):
                raise InputError("a counted part, and no other, says what it counts")
            if part.inside and (part.inside not in around or part.kind not in (ABSENT, COUNTED)):
                raise InputError(f"no absent or counted part of the plan is called {part.inside!r}")
        self._check_compared()

    def _check_compared(self) -> None:
        """Each count has a number, or another count beside it that has none and is compared with no other."""
        counted = {part.count.of: part for part in self.parts if part.count is not None}
        bare = [part for part in counted.values() if part.count is not None and not part.count.operator]
        for part in counted.values():
            if part.count is not None and isinstance(part.count.number, str):
                other = counted.get(part.count.number)
                if other not in bare or other.inside != part.inside:
                    raise InputError(f"the plan does not count {part.count.number!r} to compare {part.count.of!r} with")
                bare.remove(other)
        if bare:
            raise InputError("a count of the plan is compared with nothing")

    def _mentioned(self, slots: set[str], named: set[str]) -> Iterator[tuple[str, set[str]]]:
        for part in self.parts:
            if part.count is not None:
                yield part.count.of, slots
            for step in part.steps:
                yield from ((step.subject, slots), (step.object, slots))
            for condition in part.conditions:
                yield from ((name, named) for name in (condition.of, *condition.others))
        yield from ((asked.of, named) for asked in self.asked)
        yield from ((measure.of, named) for measure in self.measures)
        if self.having is not None and self.having.of:
            yield self.having.of, slots

    @property
    def measures(self) -> tuple[Measure, ...]:
        """What is measured to be given, and to choose rows by."""
        chosen = None if self.having is None else self.having.measure
        return tuple(each for each in (self.measure, chosen) if each is not None)

    @property
    def wanted(self) -> set[str]:
        """The slots and steps that are asked for or measured."""
        return {each.of for each in self.asked} | {each.of for each in self.measures}

    @property
    def operation(self) -> str:
        """The plan in one word: list, count, top, aggregate, value, exists, path or difference."""
        if self.kind in ("exists", "lacks"):
            return "exists"
        if self.kind == "path":
            return "path"
        if self.measure is not None:
            counts = self.measure.function == "count"
            if not self.asked:
                return "count" if counts else "aggregate"
            return "top" if any(sort.by is None for sort in self.sort) else "list"
        if self.attribute is not None or self.column is not None:
            return "value"
        return "difference" if any(part.kind == ABSENT for part in self.parts) else "list"

    @property
    def attribute(self) -> Asked | None:
        """The property of entities whose values are asked for, in place of the entities; others may come with it."""
        if self.kind != "rows" or not self.asked or self.measure is not None or self.column is not None:
            return None
        return None if self.asked[0].key in (None, "id", "name") else self.asked[0]

    @property
    def column(self) -> str | None:
        """The column of a step's assertions that is asked for first, where that is no entity."""
        if self.kind != "rows" or not self.asked or self.measure is not None:
            return None
        return None if any(slot.name == self.asked[0].of for slot in self.slots) else self.asked[0].key

    def slot(self, name: str) -> Slot:
        return next(slot for slot in self.slots if slot.name == name)

    def held(self, slot: str) -> tuple[str, ...]:
        """The ids that a slot has to be one of; none if it may be any."""
        for each in self.required.conditions:
            if (each.of, each.key) == (slot, "id") and each.operator in ("=", "IN") and not each.negated:
                return tuple(map(str, each.values))
        return ()

    @property
    def required(self) -> Part:
        """All required steps and conditions as one part."""
        parts = [part for part in self.parts if part.kind == REQUIRED]
        return Part(
            REQUIRED,
            tuple(step for part in parts for step in part.steps),
            tuple(condition for part in parts for condition in part.conditions),
        )

    def inner(self, part: Part) -> tuple[Part, ...]:
        """The parts inside another."""
        return tuple(each for each in self.parts if part.name and each.inside == part.name)

    def compared_with(self, part: Part) -> Part | None:
        """The other one of two counted parts that are compared."""
        if part.count is None:
            return None
        of, number = part.count.of, part.count.number
        for each in self.parts:
            if each.count is not None and (each.count.of == number or each.count.number == of):
                return each
        return None

    @property
    def compares_counts(self) -> bool:
        """Whether it says that there are more of one thing than of another."""
        return any(self.compared_with(part) is not None for part in self.parts)

    def with_part(self, part: Part) -> "Plan":
        return replace(self, parts=(*self.parts, part))

    def renamed(self, names: Mapping[str, str]) -> "Plan":
        """The same plan with other names for its slots and steps; what is not in `names` keeps its own."""

        def name(old: str) -> str:
            return names.get(old, old)

        def condition(old: Condition) -> Condition:
            value = old.value
            if isinstance(value, Asked):
                value = replace(value, of=name(value.of))
            elif isinstance(value, Joint):
                value = replace(value, columns=tuple(replace(each, of=name(each.of)) for each in value.columns))
            elif old.operator == "DIFFERS":
                value = name(str(value))
            return replace(old, of=name(old.of), value=value)

        def part(old: Part) -> Part:
            steps = tuple(
                replace(step, subject=name(step.subject), object=name(step.object), name=name(step.name))
                for step in old.steps
            )
            count = old.count
            if count is not None:
                than = name(count.number) if isinstance(count.number, str) else count.number
                count = replace(count, of=name(count.of), number=than)
            return replace(old, steps=steps, conditions=tuple(map(condition, old.conditions)), count=count)

        def measure(old: Measure) -> Measure:
            return replace(old, of=name(old.of))

        return replace(
            self,
            slots=tuple(replace(slot, name=name(slot.name)) for slot in self.slots),
            parts=tuple(map(part, self.parts)),
            asked=tuple(replace(column, of=name(column.of)) for column in self.asked),
            measure=self.measure and measure(self.measure),
            sort=tuple(replace(sort, by=sort.by and replace(sort.by, of=name(sort.by.of))) for sort in self.sort),
            having=self.having and Having(name(self.having.of), measure(self.having.measure)),
        )
