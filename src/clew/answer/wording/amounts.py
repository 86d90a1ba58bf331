"""Values in words: a number with its unit, what a plan says of values, the sentence of an answer that is a value."""

from collections.abc import Sequence

from clew.answer.answer import Item
from clew.answer.lexicon.words import Words
from clew.answer.plans.plan import ABSENT
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.rank import names_in
from clew.answer.values.attributes import Attribute, ValuePart
from clew.answer.wording.plan_phrases import verbalise
from clew.answer.wording.value_words import AGGREGATED, figure

__all__ = ["LISTED", "amount", "names_among", "plain_list", "value_phrase", "value_text", "with_values"]

LISTED = 10


def amount(value: object, attribute: Attribute | None = None) -> str:
    """A value as people write it, with its unit; years have no commas.

    >>> amount(13355), amount(0.5), amount("1980-05-23")
    ('13,355', '0.5', '1980-05-23')
    """
    number = isinstance(value, int | float) and (attribute is None or not (attribute.kind == "time" or attribute.years))
    unit = f" {attribute.unit.name}" if attribute is not None and attribute.unit is not None else ""
    shown = figure(value) if number or isinstance(value, float) else value
    return f"{shown}{unit}"


def plain_list(names: Sequence[str], total: int) -> str:
    """Names joined by commas and "and", with the number of those left out.

    >>> plain_list(["FBN1", "FBN2"], 2)
    'FBN1 and FBN2'
    """
    left = total - len(names)
    if left > 0:
        return f"{', '.join(names)} and {left:,} more"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def with_values(phrase: str, values: ValuePart) -> str:
    """A phrase with its conditions on values; a comma separates it from a negation before it."""
    denies = any(part.kind == ABSENT for part in values.base.parts)
    return f"{phrase}{',' * denies} {values.said}" if values.said else phrase


def value_phrase(candidate: Candidate, base: str) -> str:
    """How a plan with values is read; `base` is what it says of everything else."""
    values, plan = candidate.values, candidate.plan
    assert values is not None
    named = names_among(candidate)
    about = with_values(named or base, values)
    if values.shown is None or plan.sort:
        return f"whether {about}" if plan.kind == "exists" else about
    kind = f"{AGGREGATED[plan.measure.function]} " if plan.measure is not None else ""
    return f"{kind}{values.shown.title} of {about}"


def value_text(
    candidate: Candidate, words: Words, items: Sequence[Item], value: object, tied: Sequence[Item]
) -> str | None:
    """The sentence of an answer that is a value, or a yes or no about one; None for one that lists entities."""
    values, plan = candidate.values, candidate.plan
    assert values is not None
    named = names_among(candidate)
    base = named or verbalise(values.base, names_in(candidate), words) or "what was asked for"
    about = with_values(base, values)
    if plan.kind in ("exists", "lacks"):
        return f"{'Yes' if value else 'No'}: {base} {_as_sentence(values.said, holds=bool(value))}."
    if values.shown is None or plan.sort:
        return None
    attribute = values.shown
    if plan.measure is not None:
        found = "none is stated" if value is None else amount(value, attribute)
        return f"{AGGREGATED[plan.measure.function].capitalize()} {attribute.title} of {about}: {found}."
    if not items:
        return f"This graph states no {attribute.title} of {about}."
    shown = [amount(item.name if item.number is None else item.number, attribute) for item in items[:LISTED]]
    return f"{about[:1].upper()}{about[1:]}: {attribute.title} {plain_list(shown, len(items)).rstrip('.')}."


def _as_sentence(said: str, *, holds: bool) -> str:
    """The condition of a noun phrase as a sentence: "with population above 5" becomes "has population above 5"."""
    if said.startswith("with "):
        return said.replace("with ", "has " if holds else "does not have ", 1)
    return f"was {'' if holds else 'not '}{said}"


def names_among(candidate: Candidate) -> str | None:
    """The names that a plan without steps is about."""
    values = candidate.values
    assert values is not None
    steps = [step for part in values.base.parts for step in part.steps]
    names = names_in(candidate)
    return None if steps else " or ".join(names.values()) or None
