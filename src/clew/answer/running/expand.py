"""Hierarchies walked before the store is asked: "a seizure of any kind" becomes the list of its subclasses.

A store follows is_a twenty steps deep from every phenotype of every disease; the engine does it from the one that is
named, in microseconds. A step along a hierarchy whose one end is named is replaced by the ids at its other end.
"""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import replace

from clew.answer.plans.condition import Condition
from clew.answer.plans.plan import ABSENT, COUNTED, REQUIRED, Part, Plan, Slot, Step
from clew.store.layout import StoreSchema
from clew.traverse import GraphEngine

__all__ = ["expand", "with_subclasses"]


def expand(plan: Plan, engine: GraphEngine, schema: StoreSchema) -> Plan:
    """The plan without those repeated steps that start or end at named entities, and without their slots."""
    parts = _flattened([_expanded(part, engine, schema, plan) for part in plan.parts])
    gone = _slots_of(plan.parts) - _slots_of(parts)
    return replace(plan, parts=parts, slots=tuple(slot for slot in plan.slots if slot.name not in gone))


def _slots_of(parts: Iterable[Part]) -> set[str]:
    ends = {end for part in parts for step in part.steps for end in (step.subject, step.object)}
    return ends | {condition.of for part in parts for condition in part.conditions}


def _flattened(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Parts inside others that only deny ids, as conditions of those around them."""
    bare = [part for part in parts if part.kind == ABSENT and part.inside and not part.steps and not part.name]
    bare = [part for part in bare if len(part.conditions) == 1 and part.conditions[0].key == "id"]

    def around(part: Part) -> Part:
        own = [each.conditions[0] for each in bare if part.name and each.inside == part.name]
        denied = tuple(replace(each, negated=not each.negated) for each in own)
        last = not any(each.inside == part.name for each in parts if each not in bare)
        return replace(part, conditions=(*part.conditions, *denied), name="" if own and last else part.name)

    return tuple(around(part) for part in parts if part not in bare)


def _expanded(part: Part, engine: GraphEngine, schema: StoreSchema, plan: Plan) -> Part:
    for step in part.steps:
        if not step.repeated or step.either_way or not step.relations or step.name or plan.kind == "path":
            continue
        for named, other, direction in ((step.object, step.subject, "in"), (step.subject, step.object, "out")):
            ids = _named(part, named)
            if ids is None or _is_needed(plan, part, step, named):
                continue
            found = _reached(step, ids, direction, engine, schema)
            steps = tuple(each for each in part.steps if each is not step)
            conditions = tuple(each for each in part.conditions if each.of != named)
            changed = replace(part, steps=steps, conditions=(*conditions, Condition(other, "id", "IN", found)))
            return _expanded(changed, engine, schema, plan)
    return part


def _named(part: Part, slot: str) -> tuple[str, ...] | None:
    """The ids that a slot is restricted to, if it has no other condition."""
    said = [condition for condition in part.conditions if condition.of == slot]
    if len(said) != 1 or said[0].key != "id" or said[0].negated:
        return None
    value = said[0].value
    if said[0].operator == "=" and isinstance(value, str):
        return (value,)
    return tuple(map(str, value)) if said[0].operator == "IN" and isinstance(value, tuple) else None


def _is_needed(plan: Plan, part: Part, step: Step, slot: str) -> bool:
    """Whether anything but this step needs the slot."""
    if any(column.of == slot for column in plan.asked) or (plan.measure and plan.measure.of == slot):
        return True
    if any(slot in condition.others for other in plan.parts for condition in other.conditions):
        return True
    steps = [each for other in plan.parts for each in other.steps if each is not step]
    steps += [each for each in part.steps if each is not step]
    return any(slot in (each.subject, each.object) for each in steps) or part.kind not in (REQUIRED, ABSENT)


def _reached(
    step: Step, ids: tuple[str, ...], direction: str, engine: GraphEngine, schema: StoreSchema
) -> tuple[str, ...]:
    relations = [schema.relationship(name).relation for name in step.relations]
    within = engine.hop(list(ids), step.longest, mode="within", direction=direction, relations=relations)
    found = within.entities["id"].to_pylist()
    if step.shortest > 0:  # a start that is reached in zero steps does not count
        found = [each for each in found if each not in ids] if step.shortest == 1 else found
    return tuple(sorted(found))


def with_subclasses(
    plan: Plan, hierarchy: dict[str, str], *, deepest: int, kinds: Collection[str] = (REQUIRED, ABSENT, COUNTED)
) -> Plan | None:
    """The plan that includes subclasses of the terms it names; None where no named entity is in a hierarchy.

    `hierarchy` maps a label to the relationship that leads from a subclass, or an instance, to its superclass; `kinds`
    are the kinds of parts whose names are widened.
    """
    slots, changed = list(plan.slots), False
    parts: list[Part] = []
    for part in plan.parts:
        steps = list(part.steps)
        for condition in part.conditions if part.kind in kinds else ():
            labels = plan.slot(condition.of).types if any(slot.name == condition.of for slot in plan.slots) else ()
            if condition.key != "id" or len(labels) != 1 or labels[0] not in hierarchy:
                continue
            if condition.negated or condition.operator == "<>":
                continue
            touching = [at for at, step in enumerate(steps) if condition.of in (step.subject, step.object)]
            if len(touching) != 1:
                continue
            if hierarchy[labels[0]] in steps[touching[0]].relations:
                instance = steps[touching[0]]
                if instance.object == condition.of and not (instance.repeated or instance.name):
                    steps[touching[0]] = replace(instance, longest=deepest)
                    changed = True
                continue
            kind = Slot(f"{condition.of}k", labels)
            slots.append(kind)
            old = steps[touching[0]]
            steps[touching[0]] = (
                replace(old, subject=kind.name) if old.subject == condition.of else replace(old, object=kind.name)
            )
            steps.append(Step(kind.name, (hierarchy[labels[0]],), condition.of, 0, deepest))
            changed = True
        others = _others(part, plan, hierarchy, deepest) if part.kind in kinds else None
        if others is None:
            parts.append(replace(part, steps=tuple(steps)))
        else:
            (around, inner), slot = others
            parts += [replace(around, steps=tuple(steps)), inner]
            slots.append(slot)
            changed = True
    return replace(plan, slots=tuple(slots), parts=tuple(parts)) if changed else None


def _others(part: Part, plan: Plan, hierarchy: dict[str, str], deepest: int) -> tuple[tuple[Part, Part], Slot] | None:
    """What must be absent beside the terms that are named, so that their subclasses are none of it; the slot for these.

    "Nothing but seizures": nothing that is no seizure of any kind.
    """
    denied = [each for each in part.conditions if each.key == "id" and each.negated and each.operator in ("=", "IN")]
    types = plan.slot(denied[0].of).types if len(denied) == 1 else ()
    if part.kind != ABSENT or part.name or len(types) != 1 or types[0] not in hierarchy:
        return None
    slot, name = Slot(f"{denied[0].of}k", types), f"{denied[0].of}_all"
    named = replace(denied[0], of=slot.name, negated=False)
    left = tuple(each for each in part.conditions if each is not denied[0])
    step = Step(denied[0].of, (hierarchy[types[0]],), slot.name, 0, deepest)
    return (replace(part, conditions=left, name=name), Part(ABSENT, (step,), (named,), inside=name)), slot
