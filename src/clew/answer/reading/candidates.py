"""Candidate plans for a question: schema paths from the requested type to the named entities.

The requested type is connected to each named entity by the shortest schema paths, or by longer ones that pass through
types mentioned in the question. Paths with a common prefix share its slots: in "genes of diseases that show both A
and B" both phenotypes belong to the same disease.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product

from clew.answer.lexicon.words import Said
from clew.answer.plans.assertions.filters import with_filters
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.plan import ABSENT, PATH_LENGTH, REQUIRED, Measure, Part, Plan, Slot, Sort, Step
from clew.answer.plans.schema.paths import Move, SchemaPath, SchemaPaths
from clew.answer.reading.question import Meaning, ParsedQuestion
from clew.answer.statements.past_words import is_former
from clew.answer.values.attributes import ValuePart
from clew.store.deadline import Deadline
from clew.store.layout import StoreSchema

__all__ = ["Candidate", "SchemaPaths", "candidates", "is_meant", "with_siblings"]

MOST_CHOICES = 400  # plans for one choice of meanings; fewer where they have many names
MOST_PLANS = 1_500  # for all meanings and types that may be asked for
FEW_NAMES = 6
HIERARCHY_DEPTH = 20
LISTED = re.compile(
    r"\s*(?:,|&|\+)?\s*(?:(?:and|or|nor|as well as|with)\s+)?(?:also\s+)?(?:both\s+)?(?:an?\s+|the\s+)?", re.I
)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A plan, with the requested type and the meaning it assigns to each name in the question."""

    plan: Plan
    asked: str | None
    meanings: tuple[Meaning, ...]
    relationships: tuple[str, ...]
    labels: tuple[str, ...]
    found_by: tuple[str, ...] = ("schema",)  # who proposed it: the paths of the schema, the grammar of the question
    share: float = 0.0  # of the question's trees that propose it
    values: ValuePart | None = None  # what the plan says of values
    quantified: frozenset[int] = frozenset()  # where words begin that its quantifiers stand for
    aside: tuple[str, ...] = ()  # names of entities that are no answers though the rest fits


@dataclass(slots=True)
class _Builder:
    """Adds slots and steps outwards from the requested slot; paths with a common prefix share its slots."""

    slots: list[Slot] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    absent: list[Part] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    reached: dict[SchemaPath, str] = field(default_factory=dict)

    def copy(self) -> "_Builder":
        return _Builder(
            list(self.slots), list(self.steps), list(self.absent), list(self.conditions), dict(self.reached)
        )

    def slot(self, *labels: str) -> str:
        name = f"{labels[0][0].lower() if labels else 'e'}{len(self.slots) + 1}"
        self.slots.append(Slot(name, labels))
        return name

    def follow(self, start: str, path: SchemaPath, *, end: Meaning | None) -> str:
        """Add the steps of a path and return its last slot, which `end` binds to a named entity."""
        here = start
        for number, move in enumerate(path, start=1):
            last = number == len(path) and end is not None
            there = None if last else self.reached.get(path[:number])
            if there is None:
                there = self.slot(move.label)
                self.steps.append(_step(here, move, there))
                self.reached.setdefault(path[:number], there)
            here = there
        if end is not None:
            self.conditions.append(is_meant(here, end))
        return here

    def without(self, start: str, ends: Sequence[tuple[SchemaPath, Meaning]]) -> None:
        """Add one negated part: no match may have all of these paths at once."""
        steps: list[Step] = []
        conditions: list[Condition] = []
        for path, end in ends:
            here = start
            for move in path:
                there = self.slot(move.label)
                steps.append(_step(here, move, there))
                here = there
            conditions.append(is_meant(here, end))
        self.absent.append(Part(ABSENT, tuple(steps), tuple(conditions)))

    def parts(self) -> tuple[Part, ...]:
        return (Part(REQUIRED, tuple(self.steps), tuple(self.conditions)), *self.absent)


def _step(here: str, move: Move, there: str) -> Step:
    subject, object_ = (here, there) if move.forward else (there, here)
    return Step(subject, (move.relationship,), object_)


def is_meant(slot: str, meaning: Meaning) -> Condition:
    """That a slot is filled by what a name means."""
    if len(meaning.ids) == 1:
        return Condition(slot, "id", "=", meaning.ids[0])
    return Condition(slot, "id", "IN", meaning.ids)


