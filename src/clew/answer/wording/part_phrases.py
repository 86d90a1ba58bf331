"""The phrases of a plan's parts: the noun of a slot, and clauses for the steps and conditions that hold of it.

In: a plan, the names of its entities and a slot. Out: "diseases with both Ectopia lentis and Aortic root aneurysm".
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from clew.answer.lexicon.families import is_mutual
from clew.answer.lexicon.words import Words
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.operators import TURNED
from clew.answer.plans.plan import ABSENT, OPTIONAL, REQUIRED, Part, Plan, Step
from clew.answer.wording.relation_words import RelationWords, what_is_had
from clew.answer.wording.step_phrases import End, StepPhrase
from clew.answer.wording.value_words import (
    any_of,
    bounds_said,
    compared_said,
    listed,
    nouns,
    type_name,
    value_said,
)
from clew.plurals import plural

__all__ = ["BESIDE", "COMPARED", "PartPhrases", "Unsayable"]

HIERARCHIES = ("IS_A", "SUBCLASS_OF")
COMPARED = {">": "more than", ">=": "at least", "<": "fewer than", "<=": "at most", "=": "exactly", "<>": "other than"}
BESIDE = {
    ">": "more {} than {}", ">=": "at least as many {} as {}", "<": "fewer {} than {}",
    "<=": "at most as many {} as {}", "=": "as many {} as {}", "<>": "not as many {} as {}",
}  # fmt: skip


class Unsayable(Exception):
    """The plan has a shape for which there is no plain phrase."""


class PartPhrases:
    """The phrases of one plan's slots; a step is said once, of the slot that comes first."""

    def __init__(
        self, plan: Plan, names: Mapping[str, str], words: Words, *, known: Mapping[str, str] | None = None
    ) -> None:
        self.plan, self.names, self.words = plan, names, words
        self.known = known or {}  # slots that were mentioned before: "them"
        self.used: set[Step] = set()
        self.valued: dict[str, list[str]] = {}  # slot → its conditions on values, in words
        self.denied: set[str] = set()  # slots at the far end of what must not exist
        self.counts = {part.count.of: part.count for part in plan.parts if part.count is not None}
        self.compared = [part for part in plan.parts if plan.compared_with(part) is not None]
        self.used |= {step for part in self.compared for step in part.steps}
        self.only = set(self._only())
        slots = {slot.name for slot in plan.slots}
        for condition in (each for part in plan.parts for each in part.conditions):
            if isinstance(condition.value, Asked) and condition.operator in TURNED:
                self._compare(condition)
                continue
            wanted = {*(each.of for each in plan.asked), plan.measure and plan.measure.of}
            compared = condition.key == "id" and condition.of in wanted
            if condition.of in slots and condition.of not in names and not condition.says_there_is_one and not compared:
                said = value_said(condition)
                if said is None:
                    raise Unsayable
                self.valued.setdefault(condition.of, []).append(said)

    def _compare(self, condition: Condition) -> None:
        """Keep what a comparison says of a slot; one with a column of statements is said of these."""
        assert isinstance(condition.value, Asked)
        if condition.of in self.names and condition.value.of not in self.names:
            condition = condition.turned
        assert isinstance(condition.value, Asked)
        types = {slot.name: slot.types for slot in self.plan.slots}
        if condition.of in types and condition.value.of in types:
            other = "other " if types[condition.of] == types[condition.value.of] else ""
            named = self.names.get(condition.value.of) or f"the {other}{nouns(types[condition.value.of], 1)}"
            self.valued.setdefault(condition.of, []).append(compared_said(condition, named))

    def _only(self) -> Iterator[str]:
        """Slots that are said with "only", which covers the absent part that rules out all others."""
        for part in self.plan.parts:
            inner = self.plan.inner(part)
            if part.kind != ABSENT or not inner or part.inside or len(part.steps) != 1:
                continue
            (step,) = part.steps
            for known in self.plan.required.steps:
                here = [end for end in known.ends if end in step.ends]
                turned = [end == known.subject for end in here] == [end == step.subject for end in here]
                if len(here) == 1 and known.relations == step.relations and turned:
                    (there,) = {*known.ends} - {*here}
                    if self._mirrored(inner, step, here[0], there):
                        self.used |= {each for own in (part, *inner) for each in own.steps}
                        yield there

    def _mirrored(self, inner: Sequence[Part], step: Step, here: str, there: str) -> bool:
        """Whether what must hold of all is what the plan says of one."""
        (copy,) = {*step.ends} - {here}
        said = {
            (
                each.relations,
                each.subject == copy,
                self.names.get(each.object if each.subject == copy else each.subject),
            )
            for part in inner
            for each in part.steps
            if copy in each.ends
        }
        own = {
            (
                each.relations,
                each.subject == there,
                self.names.get(each.object if each.subject == there else each.subject),
            )
            for each in self.plan.required.steps
            if there in each.ends and here not in each.ends
        }
        return len(inner) == 1 and said <= own

    def phrase(self, slot: str, number: int = 2) -> str:
        """A slot with everything that the plan says of it."""
        number = 1 if slot not in self.names and self._number(slot) == 1 else number  # "every disease that shows"
        noun = self.noun(slot, number)
        bare = slot in self.only and not noun.startswith(tuple(COMPARED.values()))
        said = " ".join(filter(None, (f"only {noun}" if bare else noun, self.clauses(slot, number))))
        return said if bare or slot not in self.only else f"{said} and no others"

    def noun(self, slot: str, number: int = 2) -> str:
        types = self._types(slot)
        noun = nouns(types, number)
        if slot in self.counts:
            count = self.counts[slot]
            return f"{COMPARED[count.operator]} {count.number} {nouns(types, int(count.number))}"
        root = self.plan.asked[0].of if self.plan.asked else self.plan.having and self.plan.having.of
        measure = next((each for each in self.plan.measures if (each.function, each.of) == ("count", slot)), None)
        if measure is None or not root or root == slot:
            return noun
        if isinstance(measure.value, Plan):
            return f"every {nouns(types, 1)}"
        if isinstance(measure.value, int | float):
            last = measure.bounds[-1][1]
            return f"{bounds_said(measure, COMPARED)} {nouns(types, 2 if isinstance(last, Plan) else int(last or 0))}"
        ranked = next((sort for sort in self.plan.sort if sort.by is None), None)
        return noun if ranked is None else f"the {'most' if ranked.descending else 'fewest'} {noun}"

    def _types(self, slot: str) -> Sequence[str]:
        """The types of a slot; where none is named, the one that is all that a relation leads to."""
        types = self.plan.slot(slot).types
        for step in () if types else (step for part in self.plan.parts for step in part.steps):
            relations = [self.words.schema.relationship(name) for name in step.relations]
            if slot in step.ends and not (step.either_way or step.repeated):
                subject = step.subject == slot
                led = {ends.subject if subject else ends.object for each in relations for ends in each.ends}
                types = tuple(led) if len(led) == 1 else types
        return types

    def clauses(self, slot: str, number: int = 2) -> str:
        """What is stated of a slot that stands for `number` things, then what is denied."""
        found: dict[bool, dict[tuple[str, str], list[str]]] = {False: {}, True: {}}
        for absent, step in self._steps(slot):
            other = step.object if step.subject == slot else step.subject
            templates = self._templates(step, slot, absent=absent, number=number)
            if absent:
                self.denied.add(other)  # its own clauses are part of what is negated
            found[absent].setdefault(templates, []).append(self._other(other))
        for beside in (*self.valued.get(slot, ()), *self._beside(slot, number)):
            found[False].setdefault(("with {}", "with {}"), []).append(beside)
        apart = (
            sum(part.kind == ABSENT and any(slot in step.ends for step in part.steps) for part in self.plan.parts) > 1
        )
        said, denied = (
            " and ".join(
                templates[len(names) > 1].format(
                    any_of(names) if absent and apart else listed(list(dict.fromkeys(names)))
                )
                for templates, names in each.items()
            )
            for absent, each in found.items()
        )
        return f"{said} but {denied}" if said and denied else said or denied

    def _beside(self, slot: str, number: int) -> Iterator[str]:
        """The counts for a slot that are compared: "more animals treated by them than animals seen by them"."""
        for part in self.compared:
            other = self.plan.compared_with(part)
            if part.count and part.count.operator and other and any(slot in step.ends for step in part.steps):
                numbers = (self._numbered(each, slot, number) for each in (part, other))
                yield BESIDE[part.count.operator].format(*numbers)

    def _numbered(self, part: Part, slot: str, number: int) -> str:
        """What a part counts, as a phrase in which the slot that has it is "it" or "them"."""
        assert part.count is not None
        inner = [replace(each, inside="") for each in self.plan.inner(part)]
        ends = {end for each in (part, *inner) for step in each.steps for end in step.ends}
        outer = {end for each in self.plan.parts if each is not part for step in each.steps for end in step.ends}
        known = {end: f"the {self.noun(end, 1)}" for end in ends & outer}
        known |= {slot: "it" if number == 1 and self._end(slot, 1).who == "that" else "them"}
        known = {end: said for end, said in known.items() if end not in self.names}
        counted = replace(part, kind=REQUIRED, count=None, name="", inside="")
        slots = tuple(each for each in self.plan.slots if each.name in ends)
        plan = Plan(slots, (counted, *inner))
        return PartPhrases(plan, self.names, self.words, known=known).phrase(part.count.of)

    def verb_phrase(self, slot: str) -> str:
        """The steps of a named subject as verb phrases: "is associated with a disease with Seizure"."""
        said = []
        for absent, step in self._steps(slot):
            if step.subject != slot or absent:
                raise Unsayable
            stated, other = self._step_phrase(step, slot, absent=False, number=1).stated, step.object
            if other in self.names:
                said.append(stated.format(self.names[other]))
                continue
            noun = self.noun(other, 1)
            article = "an" if noun[0] in "aeiou" else "a"
            said.append(stated.format(" ".join(filter(None, (article, noun, self.clauses(other, 1))))))
        if not said:
            raise Unsayable
        return " and ".join(said)

    def _steps(self, slot: str) -> Sequence[tuple[bool, Step]]:
        here = [
            (part.kind == ABSENT and (slot not in self.denied or bool(part.inside)), step)
            for part in self.plan.parts
            if part.kind != OPTIONAL or self._is_bounded(part)
            for step in part.steps
            if slot in step.ends and step not in self.used
        ]
        for _, step in here:
            hierarchy = set(step.relations) <= set(HIERARCHIES)
            one_way = not step.either_way or self._is_mutual(step)
            if not step.relations or not one_way or (step.repeated and not hierarchy):
                raise Unsayable
            self.used.add(step)
        return here

    def _is_mutual(self, step: Step) -> bool:
        """Whether relations hold both ways by what they mean, so that the words for one way are true of both."""
        known = [self.words.schema.relationship(name) for name in step.relations]
        ends = [[label for pair in each.ends for label in (pair.subject, pair.object)] for each in known]
        return all(each.symmetric or is_mutual(each.relation, types) for each, types in zip(known, ends, strict=True))

    def _is_bounded(self, part: Part) -> bool:
        """Whether an optional part is what few of are asked for: "at most one patient", "the fewest patients"."""
        measure, plan = self.plan.measure, self.plan
        limits = measure is not None and (bool(measure.bounds) or (bool(plan.sort) and plan.limit is not None))
        return limits and measure is not None and any(measure.of in step.ends for step in part.steps)

    def _other(self, slot: str) -> str:
        if slot not in self.names:
            return self.known.get(slot) or self.phrase(slot)
        measure = self.plan.measure
        if measure is not None and (measure.of, measure.key) == (slot, "name") and isinstance(measure.value, int):
            return f"{COMPARED[str(measure.operator)]} {measure.value} of {self.names[slot]}"
        more = self.clauses(slot, 1)
        return f"{self.names[slot]} ({more})" if more else self.names[slot]

    def _number(self, slot: str) -> int:
        """How many things verbs take the phrase of a slot for: "every drug", "at least 1 drug" and a name are one."""
        if slot in self.names:
            return 2 if self.plan.measure is not None and self.plan.measure.of == slot else 1
        noun = self.noun(slot)
        return 1 if noun.startswith("every ") or noun.endswith(f" 1 {nouns(self._types(slot), 1)}") else 2

    def _end(self, slot: str, number: int) -> End:
        measure = self.plan.measure
        counted = slot in {*self.counts, *self.only, *self.known} or (measure is not None and measure.of == slot)
        types = [type_name(each) for each in self._types(slot)]
        return End(types, number, slot in self.names, counted, self.known.get(slot, ""))

    def _step_phrase(self, step: Step, slot: str, *, absent: bool, number: int) -> StepPhrase:
        types = (self.plan.slot(end).types for end in step.ends)
        subject, object = (type_name(each[0]) if len(each) == 1 else "" for each in types)
        known = ((self.words.relations[name][0], self.words.schema.relationship(name)) for name in step.relations)
        words = [RelationWords.between(text, subject, object, own=each.relation) for text, each in known]
        other = step.object if step.subject == slot else step.subject
        here, there = self._end(slot, number), self._end(other, self._number(other))
        forward = step.subject == slot or step.either_way
        return StepPhrase(words, list(map(what_is_had, step.relations)), here, there, forward, absent)

    def _templates(self, step: Step, slot: str, *, absent: bool, number: int) -> tuple[str, str]:
        """What a step says of a slot, for one thing at its other end and for several."""
        phrase = self._step_phrase(step, slot, absent=absent, number=number)
        if not set(step.relations) <= set(HIERARCHIES):
            return phrase.templates
        said = f"{phrase.here.who} {'is' if number == 1 else 'are'} {'not ' * absent}"
        kind = plural("subclass" if phrase.forward else "superclass", number)
        return (f"{said}{'a ' * (number == 1)}{kind} of {{}}",) * 2
