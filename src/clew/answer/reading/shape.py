"""What a question wants beyond the pattern of its plan, put onto any plan: a column of the statement itself, how many
of several names must hold, that no other does, that every one of a type does, or which of some entities has most.

In: a candidate, however it was found. Out: the candidate as the question wants it, or None where it cannot be so.
"""

from dataclasses import replace

from clew.answer.grammar.clauses import find_clauses
from clew.answer.plans.assertions.filters import meets_qualifiers
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.plan import ABSENT, REQUIRED, Count, Measure, Part, Plan, Slot, Sort, Step
from clew.answer.plans.quantify import another, counted, every, root_of, with_none
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.question import ParsedQuestion
from clew.answer.statements.column_words import is_end, is_time
from clew.store.layout import Relationship, StoreSchema

__all__ = ["counting_none", "shaped"]

COUNTED = ("q_frequency",)  # columns that a negated statement has too: seen in none of 32
STATEMENT = "statement"  # name of the step that a column is asked of


def shaped(question: ParsedQuestion, candidate: Candidate, schema: StoreSchema) -> Candidate | None:
    """The candidate with everything that the question asks of it; None where its pattern does not allow that."""
    if not meets_qualifiers(candidate.plan, question.filters):
        return None
    if question.column is not None:
        asking = _with_column(candidate.plan, question.column, schema)
        return None if asking is None else replace(candidate, plan=asking)
    plan: Plan | None = candidate.plan
    for change in (_without, _among, _counted, _only, _every, _bounded):
        plan = None if plan is None else change(plan, question, candidate)
    if plan is None:
        return None
    aside = tuple(each.name for each in question.aside)
    return _contrasted(question, replace(candidate, plan=counting_none(plan, question), aside=aside))


def _contrasted(question: ParsedQuestion, candidate: Candidate) -> Candidate:
    """The candidate with another one of a type than a name has ("a different ward than"), if that can be."""
    contrast, plan = question.contrast, candidate.plan
    if contrast is None:
        return candidate
    meant = another(plan, [each.name for each in plan.slots if set(each.types) & set(contrast.labels)])
    if meant is None:
        return candidate
    return replace(candidate, plan=meant, quantified=candidate.quantified | {contrast.start})


def _without(plan: Plan, question: ParsedQuestion, candidate: Candidate) -> Plan | None:
    """The plan whose answers are others than those that the question sets aside."""
    if not question.aside:
        return plan
    root = root_of(plan)
    if plan.kind != "rows" or root is None:
        return None
    ids = tuple(sorted({id for each in question.aside for id in each.ids}))
    return plan.with_part(Part(REQUIRED, (), (Condition(root, "id", "IN", ids, negated=True),)))


def _among(plan: Plan, question: ParsedQuestion, candidate: Candidate) -> Plan | None:
    """The plan whose answers are among the entities that the question compares or chooses from."""
    if not question.among:
        return plan
    if plan.kind != "rows" or not plan.asked:
        return None
    return plan.with_part(Part(REQUIRED, (), (Condition(plan.asked[0].of, "id", "IN", question.among),)))


def _counted(plan: Plan, question: ParsedQuestion, candidate: Candidate) -> Plan | None:
    """How many of several names must hold: their slots become one, whose names are counted.

    Names are counted, not entities: one name may stand for several entities.
    """
    quantity = question.quantity
    if quantity.kind != "count":
        return plan
    held = _held(plan, candidate, quantity.names)
    part = plan.required
    steps = [step for step in part.steps if set(step.ends) & set(held)]
    if (
        plan.kind != "rows"
        or plan.measure is not None
        or not held
        or len(steps) != len(held)
        or not _alike(steps, held)
    ):
        return None
    kept, *others = held
    ids = tuple(sorted({id for slot in held for id in held[slot]}))
    gone = set(others)
    conditions = [each for each in part.conditions if each.of not in held]
    required = Part(
        REQUIRED,
        tuple(step for step in part.steps if not gone & set(step.ends)),
        (*conditions, Condition(kept, "id", "IN", ids)),
    )
    return replace(
        plan,
        slots=tuple(slot for slot in plan.slots if slot.name not in gone),
        parts=(required, *(each for each in plan.parts if each.kind != REQUIRED)),
        measure=Measure("count", kept, "name", quantity.operator, quantity.number),
        sort=(Sort(None, descending=True),),
    )


def _only(plan: Plan, question: ParsedQuestion, candidate: Candidate) -> Plan | None:
    """No other entity than those named may stand where they stand."""
    quantity = question.quantity
    if quantity.kind != "only":
        return plan
    held = _held(plan, candidate, quantity.names)
    steps = [step for step in plan.required.steps if set(step.ends) & set(held)]
    if plan.kind == "path" or not held or not _alike(steps, held):
        return None
    slot = next(iter(held))
    ids = tuple(sorted({id for each in held.values() for id in each}))
    other = f"{slot}_other"
    part = Part(ABSENT, (_turned(steps[0], slot, other),), (Condition(other, "id", "IN", ids, negated=True),))
    return replace(plan, slots=(*plan.slots, Slot(other, plan.slot(slot).types)), parts=(*plan.parts, part))


