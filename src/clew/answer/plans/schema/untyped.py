"""Graphs that state the type of some entities only: what a relation leads to counts, though its type is not stated."""

from collections.abc import Iterator, Mapping, Set
from dataclasses import replace

from clew.answer.plans.plan import ABSENT, OPTIONAL, Part, Plan, Slot, Step
from clew.graph.encode import UNTYPED
from clew.store.layout import StoreSchema

__all__ = ["with_untyped"]


def with_untyped(plan: Plan, schema: StoreSchema, owners: Mapping[str, Set[str]]) -> Plan:
    """The plan with entities of unstated type in each slot of a type that alone has a relation or property of the slot.

    Where `managed` starts at people and at entities without a type, "who managed X" asks for both; so does "companies
    founded before 1900", where only companies and entities without a type have `founded`. `owners` are the labels that
    have each property.
    """
    untyped = next((label.name for label in schema.labels if label.type == UNTYPED), None)
    if untyped is None or len(schema.labels) == 1:
        return plan
    asked = {each.of for each in plan.asked}
    named = {each.of for part in plan.parts for each in part.conditions if each.key == "id"}

    def opened(slot: Slot) -> Slot:
        if not slot.types or untyped in slot.types or slot.name in named:
            return slot
        parts = [part for part in plan.parts if part.kind not in (ABSENT, OPTIONAL) or slot.name not in asked]
        steps = [step for part in parts for step in part.steps if slot.name in step.ends]
        had: list[Set[str]] = [_ends(step, slot.name, schema) for step in steps]
        had += [owners[key] for key in _keys(plan, parts, slot.name) if key in owners]
        allowed = {*slot.types, untyped}
        return replace(slot, types=(*slot.types, untyped)) if any(untyped in e and e <= allowed for e in had) else slot

    return replace(plan, slots=tuple(map(opened, plan.slots)))


def _ends(step: Step, slot: str, schema: StoreSchema) -> set[str]:
    """The labels at one end of a step."""
    pairs = [pair for name in step.relations for pair in schema.relationship(name).ends]
    return {pair.subject if step.subject == slot else pair.object for pair in pairs}


def _keys(plan: Plan, parts: list[Part], slot: str) -> Iterator[str]:
    """The properties of a slot that a plan compares, sorts by, measures or asks for."""
    yield from (each.key for part in parts for each in part.conditions if each.of == slot)
    columns = [*plan.asked, *(each.by for each in plan.sort if each.by is not None)]
    yield from (each.key for each in columns if each.of == slot and each.key is not None)
    if plan.measure is not None and plan.measure.of == slot and plan.measure.key is not None:
        yield plan.measure.key
