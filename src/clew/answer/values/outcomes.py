"""Values in an outcome: the number that it states, and whether another attribute would have given the same."""

from collections.abc import Callable
from dataclasses import replace

from clew.answer.lexicon.numbers import as_number
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.interpretation import Interpretation
from clew.answer.running.run import Outcome

__all__ = ["agreed", "given", "stated_number"]


def agreed(interpretation: Interpretation, found: Outcome, run: Callable[[Candidate], Outcome]) -> Interpretation:
    """An interpretation that may mean another attribute: in no doubt if all that may be meant give the same."""
    values = interpretation.candidate.values
    if values is None or not values.ambiguous:
        return interpretation
    others = [each for each in interpretation.ranked if each.candidate is not interpretation.candidate]
    alternatives = [each for each in others if each.candidate.values and each.candidate.values.base == values.base]
    if any(given(run(each.candidate)) != given(found) for each in alternatives):
        return interpretation
    sure = replace(interpretation.candidate, values=replace(values, ambiguous=False))
    own = [replace(each, candidate=sure) for each in interpretation.ranked if each not in others]
    return replace(
        interpretation, candidate=sure, ranked=(*own, *(each for each in others if each not in alternatives))
    )


def given(outcome: Outcome) -> tuple[object, frozenset[str]]:
    """What an outcome answers, to be compared with that of another plan."""
    return outcome.value, frozenset(item.id for item in outcome.items)


def stated_number(candidate: Candidate, outcome: Outcome) -> int | float | bool | None:
    """The number of an outcome, or that which its one value states: of a column, or to which a relation leads."""
    values, items = candidate.values, outcome.items
    stated = values is not None and values.shown is not None and values.shown.relation and not candidate.plan.sort
    stated = stated or candidate.plan.column is not None
    return as_number(items[0].name) if stated and len(items) == 1 else outcome.value
