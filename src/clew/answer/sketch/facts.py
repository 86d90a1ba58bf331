"""The facts of a grounded sketch: things become slots, facts steps between them, what is denied absent parts."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from clew.answer.hearing.linking import LinkedQuestion
from clew.answer.names.meanings import Anchor
from clew.answer.plans.condition import Condition
from clew.answer.plans.plan import ABSENT, Part, Slot, Step
from clew.answer.reading.candidates import is_meant
from clew.answer.sketch.ground import Grounded
from clew.answer.sketch.lexical import Lexical
from clew.answer.sketch.relations import Link
from clew.answer.sketch.said_columns import ColumnsSaid
from clew.answer.sketch.said_values import Unbuildable
from clew.answer.sketch.sketch import Ref, Said, Statement, Word
from clew.answer.sketch.things import Unmet

__all__ = ["Facts"]


class Facts(ColumnsSaid):
    """The slots, steps and conditions of a plan so far."""

    def __init__(
        self,
        grounded: Grounded,
        words: Sequence[Word],
        anchors: Sequence[Anchor],
        lexical: Lexical,
        linked: LinkedQuestion | None,
    ) -> None:
        super().__init__(grounded, words, anchors, lexical, linked)
        self.slots: list[Slot] = []
        self.slot_of: dict[Ref, str] = {}
        self.inner: dict[Ref, str] = {}  # slots of things that only what is denied talks about
        self.steps: list[Step] = []
        self.conditions: list[Condition] = []
        self.absent: list[Part] = []
        self.named_steps: dict[int, Step] = {}  # steps that something is said of, by the number of their statement
        self.told: dict[int, Statement] = {}  # describing words that are said of a fact, by the number of its statement

    def _root(self) -> Ref | None:
        if self.sketch.asked and self.sketch.asked[0][0] is not None:
            return self.sketch.asked[0][0]
        return next((each.left for each in self.sketch.statements if each.left is not None), None)

    def _slot(self, ref: Ref) -> str:
        known = self.inner | self.slot_of
        return known[ref] if ref in known else self._place(ref)

    def _place(self, ref: Ref, conditions: list[Condition] | None = None, known: dict[Ref, str] | None = None) -> str:
        """The slot of a thing, made where there is none; a name is held to its entity."""
        slots = self.slot_of if known is None else known
        if ref in slots:
            return slots[ref]
        label = self.labels.get(ref, "")
        first = label[:1].lower() if label[:1].isalpha() else "e"
        name = f"{first or 'e'}{len(self.slots) + 1}"
        self.slots.append(Slot(name, self.grounded.among.get(ref) or ((label,) if label else ())))
        slots[ref] = name
        if isinstance(ref, int):
            (self.conditions if conditions is None else conditions).append(is_meant(name, self.grounded.meanings[ref]))
        return name

    def _fact(
        self, number: int, fact: Statement, steps: list[Step], conditions: list[Condition], place: object
    ) -> None:
        link = self.grounded.links[number]
        assert fact.left is not None
        assert fact.right is not None
        assert callable(place)
        here, there = place(fact.left), place(fact.right)
        told = [Said((), "=", self.told[number].words)] if number in self.told else []
        known = self.schema.relationship(link.relation)
        told += [Said((), "=", (at,)) for at in fact.words if self.lexical.qualifies(self.text((at,)), known)]
        for step in self._moves(link, here, there):
            if (fact.said or told) and not step.name and step.relations == (link.relation,):
                step = replace(step, name=f"r{number + 1}")
                self.named_steps[number] = step
                for each in (*fact.said, *told):
                    conditions += self._said(each, step, link, (fact.left, fact.right))
            if step not in steps:  # "have no gene linked to them" says it twice; twice in Cypher are two triples
                steps.append(step)

    def _moves(self, link: Link, here: str, there: str) -> Iterator[Step]:
        via, left, right = link.via, here, there
        if via is not None:
            between = f"b{len(self.slots) + 1}"
            self.slots.append(Slot(between, (via.label,)))
            left, right = (between, there) if via.at_left else (here, between)
        subject, object_ = (left, right) if link.forward else (right, left)
        yield Step(subject, (link.relation,), object_, longest=link.longest)
        if via is not None:
            far = here if via.at_left else there
            ends = (between, far) if via.forward else (far, between)
            yield Step(ends[0], via.relations, ends[1], longest=via.longest)

    def _deny(self, group: int, outer: set[Ref | None]) -> None:
        facts = [(at, each) for at, each in enumerate(self.sketch.statements) if each.denied == group]
        if len(facts) > 1 and self._are_alternatives([each for _, each in facts]):  # neither one nor the other
            for number, each in facts:
                steps, conditions = list[Step](), list[Condition]()
                held: dict[Ref, str] = {}
                self._fact(number, each, steps, conditions, partial(self._place_inside, outer, conditions, held))
                self.absent.append(Part(ABSENT, tuple(steps), tuple(conditions)))
                self.inner |= held
            return
        self._deny_together(group, outer)

    def _are_alternatives(self, facts: Sequence[Statement]) -> bool:
        """Whether facts say the same of names between which the question has "or"."""
        names = [each.right for each in facts if each.kind == "fact" and isinstance(each.right, int)]
        if len(names) < len(facts) or len({(each.left, each.words) for each in facts}) > 1:
            return False
        between = self.words[min(names) + 1 : max(names)]
        return any(word.name is None and word.text.lower() in ("or", "nor") for word in between)

    def _deny_together(self, group: int, outer: set[Ref | None]) -> None:
        steps: list[Step] = []
        conditions: list[Condition] = []
        inner: dict[Ref, str] = {}
        place = partial(self._place_inside, outer, conditions, inner)
        for number, each in enumerate(self.sketch.statements):
            if each.denied != group:
                continue
            if each.kind == "fact":
                self._fact(number, each, steps, conditions, place)
            elif each.kind not in ("kind", "any", "attribute", "is"):
                raise Unbuildable(Unmet(each.words, "not"))
        for each in self.sketch.statements:
            if each.denied == group and each.kind == "is" and each.left is not None and each.left not in outer:
                for attribute, value in self._described(each):
                    conditions.append(Condition(place(each.left), attribute.key, "=", value))
        if steps:
            self.absent.append(Part(ABSENT, tuple(steps), tuple(conditions)))
            self.inner |= inner

    def _place_inside(
        self, outer: set[Ref | None], conditions: list[Condition], inner: dict[Ref, str], ref: Ref
    ) -> str:
        """The slot of a thing in what is denied: its own there, unless something else is said of it too."""
        if isinstance(ref, str) and ref in outer:
            return self._place(ref)
        return self._place(ref, conditions, inner)
