"""What a question says of values, put onto plans: a value that is asked for, conditions, an order.

In: a candidate for the rest of the question. Out: the candidate with values, once for each attribute that may be meant;
none where what it is about has no such attribute. `bare_candidates` are plans about nothing but names, or a whole type.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice, product
from typing import Any

from clew.answer.lexicon.dimensions import dimensions, units
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.plan import ABSENT, REQUIRED, Measure, Part, Plan, Slot, Sort, Step
from clew.answer.plans.schema.paths import SchemaPath, SchemaPaths
from clew.answer.reading.candidates import Candidate, is_meant
from clew.answer.reading.intent import WH
from clew.answer.reading.question import ParsedQuestion
from clew.answer.values.attributes import Attribute, ValuePart
from clew.answer.values.said import ValueCondition, ValueOrder, ValueWords
from clew.answer.values.vocabulary import is_done
from clew.store.layout import StoreSchema

__all__ = ["bare_candidates", "put_values", "with_values"]

MOST_CHOICES = 4  # ways to choose attributes for one plan
DIMENSIONS = {name: number for number, name in enumerate(dimensions())}
COMPARED = {">": "above", ">=": "of at least", "<": "below", "<=": "of at most", "=": "of", "<>": "other than"}
TIMED = {">": "after", ">=": "from", "<": "before", "<=": "until", "=": "in", "<>": "other than"}


def bare_candidates(question: ParsedQuestion, schema: StoreSchema, paths: SchemaPaths) -> Iterator[Candidate]:
    """Plans about the entities that are named, or about all of the type that is asked for.

    With no name, a type that has the values may be another than the one that is asked for: "which author wrote the
    longest book".
    """
    values = question.values
    if not question.anchors:
        if question.operation == "list":
            yield from _of_types(question, paths)
        return
    chosen = values.order is not None and values.order.chosen
    if len(question.anchors) > 1 and not chosen:
        return
    judged = _is_judged(question)
    for first in question.anchors[0].meanings[:3]:
        meanings = [next((m for m in each.meanings if m.type == first.type), None) for each in question.anchors]
        label = schema.label_of(first.type)
        if None in meanings or (question.asked and label not in question.asked):
            continue
        meant = tuple(each for each in meanings if each is not None)
        plan = _plan(label, tuple(dict.fromkeys(id for each in meant for id in each.ids)))
        if judged:
            plan = replace(plan, kind="exists", asked=())
        yield Candidate(plan, None if judged else label, meant, (), (label,))


def _of_types(question: ParsedQuestion, paths: SchemaPaths) -> Iterator[Candidate]:
    values = question.values
    options = [each for condition in values.conditions for each in condition.options]
    options += [each.attribute for each in values.order.options] if values.order else []
    having = dict.fromkeys(each.label for each in options)
    if not question.asked and not question.foreign and len(having) == 1:  # "who earns the most"
        yield Candidate(_plan(next(iter(having)), ()), None, (), (), tuple(having))
    for label in question.asked:
        yield Candidate(_plan(label, ()), label, (), (), (label,))
        for other in having:
            meant = other != label and (other in question.mentioned or label not in having)
            for path in paths.between(label, other)[:MOST_CHOICES] if meant else ():
                yield _joined_to(label, path)


def _joined_to(label: str, path: SchemaPath) -> Candidate:
    """All of a label that a path of the schema leads from."""
    slots, steps = [Slot("e1", (label,))], []
    for number, move in enumerate(path, start=2):
        slots.append(Slot(f"e{number}", (move.label,)))
        here, there = f"e{number - 1}", f"e{number}"
        subject, object_ = (here, there) if move.forward else (there, here)
        steps.append(Step(subject, (move.relationship,), object_))
    plan = Plan(tuple(slots), (Part(REQUIRED, tuple(steps)),), asked=(Asked("e1"),))
    relations = tuple(move.relationship for move in path)
    return Candidate(plan, label, (), relations, tuple(slot.types[0] for slot in slots))


def _is_judged(question: ParsedQuestion) -> bool:
    """Whether conditions on a name are to be answered by yes or no."""
    lowered = [token.text.lower() for token in question.tokens]
    values = question.values
    return not values.asked and values.order is None and not WH.intersection(lowered)


def _plan(label: str, ids: tuple[str, ...]) -> Plan:
    held = Condition("e1", "id", "=", ids[0]) if len(ids) == 1 else Condition("e1", "id", "IN", ids)
    part = Part(REQUIRED, (), (held,)) if ids else Part(REQUIRED, (), (Condition("e1", "id", "IS NOT NULL"),))
    return Plan((Slot("e1", (label,)),), (part,), asked=(Asked("e1"),))


def with_values(question: ParsedQuestion, candidate: Candidate) -> Iterator[Candidate]:
    """The candidate with what the question says of values."""
    values = question.values
    if not values:
        yield candidate
        return
    choices = [_places(question, candidate, each.options, each.start) for each in values.conditions]
    root = _root(candidate.plan)
    graded = {each.attribute: each.much for each in values.order.options} if values.order else {}
    if values.order is not None:
        choices.append(_sorted(question, candidate, values.order))
    if values.asked:
        choices.append([(root, each) for each in _of_label(values.asked, candidate.plan, root)])
    ambiguous = any(len(each) > 1 for each in choices)
    for chosen in islice(product(*choices), MOST_CHOICES):
        made = _Builder(candidate).build(values, list(chosen), graded)
        if made is not None and made.values is not None:
            yield replace(made, values=replace(made.values, ambiguous=ambiguous))


def put_values(
    candidate: Candidate, values: ValueWords, chosen: list[tuple[str, Attribute]], *, much: bool = True
) -> Candidate | None:
    """The candidate with conditions, then an order or a value that is asked for, each on a slot's attribute."""
    return _Builder(candidate).build(values, chosen, {attribute: much for _, attribute in chosen})


