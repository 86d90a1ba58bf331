"""One plan for all types that may be meant, where a question does not say which: "who works on A", "what treats B".

In: ranked plans. Out: the same, but plans that differ in nothing except the type of what is asked for are one, whose
answers may be of any of these types: doctors, nurses and therapists all work on a ward.
"""

from collections.abc import Sequence
from dataclasses import replace

from clew.answer.plans.canonical import canonical
from clew.answer.plans.plan import Plan
from clew.answer.reading.question import ParsedQuestion
from clew.answer.reading.rank import Ranked

__all__ = ["is_narrower", "of_any_type"]


def of_any_type(question: ParsedQuestion, ranked: Sequence[Ranked]) -> list[Ranked]:
    """The plans, merged where only the requested type differs; none where the question says one type."""
    if len(question.asked) == 1 or question.foreign or question.among:
        return list(ranked)
    families: dict[Plan, list[Ranked]] = {}
    for number, each in enumerate(ranked):
        plan, slot = each.candidate.plan, _requested(each.candidate.plan)
        alone = slot is None or each.candidate.values is not None or len(plan.slot(slot).types) != 1
        key = replace(plan, kind=f"{plan.kind} {number}") if alone else canonical(_of_types(plan, str(slot), ()))
        families.setdefault(key, []).append(each)
    return [_merged(family) for family in families.values()]


def is_narrower(plan: Plan, other: Plan) -> bool:
    """Whether a plan is another one but for the requested type, which is one of those of the other."""
    slot, same = _requested(plan), _requested(other)
    if slot is None or same is None or not set(_types(plan)) < set(_types(other)):
        return False
    return canonical(_of_types(plan, slot, ())) == canonical(_of_types(other, same, ()))


def _merged(family: Sequence[Ranked]) -> Ranked:
    """The best of some plans, of the types of all that leave out no more words than it does."""
    best = family[0]
    plan, slot = best.candidate.plan, _requested(best.candidate.plan)
    fitting = [each for each in family if len(each.account.missing) <= len(best.account.missing)]
    types = [_types(each.candidate.plan) for each in fitting]
    if slot is None or len(fitting) == 1:
        return best
    whole = tuple(dict.fromkeys(label for own in types for label in own))
    labels = tuple(dict.fromkeys((*best.candidate.labels, *whole)))
    return replace(best, candidate=replace(best.candidate, plan=_of_types(plan, slot, whole), labels=labels))


def _requested(plan: Plan) -> str | None:
    """The slot that is listed, ranked or counted, unless it is named or sorts the answers of another one."""
    if plan.kind != "rows":
        return None
    slot = plan.asked[0].of if plan.asked else plan.measure.of if plan.measure is not None else None
    named = {each.of for part in plan.parts for each in part.conditions if each.key == "id" and not each.negated}
    return slot if slot in {each.name for each in plan.slots} - named else None


def _types(plan: Plan) -> tuple[str, ...]:
    slot = _requested(plan)
    return () if slot is None else plan.slot(slot).types


def _of_types(plan: Plan, name: str, types: tuple[str, ...]) -> Plan:
    return replace(plan, slots=tuple(replace(each, types=types) if each.name == name else each for each in plan.slots))