def candidates(
    question: ParsedQuestion, schema: StoreSchema, paths: SchemaPaths, *, deadline: Deadline | None = None
) -> Iterator[Candidate]:
    """Every candidate plan for a question, shortest first; raises `Timeout` after the deadline.

    If the words next to a name mention a relation, only plans that reach the name by that relation are kept.
    """
    if question.foreign and not question.asked:
        return
    label_of = {label.type: label.name for label in schema.labels}
    found = []
    for each in islice(_all(question, paths, label_of), MOST_PLANS):
        if deadline is not None:
            deadline.check()
        found.append((_fitting(question, each), each))
    best = max((fitting for fitting, _ in found), default=0)
    for fitting, each in found:
        if fitting == best:
            for meant in with_siblings(question, each, schema):
                yield replace(meant, plan=with_filters(meant.plan, question.filters))


def with_siblings(question: ParsedQuestion, candidate: Candidate, schema: StoreSchema) -> Iterator[Candidate]:
    """The plan, and a copy with every relation the same words can mean: "treat" may include "palliate".

    Yes/no questions use only the copy, which covers the relations that are mentioned as clearly.
    """
    judged = candidate.plan.kind != "rows"
    widened = replace(
        candidate.plan,
        parts=tuple(
            replace(part, steps=tuple(_widened(step, question.said, schema, judged=judged) for step in part.steps))
            for part in candidate.plan.parts
        ),
    )
    if widened == candidate.plan or not judged:
        yield candidate
    if widened != candidate.plan:
        yield replace(candidate, plan=widened)  # the less literal plan comes second


def _widened(step: Step, said: Mapping[str, Said], schema: StoreSchema, *, judged: bool) -> Step:
    if len(step.relations) != 1 or step.repeated or step.relations[0] not in said:
        return step
    known, own = schema.relationship(step.relations[0]), said[step.relations[0]]
    ends = {(each.subject, each.object) for each in known.ends}
    siblings = [
        each.name
        for each in schema.relationships
        if each.name in said and each.name != known.name and each.negated == known.negated
        if is_former(each.called) == is_former(known.called)
        if said[each.name].places & own.places and said[each.name].clearly <= own.clearly
        if not judged or said[each.name].clearly == own.clearly
        if not ends.isdisjoint((end.subject, end.object) for end in each.ends)
    ]
    return replace(step, relations=(known.name, *siblings))


def _all(question: ParsedQuestion, paths: SchemaPaths, label_of: dict[str, str]) -> Iterator[Candidate]:
    choices = [[m for m in anchor.meanings if m.type in label_of] for anchor in question.anchors]
    for meanings in islice(product(*choices), 16):
        if question.operation == "path" and len(meanings) == 2:
            yield _path(meanings)
        elif question.operation == "exists" and len(meanings) >= 2:
            yield from _joined(question, meanings, paths, label_of)
        elif question.operation != "exists" or question.bound is None:
            for asked in _askable(question, meanings, paths, label_of):
                yield from _rows(question, asked, meanings, paths, label_of)


def _fitting(question: ParsedQuestion, candidate: Candidate) -> int:
    """How many names a plan reaches from a mentioned type by the relation stated next to them."""
    plan = candidate.plan
    held = {
        condition.values: condition.of
        for part in plan.parts
        for condition in part.conditions
        if condition.key == "id" and not condition.negated
    }
    judged = {meaning.type for meaning in candidate.meanings} if candidate.asked is None else set()
    spoken = {*question.mentioned} | judged
    mentioned = {plan.slots[0].name} | {slot.name for slot in plan.slots if not spoken.isdisjoint(slot.types)}
    found = 0
    for anchor, meaning in zip(question.anchors, candidate.meanings, strict=False):
        slot = held.get(meaning.ids, "")
        steps = [step for part in plan.parts for step in part.steps if slot in step.ends]
        found += any(
            not set(step.relations).isdisjoint(anchor.beside) and any(other in mentioned for other in step.ends)
            for step in steps
        )
    return found


