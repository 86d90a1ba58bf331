"""Every plan that a question's words could mean in this graph: schema paths from what is asked to what is named.

The asked-for type is joined to each named entity by the shortest ways the schema has; names that share the beginning of
their way share its slots ("genes of diseases that show both A and B" means one disease).
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice, product

from clew.answer.plan import ABSENT, REQUIRED, Asked, Condition, Measure, Part, Plan, Slot, Sort, Step
from clew.answer.question import Meaning, Question
from clew.store.layout import StoreSchema

__all__ = ["Candidate", "Ways", "candidates"]

LONGEST_WAY = 3
MOST_CHOICES = 400
PATH_LENGTH = 4
HIERARCHY_DEPTH = 20


@dataclass(frozen=True, slots=True, order=True)
class Move:
    """One step along the schema: a relationship name, the label it leads to, and whether it is walked as it points."""

    relationship: str
    forward: bool
    label: str


Way = tuple[Move, ...]


class Ways:
    """The ways between labels of a schema; those that deny something only where `denied` asks for them."""

    def __init__(self, schema: StoreSchema, hierarchy: frozenset[str]) -> None:
        self.hierarchy = hierarchy
        self._moves: dict[bool, dict[str, list[Move]]] = {False: {}, True: {}}
        for relationship in schema.relationships:
            moves = self._moves[relationship.negated]
            for ends in relationship.ends:
                moves.setdefault(ends.subject, []).append(Move(relationship.name, True, ends.object))
                moves.setdefault(ends.object, []).append(Move(relationship.name, False, ends.subject))

    def between(self, start: str, end: str, *, denied: bool = False, through: Iterable[str] = ()) -> list[Way]:
        """Ways from one label to another, shortest first.

        At most one step longer than the shortest, or longer if they lead through all the labels of `through`.
        """
        wanted = set(through) - {start, end}
        found: list[Way] = []
        for way in self._from(start, LONGEST_WAY, denied):
            if way[-1].label != end:
                continue
            between = {move.label for move in way[:-1]}
            if not found or len(way) <= len(found[0]) + 1 or (wanted and wanted <= between):
                found.append(way)
        return found

    def _from(self, start: str, longest: int, denied: bool) -> Iterator[Way]:
        waiting: list[Way] = [()]
        for length in range(1, longest + 1):
            further: list[Way] = []
            for way in waiting:
                label = way[-1].label if way else start
                for move in self._moves[denied and length == 1].get(label, ()):
                    if move.relationship in self.hierarchy and (way or move.label != start):
                        continue  # a hierarchy is followed as such, or between a thing and its kinds
                    further.append((*way, move))
            yield from further
            waiting = further


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan with what it takes the question to mean."""

    plan: Plan
    asked: str | None
    meanings: tuple[Meaning, ...]
    relationships: tuple[str, ...]
    labels: tuple[str, ...]


@dataclass(slots=True)
class _Builder:
    """Grows slots and steps from what is asked for; ways with the same beginning share it."""

    slots: list[Slot] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    absent: list[Part] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    reached: dict[Way, str] = field(default_factory=dict)

    def slot(self, *labels: str) -> str:
        name = f"{labels[0][0].lower() if labels else 'e'}{len(self.slots) + 1}"
        self.slots.append(Slot(name, labels))
        return name

    def follow(self, start: str, way: Way, *, end: Meaning | None) -> str:
        """Steps along a way; its last slot is the named entity, through which longer ways may lead."""
        here = start
        for number, move in enumerate(way, start=1):
            last = number == len(way) and end is not None
            there = None if last else self.reached.get(way[:number])
            if there is None:
                there = self.slot(move.label)
                self.steps.append(_step(here, move, there))
                self.reached.setdefault(way[:number], there)
            here = there
        if end is not None:
            self.conditions.append(_is(here, end))
        return here

    def without(self, start: str, ends: Sequence[tuple[Way, Meaning]]) -> None:
        """A part that must not exist: all of these ways together."""
        steps: list[Step] = []
        conditions: list[Condition] = []
        for way, end in ends:
            here = start
            for move in way:
                there = self.slot(move.label)
                steps.append(_step(here, move, there))
                here = there
            conditions.append(_is(here, end))
        self.absent.append(Part(ABSENT, tuple(steps), tuple(conditions)))

    def parts(self) -> tuple[Part, ...]:
        return (Part(REQUIRED, tuple(self.steps), tuple(self.conditions)), *self.absent)


def _step(here: str, move: Move, there: str) -> Step:
    subject, object_ = (here, there) if move.forward else (there, here)
    return Step(subject, (move.relationship,), object_)


def _is(slot: str, meaning: Meaning) -> Condition:
    if len(meaning.ids) == 1:
        return Condition(slot, "id", "=", meaning.ids[0])
    return Condition(slot, "id", "IN", meaning.ids)


def candidates(question: Question, schema: StoreSchema, ways: Ways) -> Iterator[Candidate]:
    """Every plan the question could mean, the shorter before the longer."""
    label_of = {label.type: label.name for label in schema.labels}
    choices = [[m for m in anchor.meanings if m.type in label_of] for anchor in question.anchors]
    for meanings in islice(product(*choices), 16):
        if question.operation == "path" and len(meanings) == 2:
            yield _path(meanings)
        elif question.operation == "exists" and len(meanings) >= 2:
            yield from _joined(question, meanings, ways, label_of)
        else:
            for asked in _askable(question, meanings, ways, label_of):
                yield from _rows(question, asked, meanings, ways, label_of)


