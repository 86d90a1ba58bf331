"""A small graph of a schema in which every gold query finds something, and much that it must not find.

For each gold plan its pattern is planted: entities that meet its conditions, joined by its relations; once with values
well within its comparisons, once with values at their bounds. Beside them each type has some entities with values that
the schema gives, and each relation some triples between these.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa

import clew
from benchmarks.text2cypher.schema import BOOLEAN, INTEGER, NUMBER, TEXT, TEXTS, Schema
from benchmarks.text2cypher.values import draw, invented, value_for
from clew.answer.plans.condition import Condition
from clew.answer.plans.plan import ABSENT, Plan, Slot, Step

__all__ = ["Planting", "plant"]

OTHERS = 12  # entities of each type that no query needs
ENDS = (1, 4)  # triples of a relation from each of them
MOST_COUNTED = 30  # entities planted for "more than n"
MOST_ALTERNATIVES = 5  # values of IN for which the whole pattern is planted
EMPTY = 0.1  # share of attributes without a value
ARROW = {
    TEXT: pa.string(), INTEGER: pa.int64(), NUMBER: pa.float64(), BOOLEAN: pa.bool_(), TEXTS: pa.list_(pa.string()),
}  # fmt: skip
Columns = dict[str, Any]


def plant(schema: Schema, plans: Iterable[Plan], out: Path, *, seed: int) -> None:
    """Build the graph of a schema for these gold plans, which are in the terms of the graph."""
    made = Planting(schema, Random(f"{seed} {schema.database}"))
    made.fill()
    for plan in plans:
        made.plant(plan)
    kinds = schema.columns()
    rows = list(made.entities.values())
    entities = {"id": [row["id"] for row in rows], "type": [row["type"] for row in rows]}
    for column, kind in kinds.items():
        if column != "id":
            entities[column] = pa.array([row.get(column) for row in rows], ARROW[kind])
    keys = sorted({key for *_, said in made.statements for key, _ in said})
    statements: dict[str, list[str | None]] = {
        name: [each[at] for each in made.statements] for at, name in enumerate(("subject", "relation", "object"))
    }
    for key in keys:
        statements[f"qualifier:{key}"] = [dict(said).get(key) for *_, said in made.statements]
    clew.build(pa.table(statements), entities=pa.table(entities), out=out)


@dataclass(slots=True)
class Planting:
    """Entities and statements of a graph that is being made."""

    schema: Schema
    random: Random
    entities: dict[str, Columns] = field(default_factory=dict)  # id → its columns
    statements: dict[tuple[str, str, str, tuple[tuple[str, str], ...]], None] = field(default_factory=dict)
    others: dict[str, list[str]] = field(default_factory=dict)  # type → ids of those that no query needs
    counted: dict[str, list[str]] = field(default_factory=dict)  # type → ids of those that queries count
    _fixed: dict[str, set[str]] = field(default_factory=dict)  # id → columns that a query needs as they are
    _known: dict[tuple[str, str], str] = field(default_factory=dict)  # type and requirement → id

    def fill(self) -> None:
        """The entities of each type that no query needs, and triples of every relation between them."""
        for type, own in self.schema.types.items():
            naming = self.schema.naming(type)
            names = dict.fromkeys(own[naming].values if naming else ())
            self.others[type] = [self.entity(type, {"name": name}) for name in list(names)[: OTHERS // 2]]
            self.others[type] += [self._new(type, {}) for _ in range(OTHERS - len(self.others[type]))]
        for subject, relation, object_ in sorted(self.schema.ends):
            for each in self.others[subject]:
                for other in self.random.sample(self.others[object_], self.random.randint(*ENDS)):
                    self._state(each, relation, other, {})

    # entities and statements --------------------------------------------------------------------------------------

    def entity(self, type: str, wanted: Columns) -> str:
        """The entity with this id or name, or with these values; where it has other values, these get their own."""
        key = next(((type, f"{key} {wanted[key]}") for key in ("id", "name") if key in wanted), (type, repr(wanted)))
        own = self._known.get(key)
        if own is None:
            own = self._known[key] = self._new(type, wanted)
            self._known.setdefault((type, f"name {self.entities[own]['name']}"), own)
            return own
        columns, fixed = self.entities[own], self._fixed[own]
        for column, value in wanted.items():
            if column not in fixed:
                columns[column] = value
                fixed.add(column)
            elif columns[column] != value and column not in ("id", "name"):
                self.entity(type, {column: value})
        return own

    def _new(self, type: str, wanted: Columns) -> str:
        columns: Columns = {"type": type}
        for key, attribute in self.schema.types[type].items():
            there = self.random.random() >= EMPTY
            columns[self.schema.column(type, key)] = draw(attribute, self.random) if there else None
        columns |= {"name": invented(self.random), **wanted}
        own = str(columns.get("id") or f"{type.lower()}-{len(self.entities) + 1}")
        while own in self.entities:
            own = f"{type}:{own}"
        self.entities[own] = columns | {"id": own}
        self._fixed[own] = set(wanted)
        return own

    def _state(self, subject: str, relation: str, object_: str, wanted: Columns) -> None:
        own = self.schema.statements.get(relation, {})
        said = {key: draw(attribute, self.random, listed=False) for key, attribute in own.items()} | wanted
        known = tuple(sorted((key, str(value)) for key, value in said.items() if value is not None))
        self.statements[subject, relation, object_, known] = None

    # the pattern of a plan ----------------------------------------------------------------------------------------

    def plant(self, plan: Plan) -> None:
        """Plant what a plan looks for: for each of its alternatives, within its bounds and at them."""
        listed = [each.value for part in plan.parts for each in part.conditions if each.operator == "IN"]
        alternatives = max((len(each) for each in listed if isinstance(each, tuple)), default=1)
        for number in range(min(alternatives, MOST_ALTERNATIVES)):
            self._pattern(plan, number, at_bounds=False)
        self._pattern(plan, 0, at_bounds=True)
        for each in (each for part in plan.parts for each in part.conditions):
            self._alone(plan, each)

    def _pattern(self, plan: Plan, alternative: int, *, at_bounds: bool) -> None:
        conditions = [each for part in plan.parts if part.kind != ABSENT for each in part.conditions]
        steps = [step for part in plan.parts if part.kind != ABSENT for step in part.steps]
        ends = {end for step in steps for end in step.ends}
        denied = {end for part in plan.parts if part.kind == ABSENT for step in part.steps for end in step.ends} - ends
        filled: dict[str, str] = {}
        for slot in plan.slots:
            type = self._type(slot, steps, plan)
            if type is not None and slot.name not in denied:
                wanted = self._wanted(slot.name, conditions, alternative, at_bounds=at_bounds)
                filled[slot.name] = self.entity(type, wanted) if wanted else self._other(type, filled.values())
        copies = self._copies(plan, filled)
        for step in steps:
            wanted = self._wanted(step.name, conditions, alternative, at_bounds=at_bounds) if step.name else {}
            wanted = {key.removeprefix("q_"): value for key, value in wanted.items()}
            for subject in copies.get(step.subject, [filled.get(step.subject)]):
                for object_ in copies.get(step.object, [filled.get(step.object)]):
                    if subject is not None and object_ is not None:
                        self._join(step, subject, object_, wanted)

    def _wanted(self, of: str, conditions: Sequence[Condition], alternative: int, *, at_bounds: bool) -> Columns:
        """Values that meet all conditions on a slot or a step."""
        own = [
            each for each in conditions if each.of == of and each.operator != "DIFFERS" and not each.says_there_is_one
        ]
        found: Columns = {}
        for column in dict.fromkeys(each.key for each in own):
            about = [each for each in own if each.key == column]
            value, needed = value_for(about, self._kind(column), alternative, at_bounds=at_bounds)
            if needed:
                found[column] = value
        return found

    def _kind(self, column: str) -> str:
        """The kind of a column of entities; what is said of statements is text or a number, as the query has it."""
        return self.schema.columns().get(column, TEXT)

    def _type(self, slot: Slot, steps: Sequence[Step], plan: Plan) -> str | None:
        """A type that fits a slot."""
        if slot.types:
            return slot.types[0]
        for step in steps:
            for subject, relation, object_ in sorted(self.schema.ends):
                if slot.name in step.ends and (not step.relations or relation in step.relations):
                    other = plan.slot(step.object if slot.name == step.subject else step.subject).types
                    if not other or (object_ if slot.name == step.subject else subject) in other:
                        return subject if slot.name == step.subject else object_
        keys = {each.key for part in plan.parts for each in part.conditions if each.of == slot.name} - {"id", "name"}
        return next((type for type, own in self.schema.types.items() if keys <= set(own)), None)

    def _other(self, type: str, taken: Iterable[str]) -> str:
        """An entity of which nothing is required, and which is none of these."""
        return self.random.choice([each for each in self.others[type] if each not in set(taken)] or self.others[type])

    def _copies(self, plan: Plan, filled: dict[str, str]) -> dict[str, list[str]]:
        """As many entities as a plan counts at least, for the slot that it counts."""
        bounds = [(part.count.of, part.count.number) for part in plan.parts if part.count is not None]
        bounds += [
            (measure.of, int(measure.value))
            for measure in plan.measures
            if measure.function == "count" and isinstance(measure.value, int | float)
        ]
        found = {}
        for slot, number in bounds:
            if slot in filled and number <= MOST_COUNTED:
                type = self.entities[filled[slot]]["type"]
                pool = self.counted.setdefault(type, [])
                pool += [self._new(type, {}) for _ in range(number + 1 - len(pool))]
                found[slot] = [filled[slot], *pool[:number]]
        return found

    def _join(self, step: Step, subject: str, object_: str, wanted: Columns) -> None:
        """State a triple of a step between two entities, where the schema has one between their types."""
        types = self.entities[subject]["type"], self.entities[object_]["type"]
        for relation in step.relations or sorted(self.schema.relations):
            if (types[0], relation, types[1]) in self.schema.ends:
                self._state(subject, relation, object_, wanted)
                return
            if step.either_way and (types[1], relation, types[0]) in self.schema.ends:
                self._state(object_, relation, subject, wanted)
                return

    def _alone(self, plan: Plan, condition: Condition) -> None:
        """Plant every name and value that a query states, also where nothing of the kind may exist."""
        slot = next((each for each in plan.slots if each.name == condition.of), None)
        if slot is None or condition.operator not in ("=", "<>", "IN", "HOLDS") or condition.sized:
            return
        type = self._type(slot, [step for part in plan.parts for step in part.steps], plan)
        for value in condition.value if isinstance(condition.value, tuple) else (condition.value,):
            if type is not None and isinstance(value, str | int | float):
                self.entity(type, {condition.key: [value] if condition.operator == "HOLDS" else value})
