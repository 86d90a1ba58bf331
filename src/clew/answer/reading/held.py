"""Whether a plan has what a question states outright: numbers, years, proper names and words of time.

A phrase of a sketch may fit a relation as a whole ("rated in 2015") and leave such a word out all the same.
"""

from collections.abc import Iterator

from clew.answer.grammar.roles import NAME, QUANTIFIER, RESTRICTION
from clew.answer.lexicon.forms import Token, plain_name
from clew.answer.lexicon.numbers import read_number
from clew.answer.lexicon.times import MONTHS
from clew.answer.names.likeness import is_proper, resembles
from clew.answer.plans.plan import ABSENT, Plan
from clew.answer.reading.account import Unbound
from clew.answer.reading.contrasts import CONTRASTING

__all__ = ["unheld"]

TIMES = frozenset({"before", "after", "since", "until", "during", "ago"})


def unheld(word: Unbound, plan: Plan) -> str | None:
    """What a word without a part of a plan does in its question, if it states something that the plan does not have.

    None for any other word.
    """
    if word.role == QUANTIFIER and word.text.lower() == "most" and plan.kind == "exists":
        return QUANTIFIER  # that there is one does not say that most are
    if word.role == QUANTIFIER and word.text.lower() in CONTRASTING and not _tells_apart(plan):
        return QUANTIFIER
    values = list(_values(plan))
    proper = is_proper(Token(word.text, word.start, word.end))
    if read_number(word.text) is not None or (proper and word.text.lower() in MONTHS):
        numbered = any(character.isdigit() for value in values for character in value)
        return None if numbered else QUANTIFIER
    if word.text.lower() in TIMES:
        return None if values or plan.sort else RESTRICTION
    if not proper:
        return None
    return None if resembles(word.text, "", " ".join([*values, *_columns(plan)])) else NAME


def _tells_apart(plan: Plan) -> bool:
    """Whether a plan says of two things that they are not the same."""
    differs = any(each.operator == "DIFFERS" for part in plan.parts for each in part.conditions)
    return differs or any(part.kind == ABSENT for part in plan.parts)


def _values(plan: Plan) -> Iterator[str]:
    """The values that a plan wants, counts and bounds, as texts; ids are those of names."""
    for part in plan.parts:
        for each in part.conditions:
            if each.key != "id":
                yield from map(str, each.values)
        if part.count is not None:
            yield str(part.count.number)
    yield from (str(value) for measure in plan.measures for _, value in measure.bounds)
    yield from (str(number) for number in (plan.limit, plan.skip) if number)


def _columns(plan: Plan) -> Iterator[str]:
    """What the columns of a plan are called: "open on Sundays" is a condition on *open_sunday*."""
    keys: list[str | None] = [each.key for part in plan.parts for each in part.conditions]
    keys += [each.key for each in plan.asked] + [each.by.key for each in plan.sort if each.by is not None]
    yield from (plain_name(key) for key in keys if key)
