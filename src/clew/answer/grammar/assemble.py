"""Clauses with a relation each → a plan: nouns become slots, clauses steps, and what is denied an absent part."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, field, replace

from clew.answer.grammar.clauses import Clause
from clew.answer.grammar.quantifiers import ALL, Quantifier
from clew.answer.names.meanings import Meaning
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.plan import ABSENT, REQUIRED, Measure, Part, Plan, Slot, Sort, Step
from clew.answer.plans.quantify import every, only
from clew.answer.reading.candidates import Candidate
from clew.answer.reading.question import ParsedQuestion

__all__ = ["Assembly", "Link", "Nouns"]


@dataclass(frozen=True, slots=True)
class Link:
    """A relation between two nouns, perhaps with one more step before or after it; moves lead from left to right."""

    moves: tuple[tuple[str, bool, str], ...]  # relationship, along it, the label it leads to
    start: str
    fit: float

    @property
    def end(self) -> str:
        return self.moves[-1][2]


@dataclass(slots=True)
class Nouns:
    """Which nouns mean one thing."""

    of: dict[int, int] = field(default_factory=dict)

    def find(self, at: int) -> int:
        while self.of.get(at, at) != at:
            at = self.of[at]
        return at

    def unite(self, one: int, other: int) -> None:
        self.of[self.find(other)] = self.find(one)


class Assembly:
    """A plan that grows from what is asked for along the clauses; what is denied grows into absent parts."""

    def __init__(
        self,
        meanings: tuple[Meaning, ...],
        named: Mapping[int, int],
        *,
        different: Sequence[tuple[int, int]],
        counted: int | None,
        symmetric: Set[str],
        quantifiers: Sequence[Quantifier] = (),
        restricts: Callable[[Clause, int], bool] = lambda clause, noun: False,
    ) -> None:
        self.meanings, self.named, self.symmetric = meanings, named, symmetric
        self.different, self.counted = different, counted  # nouns that are not one; the noun whose number is compared
        self.slots: list[Slot] = []
        self.slot_of: dict[int, str] = {}
        self.steps: list[Step] = []
        self.conditions: list[Condition] = []
        self.absent: list[Part] = []
        self.named_inside: set[int] = set()  # nouns of absent parts
        self.quantifiers, self.restricts = quantifiers, restricts
        self.clause_of: dict[Step, Clause] = {}  # what each required step was said by

    def grow(self, start: int, joined: list[tuple[Clause, Link]]) -> bool:
        """Take in all clauses that hang together with a noun; False if one does not, or a noun has two types."""
        labels: dict[int, str] = {}
        for clause, link in joined:
            for at, label in ((clause.left, link.start), (clause.right, link.end)):
                if labels.setdefault(at, label) != label:
                    return False
        self._place(start, labels.get(start, ""), self.conditions)
        inner = {clause.right for clause, _ in joined if clause.denied} - {start, *self.named}
        waiting, moved = joined, True
        while waiting and moved:
            moved, later = False, []
            for clause, link in waiting:
                if not self._touches(clause) or clause.denied or {clause.left, clause.right} & inner:
                    later.append((clause, link))
                    continue
                self._follow(clause, link, self.steps, self.conditions)
                moved = True
            waiting = later
        return self._deny(waiting, labels) and self._names_all()

    def _deny(self, waiting: list[tuple[Clause, Link]], labels: dict[int, str]) -> bool:
        """Each denied clause that touches the plan, with the clauses that hang on it, must not exist."""
        while waiting:
            first = next((each for each in waiting if each[0].denied and self._touches(each[0])), None)
            if first is None:
                return False
            waiting.remove(first)
            outside = set(self.slot_of)
            steps: list[Step] = []
            conditions: list[Condition] = []
            self._follow(*first, steps, conditions)
            grown = True
            while grown:
                inner = [
                    each
                    for each in waiting
                    if not each[0].denied and {each[0].left, each[0].right} & (self.slot_of.keys() - outside)
                ]
                grown = bool(inner)
                for each in inner:
                    waiting.remove(each)
                    self._follow(*each, steps, conditions)
            self.absent.append(Part(ABSENT, tuple(steps), tuple(conditions)))
            for at in self.slot_of.keys() - outside:
                del self.slot_of[at]
                self.named_inside.add(at)
        return True

    def _touches(self, clause: Clause) -> bool:
        return clause.left in self.slot_of or clause.right in self.slot_of

    def _names_all(self) -> bool:
        """Whether every name of the question is in the plan."""
        placed = {self.named[at] for at in (*self.slot_of, *self.named_inside) if self.named.get(at) is not None}
        return placed >= set(range(len(self.meanings)))

    def _place(self, at: int, label: str, conditions: list[Condition]) -> str:
        if at in self.slot_of:
            return self.slot_of[at]
        name = f"{label[:1].lower() or 'e'}{len(self.slots) + 1}"
        name = name if name[0].isalpha() else f"e{len(self.slots) + 1}"
        self.slots.append(Slot(name, (label,) if label else ()))
        self.slot_of[at] = name
        number = self.named.get(at)
        if number is not None:
            ids = self.meanings[number].ids
            conditions.append(Condition(name, "id", "=", ids[0]) if len(ids) == 1 else Condition(name, "id", "IN", ids))
        return name

    def _follow(self, clause: Clause, link: Link, steps: list[Step], conditions: list[Condition]) -> None:
        here = self._place(clause.left, link.start, conditions)
        end = self._place(clause.right, link.end, conditions)
        for number, (relation, along, label) in enumerate(link.moves, start=1):
            there = end
            if number < len(link.moves):
                there = f"b{len(self.slots) + 1}"
                self.slots.append(Slot(there, (label,)))
            step = Step(here, (relation,), there) if along else Step(there, (relation,), here)
            turned = replace(step, subject=step.object, object=step.subject)
            if step not in steps and not (relation in self.symmetric and turned in steps):
                steps.append(step)
                self.clause_of[step] = clause
            here = there

    def _differ(self) -> None:
        """Those who share something are not one and the same."""
        for one, other in dict.fromkeys(self.different):
            pair = [self.slot_of.get(at) for at in (one, other)]
            if pair[0] is None or pair[1] is None or pair[0] == pair[1]:
                continue
            named = self.named.get(other)
            if named is None:
                self.conditions.append(Condition(pair[0], "", "DIFFERS", pair[1]))
            else:  # a name may stand for several entities
                self.conditions.append(Condition(pair[0], "id", "IN", self.meanings[named].ids, negated=True))

    def _prune(self, root: str) -> None:
        """Without steps to a slot of which nothing else is said, where another step says as much."""
        counted = self.counted
        needed = {root, *(each.of for each in self.conditions)}
        needed |= {self.slot_of[counted]} if counted in self.slot_of else set()
        needed |= {end for part in self.absent for step in part.steps for end in step.ends}
        for step in list(self.steps):
            others = [each for each in self.steps if each is not step]
            alike = [each for each in others if each.relations == step.relations]
            either = [end for each in alike for end in each.ends] if set(step.relations) <= self.symmetric else []
            for here, there, same in (
                (step.subject, step.object, [*either, *(each.subject for each in alike)]),
                (step.object, step.subject, [*either, *(each.object for each in alike)]),
            ):
                ends = {end for each in others for end in each.ends}
                if there not in needed | ends and here in same:
                    self.steps.remove(step)
                    self.slots = [slot for slot in self.slots if slot.name != there]
                    self.conditions = [
                        each for each in self.conditions if each.operator != "DIFFERS" or each.value != there
                    ]
                    break

    def candidate(self, question: ParsedQuestion, *, judged: bool, root: int) -> Candidate | None:
        """The plan as the question wants it: judged, counted, ranked or listed."""
        self._differ()
        self._prune(self.slot_of[root])
        parts = (Part(REQUIRED, tuple(self.steps), tuple(self.conditions)), *self.absent)
        slot = self.slot_of[root]
        base = Plan(tuple(self.slots), parts, kind="exists" if judged else "rows")
        asked = None if judged else (base.slot(slot).types or (None,))[0]
        if judged:
            plan = base
        elif question.operation == "count":
            plan = replace(base, measure=Measure("count", slot))
        elif question.operation == "top":
            counted = self._counted(slot, often=question.bound is not None and not question.bound.labels)
            if counted is None:
                return None
            limits = (question.bound.operator, question.bound.number) if question.bound else (None, None)
            measure = Measure("count", counted, None, *limits)
            order = (Sort(None, descending=question.descending),)
            plan = replace(base, asked=(Asked(slot),), measure=measure, sort=order, limit=question.number)
        else:
            plan = replace(base, asked=(Asked(slot),))
        relations = tuple(name for part in parts for step in part.steps for name in step.relations)
        labels = tuple(label for each in self.slots for label in each.types)
        bare = Candidate(plan, asked, self.meanings, relations, labels, ("grammar",))
        return self._quantified(bare)

    def _counted(self, root: str, *, often: bool) -> str | None:
        """The slot whose number is compared; of how often something is so, the only one that is not named."""
        if not often:
            return None if self.counted is None else self.slot_of.get(self.counted)
        held = {each.of for each in self.conditions if each.key == "id"}
        near = dict.fromkeys(end for step in self.steps if root in step.ends for end in step.ends)
        free = [each for each in near if each not in held | {root}]
        return free[0] if len(free) == 1 else None

    def _quantified(self, candidate: Candidate) -> Candidate | None:
        """The plan with what "all", "every" and "only" ask of its slots; None where it cannot be so."""
        plan, done = candidate.plan, set()
        for each in self.quantifiers:
            slot = self.slot_of.get(each.noun)
            if slot is None or (candidate.plan.asked and slot == candidate.plan.asked[0].of):
                continue
            changed = only(plan, slot) if self._is_of_those_joined(each, slot) else every(plan, [slot])
            if changed is None:
                return None
            plan = changed
            done.add(each.word)
        return replace(candidate, plan=plan, quantified=frozenset(done))

    def _is_of_those_joined(self, quantifier: Quantifier, slot: str) -> bool:
        """Whether all that are joined to what is asked for are meant, rather than all there are of a kind."""
        if quantifier.kind != ALL or quantifier.again:
            return True
        said = [clause for step, clause in self.clause_of.items() if slot in step.ends]
        restricting = [clause for clause in said if self.restricts(clause, quantifier.noun)]
        return bool(restricting) and len(restricting) < len(said) and said[0] in restricting
