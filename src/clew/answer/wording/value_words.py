"""The words for types and values: nouns, what a condition says of a property, what is added up or averaged."""

import re
from collections.abc import Mapping, Sequence

from clew.answer.plans.assertions.filters import COMPARED
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.plan import Measure, Plan
from clew.plurals import plural

__all__ = [
    "AGGREGATED",
    "aggregate_said",
    "any_of",
    "bounds_said",
    "chosen_said",
    "compared_said",
    "figure",
    "further_titles",
    "listed",
    "nouns",
    "title_of",
    "type_name",
    "value_said",
]

AGGREGATED = {"avg": "average", "sum": "total", "min": "least", "max": "greatest"}
EVEN = {"=": "equal to", "<>": "other than"}
GREATER, LESS = (">", ">="), ("<", "<=")
FURTHER = {">": "more than ", "<": "more than ", ">=": "at least ", "<=": "at least "}
FACTORS = {2: "twice", 0.5: "half"}
ABSENT = " or not stated"
FEW_TYPES = 3  # of which each is named


def value_said(condition: Condition) -> str | None:
    """What a condition says of a property, as it reads after "with"; None for one that has no plain phrase.

    >>> value_said(Condition("w", "beds", ">", 20)), value_said(Condition("a", "sex", "=", "male"))
    ('beds above 20', 'sex male')
    """
    value, plain = condition.value, not (condition.sized or condition.negated) and condition.key != "id"
    if not plain or condition.operator not in COMPARED or isinstance(value, tuple | Asked | None):
        return None
    said = "" if condition.operator == "=" else f"{COMPARED[condition.operator]} "
    return f"{title_of(condition.key)} {said}{value}{ABSENT if condition.or_absent else ''}"


def compared_said(condition: Condition, other: str) -> str:
    """What a comparison with a property of something `other` says, as it reads after "with".

    >>> compared_said(Condition("a", "elo", ">=", Asked("b", "elo", plus=200)), "the other player")
    'elo at least 200 above that of the other player'
    >>> compared_said(Condition("a", "pay", ">", Asked("b", "pay", times=2)), "the boss")
    'pay above twice that of the boss'
    >>> compared_said(Condition("a", "town", "=", Asked("b", "town")), "Ada")
    'the same town as Ada'
    """
    value, operator, title = condition.value, condition.operator, title_of(condition.key)
    assert isinstance(value, Asked)
    same = title == title_of(str(value.key))
    theirs = f"that of {other}" if same else f"the {title_of(str(value.key))} of {other}"
    denied = "not " if condition.negated else ""
    if value.times != 1:
        theirs = f"{FACTORS.get(value.times, f'{value.times:g} times')} {theirs}"
        same = False
    if not value.plus and operator in EVEN:
        alike = f"the same {title} as {other}" if operator == "=" else f"another {title} than {other}"
        return f"{denied}{alike}" if same else f"{title} {denied}{EVEN[operator]} {theirs}"
    if not value.plus:
        return f"{title} {denied}{COMPARED[operator]} {theirs}"
    by, up = figure(abs(value.plus)), value.plus > 0
    if operator == "=" or (operator in GREATER if up else operator in LESS):
        return f"{title} {denied}{FURTHER.get(operator, '')}{by} {'above' if up else 'below'} {theirs}"
    return f"{title} {denied}{COMPARED[operator]} {theirs} {'plus' if up else 'minus'} {by}"


def aggregate_said(plan: Plan) -> str:
    """The total, average, least or greatest that a plan asks for, ranks by or bounds; none of one that counts."""
    measure = plan.measure
    if measure is None or measure.key is None or measure.function not in AGGREGATED:
        return ""
    value = f"{AGGREGATED[measure.function]} {title_of(measure.key)}"
    if not plan.asked:
        return value
    if measure.bounds:
        return _bounded(plan, measure)
    ranked = next((sort for sort in plan.sort if sort.by is None), None)
    of = _measured(plan, measure) or " of these statements"
    return f"the {'' if ranked is None else 'highest ' if ranked.descending else 'lowest '}{value}{of}"


def chosen_said(plan: Plan) -> str:
    """The total, average, least or greatest that rows are chosen by; none of a count, which its noun states."""
    having = plan.having
    return "" if having is None or having.measure.function not in AGGREGATED else _bounded(plan, having.measure)


def _bounded(plan: Plan, measure: Measure) -> str:
    """ "total amount above 60,000 and below 90,000", "average beds of these wards above 55"."""
    value = f"{AGGREGATED[measure.function]} {title_of(str(measure.key))}"
    return f"{value}{_measured(plan, measure)} {bounds_said(measure, COMPARED)}"


def _measured(plan: Plan, measure: Measure) -> str:
    return next((f" of these {nouns(slot.types, 2)}" for slot in plan.slots if slot.name == measure.of), "")


def bounds_said(measure: Measure, words: Mapping[str, str]) -> str:
    """The bounds of a measure, with words for operators: "at least 3 and at most 5"."""
    return " and ".join(f"{words[operator]} {figure(value)}" for operator, value in measure.bounds)


def figure(number: object) -> str:
    """A number as people write it.

    >>> figure(13355), figure(60000.0), figure(0.5)
    ('13,355', '60,000', '0.5')
    """
    return f"{number:,.2f}".rstrip("0").rstrip(".") if isinstance(number, float) else f"{number:,}"


def further_titles(plan: Plan) -> list[str]:
    """What the columns that a plan asks for beside the first are called, each otherwise."""
    types = {slot.name: slot.types for slot in plan.slots}
    titles: list[str] = []
    for column in plan.asked[1:]:
        labels = types.get(column.of, ())
        titles.append(title_of(column.key) if column.key else type_name(labels[0]) if len(labels) == 1 else "entity")
    places = [titles[: at + 1].count(title) for at, title in enumerate(titles)]
    return [title if place == 1 else f"{title} {place}" for title, place in zip(titles, places, strict=True)]


def title_of(key: str) -> str:
    """A property or column as a noun."""
    return key.removeprefix("q_").replace("_", " ")


def any_of(names: Sequence[str]) -> str:
    """Names none of which may hold: "A, B or C"."""
    return " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def nouns(types: Sequence[str], number: int) -> str:
    """What entities of some types are called: "doctors, nurses or therapists", and "entities" where types are many."""
    named = list(map(type_name, types)) if 1 <= len(types) <= FEW_TYPES else ["entity"]
    return any_of([plural(each, number) for each in named])


def type_name(label: str) -> str:
    """A type's own name as a noun.

    >>> type_name("Phenotype"), type_name("ClinicalCourse"), type_name("biolink:DNA_region")
    ('phenotype', 'clinical course', 'DNA region')
    """
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\s]+", " ", label.rsplit(":", 1)[-1])
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in parted.split()) or "entity"


def listed(names: Sequence[str]) -> str:
    """Names as people list them, "both" before two.

    >>> listed(["A", "B"]), listed(["A", "B", "C"])
    ('both A and B', 'A, B and C')
    """
    if len(names) == 2:
        return f"both {names[0]} and {names[1]}"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
