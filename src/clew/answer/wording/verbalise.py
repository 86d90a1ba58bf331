"""A plan as an English noun phrase: "genes associated with diseases with both Ectopia lentis and Aortic root aneurysm".

In: a plan and the names of its entities. Out: the phrase, or None for shapes that have no plain one.
"""

import re
from collections.abc import Mapping, Sequence

from clew.answer.lexicon.words import Words
from clew.answer.plans.plan import ABSENT, OPTIONAL, Plan, Step
from clew.plurals import plural

__all__ = ["listed", "question_phrase", "relation_phrase", "third_person", "type_name", "verbalise"]

HIERARCHIES = ("IS_A", "SUBCLASS_OF")
BOTH_WAYS = ("associated with", "linked to", "related to")  # these read the same from either end
COMPARED = {">": "more than", ">=": "at least", "<": "fewer than", "<=": "at most", "=": "exactly", "<>": "other than"}


class _Unsayable(Exception):
    """The plan has a shape for which there is no plain phrase."""


def verbalise(plan: Plan, names: Mapping[str, str], words: Words, *, number: int = 2) -> str | None:
    """What a plan asks for, its noun as it reads after `number`; `names` are those of slots that are named entities."""
    try:
        slot = plan.asked[0].of if plan.asked else plan.measure.of if plan.measure is not None else None
        return None if slot is None else _Verbaliser(plan, names, words).phrase(slot, number)
    except _Unsayable:
        return None


def question_phrase(plan: Plan, names: Mapping[str, str], words: Words) -> str | None:
    """How a whole plan is read: what is listed, counted, ranked, checked or connected."""
    if plan.kind == "path" and len(names) == 2:
        return f"shortest paths between {' and '.join(names.values())}"
    if plan.kind in ("exists", "lacks"):
        said = relation_phrase(plan, names, words)
        return said and f"whether {said}{' is not in this graph' if plan.kind == 'lacks' else ''}"
    said = verbalise(plan, names, words)
    return said and (f"number of {said}" if plan.operation == "count" else said)


def relation_phrase(plan: Plan, names: Mapping[str, str], words: Words) -> str | None:
    """The one triple between named entities that a plan is about: "Angelman syndrome has_phenotype Seizure"."""
    steps = [step for part in plan.parts for step in part.steps]
    if len(steps) == 1 and not steps[0].repeated and steps[0].relations and set(steps[0].ends) <= names.keys():
        relation = " or ".join(words.schema.relationship(name).relation for name in steps[0].relations)
        return f"{names[steps[0].subject]} {relation} {names[steps[0].object]}"
    starts = [step.subject for step in steps if step.subject in names]
    if not starts:
        return None
    try:
        return f"{names[starts[0]]} {_Verbaliser(plan, names, words).verb_phrase(starts[0])}"
    except _Unsayable:
        return None