def _askable(question: Question, meanings: tuple[Meaning, ...], ways: Ways, label_of: dict[str, str]) -> list[str]:
    """Labels that may be asked for: those the words name, else all that lead to what is named."""
    if question.asked:
        return list(question.asked)
    anchored = {label_of[meaning.type] for meaning in meanings}
    return [label for label in label_of.values() if not meanings or any(ways.between(label, a) for a in anchored)]


def _path(meanings: tuple[Meaning, ...]) -> Candidate:
    one, other = meanings
    plan = Plan(
        (Slot("a", (one.type,)), Slot("b", (other.type,))),
        (Part(REQUIRED, (Step("a", (), "b", 1, PATH_LENGTH, True),), (_is("a", one), _is("b", other))),),
        kind="path",
        asked=(Asked("a"),),
    )
    return Candidate(plan, None, meanings, (), (one.type, other.type))


def _joined(
    question: Question, meanings: tuple[Meaning, ...], ways: Ways, label_of: dict[str, str]
) -> Iterator[Candidate]:
    """Whether what is named is joined as the question says: alike ones to the last, or the first to all others."""
    if len(meanings) > 2 and meanings[0].type == meanings[1].type and meanings[-1].type != meanings[0].type:
        meanings = (meanings[-1], *meanings[:-1])
    first, *others = meanings
    start = label_of[first.type]
    labels = [label_of[other.type] for other in others]
    stated = [ways.between(start, label, through=question.spoken_of) for label in labels]
    denied = [ways.between(start, label, denied=True, through=question.spoken_of) for label in labels]
    missing = question.denied and not all(denied)
    for chosen in islice(product(*(denied if question.denied and not missing else stated)), MOST_CHOICES):
        builder = _Builder()
        root = builder.slot(start)
        builder.conditions.append(_is(root, first))
        for way, other in zip(chosen, others, strict=True):
            builder.follow(root, way, end=other)
        kind = "lacks" if missing else "exists"
        yield _candidate(Plan(tuple(builder.slots), builder.parts(), kind=kind), None, meanings)


def _rows(
    question: Question, asked: str, meanings: tuple[Meaning, ...], ways: Ways, label_of: dict[str, str]
) -> Iterator[Candidate]:
    ends = [
        (anchor, meaning, label_of[meaning.type]) for anchor, meaning in zip(question.anchors, meanings, strict=True)
    ]
    through = question.spoken_of
    stated = [ways.between(asked, label, through=through) for _, _, label in ends]
    denied = [ways.between(asked, label, denied=True, through=through) for _, _, label in ends]
    subtracting = question.denied and not all(denied)  # what no source denies is absent where it is not stated
    choices = denied if question.denied and not subtracting else stated
    for chosen in islice(product(*choices), MOST_CHOICES):
        builder = _Builder()
        root = builder.slot(asked)
        together = [(anchor, way, meaning) for (anchor, meaning, _), way in zip(ends, chosen, strict=True)]
        if subtracting:
            builder.without(root, [(way, meaning) for _, way, meaning in together])
            together = []
        for anchor, way, meaning in sorted(together, key=lambda each: len(each[1])):
            if anchor.negated:
                builder.without(root, [(way, meaning)])
            else:
                builder.follow(root, way, end=meaning)
            if question.others and label_of[meaning.type] == asked:
                builder.conditions.append(Condition(root, "id", "IN", meaning.ids, negated=True))
        yield from _wanted(question, asked, root, builder, meanings, ways)


def _wanted(
    question: Question, asked: str, root: str, builder: _Builder, meanings: tuple[Meaning, ...], ways: Ways
) -> Iterator[Candidate]:
    if question.operation == "count":
        plan = Plan(tuple(builder.slots), builder.parts(), measure=Measure("count", root))
        yield _candidate(plan, asked, meanings)
    elif question.operation == "top":
        for measured in _measurable(question, asked, root, builder, ways):
            plan = Plan(
                tuple(builder.slots),
                builder.parts(),
                asked=(Asked(root),),
                measure=Measure("count", measured),
                sort=(Sort(None, descending=question.descending),),
                limit=question.number,
            )
            yield _candidate(plan, asked, meanings)
    else:
        yield _candidate(Plan(tuple(builder.slots), builder.parts(), asked=(Asked(root),)), asked, meanings)


def _measurable(question: Question, asked: str, root: str, builder: _Builder, ways: Ways) -> list[str]:
    """The slot that is counted: one already on the way to what is named, or one more step away."""
    labels = [label for label in question.spoken_of if label != asked] or [""]
    named = {condition.of for condition in builder.conditions if not condition.negated}
    between = [slot.name for slot in builder.slots if slot.name not in named | {root}]
    wanted = [name for name in between if any(slot.name == name and slot.types[0] in labels for slot in builder.slots)]
    if wanted or (between and labels == [""]):
        return wanted or between
    found = []
    for label in labels:
        for way in (ways.between(asked, label) if label else [])[:2]:
            found.append(builder.follow(root, way, end=None))
            break
    return found


def _candidate(plan: Plan, asked: str | None, meanings: tuple[Meaning, ...]) -> Candidate:
    steps = [step for part in plan.parts for step in part.steps]
    return Candidate(
        plan,
        asked,
        meanings,
        tuple(name for step in steps for name in step.relations),
        tuple(label for slot in plan.slots for label in slot.types),
    )
