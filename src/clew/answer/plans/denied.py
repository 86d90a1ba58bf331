"""What is denied, as it is meant: of every entity of a name, of a term with its subclasses, and of what is past.

In: a plan with absent parts, or with statements that have ended. Out: the plan in which "Marfan syndrome has no gene"
is so only if none of the entities of that name has one, "features of A that B lacks" are those of which B has no
subclass either, and who no longer sells A has not taken it up again.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from clew.answer.plans.condition import Condition
from clew.answer.plans.plan import ABSENT, REQUIRED, Part, Plan, Slot, Step
from clew.answer.statements.column_words import is_end

__all__ = ["deny_of_all", "deny_present", "deny_subclasses"]

ANY = "_any"  # ending of the names of slots that stand for any entity of a name
STILL = "_still"  # of those of steps that hold now
BELOW = "_below"  # and of those that stand for a term or a subclass of it


def deny_of_all(plan: Plan, names: Collection[tuple[str, ...]]) -> Plan:
    """The plan in which nothing denied of a name holds of any of its entities; `names` are the ids of each name.

    A plan that only denies one thing of a name asks whether that is absent, so that its triples are evidence.
    """
    held = {
        each.of: each
        for each in plan.required.conditions
        if each.key == "id" and each.operator == "IN" and not each.negated and each.value in names
    }
    several = {of: each for of, each in held.items() if of not in plan.wanted}
    absent = [part for part in plan.parts if part.kind == ABSENT and not part.inside]
    touching = [part for part in absent if several.keys() & _ends(part)]
    if not touching:
        return plan
    if _is_one_denial(plan, several.keys()):
        (part,) = absent
        whole = Part(REQUIRED, part.steps, (*plan.required.conditions, *part.conditions))
        return replace(plan, kind="lacks", parts=(whole,))
    slots, parts = list(plan.slots), list(plan.parts)
    for number, part in enumerate(plan.parts):
        copies = {of: f"{of}{ANY}{number}" for of in several if part in touching and of in _ends(part)}
        if not copies:
            continue
        slots += [replace(plan.slot(of), name=copy) for of, copy in copies.items()]
        own = tuple(replace(several[of], of=copy) for of, copy in copies.items())
        renamed = plan.renamed(copies).parts
        parts[number] = replace(renamed[number], conditions=(*renamed[number].conditions, *own))
        for at, inner in enumerate(plan.parts):
            if part.name and inner.inside == part.name:
                parts[at] = renamed[at]
    return replace(plan, slots=tuple(slots), parts=tuple(parts))


def deny_present(plan: Plan) -> Plan:
    """The plan in which what has ended does not hold now: the same step has no statement without an end."""
    steps = {step.name: step for step in plan.required.steps if step.name}
    ended = {
        each.of: each.key
        for each in plan.required.conditions
        if each.of in steps and each.operator == "IS NOT NULL" and is_end(each.key)
    }
    parts = tuple(
        Part(ABSENT, (replace(steps[of], name=f"{of}{STILL}"),), (Condition(f"{of}{STILL}", key, "IS NULL", ""),))
        for of, key in ended.items()
    )
    return replace(plan, parts=(*plan.parts, *parts)) if parts and plan.kind != "path" else plan


def _ends(part: Part) -> set[str]:
    return {end for step in part.steps for end in step.ends}


def _is_one_denial(plan: Plan, several: Collection[str]) -> bool:
    """Whether a plan asks for a yes or no to one absent part, and says of names nothing else."""
    if plan.kind != "exists" or plan.required.steps or plan.having is not None:
        return False
    denied = [part for part in plan.parts if part.kind != REQUIRED]
    named = {each.of for each in plan.required.conditions}
    return len(denied) == 1 and denied[0].kind == ABSENT and named <= set(several)


def deny_subclasses(plan: Plan, hierarchy: Mapping[str, str], *, deepest: int) -> Plan | None:
    """The plan in which a term that is listed is absent from a name only if its subclasses are; None without any.

    `hierarchy` maps a label to the relationship that leads from a subclass to its superclass.
    """
    slots, parts = list(plan.slots), []
    for part in plan.parts:
        if part.kind != ABSENT or part.inside or not _names_entities(part):
            parts.append(part)
            continue
        steps = list(part.steps)
        for term in plan.wanted & _ends(part):
            labels = plan.slot(term).types
            touching = [at for at, step in enumerate(steps) if term in step.ends]
            if len(labels) != 1 or labels[0] not in hierarchy or len(touching) != 1:
                continue
            old, above = steps[touching[0]], hierarchy[labels[0]]
            if old.repeated or above in old.relations or old.subject == old.object:
                continue
            below = Slot(f"{term}{BELOW}", labels)
            slots.append(below)
            subject, object_ = (below.name if end == term else end for end in old.ends)
            steps[touching[0]] = replace(old, subject=subject, object=object_)
            steps.append(Step(below.name, (above,), term, 0, deepest))
        parts.append(replace(part, steps=tuple(steps)))
    return replace(plan, slots=tuple(slots), parts=tuple(parts)) if len(slots) > len(plan.slots) else None


def _names_entities(part: Part) -> bool:
    return any(each.key == "id" and not each.negated and not each.says_there_is_one for each in part.conditions)
