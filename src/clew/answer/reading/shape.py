"""What a question wants beyond the pattern of its plan, put onto any plan: a column of the statement itself.

In: a candidate, however it was found. Out: the candidate as the question wants it, or None where it cannot be so.
"""

from dataclasses import replace

from clew.answer.plans.filters import meets_qualifiers
from clew.answer.plans.plan import Asked, Plan, Step
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.question import ParsedQuestion
from clew.store.layout import Relationship, StoreSchema

__all__ = ["shaped"]

COUNTED = ("q_frequency",)  # columns that a negated statement has too: seen in none of 32
STATEMENT = "statement"  # name of the step that a column is asked of


def shaped(question: ParsedQuestion, candidate: Candidate, schema: StoreSchema) -> Candidate | None:
    """The candidate with everything that the question asks of it; None where its pattern does not allow that."""
    if not meets_qualifiers(candidate.plan, question.filters):
        return None
    if question.column is not None:
        plan = _with_column(candidate.plan, question.column, schema)
        return None if plan is None else replace(candidate, plan=plan)
    return candidate


def _with_column(plan: Plan, column: str, schema: StoreSchema) -> Plan | None:
    """What the one statement of a yes-or-no plan says in a column; what denies it says so too: none of 32."""
    steps = [step for part in plan.parts for step in part.steps]
    if plan.kind != "exists" or len(steps) != 1 or steps[0].repeated or not steps[0].relations:
        return None
    (step,) = steps
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


def _has(relationship: Relationship, column: str) -> bool:
    return any(each.name == column for each in relationship.properties)


def _is_opposite(denying: Relationship, affirming: Relationship) -> bool:
    """Whether a relationship denies what another affirms: its own negated triples, or lacks_x of has_x."""
    if affirming.negated:
        return False
    own = denying.relation == affirming.relation
    return own or denying.relation.partition("_")[2] == affirming.relation.partition("_")[2] != ""
