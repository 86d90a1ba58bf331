"""Two properties compared with each other: a plan held to the entities and triples of which the comparison is true.

Stores have numbers as text and columns of statements as lists, so what is compared is asked for and compared here.
In: a plan with comparisons such as a.elo >= b.elo + 200 or r.q_from < q.q_from. Out: the plan without them.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, product
from typing import Any

from clew.answer.lexicon.numbers import as_number
from clew.answer.plans.assertions.provenance import TRIPLE, assertions_of, meeting_rows, step_columns
from clew.answer.plans.assertions.shares import share_of
from clew.answer.plans.condition import TOGETHER, Asked, Condition, Joint
from clew.answer.plans.operators import COMPARISONS
from clew.answer.plans.plan import OPTIONAL, REQUIRED, Part, Plan
from clew.answer.running.expand import expand
from clew.answer.running.rows import run_rows
from clew.answer.running.values import hold_values
from clew.errors import QueryError
from clew.store.deadline import Deadline
from clew.store.layout import StoreSchema
from clew.store.store import Store
from clew.traverse import GraphEngine

__all__ = ["hold_compared"]

NAMES = ("id", "name")
YEAR = re.compile(r"\d{4}")
DAY = re.compile(r"(\d{4})(-\d{2}.*)")
Values = Mapping[object, list[Mapping[str, Any]]]  # what an entity has, or each assertion of a triple


def hold_compared(plan: Plan, store: Store, engine: GraphEngine, deadline: Deadline) -> Plan:
    """The plan with each comparison of two properties as what it holds for; itself where there is none."""
    if not any(_is_compared(each, plan) for part in plan.parts for each in part.conditions):
        return plan
    plan = _with_named_steps(plan)
    required = [plan.required] if any(part.kind == REQUIRED for part in plan.parts) else []
    parts = (*required, *(part for part in plan.parts if part.kind != REQUIRED))
    plan = replace(plan, parts=parts)
    comparer = _Comparer(plan, store, engine, deadline)
    return replace(plan, parts=tuple(map(comparer.held, parts)))


def _is_compared(condition: Condition, plan: Plan) -> bool:
    """Whether a condition compares two properties in a way that no store can be asked for."""
    value = condition.value
    if not isinstance(value, Asked) or condition.operator not in COMPARISONS:
        return False
    slots = {slot.name for slot in plan.slots}
    if condition.ignoring_case or condition.sized or value.sized:
        return False
    if condition.numeric and {condition.of, value.of} <= slots and plan.held(value.of):
        return False  # with a number that is known: `hold_values`
    named = condition.key in NAMES or value.key in (None, *NAMES)
    return condition.numeric or bool(value.plus) or value.times != 1 or not named


def _with_named_steps(plan: Plan) -> Plan:
    """The plan in which single steps have names."""
    taken = {step.name for part in plan.parts for step in part.steps} | {slot.name for slot in plan.slots}
    names = (name for number in count() if (name := f"c{number}") not in taken)
    parts = tuple(
        replace(
            part,
            steps=tuple(step if step.name or step.repeated else replace(step, name=next(names)) for step in part.steps),
        )
        for part in plan.parts
    )
    return replace(plan, parts=parts)


@dataclass(frozen=True, slots=True)
class _Comparer:
    plan: Plan
    store: Store
    engine: GraphEngine
    deadline: Deadline

    def held(self, part: Part) -> Part:
        """A part with what its comparisons hold for."""
        compared = [each for each in part.conditions if _is_compared(each, self.plan)]
        kept = [each for each in part.conditions if each not in compared]
        return replace(part, conditions=(*kept, *(self._met(part, group) for group in _groups(compared))))

    def _met(self, part: Part, comparisons: Sequence[Condition]) -> Condition:
        """What comparisons that belong together hold for, as one condition."""
        names = dict.fromkeys(name for each in comparisons for name in (each.of, _other(each).of))
        slots = [name for name in names if any(slot.name == name for slot in self.plan.slots)]
        steps = [name for name in names if name not in slots]
        keys = self._keys(part, slots, steps)
        asked = tuple(dict.fromkeys([*keys, *(Asked(name, "id") for name in slots)]))
        rows = run_rows(self._wanted(part, asked), self.store, self.engine, timeout=self.deadline.left)
        if rows.truncated:
            raise QueryError("there are too many to compare each with each: say more of what is compared")
        found = [row for row in rows.rows if None not in row]
        place = {column.of: at for at, column in enumerate(asked)}
        values = {
            name: self._values(name, {row[place[name]] for row in found}, part, comparisons, of_step=name in steps)
            for name in names
        }
        passing = {
            row[: len(keys)]
            for row in found
            if _holds({name: values[name][row[place[name]]] for name in names}, comparisons)
        }
        if len(keys) == 1 or not passing:
            return Condition(keys[0].of, str(keys[0].key), "IN", tuple(sorted(row[0] for row in passing)))
        return Condition(keys[0].of, str(keys[0].key), TOGETHER, Joint(keys, tuple(sorted(passing))))

    def _keys(self, part: Part, slots: Sequence[str], steps: Sequence[str]) -> tuple[Asked, ...]:
        """What says which row is meant: entities, or triples, each of which says what is at its ends."""
        if not steps:
            return tuple(Asked(name, "id") for name in slots)
        single = [step for each in (self.plan.required, part) for step in each.steps if not step.repeated]
        chosen = list(steps)
        for name in slots:
            if not any(step.name in chosen and name in step.ends for step in single):
                beside = next((step.name for step in single if name in step.ends), None)
                if beside is None:
                    raise QueryError(f"{name} is compared with a statement that nothing joins it with")
                chosen.append(beside)
        return tuple(Asked(name, TRIPLE) for name in chosen)

    def _wanted(self, part: Part, asked: tuple[Asked, ...]) -> Plan:
        """The plan of what is compared: what must be there, and the part with those around it."""
        inner = [] if part.kind == REQUIRED else [part]
        while inner and inner[0].inside:
            inner.insert(0, next(each for each in self.plan.parts if each.name == inner[0].inside))
        parts = [
            Part(kind, each.steps, tuple(one for one in each.conditions if not _is_compared(one, self.plan)))
            for kind, each in ((REQUIRED, self.plan.required), *((OPTIONAL, each) for each in inner))
        ]
        used = {name for each in parts for step in each.steps for name in step.ends} | {column.of for column in asked}
        used |= {one.of for each in parts for one in each.conditions}
        slots = tuple(slot for slot in self.plan.slots if slot.name in used)
        plan = Plan(slots, tuple(each for each in parts if each.steps or each.conditions), asked=asked)
        return expand(hold_values(plan, self.engine, self.store.schema), self.engine, self.store.schema)

    def _values(
        self, name: str, found: set[Any], part: Part, comparisons: Sequence[Condition], *, of_step: bool
    ) -> Values:
        """The properties of some entities, or those of the assertions of triples that meet what else is said."""
        sides = [side for each in comparisons for side in ((each.of, each.key), (_other(each).of, _other(each).key))]
        keys = dict.fromkeys(str(key) for of, key in sides if of == name)
        schema = self.store.schema
        if not of_step:
            return _of_entities(sorted(found), list(keys), self.engine, schema)
        own = [each for one in (self.plan.required, part) for each in one.conditions if each.of == name]
        table = assertions_of(sorted(found), self.engine)
        met = meeting_rows([each for each in own if not _is_compared(each, self.plan)], table, self.engine, schema)
        columns = step_columns(schema)
        listed = {key: table[columns[key]].to_pylist() for key in keys if key in columns}
        values: dict[object, list[Mapping[str, Any]]] = {triple: [] for triple in found}
        for at, triple in enumerate(table["number"].to_pylist()):
            if met[at]:
                values[triple].append({key: column[at] for key, column in listed.items()})
        return values


def _of_entities(ids: Sequence[str], keys: Sequence[str], engine: GraphEngine, schema: StoreSchema) -> Values:
    numbers = engine.lookup(list(ids))
    named, details = engine.describe(numbers), engine.details(numbers)
    columns = {each.name: each.column for each in schema.properties}
    listed = {
        key: (named[key] if key in NAMES else details[columns[key]]).to_pylist()
        for key in keys
        if key in NAMES or key in columns
    }
    return {id: [{key: column[at] for key, column in listed.items()}] for at, id in enumerate(ids)}


def _groups(comparisons: Sequence[Condition]) -> Iterator[list[Condition]]:
    """Comparisons that mention the same entity or statement, which must hold of one row at once."""
    groups: list[tuple[set[str], list[Condition]]] = []
    for each in comparisons:
        names, own = {each.of, _other(each).of}, [each]
        for group in [group for group in groups if group[0] & names]:
            groups.remove(group)
            names, own = names | group[0], [*group[1], *own]
        groups.append((names, own))
    return (own for _, own in groups)


def _other(condition: Condition) -> Asked:
    assert isinstance(condition.value, Asked)
    return condition.value


def _holds(options: Mapping[str, Sequence[Mapping[str, Any]]], comparisons: Sequence[Condition]) -> bool:
    """Whether all comparisons hold for one choice among the assertions of each triple."""
    return any(
        all(
            _is_so(chosen[each.of].get(each.key), chosen[_other(each).of].get(str(_other(each).key)), each)
            for each in comparisons
        )
        for one in product(*options.values())
        for chosen in (dict(zip(options, one, strict=True)),)
    )


def _is_so(left: Any, right: Any, condition: Condition) -> bool:
    """Whether a comparison holds of two values: numbers as numbers, days and texts as they are written."""
    if isinstance(left, list) or isinstance(right, list):
        pairs = product(*(each if isinstance(each, list) else [each] for each in (left, right)))
        return any(_is_so(one, other, condition) for one, other in pairs)
    if left in (None, "") or right in (None, ""):
        return condition.or_absent and left in (None, "")
    if isinstance(left, str) or isinstance(right, str):
        left, right = _as_years(left, right)
    times, plus, numbers = _other(condition).times, _other(condition).plus, [_number(each) for each in (left, right)]
    if None not in numbers:
        left, right = numbers[0], numbers[1] * times + plus  # type: ignore[operator]
    elif condition.numeric or times != 1 or numbers != [None, None]:
        return False
    else:
        left, right = str(left), _later(str(right), plus) if plus else str(right)
    return right is not None and bool(COMPARISONS[condition.operator](left, right)) != condition.negated


def _as_years(left: Any, right: Any) -> tuple[Any, Any]:
    """Two values, of which a day compared with a year counts as its year.

    >>> _as_years("1582", "1606-07-15"), _as_years("1599-03-22", "1606-07-15")
    (('1582', '1606'), ('1599-03-22', '1606-07-15'))
    """
    days = [DAY.fullmatch(str(each)) for each in (left, right)]
    if days[0] and YEAR.fullmatch(str(right)):
        return days[0][1], right
    return (left, days[1][1]) if days[1] and YEAR.fullmatch(str(left)) else (left, right)


def _number(value: object) -> int | float | None:
    """The number that a value states, or the share."""
    number = as_number(value)
    if number is not None or not isinstance(value, str):
        return number
    low, high = share_of(value) or (0.0, 1.0)
    return low if low == high else None


def _later(day: str, years: int | float) -> str | None:
    """A day some years later.

    >>> _later("1990-05-01", 5)
    '1995-05-01'
    """
    found = DAY.fullmatch(day)
    return f"{int(found[1]) + int(years):04}{found[2]}" if found and float(years).is_integer() else None
