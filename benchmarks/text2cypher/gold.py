"""Gold queries in the terms of the graph, and plans in a form in which those that mean the same are equal.

In: the plan of a query of the collection. Out: the plan under the names that the graph has, or why there is none: the
query asks for something that its own schema does not have.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.text2cypher.schema import BOOLEAN, INTEGER, NUMBER, TEXT, TEXTS, Attribute, Schema
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.operators import TEXTUAL
from clew.answer.plans.plan import Measure, Plan, Slot, Sort, Step
from clew.store.layout import StoreSchema

__all__ = ["Unfit", "first_column", "from_store", "plain", "to_store", "translate"]

EXACT = ("=", "<>", "IN")
IDENTITY = (None, "id", "name")


class Unfit(Exception):
    """A gold query that its own schema cannot answer; the message says why."""


def translate(plan: Plan, schema: Schema) -> Plan:
    """The plan in the terms of the graph; raises `Unfit`."""
    for slot in plan.slots:
        if not set(slot.types) <= schema.types.keys():
            raise Unfit("a type that the schema does not have")
    for step in _steps(plan):
        if not set(step.relations) <= schema.relations:
            raise Unfit("a relation that the schema does not have")
    plan = oriented(plan, schema)
    for step in _steps(plan):
        if not step.repeated and not any(_fits(step, ends, plan) for ends in schema.ends):
            raise Unfit("a relation between types that it does not join")
    return _Translation(plan, schema).plan()


def _steps(plan: Plan) -> list[Step]:
    return [step for part in plan.parts for step in part.steps]


def _fits(step: Step, ends: tuple[str, str, str], plan: Plan) -> bool:
    subjects, objects = plan.slot(step.subject).types, plan.slot(step.object).types
    if step.relations and ends[1] not in step.relations:
        return False
    forth = (not subjects or ends[0] in subjects) and (not objects or ends[2] in objects)
    back = (not subjects or ends[2] in subjects) and (not objects or ends[0] in objects)
    return forth or (step.either_way and back)


def oriented(plan: Plan, schema: Schema) -> Plan:
    """With the type of a slot and the direction of a step where the schema leaves no choice."""
    for _ in plan.slots:
        plan = replace(plan, slots=tuple(_typed(slot, plan, schema) for slot in plan.slots))
    parts = tuple(
        replace(part, steps=tuple(_directed(step, plan, schema) for step in part.steps)) for part in plan.parts
    )
    return replace(plan, parts=parts)


def _typed(slot: Slot, plan: Plan, schema: Schema) -> Slot:
    if slot.types:
        return slot
    allowed = set(schema.types)
    for step in _steps(plan):
        if slot.name in step.ends and not step.repeated:
            fitting = [ends for ends in schema.ends if _fits(step, ends, plan)]
            here = {ends[0] for ends in fitting} if slot.name == step.subject else {ends[2] for ends in fitting}
            allowed &= here | ({end for e in fitting for end in (e[0], e[2])} if step.either_way else set())
    return replace(slot, types=tuple(allowed)) if len(allowed) == 1 else slot


def _directed(step: Step, plan: Plan, schema: Schema) -> Step:
    if not step.either_way or step.repeated:
        return step
    forth = replace(step, either_way=False)
    back = replace(forth, subject=step.object, object=step.subject)
    ways = [each for each in (forth, back) if any(_fits(each, ends, plan) for ends in schema.ends)]
    return ways[0] if len(ways) == 1 else step


@dataclass(frozen=True, slots=True)
class _Translation:
    """A plan being put into the terms of the graph."""

    given: Plan
    schema: Schema

    def plan(self) -> Plan:
        given = self.given
        parts = tuple(replace(part, conditions=tuple(map(self.condition, part.conditions))) for part in given.parts)
        asked = tuple(replace(each, key=self.key(each.of, each.key)) for each in given.asked)
        sort = tuple(
            Sort(each.by and replace(each.by, key=self.sorted_key(each.by)), each.descending) for each in given.sort
        )
        measure = given.measure and self.measure(given.measure)
        having = given.having and replace(given.having, measure=self.measure(given.having.measure))
        return replace(given, parts=parts, asked=asked, measure=measure, sort=sort, having=having)

    def attribute(self, of: str, key: str) -> tuple[str, Attribute]:
        """The column of an attribute, and what the schema says of it."""
        slot = next((each for each in self.given.slots if each.name == of), None)
        if slot is None:
            step = next(each for each in _steps(self.given) if each.name == of)
            kinds = [self.schema.statements.get(relation, {}).get(key) for relation in step.relations]
            if step.repeated or not kinds or None in kinds:
                raise Unfit("an attribute of statements that the schema does not have")
            return f"q_{key}", kinds[0] or Attribute(TEXT)
        types = slot.types or tuple(type for type, own in self.schema.types.items() if key in own)
        if not types or any(key not in self.schema.types[type] for type in types):
            raise Unfit("an attribute that the schema does not have")
        places = {self.schema.column(type, key) for type in types}
        if len(places) > 1:
            raise Unfit("an attribute that is a name of one type and none of another")
        return places.pop(), self.schema.types[types[0]][key]

    def key(self, of: str, key: str | None) -> str | None:
        return None if key is None else self.attribute(of, key)[0]

    def sorted_key(self, by: Asked) -> str | None:
        column = self.key(by.of, by.key)
        if column == "id":
            raise Unfit("an order of ids")
        return column

    def condition(self, given: Condition) -> Condition:
        if given.operator == "DIFFERS" or given.says_there_is_one:
            return given
        column, attribute = self.attribute(given.of, given.key)
        value = given.value
        if isinstance(value, Asked):
            return replace(given, key=column, value=replace(value, key=self.key(value.of, value.key)))
        if column == "id" and given.operator not in ("IS NULL", "IS NOT NULL"):
            if given.operator not in EXACT:
                raise Unfit("a comparison of ids")
            value = tuple(map(str, value)) if isinstance(value, tuple) else str(value)
            return replace(given, key="id", value=value)
        if not _is_of_kind(given, attribute.kind, of_step=column.startswith("q_")):
            raise Unfit("a value of another kind than the attribute's")
        numeric = given.numeric or (column.startswith("q_") and _is_number(value))
        return replace(given, key=column, numeric=numeric)

    def measure(self, given: Measure) -> Measure:
        """Statements counted for one end are counted by their other end."""
        if given.key is not None:
            column = self.key(given.of, given.key)
            named = given.function == "count" and column in IDENTITY
            return replace(given, key=None if named else column)
        step = next((each for each in _steps(self.given) if each.name == given.of), None)
        if step is None or given.function != "count":
            return given
        known = {each.of for each in self.given.asked} | ({self.given.having.of} if self.given.having else set())
        others = [end for end in step.ends if end not in known]
        return replace(given, of=others[0]) if len(others) == 1 else given


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_of_kind(given: Condition, kind: str, *, of_step: bool) -> bool:
    """Whether a condition is one that values of a kind can meet."""
    if given.operator in ("IS NULL", "IS NOT NULL"):
        return True
    values = given.value if isinstance(given.value, tuple) else (given.value,)
    if given.sized:
        return kind in (TEXT, TEXTS) and all(map(_is_number, values))
    if given.numeric:
        return kind in (TEXT, INTEGER, NUMBER) and all(map(_is_number, values))
    if kind == BOOLEAN:
        return all(isinstance(each, bool) for each in values)
    if kind in (INTEGER, NUMBER):
        return given.operator not in TEXTUAL and all(map(_is_number, values))
    if kind == TEXTS and given.operator != "HOLDS" and not of_step:  # of a list, a statement has one value
        return False
    return all(isinstance(each, str) for each in values) and (kind == TEXTS or given.operator != "HOLDS")


# the names of a graph and those of its store ------------------------------------------------------------------------


def to_store(plan: Plan, store: StoreSchema) -> Plan:
    """A plan of the graph under the names that its store has."""
    relations = {each.relation: each.name for each in store.relationships if not each.negated_only}
    keys = {each.column: each.name for each in store.properties}
    return _renamed(plan, store.label_of, lambda name: relations.get(name, name), lambda key: keys.get(key, key))


def from_store(plan: Plan, store: StoreSchema) -> Plan:
    """A plan of a store under the names of the graph."""
    relations = {each.name: each.relation for each in store.relationships}
    keys = {each.name: each.column for each in store.properties}
    return _renamed(plan, store.type_of, lambda name: relations.get(name, name), lambda key: keys.get(key, key))


def _renamed(plan: Plan, type: Callable[[str], str], relation: Callable[[str], str], key: Callable[[str], str]) -> Plan:
    def column(asked: Asked) -> Asked:
        return replace(asked, key=asked.key and key(asked.key))

    def condition(given: Condition) -> Condition:
        value = column(given.value) if isinstance(given.value, Asked) else given.value
        return replace(given, key=key(given.key), value=value)

    def measure(given: Measure) -> Measure:
        return replace(given, key=given.key and key(given.key))

    parts = tuple(
        replace(
            part,
            steps=tuple(replace(step, relations=tuple(map(relation, step.relations))) for step in part.steps),
            conditions=tuple(map(condition, part.conditions)),
        )
        for part in plan.parts
    )
    return replace(
        plan,
        slots=tuple(replace(slot, types=tuple(map(type, slot.types))) for slot in plan.slots),
        parts=parts,
        asked=tuple(map(column, plan.asked)),
        measure=plan.measure and measure(plan.measure),
        sort=tuple(Sort(each.by and column(each.by), each.descending) for each in plan.sort),
        having=plan.having and replace(plan.having, measure=measure(plan.having.measure)),
    )


# what means the same ------------------------------------------------------------------------------------------------


def plain(plan: Plan, schema: Schema) -> Plan:
    """Without what makes no difference on a graph of this schema, in the terms of the graph.

    Numbers are numbers however they are stored, more than 3 of a whole number is at least 4, that a value is there is
    said by a comparison with it, and types and directions that the schema implies are said.
    """
    kinds = schema.columns() | {
        f"q_{key}": each.kind for own in schema.statements.values() for key, each in own.items()
    }
    plan = oriented(plan, schema)
    used = {(each.by.of, each.by.key) for each in plan.sort if each.by}
    used |= {(each.of, each.key) for each in plan.measures}
    used |= {(e.of, e.key) for part in plan.parts for e in part.conditions if e.operator != "IS NOT NULL"}
    parts = tuple(
        replace(part, conditions=tuple(_plain_conditions(part.conditions, used, kinds))) for part in plan.parts
    )
    return replace(
        plan,
        parts=parts,
        asked=tuple(replace(each, numeric=False) for each in plan.asked),
        measure=plan.measure and replace(plan.measure, numeric=False),
        sort=tuple(Sort(each.by and replace(each.by, numeric=False), each.descending) for each in plan.sort),
        having=plan.having and replace(plan.having, measure=replace(plan.having.measure, numeric=False)),
    )


def _plain_conditions(
    conditions: Iterable[Condition], used: set[tuple[str, str | None]], kinds: dict[str, str]
) -> Iterable[Condition]:
    for each in conditions:
        if each.operator == "IS NOT NULL" and not each.negated and (each.of, each.key) in used:
            continue
        if isinstance(each.value, Asked):
            each = replace(each, value=replace(each.value, numeric=False))
        whole = kinds.get(each.key) == INTEGER or each.sized
        if whole and each.operator in (">", "<") and isinstance(each.value, int) and not each.negated:
            each = replace(each, operator=f"{each.operator}=", value=each.value + (1 if each.operator == ">" else -1))
        if isinstance(each.value, float) and each.value.is_integer():
            each = replace(each, value=int(each.value))
        yield replace(each, numeric=False)


def first_column(plan: Plan) -> Plan:
    """The plan that gives only what it asks for first: an entity if it shows any, else a value."""
    slots = {slot.name for slot in plan.slots}
    if plan.kind != "rows" or not plan.asked:
        return plan
    entity = next((Asked(each.of) for each in plan.asked if each.of in slots and _identifies(each)), None)
    return replace(plan, asked=(entity or plan.asked[0],))


def _identifies(asked: Asked) -> bool:
    return asked.key in IDENTITY and not (asked.sized or asked.numeric)