def _every(plan: Plan, question: ParsedQuestion, candidate: Candidate) -> Plan | None:
    """As many of a type as there are at all: "seen in every disease of this gene"."""
    if not question.every or candidate.quantified:
        return plan  # grammar has told whom it is about
    return every(plan, [each.name for each in plan.slots if set(each.types) & set(question.every)])


def _bounded(plan: Plan, question: ParsedQuestion, candidate: Candidate) -> Plan | None:
    """How many there must be of a type, where the plan measures something else or nothing."""
    bound = question.bound
    done = plan.measure is not None and plan.measure.operator is not None
    if bound is None or done or any(part.count is not None for part in plan.parts):
        return plan
    held = {each.of for each in plan.required.conditions if each.key == "id" and not each.negated}
    touched = {end for step in plan.required.steps for end in step.ends}
    fitting = [
        slot.name
        for slot in plan.slots
        if slot.name in touched
        and slot.name not in held | {root_of(plan)}
        and (not bound.labels or set(slot.types) & set(bound.labels))
    ]
    return counted(plan, Count(fitting[0], bound.operator, bound.number)) if len(fitting) == 1 else None


def counting_none(plan: Plan, question: ParsedQuestion) -> Plan:
    """Those that have none count for "at most two" and "the fewest", where a noun says among whom."""
    if plan.measure is None:
        return plan
    return with_none(plan) if _says_among_whom(plan, question) else plan


def _says_among_whom(plan: Plan, question: ParsedQuestion) -> bool:
    """Whether entities, their type or a noun that no list knows ("which *physios* have …") say whom it is about."""
    root, tree = root_of(plan), next(iter(question.trees), None)
    types = set(plan.slot(root).types) if root is not None else set()
    if question.among or any(not word.implied and types & set(word.labels) for word in question.type_words):
        return True
    asked = None if tree is None else find_clauses(tree).asked
    return tree is not None and asked is not None and tree.words[asked].kind == "NOUN"


def _held(plan: Plan, candidate: Candidate, names: tuple[int, ...]) -> dict[str, tuple[str, ...]]:
    """The slots that some names of the question are, with their ids."""
    wanted = {candidate.meanings[number].ids for number in names if number < len(candidate.meanings)}
    found: dict[str, tuple[str, ...]] = {}
    for condition in plan.required.conditions:
        if condition.key == "id" and not condition.negated and condition.values in wanted:
            found[condition.of] = tuple(map(str, condition.values))
    return found


def _alike(steps: list[Step], held: dict[str, tuple[str, ...]]) -> bool:
    """Whether there is one step to each slot that is held, and they differ in nothing else."""
    kinds = {
        (step.relations, *("" if end in held else end for end in step.ends), step.either_way, step.repeated)
        for step in steps
    }
    return len(steps) == len(held) and len(kinds) == 1 and not steps[0].repeated


def _turned(step: Step, slot: str, other: str) -> Step:
    """A step with another slot in the place of one."""
    subject, object_ = (other if end == slot else end for end in step.ends)
    return replace(step, subject=subject, object=object_, name="")


def _with_column(plan: Plan, column: str, schema: StoreSchema) -> Plan | None:
    """What the one statement of a yes-or-no plan says in a column; what denies it says so too: none of 32."""
    steps = [step for part in plan.parts for step in part.steps]
    if plan.kind != "exists" or len(steps) != 1 or steps[0].repeated or not steps[0].relations:
        return None
    (step,) = steps
    column = _own_time(step, column, schema)
    relations = [each for each in schema.relationships if each.name in step.relations and _has(each, column)]
    if not relations:
        return None
    denying = [
        each.name
        for each in schema.relationships
        if each.negated
        and column in COUNTED
        and _has(each, column)
        and any(_is_opposite(each, known) for known in relations)
    ]
    named = replace(step, name=step.name or STATEMENT, relations=(*(each.name for each in relations), *denying))
    parts = tuple(replace(part, steps=_replaced(part.steps, step, named)) for part in plan.parts)
    return replace(plan, kind="rows", parts=parts, asked=(Asked(named.name, column),))


def _replaced(steps: tuple[Step, ...], old: Step, new: Step) -> tuple[Step, ...]:
    return tuple(new if step == old else step for step in steps)


def _own_time(step: Step, column: str, schema: StoreSchema) -> str:
    """A column, or where statements of a step have another one for when they begin, or end, that."""
    known = [schema.relationship(name) for name in step.relations]
    if not is_time(column) or any(_has(each, column) for each in known):
        return column
    return next((own.name for each in known for own in each.properties if _is_other_time(own.name, column)), column)


def _is_other_time(one: str, other: str) -> bool:
    """Whether two columns of times both say when statements end, or both do not."""
    return is_time(one) and is_end(one) == is_end(other)


def _has(relationship: Relationship, column: str) -> bool:
    return any(each.name == column for each in relationship.properties)


def _is_opposite(denying: Relationship, affirming: Relationship) -> bool:
    """Whether a relationship denies what another affirms: its own negated triples, or lacks_x of has_x."""
    if affirming.negated:
        return False
    own = denying.relation == affirming.relation
    return own or denying.relation.partition("_")[2] == affirming.relation.partition("_")[2] != ""