def _root(plan: Plan) -> str:
    if plan.asked:
        return plan.asked[0].of
    return plan.measure.of if plan.measure is not None else plan.slots[0].name


def _types(plan: Plan, slot: str) -> tuple[str, ...]:
    """The types of a slot; none where a column of statements is asked for, which has no slot."""
    return next((each.types for each in plan.slots if each.name == slot), ())


def _of_label(options: "Sequence[Attribute] | dict[Attribute, bool]", plan: Plan, slot: str) -> list[Attribute]:
    """Of some attributes those that a slot's entities have; what a word usually means first."""
    types = _types(plan, slot)
    found = [each for each in options if each.label in types]
    return sorted(found, key=lambda each: min((DIMENSIONS[name] for name in each.dimensions), default=0))


def _places(
    question: ParsedQuestion, candidate: Candidate, options: tuple[Attribute, ...], start: int
) -> list[tuple[str, Attribute]]:
    """The slot that a condition is about: what the nearest type word before it names, else what is asked for."""
    plan, root = candidate.plan, _root(candidate.plan)
    labels = {each.label for each in options}
    before = [
        word
        for word in question.type_words
        if question.tokens[word.last - 1].end <= start and labels & set(word.labels)
    ]
    near = set(before[-1].labels) & labels if before else labels
    held = {
        each.of for part in plan.parts for each in part.conditions if each.key == "id" and not each.says_there_is_one
    }
    free = [slot.name for slot in plan.slots if set(slot.types) & near and (slot.name not in held or slot.name == root)]
    slot = root if root in free else next(iter(free), None)
    return [] if slot is None else [(slot, each) for each in _of_label(options, plan, slot)]


def _sorted(question: ParsedQuestion, candidate: Candidate, order: ValueOrder) -> list[tuple[str, Attribute]]:
    """What is sorted: what the type word behind a superlative names ("who wrote the longest book"), else the answer."""
    plan, root = candidate.plan, _root(candidate.plan)
    options = [each.attribute for each in order.options]
    behind = [word for word in question.type_words if order.end and question.tokens[word.first].start >= order.end]
    near = set(behind[0].labels) if behind else set()
    slots = [slot.name for slot in plan.slots if near & set(slot.types) and near.isdisjoint(_types(plan, root))]
    for slot in (*slots, root):
        found = _of_label(options, plan, slot)
        if found:
            return [(slot, each) for each in found]
    return []


