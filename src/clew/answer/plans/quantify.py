"""Quantifiers put onto plans: at least three of a slot, only such as fill it, every one that there is.

In: a plan whose required steps form a tree, what is asked for (the root) and the slot that a quantifier is about. Out:
the plan with the quantifier, or None where its steps do not allow that.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace

from clew.answer.plans.condition import Condition
from clew.answer.plans.plan import ABSENT, COUNTED, OPTIONAL, REQUIRED, Count, Measure, Part, Plan, Step

__all__ = ["another", "counted", "counted_together", "every", "only", "root_of", "with_none"]

OTHER = "_other"  # ending of the names of slots that stand for any other
AROUND = "all"  # name of the part around what must hold of all


@dataclass(frozen=True, slots=True)
class _Limb:
    """A slot with the step that leads to it from the root and everything beyond it."""

    join: Step
    steps: tuple[Step, ...]
    slots: frozenset[str]
    conditions: tuple[Condition, ...]


def root_of(plan: Plan) -> str | None:
    """What a plan asks for or counts; of one to be judged, the first slot that is held to an entity."""
    if plan.asked:
        return plan.asked[0].of
    if plan.measure is not None:
        return plan.measure.of
    if plan.having is not None and plan.having.of:
        return plan.having.of
    return next((each.of for each in plan.required.conditions if each.key == "id" and not each.negated), None)


def counted(plan: Plan, *counts: Count) -> Plan | None:
    """The plan in which slots and all beyond them are counted for what leads to them."""
    limbs = [limb for count in counts if (limb := _limb(plan, count.of)) is not None]
    wanted = {column.of for column in plan.asked} | ({plan.measure.of} if plan.measure else set())
    slots = [slot for limb in limbs for slot in limb.slots]
    if len(limbs) < len(counts) or len(slots) > len(set(slots) - wanted):
        return None
    gone = {step for limb in limbs for step in (limb.join, *limb.steps)}
    said = {each for limb in limbs for each in limb.conditions}
    left = plan.required
    kept = Part(
        REQUIRED,
        tuple(step for step in left.steps if step not in gone),
        tuple(each for each in left.conditions if each not in said),
    )
    others = [each for each in plan.parts if each.kind != REQUIRED]
    parts = [
        Part(COUNTED, (limb.join, *limb.steps), limb.conditions, count)
        for limb, count in zip(limbs, counts, strict=True)
    ]
    return replace(plan, parts=(*([kept] if kept.steps or kept.conditions else []), *others, *parts))


def counted_together(plan: Plan, count: Count) -> Plan | None:
    """The plan in which a slot is counted for what is asked for, also where several steps join the two."""
    found = counted(plan, count)
    root = root_of(plan)
    required = plan.required
    joins = [step for step in required.steps if {root, count.of} == set(step.ends)]
    if found is not None or len(joins) < 2:
        return found
    left = tuple(step for step in required.steps if step not in joins)
    if any(count.of in step.ends for step in left):
        return None
    own = tuple(each for each in required.conditions if each.of == count.of)
    kept = Part(REQUIRED, left, tuple(each for each in required.conditions if each not in own))
    others = [each for each in plan.parts if each.kind != REQUIRED]
    return replace(plan, parts=(kept, *others, Part(COUNTED, tuple(joins), own, count)))


def only(plan: Plan, slot: str) -> Plan | None:
    """The plan in which whatever fills a slot must be as the plan says: there is no other that is not."""
    limb = _limb(plan, slot)
    if limb is None or not (limb.steps or limb.conditions):
        return None
    names = {each: f"{each}{OTHER}" for each in limb.slots}
    names |= {step.name: f"{step.name}{OTHER}" for step in (limb.join, *limb.steps) if step.name}
    copied = Plan(plan.slots, (Part(REQUIRED, (limb.join, *limb.steps), limb.conditions),)).renamed(names)
    (part,) = copied.parts
    join, *steps = part.steps
    slots = tuple(replace(each, name=names[each.name]) for each in plan.slots if each.name in limb.slots)
    about_join = tuple(each for each in part.conditions if join.name and each.of == join.name)
    conditions = tuple(each for each in part.conditions if each not in about_join)
    named = AROUND if not any(each.name == AROUND for each in plan.parts) else f"{AROUND}_{slot}"
    if not steps and all(each.key == "id" for each in conditions):
        absent = [
            Part(ABSENT, (join,), (*about_join, *(replace(each, negated=not each.negated) for each in conditions)))
        ]
    else:
        absent = [
            Part(ABSENT, (join,), about_join, name=named),
            Part(ABSENT, tuple(steps), conditions, inside=named),
        ]
    if not all(part.steps for part in absent):
        return None
    return replace(plan, slots=(*plan.slots, *slots), parts=(*plan.parts, *absent))


def another(plan: Plan, slots: Collection[str]) -> Plan | None:
    """The plan in which a slot is not what the plan says of it: a ward, but none that this patient lies on."""
    root = root_of(plan)
    near = {end for step in plan.required.steps if root in step.ends for end in step.ends} - {root}
    slot = next((each.name for each in plan.slots if each.name in near and each.name in slots), None)
    limb = None if slot is None else _limb(plan, slot)
    if plan.kind not in ("rows", "exists") or limb is None or not limb.steps:
        return None
    said = tuple(each for each in limb.conditions if each.of != slot)
    required = plan.required
    kept = Part(
        REQUIRED,
        tuple(step for step in required.steps if step not in limb.steps),
        tuple(each for each in required.conditions if each not in said),
    )
    others = [each for each in plan.parts if each.kind != REQUIRED]
    return replace(plan, parts=(kept, *others, Part(ABSENT, limb.steps, said)))


def every(plan: Plan, slots: Collection[str]) -> Plan | None:
    """As many of a slot as there are at all: "seen in every disease of this gene"; of some slots the nearest counts."""
    root = root_of(plan)
    if plan.kind != "rows" or plan.measure is not None or not plan.asked or root is None:
        return None
    near = {end for step in plan.required.steps if root in step.ends for end in step.ends} - {root}
    slot = next((each.name for each in plan.slots if each.name in near and each.name in slots), None)
    if slot is None:
        return None
    total = replace(_without(plan, root, slot), measure=Measure("count", slot))
    return replace(plan, measure=Measure("count", slot, None, "=", total))


def with_none(plan: Plan) -> Plan:
    """The plan in which those that have none count too, where the fewest are asked for, or no more than some number."""
    measure = plan.measure
    if plan.kind != "rows" or not plan.asked or measure is None or (measure.function, measure.key) != ("count", None):
        return plan
    rising = plan.limit is not None and any(sort.by is None and not sort.descending for sort in plan.sort)
    limb = _limb(plan, measure.of) if (measure.passes(0) if measure.bounds else rising) else None
    if limb is None or not plan.slot(plan.asked[0].of).types:
        return plan
    gone = (limb.join, *limb.steps)
    left = plan.required
    kept = Part(
        REQUIRED,
        tuple(step for step in left.steps if step not in gone),
        tuple(each for each in left.conditions if each not in limb.conditions),
    )
    if not kept.steps and not kept.conditions:
        kept = replace(kept, conditions=(Condition(plan.asked[0].of, "id", "IS NOT NULL"),))
    others = [each for each in plan.parts if each.kind != REQUIRED]
    return replace(plan, parts=(kept, *others, Part(OPTIONAL, gone, limb.conditions)))


def _without(plan: Plan, root: str, slot: str) -> Plan:
    """What the plan says of a slot, whatever it says of what is asked for."""
    steps = [step for step in plan.required.steps if root not in step.ends]
    reached = _reached(slot, steps)
    part = Part(
        REQUIRED,
        tuple(step for step in steps if set(step.ends) <= reached),
        tuple(each for each in plan.required.conditions if each.of in reached),
    )
    return Plan(tuple(each for each in plan.slots if each.name in reached), (part,))


def _limb(plan: Plan, slot: str) -> _Limb | None:
    """None where a slot is the root, is not joined to it, or is joined in several ways.

    The root is what is asked for; of a slot that nothing joins to that, an entity that is named.
    """
    steps = list(plan.required.steps)
    named = (each.of for each in plan.required.conditions if each.key in ("id", "name") and not each.negated)
    joined = _reached(slot, steps)
    root = next((each for each in (root_of(plan), *named) if each in joined), None)
    if root is None or root == slot:
        return None
    joins = [
        step
        for step in steps
        if slot in step.ends and root not in _reached(slot, [each for each in steps if each is not step])
    ]
    towards = [
        step for step in joins if root in _reached(_other(step, slot), [each for each in steps if each is not step])
    ]
    if len(towards) != 1:
        return None
    beyond = _reached(slot, [step for step in steps if step is not towards[0]])
    inner = tuple(step for step in steps if step is not towards[0] and set(step.ends) <= beyond)
    names = beyond | {step.name for step in (towards[0], *inner) if step.name}
    said = tuple(each for each in plan.required.conditions if each.of in names or not names.isdisjoint(each.others))
    return _Limb(towards[0], inner, frozenset(beyond), said)


def _other(step: Step, slot: str) -> str:
    return step.object if step.subject == slot else step.subject


def _reached(start: str, steps: Collection[Step]) -> set[str]:
    """The slots that steps lead to from one."""
    reached, waiting = {start}, [start]
    while waiting:
        here = waiting.pop()
        for step in steps:
            for end in step.ends:
                if here in step.ends and end not in reached:
                    reached.add(end)
                    waiting.append(end)
    return reached
