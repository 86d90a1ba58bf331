"""What holds now ("today's crew", "who rides for A at the moment") where a written plan forgot that it has no end.

In: a plan, and its question. Out: the plan with no end stated for the only step that may have one. Where several may,
or the plan says something of ends itself, it stays as it is.
"""

from clew.answer.plans.assertions.filters import Filters, with_filters
from clew.answer.plans.plan import Plan
from clew.answer.reading.question import ParsedQuestion
from clew.answer.statements.column_words import is_end

__all__ = ["lasting"]


def lasting(plan: Plan, question: ParsedQuestion) -> Plan:
    """The plan with the one statement that may have ended still holding, if the question is about now."""
    if any(is_end(each.key) for part in plan.parts for each in part.conditions):
        return plan
    now = (each for each in question.filters.qualifiers if each.operator == "IS NULL" and is_end(each.key))
    return with_filters(plan, Filters(qualifiers=tuple(now)))
