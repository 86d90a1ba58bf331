"""Places inside places: "born in Japan" holds of those born in a city of Japan, however many steps lie between.

In: a plan with a step to a named place, or a chain of steps up to it or to a group of groups. Out: the plan in which
whatever that contains counts too; the plan itself where nothing is contained in what it names.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace

from clew.answer.lexicon.families import written_out
from clew.answer.lexicon.forms import plain_name, word_table
from clew.answer.plans.condition import Condition
from clew.answer.plans.plan import ABSENT, REQUIRED, Part, Plan, Slot, Step
from clew.graph.encode import UNTYPED
from clew.store.layout import StoreSchema

__all__ = ["containing", "either_way", "is_within", "within_places"]

WITHIN, GROUPED, PLACES = (frozenset(word_table("relations.json")[each]) for each in ("within", "grouped", "places"))
DEEPEST = 8  # places inside each other


def is_within(relation: str) -> bool:
    """Whether the name of a relation says that a place lies in another: "located in", "located in country"."""
    name = plain_name(relation)
    return name in WITHIN or any(name == f"{within} {place}" for within in WITHIN for place in PLACES)


def containing(schema: StoreSchema) -> tuple[frozenset[str], ...]:
    """The relations that lead from a place to the one around it, and from a group to a wider one, where these nest."""
    found = []
    for names in (WITHIN, GROUPED):
        own = [
            each
            for each in schema.relationships
            if plain_name(each.called) in names and not each.negated and not each.symmetric
        ]
        inner = {ends.subject for each in own for ends in each.ends}
        outer = {ends.object for each in own for ends in each.ends}
        if inner & outer:
            found.append(frozenset(each.name for each in own))
    return tuple(found)


def either_way(plan: Plan, mutual: frozenset[str]) -> Plan:
    """The plan in which relations that hold both ways, though they are stated one way, are followed both ways."""
    if not mutual:
        return plan
    parts = tuple(
        replace(
            part,
            steps=tuple(
                replace(step, either_way=True) if step.relations and mutual.issuperset(step.relations) else step
                for step in part.steps
            ),
        )
        for part in plan.parts
    )
    return replace(plan, parts=parts)


def within_places(plan: Plan, schema: StoreSchema, containers: Sequence[frozenset[str]]) -> Plan:
    """The plan with whatever the places and groups that it names contain."""
    if plan.kind == "path":
        return plan
    for nested in containers:
        for part in plan.parts:
            for condition in part.conditions if part.kind in (REQUIRED, ABSENT) else ():
                changed = _widened(plan, part, condition, schema, nested)
                if changed is not None:
                    return within_places(changed, schema, containers)
    return plan


def _widened(plan: Plan, part: Part, condition: Condition, schema: StoreSchema, nested: frozenset[str]) -> Plan | None:
    named = condition.of
    if condition.key != "id" or condition.negated or not _is_outer(plan.slot(named), schema, nested):
        return None
    placed = any(_noun(label) in PLACES for label in _labels(plan.slot(named), schema, nested))
    chain = list(_chain(plan, part, named, nested))
    if not chain or any(step.repeated or step.name or len(step.relations) != 1 for step in chain):
        return None
    first = chain[-1]
    if len(chain) == 1 and placed and first.relations[0] in nested and _is_no_place(first, schema, nested):
        longer = replace(first, relations=tuple(sorted(nested)), longest=DEEPEST)
        steps = [longer if step is first else step for step in part.steps]
        parts = tuple(replace(part, steps=tuple(steps)) if each is part else each for each in plan.parts)
        return replace(plan, parts=parts)
    if len(chain) == 1 and (not placed or first.relations[0] in nested or not _leads_inside(first, schema, nested)):
        return None
    inner = f"{named}w"
    gone = {step.subject for step in chain[:-1]}
    steps = [step for step in part.steps if step not in chain]
    steps += [replace(first, object=inner), Step(inner, tuple(sorted(nested)), named, 0, DEEPEST)]
    slots = [slot for slot in plan.slots if slot.name not in gone]
    parts = tuple(replace(part, steps=tuple(steps)) if each is part else each for each in plan.parts)
    return replace(plan, slots=(*slots, Slot(inner, ())), parts=parts)


def _chain(plan: Plan, part: Part, named: str, nested: frozenset[str]) -> Iterator[Step]:
    """The steps that lead up to a named place, the last first, to the first that is no step between places."""
    here, needed = named, _needed(plan)
    while True:
        touching = [step for each in plan.parts for step in each.steps if here in step.ends]
        steps = [step for step in touching if step.object == here and step in part.steps]
        if len(steps) != 1 or len(touching) > (1 if here == named else 2):
            return
        yield steps[0]
        here = steps[0].subject
        if steps[0].relations[:1] and steps[0].relations[0] not in nested:
            return
        if here in needed:
            return


def _needed(plan: Plan) -> set[str]:
    """Slots of which more is said than that they lie on the way."""
    said = {each.of for part in plan.parts for each in part.conditions}
    return said | {each.of for each in plan.asked} | ({plan.measure.of} if plan.measure is not None else set())


def _is_outer(slot: Slot, schema: StoreSchema, nested: frozenset[str]) -> bool:
    around = {ends.object for name in nested for ends in schema.relationship(name).ends}
    groups = all(plain_name(schema.relationship(name).called) in GROUPED for name in nested)
    return any(label in around and (groups or _noun(label) in PLACES) for label in _labels(slot, schema, nested))


def _labels(slot: Slot, schema: StoreSchema, nested: frozenset[str]) -> tuple[str, ...]:
    """The labels of a slot; where types are sparse and it has none, all that others lie in."""
    pairs = [pair for name in sorted(nested) for pair in schema.relationship(name).ends]
    sparse = any(schema.type_of(pair.object) == UNTYPED for pair in pairs)
    return slot.types or (tuple({pair.object: None for pair in pairs}) if sparse else ())


def _leads_inside(step: Step, schema: StoreSchema, nested: frozenset[str]) -> bool:
    """Whether a relation leads to places that lie in others."""
    relation = schema.relationship(step.relations[0])
    inside = {ends.subject for name in nested for ends in schema.relationship(name).ends}
    return not relation.symmetric and any(ends.object in inside for ends in relation.ends)


def _is_no_place(step: Step, schema: StoreSchema, nested: frozenset[str]) -> bool:
    """Whether a step leads from what lies in places and contains nothing itself: from estates, not from towns."""
    around = {ends.object for name in nested for ends in schema.relationship(name).ends}
    return not any(ends.subject in around for ends in schema.relationship(step.relations[0]).ends)


def _noun(label: str) -> str:
    return written_out(plain_name(label).split()[-1])