@dataclass(slots=True)
class _Builder:
    """A candidate to which steps to values, conditions and an order are added."""

    candidate: Candidate
    slots: list[Slot] = field(default_factory=list)
    steps: list[Step] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    reached: dict[tuple[str, Attribute], Asked] = field(default_factory=dict)
    unsure: bool = False

    def build(
        self, values: ValueWords, chosen: list[tuple[str, Attribute]], graded: dict[Attribute, bool]
    ) -> Candidate | None:
        plan = self.candidate.plan
        self.unsure = values.unsure
        if (values.order or values.asked) and (plan.kind != "rows" or plan.measure is not None or not plan.asked):
            return None
        for condition, (slot, attribute) in zip(values.conditions, chosen, strict=False):
            self._condition(condition, slot, attribute)
        shown: Attribute | None = None
        changes: dict[str, Any] = {}
        places = iter(chosen[len(values.conditions) :])
        if values.order is not None:
            slot, shown = next(places)
            changes |= self._ordered(values.order, slot, shown, much=graded[shown])
        if values.asked:
            slot, shown = next(places)
            changes |= self._asking(values, slot, shown)
        whole = replace(plan, slots=(*plan.slots, *self.slots), parts=self._parts(plan), **changes)
        unit = units()[values.unit] if values.unit else None
        described = ValuePart(plan, _joined(self.said), shown, self.unsure, unit=unit)
        more = tuple(name for step in self.steps for name in step.relations)
        return replace(
            self.candidate, plan=whole, relationships=(*self.candidate.relationships, *more), values=described
        )

    def _parts(self, plan: Plan) -> tuple[Part, ...]:
        """The parts of a plan with what was added: to the part that says no, where that alone has the slot.

        What is asked for, and what the plan says more of, is outside of what is denied: "nurses hired after 2015 who do
        not run a ward".
        """
        present = plan.wanted | {each.of for each in plan.required.conditions}
        present |= {end for step in plan.required.steps for end in step.ends}
        steps, conditions = list(self.steps), list(self.conditions)
        parts = []
        for part in plan.parts:
            inner = {end for step in part.steps for end in step.ends} - present if part.kind == ABSENT else set()
            own_steps = [each for each in steps if inner.intersection(each.ends)]
            inner |= {end for each in own_steps for end in each.ends} - present
            own = [each for each in conditions if each.of in inner]
            steps = [each for each in steps if each not in own_steps]
            conditions = [each for each in conditions if each not in own]
            parts.append(
                replace(part, steps=(*part.steps, *own_steps), conditions=(*part.conditions, *own)) if inner else part
            )
        return (*parts, Part(REQUIRED, tuple(steps), tuple(conditions))) if steps or conditions else tuple(parts)

    def _value(self, slot: str, attribute: Attribute) -> Asked:
        """The value of an attribute, with the step that leads to it."""
        numeric = attribute.kind == "number" or attribute.years
        if not attribute.relation:
            return Asked(slot, attribute.key, numeric=numeric)
        if (slot, attribute) not in self.reached:
            name = f"v{len(self.reached) + 1}"
            self.slots.append(Slot(name, (attribute.target,)))
            self.steps.append(Step(slot, (attribute.relation,), name))
            self.reached[slot, attribute] = Asked(name, attribute.key, numeric=numeric)
        return self.reached[slot, attribute]

    def _condition(self, condition: ValueCondition, slot: str, attribute: Attribute) -> None:
        value = self._value(slot, attribute)
        key = value.key or "name"
        if condition.than is not None:
            other = next((each for each in condition.than.meanings if each.ids), None)
            name = f"o{len(self.slots) + 1}"
            assert other is not None
            self.slots.append(Slot(name, (attribute.label,)))
            self.conditions.append(is_meant(name, other))
            theirs = Asked(name, key, numeric=value.numeric)
            self.conditions.append(Condition(value.of, key, condition.operator, theirs, numeric=value.numeric))
            if condition.operator == "=" and any(each.of == slot for each in self.candidate.plan.asked):  # not itself
                self.conditions.append(Condition(slot, "id", "IN", other.ids, negated=True))
            self.said.append(f"with {attribute.title} {COMPARED[condition.operator]} that of {other.name}")
            return
        wanted: str | int | float
        if attribute.kind == "text":
            wanted = str(condition.value)
            self.said.append(f"with {attribute.title} {'' if condition.operator == '=' else 'other than '}{wanted}")
        elif attribute.kind == "time":
            wanted = int(str(condition.value)[:4]) if attribute.years else str(condition.value)
            self.said.append(_timed(attribute, condition.operator, wanted, self.said))
        else:
            wanted, unit = self._converted(condition, attribute)
            shown = f"{wanted:.12g}" if attribute.years else f"{wanted:,.12g}"
            self.said.append(f"with {attribute.title} {COMPARED[condition.operator]} {shown}{unit}")
        self.conditions.append(Condition(value.of, key, condition.operator, wanted, numeric=value.numeric))

    def _converted(self, condition: ValueCondition, attribute: Attribute) -> tuple[int | float, str]:
        """The number in the unit of the attribute; of one without a unit it is taken as it stands, and in doubt."""
        number, own = condition.value, attribute.unit
        assert isinstance(number, int | float)
        if condition.unit and own is not None and units()[condition.unit] != own:
            number = round(number * units()[condition.unit].factor / own.factor, 6)
            return number, f" {own.name} ({condition.value:,} {units()[condition.unit].name})"
        self.unsure = self.unsure or bool(condition.unit and own is None)
        return number, f" {own.name}" if own is not None else ""

    def _ordered(self, order: ValueOrder, slot: str, attribute: Attribute, *, much: bool) -> dict[str, Any]:
        by = self._value(slot, attribute)
        unit = f" ({attribute.unit.name})" if attribute.unit is not None else ""
        kind = ("latest" if much else "earliest") if attribute.kind == "time" else "highest" if much else "lowest"
        title = attribute.title.removesuffix(" in").removesuffix(" on").removesuffix(" at")
        self.said.append(f"by {title}{unit}, {kind} first")
        return {"sort": (Sort(by, descending=much),), "limit": order.number, "skip": order.skip}

    def _asking(self, values: ValueWords, slot: str, attribute: Attribute) -> dict[str, Any]:
        value = self._value(slot, attribute)
        held = self.candidate.plan.required.conditions
        single = any(each.of == slot and each.key == "id" and each.operator == "=" for each in held)
        if values.aggregate and not single and attribute.kind == "number":
            return {"asked": (), "measure": Measure(values.aggregate, value.of, value.key, numeric=True)}
        return {"asked": (Asked(value.of) if attribute.relation else value,)}


def _timed(attribute: Attribute, operator: str, wanted: str | int, said: list[str]) -> str:
    """ "released before 1970", "released from 1980 to 1989"."""
    title = attribute.title if is_done(attribute) else f"with {attribute.title}"
    title = title.removesuffix(" in").removesuffix(" on").removesuffix(" at")
    first = f"{title} from "
    if operator == "<" and said and said[-1].startswith(first):
        start = said.pop().removeprefix(first)
        if isinstance(wanted, str):
            return f"{first}{start} to before {wanted}"
        return f"{title} in {start}" if wanted - int(start) == 1 else f"{first}{start} to {wanted - 1}"
    return f"{title} {TIMED[operator]} {wanted}"


def _joined(said: Sequence[str]) -> str:
    conditions = [each for each in said if not each.startswith("by ")]
    orders = [each for each in said if each.startswith("by ")]
    return ", ".join([*([" and ".join(conditions)] if conditions else []), *orders])