def _askable(
    question: ParsedQuestion, meanings: tuple[Meaning, ...], paths: SchemaPaths, label_of: dict[str, str]
) -> list[str]:
    """The labels a question may ask for: those it mentions, else all with a path to the named entities."""
    if question.asked:
        return list(question.asked)
    anchored = dict.fromkeys(label_of[meaning.type] for meaning in meanings)
    if question.direction and (alike := [a for a in anchored if paths.along_hierarchy(a, direction="up")]):
        return alike
    return [label for label in label_of.values() if not meanings or any(paths.between(label, a) for a in anchored)]


def _paths(question: ParsedQuestion, paths: SchemaPaths, asked: str, label: str) -> list[SchemaPath]:
    """Paths from the requested label to a named one; along the hierarchy if asked for or if there is no other."""
    hierarchy = paths.along_hierarchy(label, direction=question.direction or "down") if label == asked else []
    if question.direction and hierarchy:
        return hierarchy
    return paths.between(asked, label, through=question.mentioned) or hierarchy


def _path(meanings: tuple[Meaning, ...]) -> Candidate:
    one, other = meanings
    plan = Plan(
        (Slot("a", (one.type,)), Slot("b", (other.type,))),
        (Part(REQUIRED, (Step("a", (), "b", 1, PATH_LENGTH, True),), (is_meant("a", one), is_meant("b", other))),),
        kind="path",
        asked=(Asked("a"),),
    )
    return Candidate(plan, None, meanings, (), (one.type, other.type))


def _joined(
    question: ParsedQuestion, meanings: tuple[Meaning, ...], paths: SchemaPaths, label_of: dict[str, str]
) -> Iterator[Candidate]:
    """Yes/no plans: several names of one type against the last name, otherwise the first name against all others."""
    ordered = meanings
    if len(meanings) > 2 and meanings[0].type == meanings[1].type and meanings[-1].type != meanings[0].type:
        ordered = (meanings[-1], *meanings[:-1])
    first, *others = ordered
    start = label_of[first.type]
    labels = [label_of[other.type] for other in others]
    if question.direction and labels == [start] and (above := paths.along_hierarchy(start, direction="down")):
        yield _one_above_the_other(question, meanings, start, above[0][0].relationship)
        return
    stated = [_paths(question, paths, start, label) for label in labels]
    denied = [paths.between(start, label, denied=True, through=question.mentioned) for label in labels]
    missing = question.denied and not all(denied)
    for chosen in islice(product(*(denied if question.denied and not missing else stated)), _most(question)):
        builder = _Builder()
        root = builder.slot(start)
        builder.conditions.append(is_meant(root, first))
        for path, other in zip(chosen, others, strict=True):
            builder.follow(root, path, end=other)
        kind = "lacks" if missing else "exists"
        yield _candidate(Plan(tuple(builder.slots), builder.parts(), kind=kind), None, meanings)


def _one_above_the_other(
    question: ParsedQuestion, meanings: tuple[Meaning, ...], label: str, relationship: str
) -> Candidate:
    """Whether one entity is a direct or indirect subclass of the other."""
    below, above = meanings if question.direction == "up" else meanings[::-1]
    slots = (Slot("a", (label,)), Slot("b", (label,)))
    step = Step("a", (relationship,), "b", 1, HIERARCHY_DEPTH)
    part = Part(REQUIRED, (step,), (is_meant("a", below), is_meant("b", above)))
    return _candidate(Plan(slots, (part,), kind="lacks" if question.denied else "exists"), None, meanings)


def _rows(
    question: ParsedQuestion, asked: str, meanings: tuple[Meaning, ...], paths: SchemaPaths, label_of: dict[str, str]
) -> Iterator[Candidate]:
    ends = [
        (anchor, meaning, label_of[meaning.type]) for anchor, meaning in zip(question.anchors, meanings, strict=True)
    ]
    stated = [_paths(question, paths, asked, label) for _, _, label in ends]
    denied = [paths.between(asked, label, denied=True, through=question.mentioned) for _, _, label in ends]
    # No negated relation to use, or none is meant ("no disease with"): "not" means not stated.
    subtracting = question.lacking or (question.denied and not all(denied))
    choices = denied if question.denied and not subtracting else stated
    said_so = [
        question.explicit and anchor.negated and bool(own) for (anchor, _, _), own in zip(ends, denied, strict=True)
    ]
    choices = [own if said else other for said, own, other in zip(said_so, denied, choices, strict=True)]
    for chosen in _chosen(question, [label for _, _, label in ends], choices):
        builder = _Builder()
        root = builder.slot(asked)
        together = [
            (each[0].negated and not said, path, each[1])
            for each, said, path in zip(ends, said_so, chosen, strict=True)
        ]
        if subtracting:
            builder.without(root, [(path, meaning) for _, path, meaning in together])
            together = []
        for absent, path, meaning in sorted(together, key=lambda each: len(each[1])):
            if absent:
                builder.without(root, [(path, meaning)])
            else:
                builder.follow(root, path, end=meaning)
            if question.others and label_of[meaning.type] == asked:
                builder.conditions.append(Condition(root, "id", "IN", meaning.ids, negated=True))
        yield from _wanted(question, asked, root, builder, meanings, paths)


