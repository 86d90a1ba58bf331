"""Steps to a named place at which nothing lies directly: they lead to whatever lies in it.

MATCH (person)-[:BORN_IN]->(place {id: $country1}), in a graph where people are born in towns and towns lie in
countries, means the people born in a town of that country. In: a plan and a graph. Out: the plan with such steps.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from clew.answer.lexicon.families import written_out
from clew.answer.lexicon.forms import plain_name
from clew.answer.plans.condition import Condition
from clew.answer.plans.plan import ABSENT, REQUIRED, Part, Plan, Slot, Step
from clew.answer.plans.schema.containment import DEEPEST, PLACES, WITHIN
from clew.graph.encode import UNTYPED
from clew.store.layout import Relationship, StoreSchema
from clew.traverse import GraphEngine

__all__ = ["inside_places", "relations_of_places"]


def relations_of_places(schema: StoreSchema) -> tuple[str, ...]:
    """The relationships that say where a thing lies, by name: located in, part of, country, region."""
    return tuple(
        each.name for each in schema.relationships if not each.negated and not each.symmetric and _is_of_places(each)
    )


def _is_of_places(relationship: Relationship) -> bool:
    called = plain_name(relationship.called)
    return called in WITHIN or written_out(called) in PLACES


def inside_places(plan: Plan, engine: GraphEngine, schema: StoreSchema, lying: Sequence[str]) -> Plan:
    """The plan in which steps that end at a named place, and of which none does in the graph, end inside it.

    `lying` are the relationships that say where a thing lies. Several steps to places are changed one after another.
    """
    if plan.kind == "path" or not lying:
        return plan
    for part in plan.parts:
        if part.kind not in (REQUIRED, ABSENT):
            continue
        for condition, step in _to_named(plan, part):
            changed = _Inside(plan, part, engine, schema, lying).of(condition, step)
            if changed is not None:
                return inside_places(changed, engine, schema, lying)
    return plan


def _to_named(plan: Plan, part: Part) -> Iterator[tuple[Condition, Step]]:
    """The steps of a part that end at a named entity."""
    slots = {slot.name for slot in plan.slots}
    for condition in part.conditions:
        if condition.key == "id" and condition.operator in ("=", "IN") and not condition.negated:
            for step in part.steps if condition.of in slots else ():
                if step.object == condition.of and len(step.relations) == 1 and not (step.repeated or step.either_way):
                    yield condition, step


class _Inside:
    """One part of a plan, over a graph."""

    def __init__(self, plan: Plan, part: Part, engine: GraphEngine, schema: StoreSchema, lying: Sequence[str]) -> None:
        self.plan, self.part, self.engine, self.schema, self.lying = plan, part, engine, schema, lying

    def of(self, condition: Condition, step: Step) -> Plan | None:
        """The plan with a step into the place that a condition names; None where the step stays as it is."""
        ids = [str(each) for each in condition.values]
        if not ids or (self.engine.lookup(ids) < 0).any() or self._reach(ids, step):
            return None
        inside = [each for each in self._within(ids) if each not in ids]
        if not inside or not self._reach(inside, step):
            return None
        if step.relations[0] in self.lying:
            return (
                None if step.name else self._with(step, [replace(step, relations=tuple(self.lying), longest=DEEPEST)])
            )
        inner = Slot(f"{condition.of}i")
        way = Step(inner.name, tuple(self.lying), condition.of, 1, DEEPEST)
        return self._with(step, [replace(step, object=inner.name), way], inner)

    def _reach(self, ids: list[str], step: Step) -> bool:
        """Whether the step leads to any of these entities, from one of the right type."""
        types = [self.schema.type_of(label) for label in self.plan.slot(step.subject).types]
        allowed = [*types, UNTYPED] if types and UNTYPED in self.engine.schema.types else types
        found = self.engine.hop(ids, 1, mode="exact", direction="in", relations=self._named(step.relations))
        return any(not allowed or each in allowed for each in found.entities["type"].to_pylist())

    def _within(self, ids: list[str]) -> list[str]:
        found = self.engine.hop(ids, DEEPEST, mode="within", direction="in", relations=self._named(self.lying))
        return [str(each) for each in found.entities["id"].to_pylist()]

    def _named(self, relationships: Sequence[str]) -> list[str]:
        return [self.schema.relationship(name).relation for name in relationships]

    def _with(self, step: Step, steps: list[Step], *slots: Slot) -> Plan:
        others = [each for each in self.part.steps if each is not step]
        part = replace(self.part, steps=(*others, *steps))
        parts = tuple(part if each is self.part else each for each in self.plan.parts)
        return replace(self.plan, slots=(*self.plan.slots, *slots), parts=parts)