class _Verbaliser:
    def __init__(self, plan: Plan, names: Mapping[str, str], words: Words) -> None:
        self.plan, self.names, self.words = plan, names, words
        self.used: set[Step] = set()
        for condition in (each for part in plan.parts for each in part.conditions):
            slots = {slot.name for slot in plan.slots}
            if condition.of in slots and condition.of not in names and not condition.says_there_is_one:
                raise _Unsayable

    def phrase(self, slot: str, number: int = 2) -> str:
        """A slot with everything that the plan says of it."""
        return " ".join(filter(None, (self.noun(slot, number), self.clauses(slot))))

    def noun(self, slot: str, number: int = 2) -> str:
        types = self.plan.slot(slot).types
        noun = plural(type_name(types[0]) if len(types) == 1 else "entity", number)
        measure = self.plan.measure
        if measure is None or measure.of != slot or not self.plan.asked or self.plan.asked[0].of == slot:
            return noun
        if measure.operator is not None:
            return f"{COMPARED[measure.operator]} {measure.value:g} {plural(noun)}"
        ranked = next((sort for sort in self.plan.sort if sort.by is None), None)
        return noun if ranked is None else f"the {'most' if ranked.descending else 'fewest'} {noun}"

    def clauses(self, slot: str) -> str:
        found: dict[bool, dict[str, list[str]]] = {False: {}, True: {}}
        for absent, step in self._steps(slot):
            other = step.object if step.subject == slot else step.subject
            template = self._template(step, slot, other, absent=absent)
            found[absent].setdefault(template, []).append(self._other(other))
        said, denied = (
            " and ".join(template.format(listed(names)) for template, names in each.items()) for each in found.values()
        )
        return f"{said} but {denied}" if said and denied else said or denied

    def verb_phrase(self, slot: str) -> str:
        """The first step of a named subject as a verb phrase: "is associated with a disease with Seizure"."""
        for absent, step in self._steps(slot):
            if step.subject == slot and not absent:
                verb = "has" if self._has(step) else third_person(self._verb(step))
                other = step.object
                if other in self.names:
                    return f"{verb} {self.names[other]}"
                noun = self.noun(other, 1)
                article = "an" if noun[0] in "aeiou" else "a"
                return " ".join(filter(None, (verb, article, noun, self.clauses(other))))
        raise _Unsayable

    def _steps(self, slot: str) -> Sequence[tuple[bool, Step]]:
        here = [
            (part.kind == ABSENT, step)
            for part in self.plan.parts
            if part.kind != OPTIONAL
            for step in part.steps
            if slot in step.ends and step not in self.used
        ]
        for _, step in here:
            hierarchy = set(step.relations) <= set(HIERARCHIES)
            if not step.relations or step.either_way or (step.repeated and not hierarchy):
                raise _Unsayable
            self.used.add(step)
        return here

    def _other(self, slot: str) -> str:
        if slot not in self.names:
            return self.phrase(slot)
        more = self.clauses(slot)
        return f"{self.names[slot]} ({more})" if more else self.names[slot]

    def _has(self, step: Step) -> bool:
        return all(name.startswith("HAS_") for name in step.relations)

    def _verb(self, step: Step) -> str:
        return " or ".join(self.words.relations[name][0] for name in step.relations)

    def _template(self, step: Step, slot: str, other: str, *, absent: bool) -> str:
        verb = self._verb(step)
        forward = step.subject == slot or verb in BOTH_WAYS
        if set(step.relations) <= set(HIERARCHIES):
            return f"that are {'not ' * absent}{'subclasses' if forward else 'superclasses'} of {{}}"
        if self._has(step):
            return {(True, False): "with {}", (True, True): "without {}", (False, False): "of {}"}.get(
                (forward, absent), "not of {}"
            )
        bare = f"be {verb}" if _is_participle(verb) else _bare(verb)
        if forward:
            if absent:
                return f"not known to {bare} {{}}"
            return f"{verb} {{}}" if _is_participle(verb) else f"that {bare} {{}}"
        if other not in self.names:
            return "not linked to {}" if absent else "linked to {}"
        return f"that {{}} is not known to {bare}" if absent else f"that {{}} {third_person(verb)}"


def listed(names: Sequence[str]) -> str:
    """Names as people list them, "both" before two.

    >>> listed(["A", "B"]), listed(["A", "B", "C"])
    ('both A and B', 'A, B and C')
    """
    if len(names) == 2:
        return f"both {names[0]} and {names[1]}"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def type_name(label: str) -> str:
    """A type's own name as a noun.

    >>> type_name("Phenotype"), type_name("ClinicalCourse"), type_name("biolink:DNA_region")
    ('phenotype', 'clinical course', 'DNA region')
    """
    parted = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[_\s]+", " ", label.rsplit(":", 1)[-1])
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in parted.split()) or "entity"


def third_person(phrase: str) -> str:
    """The words of a relation as they stand after one thing.

    >>> [third_person(each) for each in ("show", "associated with", "kind of", "has modifier", "present with")]
    ['shows', 'is associated with', 'is a kind of', 'has modifier', 'presents with']
    """
    first, *rest = phrase.split()
    if rest[-1:] == ["of"]:
        return f"is a {phrase}"
    if _is_participle(phrase):
        return f"is {phrase}"
    return " ".join((first if first.endswith("s") else "has" if first == "have" else f"{first}s", *rest))


def _is_participle(phrase: str) -> bool:
    return phrase.split()[0].endswith("ed")


def _bare(phrase: str) -> str:
    """A verb as it stands after several things: "has modifier" is "have modifier"."""
    first, *rest = phrase.split()
    plain = "have" if first == "has" else first.removesuffix("s") if not first.endswith("ss") else first
    if rest[-1:] == ["of"]:
        return f"be a {phrase}"
    return " ".join((plain, *rest))