def _chosen(
    question: ParsedQuestion, labels: Sequence[str], choices: Sequence[Sequence[SchemaPath]]
) -> Iterator[tuple[SchemaPath, ...]]:
    """One path per name; names of one type in one list ("A, B and C") share the same path."""
    first: list[int] = []  # for each name, the index of the first name in its list
    for at, anchor in enumerate(question.anchors):
        between = question.text[question.anchors[at - 1].end : anchor.start] if at else ""
        listed = bool(at) and labels[at] == labels[at - 1] and LISTED.fullmatch(between) is not None
        first.append(first[-1] if listed and choices[at] == choices[at - 1] else at)
    heads = sorted(set(first))
    for paths in islice(product(*(choices[at] for at in heads)), _most(question)):
        by_head = dict(zip(heads, paths, strict=True))
        yield tuple(by_head[at] for at in first)


def _most(question: ParsedQuestion) -> int:
    """The maximum number of plans; fewer if the question has many names, since each plan then takes longer."""
    return max(20, MOST_CHOICES * FEW_NAMES // max(FEW_NAMES, len(question.anchors)))


def _wanted(
    question: ParsedQuestion,
    asked: str,
    root: str,
    builder: _Builder,
    meanings: tuple[Meaning, ...],
    paths: SchemaPaths,
) -> Iterator[Candidate]:
    if question.operation == "count":
        plan = Plan(tuple(builder.slots), builder.parts(), measure=Measure("count", root))
        if question.bound is None:
            yield _candidate(plan, asked, meanings)
            return
        for grown, _ in _measurable(asked, root, builder, paths, question.bound.labels):
            yield _candidate(replace(plan, slots=tuple(grown.slots), parts=grown.parts()), asked, meanings)
    elif question.operation == "top":
        bound, order = question.bound, (Sort(None, descending=question.descending),)
        limits = (bound.operator, bound.number) if bound else (None, None)
        for grown, measured in _measurable(asked, root, builder, paths, bound.labels if bound else question.mentioned):
            measure = Measure("count", measured, None, *limits)
            plan = Plan(tuple(grown.slots), grown.parts(), asked=(Asked(root),), measure=measure)
            yield _candidate(replace(plan, sort=order, limit=question.number), asked, meanings)
    else:
        yield _candidate(Plan(tuple(builder.slots), builder.parts(), asked=(Asked(root),)), asked, meanings)


def _measurable(
    asked: str, root: str, builder: _Builder, paths: SchemaPaths, mentioned: Sequence[str]
) -> Iterator[tuple[_Builder, str]]:
    """The slot to count: one already on a path to a named entity, or one added for a mentioned type."""
    labels = [label for label in mentioned if label != asked]
    named = {condition.of for condition in builder.conditions if not condition.negated}
    between = [slot for slot in builder.slots if slot.name not in named | {root}]
    wanted = [slot.name for slot in between if slot.types[0] in labels or not labels]
    if wanted:
        yield from ((builder, name) for name in wanted)
        return
    for label in labels:
        for path in _shortest(paths.between(asked, label)):
            grown = builder.copy()
            yield grown, grown.follow(root, path, end=None)


def _shortest(found: Sequence[SchemaPath]) -> list[SchemaPath]:
    return [path for path in found if len(path) == len(found[0])]


def _candidate(plan: Plan, asked: str | None, meanings: tuple[Meaning, ...]) -> Candidate:
    steps = [step for part in plan.parts for step in part.steps]
    return Candidate(
        plan,
        asked,
        meanings,
        tuple(name for step in steps for name in step.relations),
        tuple(label for slot in plan.slots for label in slot.types),
    )
