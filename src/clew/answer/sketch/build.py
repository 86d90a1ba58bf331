"""A grounded sketch → a candidate: its facts, then values, then what is wanted, and how many there must be."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from clew.answer.hearing.linking import LinkedQuestion
from clew.answer.names.meanings import Anchor
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.plan import REQUIRED, Count, Measure, Part, Plan, Sort
from clew.answer.plans.quantify import counted, counted_together, every, only, with_none
from clew.answer.plans.schema.containment import either_way
from clew.answer.reading.candidates import Candidate, is_meant
from clew.answer.sketch.facts import Facts
from clew.answer.sketch.ground import Grounded
from clew.answer.sketch.lexical import Lexical
from clew.answer.sketch.none_said import asks_for_none
from clew.answer.sketch.said_values import STRICT, Unbuildable
from clew.answer.sketch.sketch import Ref, Statement, Word
from clew.answer.sketch.things import Unmet
from clew.answer.values.apply import put_values
from clew.answer.values.said import ValueCondition
from clew.errors import InputError

__all__ = ["Built", "build"]


@dataclass(frozen=True, slots=True)
class Built:
    """A candidate, how well it fits, its weakest part, and words that it leaves out."""

    candidate: Candidate
    score: float
    weakest: float
    left_out: tuple[int, ...] = ()
    met: dict[int, float] = field(default_factory=dict)  # how well words are met, by their numbers


def build(
    grounded: Grounded,
    words: Sequence[Word],
    anchors: Sequence[Anchor],
    lexical: Lexical,
    *,
    mutual: frozenset[str] = frozenset(),
    linked: LinkedQuestion | None = None,
) -> Built | Unmet:
    """The candidate of a grounded sketch, or what it cannot say.

    `mutual` are relationships that hold both ways, though they are stated one way.
    """
    try:
        none = asks_for_none(grounded.sketch, words)
        meant = grounded if none is None else replace(grounded, sketch=none)
        built = _Building(meant, words, anchors, lexical, linked).built(none=none is not None)
        return replace(built, candidate=replace(built.candidate, plan=either_way(built.candidate.plan, mutual)))
    except Unbuildable as error:
        return error.unmet
    except InputError:  # its parts do not make a plan
        return Unmet((), "plan")


class _Building(Facts):
    def built(self, *, none: bool = False) -> Built:
        """The candidate; if there must be `none`, whether nothing matches."""
        kinds = {each.kind for each in self.sketch.statements}
        if "top" in kinds and not kinds & {"most", "fewest", "max", "min"}:  # the first of what order?
            raise Unbuildable(Unmet((), "order"))
        values, chosen, much = self._values()
        self.told = dict(self._told_of_facts())
        root = self._root()
        if root is not None:
            self._place(root)
        outer = {ref for each in self.sketch.statements if not each.denied for ref in (each.left, each.right)}
        outer |= {ref for ref, _ in self.sketch.asked}
        for number, each in enumerate(self.sketch.statements):
            if each.kind == "fact" and not each.denied and not each.other:
                self._fact(number, each, self.steps, self.conditions, self._place)
            elif each.kind == "fact" and each.other and not each.denied:
                self._alternative(number, each)
            elif each.kind == "of" and each.left is not None:
                ids = tuple(id for at in each.value for id in self.grounded.meanings[at].ids)
                self.conditions.append(Condition(self._place(each.left), "id", "IN", ids))
            elif each.kind == "differ" and each.left is not None and isinstance(each.right, int):
                other = is_meant(self._place(each.left), self.grounded.meanings[each.right])
                self.conditions.append(replace(other, negated=True))
                self.met |= dict.fromkeys(each.words, 1.0)
            elif each.kind == "differ" and each.left is not None and each.right is not None:
                self.conditions.append(Condition(self._place(each.left), "", "DIFFERS", self._place(each.right)))
            elif each.kind == "is" and each.left is not None and each not in self.told.values():
                if each.denied and each.left not in outer:
                    continue  # part of what is denied
                for attribute, value in self._described(each):
                    if each.denied:
                        slot = self._slot(each.left)
                        self.conditions.append(Condition(slot, attribute.key, "=", value, negated=True))
                    else:
                        self.valued.append((ValueCondition((attribute,), "=", value), (each.left, attribute)))
            elif each.kind == "attribute" and isinstance(each.right, str) and each.left is not None:
                self._compared(each, each.left, each.right)
        for group in dict.fromkeys(each.denied for each in self.sketch.statements if each.denied):
            self._deny(group, outer)
        self._not_oneself()
        for ref in [*self.labels]:
            if isinstance(ref, str) and ref not in self.slot_of and ref in outer:
                self._place(ref)
        candidate = self._candidate(root)
        if self.valued:
            known = len(values.conditions)
            values = replace(values, conditions=(*values.conditions, *(each for each, _ in self.valued)))
            chosen[known:known] = [place for _, place in self.valued]
        if values:
            slots = [(self._slot(ref), attribute) for ref, attribute in chosen]
            made = put_values(candidate, values, slots, much=much)
            if made is None:
                raise Unbuildable(Unmet((), "values"))
            candidate = made
        self._check_joined(candidate.plan)
        candidate = self._with_further(self._quantified(candidate))
        if none:
            candidate = replace(candidate, plan=replace(candidate.plan, kind="lacks"))
        return Built(candidate, self.score, self.weakest, tuple(self.left_out), self.met)

    def _with_further(self, candidate: Candidate) -> Candidate:
        """With what else is asked for, as far as the graph has it."""
        plan = candidate.plan
        if plan.kind != "rows" or plan.measure is not None or not plan.asked:
            return candidate
        known = {slot.name for slot in plan.slots} | {step.name for part in plan.parts for step in part.steps}
        further = [each for each in self._further() if each.of in known and each not in plan.asked]
        return replace(candidate, plan=replace(plan, asked=(*plan.asked, *further)))

    def _further(self) -> Iterator[Asked]:
        for ref, said in self.sketch.asked[1:]:
            try:
                if ref is None:
                    yield self._asked_column(said)
                elif not said:
                    yield Asked(self._slot(ref))
                elif not (attribute := self._attribute(ref, said)[0]).relation:
                    yield Asked(self._slot(ref), attribute.key)
            except Unbuildable:  # the answer says no more than the first then
                continue

    def _check_joined(self, plan: Plan) -> None:
        """Everything hangs together: a thing that nothing is said of would be anything at all."""
        steps = [step for part in plan.parts for step in part.steps]
        if len(plan.slots) < 2:
            return
        joined = [step.ends for step in steps] + [
            (self._slot(each.left), self._slot(each.right))
            for each in self.sketch.statements
            if each.kind == "number" and isinstance(each.left, str) and isinstance(each.right, str)
        ]
        reached = {plan.slots[0].name}
        for _ in plan.slots:
            reached |= {end for ends in joined if reached & set(ends) for end in ends}
        compared = {each.value.of for part in plan.parts for each in part.conditions if isinstance(each.value, Asked)}
        if {slot.name for slot in plan.slots} - reached - compared:
            raise Unbuildable(Unmet((), "apart"))

    # what is said ---------------------------------------------------------------------------------------------------

    def _alternative(self, number: int, fact: Statement) -> None:
        """ "A or B": either name fills the slot of the first, or either relation leads there."""
        before = number - 1
        first = self.sketch.statements[before]
        one, other = self.grounded.links.get(before), self.grounded.links.get(number)
        if first.kind != "fact" or first.denied or one is None or other is None or first.left != fact.left:
            raise Unbuildable(Unmet(fact.words, "or"))
        alike = (one.relation, one.forward, one.right) == (other.relation, other.forward, other.right)
        if alike and isinstance(first.right, int) and isinstance(fact.right, int):
            slot = self.slot_of[first.right]
            held = next(each for each in self.conditions if each.of == slot and each.key == "id")
            self.conditions.remove(held)
            ids = *map(str, held.values), *self.grounded.meanings[fact.right].ids
            self.conditions.append(Condition(slot, "id", "IN", ids))
            self.slot_of[fact.right] = slot
        elif first.right == fact.right and one.forward == other.forward and one.via is None and other.via is None:
            at = next(n for n, step in enumerate(self.steps) if step.relations == (one.relation,))
            self.steps[at] = replace(self.steps[at], relations=(one.relation, other.relation))
        else:
            raise Unbuildable(Unmet(fact.words, "or"))

    def _not_oneself(self) -> None:
        """Those who share something with a name are not that name itself."""
        facts = [each for each in self.sketch.statements if each.kind == "fact" and not each.denied]
        for one in facts:
            for other in facts:
                shared = one.words == other.words and one.right == other.right and isinstance(one.right, str)
                if shared and isinstance(one.left, str) and isinstance(other.left, int):
                    meaning = self.grounded.meanings[other.left]
                    self.conditions.append(Condition(self._slot(one.left), "id", "IN", meaning.ids, negated=True))

    def _compared(self, each: Statement, left: Ref, right: Ref) -> None:
        """ "Hired earlier than they were themselves": the times of two things, which compare as they are written."""
        attribute, much = self._attribute(left, each.words)
        operator = each.operator if much is None or each.operator not in STRICT else ">" if much else "<"
        both = {known.label for known in self.lexical.vocabulary.attributes if known.key == attribute.key}
        self.labels.setdefault(right, attribute.label)
        if each.denied or attribute.relation or attribute.kind != "time" or self.labels[right] not in both:
            raise Unbuildable(Unmet(each.words, "compared"))
        ours, theirs = self._slot(left), self._slot(right)
        if ours == theirs:  # everything is as old as itself
            raise Unbuildable(Unmet(each.words, "compared"))
        self.conditions.append(Condition(ours, attribute.key, operator, Asked(theirs, attribute.key)))
        if operator == "=" and isinstance(right, str):
            self.conditions.append(Condition(ours, "", "DIFFERS", theirs))

    # what is wanted -------------------------------------------------------------------------------------------------

    def _candidate(self, root: Ref | None) -> Candidate:
        parts = (Part(REQUIRED, tuple(self.steps), tuple(self.conditions)), *self.absent)
        if not self.steps and not self.conditions and root is not None:
            parts = (Part(REQUIRED, (), (Condition(self._slot(root), "id", "IS NOT NULL"),)), *self.absent)
        base = Plan(tuple(self.slots), parts)
        mode = self.sketch.mode
        if mode == "yesno":
            plan = replace(base, kind="exists")
        elif mode == "count":
            assert root is not None
            plan = replace(base, measure=Measure("count", self._slot(root)))
        elif mode == "value" and self.sketch.asked[0][0] is None:
            plan = replace(base, asked=(self._asked_column(self.sketch.asked[0][1]),))
        else:
            assert root is not None
            plan = replace(base, asked=(Asked(self._slot(root)),))
            most = next((each for each in self.sketch.statements if each.kind in ("most", "fewest")), None)
            if most is not None and most.left is not None:
                top = next((n for n in map(self._top, self.sketch.statements) if n), 1)
                measure, order = Measure("count", self._slot(most.left)), Sort(None, descending=most.kind == "most")
                plan = replace(plan, measure=measure, sort=(order,), limit=top)
        types = plan.slot(self._slot(root)).types if root is not None and mode != "yesno" else ()
        meanings = tuple(self.grounded.meanings[at] for at in sorted(self.grounded.meanings))
        relations = tuple(name for part in plan.parts for step in part.steps for name in step.relations)
        labels = tuple(label for slot in plan.slots for label in slot.types)
        return Candidate(plan, (types or (None,))[0], meanings, relations, labels, ("sketch",))

    def _asked_column(self, asked: tuple[int, ...]) -> Asked:
        for number, step in self.named_steps.items():
            known = self.schema.relationship(self.grounded.links[number].relation)
            found = self.lexical.columns(self.text(asked), known, self.meant_by(asked))
            if found:
                self.met |= dict.fromkeys(asked, found[0][1])
                return Asked(step.name, found[0][0])
        raise Unbuildable(Unmet(asked, "said"))

    def _is_had(self, ref: Ref) -> bool:
        """Whether all of what a thing has is meant, rather than all there are: "whose neighbours all use the euro"."""
        root = self._root()
        joins = [
            each for each in self.sketch.statements if each.kind == "fact" and {each.left, each.right} == {ref, root}
        ]
        others = [
            each
            for each in self.sketch.statements
            if each.kind == "fact" and ref in (each.left, each.right) and each not in joins
        ]
        return bool(others) and any(each.left == ref for each in joins)

    def _quantified(self, candidate: Candidate) -> Candidate:
        plan: Plan | None = candidate.plan
        for each in self.sketch.statements:
            if plan is None or each.left is None:
                continue
            if each.kind == "number" and isinstance(each.right, str):
                one, other = self._slot(each.left), self._slot(each.right)
                plan = counted(plan, Count(one, each.operator, other), Count(other))
            elif each.kind == "number":
                number = self._number(each.value)
                if number is None or number != int(number):
                    raise Unbuildable(Unmet(each.value, "number"))
                plan = counted_together(plan, Count(self._slot(each.left), self._operator(each), int(number)))
            elif each.kind == "only" or (each.kind == "every" and self._is_had(each.left)):
                plan = only(plan, self._slot(each.left))
            elif each.kind == "every":
                plan = every(plan, [self._slot(each.left)])
        if plan is None:
            raise Unbuildable(Unmet((), "quantifier"))
        root = self._root()
        nouns = [each.words for each in self.sketch.statements if each.kind == "kind" and each.left == root]
        stated = any(self.lexical.is_type(self.text(noun)) for noun in nouns)
        return replace(candidate, plan=with_none(plan) if stated else plan)
