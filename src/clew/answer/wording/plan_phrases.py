"""A whole plan in plain English: what it asks for, how it is read, the fact that it checks.

In: a plan and the names of its entities. Out: a phrase such as "genes associated with diseases with both Ectopia
lentis and Aortic root aneurysm", or None for shapes that have no plain one.
"""

from collections.abc import Mapping
from dataclasses import replace

from clew.answer.lexicon.words import Words
from clew.answer.plans.condition import Asked
from clew.answer.plans.plan import ABSENT, REQUIRED, Plan, Step
from clew.answer.plans.quantify import root_of
from clew.answer.wording.part_phrases import PartPhrases, Unsayable
from clew.answer.wording.value_words import aggregate_said, chosen_said, further_titles, title_of

__all__ = ["judged_phrase", "question_phrase", "relation_phrase", "there_phrase", "verbalise"]


def verbalise(plan: Plan, names: Mapping[str, str], words: Words, *, number: int = 2) -> str | None:
    """What a plan asks for, its noun as it reads after `number`; `names` are those of slots that are named entities."""
    try:
        slot = plan.asked[0].of if plan.asked else plan.measure.of if plan.measure is not None else None
        if slot is None or all(each.name != slot for each in plan.slots):  # a column of statements has no noun
            return None
        said = PartPhrases(plan, names, words).phrase(slot, number)
    except Unsayable:
        return None
    further = [aggregate_said(plan) if plan.asked else "", chosen_said(plan)]
    further += [" and ".join(further_titles(plan))] if plan.measure is None else []
    return ", with ".join([said, *filter(None, further)])


def question_phrase(plan: Plan, names: Mapping[str, str], words: Words) -> str | None:
    """How a whole plan is read: what is listed, counted, ranked, checked or connected."""
    if plan.kind == "path" and len(names) == 2:
        return f"shortest paths between {' and '.join(names.values())}"
    if plan.kind in ("exists", "lacks"):
        compared = plan.having is not None or any(map(plan.compared_with, plan.parts))
        said = judged_phrase(plan, names, words) if compared else relation_phrase(plan, names, words)
        return said and f"whether {said}{' is not in this graph' if plan.kind == 'lacks' else ''}"
    if plan.column is not None:
        said = relation_phrase(plan, names, words)
        return said and f"{title_of(plan.column)} of the statement that {said}"
    said = verbalise(plan, names, words)
    if plan.attribute is not None and said:
        return f"{title_of(str(plan.attribute.key))} of {names.get(plan.attribute.of) or said}"
    what = "number" if plan.operation == "count" else "" if plan.asked else aggregate_said(plan)
    return f"{what} of {said}" if said and what else said


def relation_phrase(plan: Plan, names: Mapping[str, str], words: Words) -> str | None:
    """The triples between named entities that a plan is about: "Angelman syndrome has_phenotype Seizure".

    Otherwise a sentence about the first named subject; None if it would leave out a step.
    """
    steps = [step for part in plan.parts for step in part.steps]
    facts = [_fact(step, names, words) for step in steps]
    if facts and all(facts) and all(part.kind != ABSENT for part in plan.parts):
        return " and ".join(filter(None, facts))
    starts = [step.subject for step in steps if step.subject in names]
    if not starts:
        return None
    try:
        parts = PartPhrases(plan, names, words)
        said = f"{names[starts[0]]} {parts.verb_phrase(starts[0])}"
    except Unsayable:
        return None
    return said if parts.used.issuperset(steps) else None


def _fact(step: Step, names: Mapping[str, str], words: Words) -> str | None:
    """The triple that a step between two named entities stands for."""
    if step.repeated or not step.relations or not set(step.ends) <= names.keys():
        return None
    known = [words.schema.relationship(name) for name in step.relations]
    affirming = [each for each in known if not each.negated] or known
    relation = " or ".join(dict.fromkeys(each.relation for each in affirming))
    return f"{names[step.subject]} {relation} {names[step.object]}"


def judged_phrase(plan: Plan, names: Mapping[str, str], words: Words, *, holds: bool = True) -> str | None:
    """What a plan denies, counts or compares of the first entity that it names: "Bath is a town with more …".

    Where it does not hold and no more is denied, what is the case instead; of what has no name, whether there is any.
    """
    root = root_of(plan)
    if root is None or root not in names:
        return there_phrase(plan, names, words, holds=holds)
    stated = None if holds else _stated(plan)
    said = verbalise(replace(stated or plan, kind="rows", asked=(Asked(root),)), names, words, number=1)
    article = ("an" if said[0] in "aeiou" else "a") if said and (holds or stated) else "no"
    return said and f"{names[root]} is {article} {said}"


def there_phrase(plan: Plan, names: Mapping[str, str], words: Words, *, holds: bool = True) -> str | None:
    """Whether anything is as a plan says: "there are no wards that patients are not known to lie on"."""
    required = plan.required
    there = {each.of for each in required.conditions} | {end for step in required.steps for end in step.ends}
    root = next((slot.name for slot in plan.slots if slot.name in there and slot.name not in names), None)
    if root is None or plan.having is not None:
        return None
    said = verbalise(replace(plan, kind="rows", asked=(Asked(root),)), names, words)
    return said and f"there are {'no ' * (not holds)}{said}"


def _stated(plan: Plan) -> Plan | None:
    """The plan that states the only thing that another denies of a name."""
    others = [part for part in plan.parts if part.kind != REQUIRED]
    if len(others) != 1 or others[0].kind != ABSENT or plan.required.steps:
        return None
    return replace(plan, parts=tuple(replace(part, kind=REQUIRED) for part in plan.parts))
