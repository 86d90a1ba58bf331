"""What a written plan may mean that is not what it says: other readings of it, for one that finds nothing."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from clew.answer.lexicon.forms import is_code
from clew.answer.models.repairs.places import relations_of_places
from clew.answer.plans.condition import Condition
from clew.answer.plans.operators import BOUNDS
from clew.answer.plans.plan import REQUIRED, Measure, Part, Plan, Step
from clew.answer.plans.schema.containment import DEEPEST
from clew.store.layout import StoreSchema

__all__ = ["variants"]


def variants(plan: Plan, schema: StoreSchema) -> Iterator[Plan]:
    """The plan without ends that must be unstated, with its only step between two of one type reversed, as a total.

    Also without the places between two places, and without types that are codes: what a query calls by one may be of
    another.
    """
    changed = (
        _still(plan),
        _turned(plan, schema),
        _totalled(plan),
        _through_places(plan, frozenset(relations_of_places(schema))),
        _of_any_type(plan, schema),
    )
    yield from filter(None, changed)


def _still(plan: Plan) -> Plan | None:
    """The plan without the conditions that columns of statements are not stated, if it has any.

    Who rides for a team *now* has no end stated in some graphs, and in others the day that the contract ends.
    """
    steps = {step.name for part in plan.parts for step in part.steps if step.name}
    unstated = [
        each
        for part in plan.parts
        for each in part.conditions
        if part.kind == REQUIRED and each.of in steps and each.operator == "IS NULL" and not each.negated
    ]
    parts = tuple(_without(part, unstated) if part.kind == REQUIRED else part for part in plan.parts)
    return replace(plan, parts=parts) if unstated else None


def _turned(plan: Plan, schema: StoreSchema) -> Plan | None:
    """The plan with its only step between two entities of one type reversed; None unless there is exactly one."""
    alike = [step for part in plan.parts for step in part.steps if not step.repeated and _joins_alike(step, schema)]
    if len(alike) != 1 or alike[0].either_way:
        return None

    def turn(step: Step) -> Step:
        return replace(step, subject=step.object, object=step.subject) if step == alike[0] else step

    return replace(plan, parts=tuple(replace(part, steps=tuple(map(turn, part.steps))) for part in plan.parts))


def _joins_alike(step: Step, schema: StoreSchema) -> bool:
    """Whether entities of one type can be at both ends of a relation."""
    ends = [pair for name in step.relations for pair in schema.relationship(name).ends]
    return not {pair.subject for pair in ends}.isdisjoint(pair.object for pair in ends)


def _through_places(plan: Plan, lying: frozenset[str]) -> Plan | None:
    """The plan in which places lie in others however many lie between; None where none that a query has does.

    Villages of a county may lie in it directly, or in a district of it.
    """
    said = plan.wanted | {each.of for part in plan.parts for each in part.conditions}
    ends = [end for part in plan.parts for step in part.steps for end in step.ends]

    def lies(step: Step) -> bool:
        return bool(step.relations) and lying.issuperset(step.relations) and not step.name and not step.either_way

    for part in plan.parts:
        for inner, outer in permutations(filter(lies, part.steps), 2):
            between = inner.object
            if between != outer.subject or between in said or ends.count(between) > 2:
                continue
            whole = replace(inner, object=outer.object, relations=tuple(sorted(lying)), longest=DEEPEST)
            steps = tuple(whole if step is inner else step for step in part.steps if step is not outer)
            parts = tuple(replace(part, steps=steps) if each is part else each for each in plan.parts)
            changed = replace(plan, slots=tuple(each for each in plan.slots if each.name != between), parts=parts)
            return _through_places(changed, lying) or changed
    return None


def _of_any_type(plan: Plan, schema: StoreSchema) -> Plan | None:
    """The plan without those types of its slots that are codes, if there are any."""
    codes = {label.name for label in schema.labels if is_code(label.type)}
    slots = tuple(replace(slot, types=tuple(each for each in slot.types if each not in codes)) for slot in plan.slots)
    return replace(plan, slots=slots) if slots != plan.slots else None


def _totalled(plan: Plan) -> Plan | None:
    """The plan that lists all whose total is within the bounds that it has for each value that it adds up.

    Sponsors that gave more than 60,000 in all need not have given that much at once.
    """
    measure = plan.measure
    if measure is None or measure.function != "sum" or not plan.asked:
        return None
    bounds = [
        each for part in plan.parts for each in part.conditions if part.kind == REQUIRED and _bounds(each, measure)
    ]
    for each in bounds:
        assert isinstance(each.value, int | float)
        measure = measure.bounded(each.operator, each.value)
    if measure is plan.measure:
        return None
    parts = tuple(_without(part, bounds) if part.kind == REQUIRED else part for part in plan.parts)
    return replace(plan, parts=parts, measure=measure, sort=(), limit=None)


def _bounds(condition: Condition, measure: Measure) -> bool:
    number = isinstance(condition.value, int | float) and not condition.negated
    return number and condition.operator in BOUNDS and (condition.of, condition.key) == (measure.of, measure.key)


def _without(part: Part, conditions: list[Condition]) -> Part:
    return replace(part, conditions=tuple(each for each in part.conditions if each not in conditions))
