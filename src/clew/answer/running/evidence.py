"""The evidence of an answer: which triples support each item, and what their sources state."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count, islice

from clew.answer.answer import Cited, Evidence, Item, Support
from clew.answer.plans.assertions.provenance import restrict_to_assertions
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.cypher.write import write_statement
from clew.answer.plans.plan import ABSENT, COUNTED, OPTIONAL, REQUIRED, Part, Plan, Slot, Sort, Step
from clew.answer.running.intersect import Intersection
from clew.answer.running.run import Outcome
from clew.store.deadline import Deadline
from clew.store.store import Store
from clew.traverse import GraphEngine

__all__ = ["cite", "gather_evidence"]

SHOWN = 25  # items whose evidence is gathered
MOST_SUPPORTS = 400
MOST_COUNTED = 60  # triples of what a plan counts, for each support
ALL_SUPPORTS = 100_000  # if the evidence of every item is asked for


def gather_evidence(
    outcome: Outcome, store: Store, engine: GraphEngine, *, timeout: float = 30.0, every_item: bool = False
) -> Evidence:
    """The triples behind the first items of an outcome, or behind all; or behind its number or yes or no."""
    items = outcome.items if every_item else outcome.items[:SHOWN]
    most = ALL_SUPPORTS if every_item else MOST_SUPPORTS
    if outcome.matched is not None:
        supports, more = _matched_supports(outcome, outcome.matched, items, engine, most)
        return _cited(supports, outcome, engine, store, complete=not more and len(items) == len(outcome.items))
    plan = _with_some(outcome.ran)
    if not plan.required.steps and not _counts(plan) and not (outcome.value and _walked(outcome)):
        return Evidence()
    root = plan.asked[0].of if plan.asked and plan.column is None and plan.attribute is None else None
    if root is not None and outcome.items:
        held = Condition(root, "id", "IN", tuple(item.id for item in items))
        plan = plan.with_part(Part(REQUIRED, (), (held,)))
    judged = outcome.value is False and _is_all_named(plan)  # the counts then show why it is false
    matches = _Matches(store, engine, timeout)
    rows = matches.of(_uncounted(plan) if judged else plan, limit=most)
    supports = [Support(filled.get(root) if root else None, filled, triples) for filled, triples in rows]
    for part in _counts(plan):
        supports = matches.with_counted(supports, plan, part)
    place = {item.id: at for at, item in enumerate(items)}
    supports.sort(key=lambda each: place.get(each.item or "", len(place)))
    whole = not matches.truncated and len(items) == len(outcome.items)
    return _cited(supports, outcome, engine, store, complete=whole)


def _with_some(plan: Plan) -> Plan:
    """The plan for those that have some of what it counts; the others have no triples to show."""
    measured = plan.measure.of if plan.measure is not None else None
    return replace(
        plan,
        parts=tuple(
            replace(part, kind=REQUIRED)
            if part.kind == OPTIONAL and any(measured in step.ends for step in part.steps)
            else part
            for part in plan.parts
        ),
    )


def _counts(plan: Plan) -> list[Part]:
    """The parts that are counted for each match."""
    return [part for part in plan.parts if part.kind == COUNTED and not part.inside]


def _inside(plan: Plan, part: Part) -> list[Part]:
    """The parts inside another, and those inside them."""
    return [each for own in plan.inner(part) for each in (own, *_inside(plan, own))]


def _uncounted(plan: Plan) -> Plan:
    """The plan without what it counts."""
    gone = [each for part in _counts(plan) for each in (part, *_inside(plan, part))]
    return replace(plan, parts=tuple(part for part in plan.parts if part not in gone))


def _is_all_named(plan: Plan) -> bool:
    """Whether a plan is about named entities alone, so that its counts are theirs, however they compare."""
    inner = {end for part in plan.parts if part.kind != REQUIRED for step in part.steps for end in step.ends}
    held = {slot.name for slot in plan.slots if plan.held(slot.name)}
    return not plan.required.steps and bool(held) and all(slot.name in held | inner for slot in plan.slots)


class _Matches:
    """The matches of plans in a store, with their triples."""

    def __init__(self, store: Store, engine: GraphEngine, timeout: float) -> None:
        self._store, self._engine, self._deadline = store, engine, Deadline.after(timeout)
        self.truncated = False

    def of(self, plan: Plan, *, limit: int) -> list[tuple[dict[str, str], tuple[int, ...]]]:
        """The entities that fill the slots, and the triples of the required steps."""
        plan = _with_named_steps(plan)
        steps = plan.required.steps
        others = tuple(part for part in plan.parts if part.kind not in (REQUIRED, OPTIONAL))
        slots = _outer(plan)
        used = {end for part in (plan.required, *others) for step in part.steps for end in step.ends}
        single = [step for step in steps if step.longest == 1]  # the triples of longer ones are found afterwards
        asked = (*(Asked(slot.name, "id") for slot in slots), *(Asked(step.name, "triple") for step in single))
        wanted = replace(
            plan,
            kind="rows",
            slots=tuple(slot for slot in plan.slots if slot in slots or slot.name in used),
            parts=(plan.required, *others),
            asked=asked,
            measure=None,
            sort=tuple(map(Sort, asked)),  # the same order on every store, wherever it stops
            skip=0,
            limit=None,
        )
        held = restrict_to_assertions(wanted, self._engine, self._store.schema)
        left = max(self._deadline.left, 0.001)
        rows = self._store.run(write_statement(held.plan), held.parameters, timeout=left, limit=limit)
        self.truncated |= rows.truncated
        names = [slot.name for slot in slots]
        return [
            (dict(zip(names, map(str, row), strict=False)), tuple(map(int, row[len(names) :]))) for row in rows.rows
        ]

    def with_counted(self, supports: Sequence[Support], plan: Plan, part: Part) -> list[Support]:
        """Supports with the triples that a part counts for each."""
        inner = [replace(each, inside="") if each.inside == part.name else each for each in _inside(plan, part)]
        there = Part(REQUIRED, part.steps, part.conditions)
        wanted = replace(plan, parts=(*_uncounted(plan).parts, there, *inner))
        single = sum(step.longest == 1 for step in part.steps)
        counted: dict[tuple[str, ...], dict[int, None]] = {}
        for filled, triples in self.of(wanted, limit=MOST_COUNTED * len(supports)) if supports else ():
            own = counted.setdefault(tuple(filled[name] for name in supports[0].slots), {})
            own |= dict.fromkeys(triples[len(triples) - single :])
        return [
            replace(each, triples=(*each.triples, *islice(counted.get(tuple(each.slots.values()), ()), MOST_COUNTED)))
            for each in supports
        ]


def _cited(
    supports: Sequence[Support], outcome: Outcome, engine: GraphEngine, store: Store, *, complete: bool
) -> Evidence:
    """Supports with the triples of the hierarchies that were walked, all of them cited."""
    climb = _Climb(outcome, engine, store)
    supports = [climb.extended(each) for each in supports]
    numbers = dict.fromkeys(number for each in supports for number in each.triples)
    return Evidence(cite(numbers, engine), tuple(supports), complete=complete and not outcome.truncated)


def _matched_supports(
    outcome: Outcome, matched: Intersection, items: Sequence[Item], engine: GraphEngine, most: int
) -> tuple[list[Support], bool]:
    """The matches behind some items, or behind a number or a yes, and whether there are more."""
    plan = outcome.ran
    roots = engine.lookup([item.id for item in items]) if items else matched.found
    found, more = matched.matches([int(root) for root in roots], most=most)
    every = sorted({entity for entities, _ in found for entity in entities.values()})
    ids = dict(zip(every, engine.describe(every)["id"].to_pylist(), strict=True)) if every else {}
    steps = [branch.name for step in plan.required.steps for branch in matched.root.below() if branch.step is step]
    slots = [slot.name for slot in plan.slots]
    counting = [branch for branch in (matched.root, *matched.root.below()) if branch.counted]
    supports = []
    for entities, triples in found:
        filled = {name: str(ids[entities[name]]) for name in slots if name in entities}
        item = filled[plan.asked[0].of] if plan.asked else None
        own = [triples[name] for name in steps]
        own += [n for branch in counting for n in matched.counted(branch, entities[branch.name], most=MOST_COUNTED)]
        supports.append(Support(item, filled, tuple(own)))
    place = {item.id: at for at, item in enumerate(items)}
    supports.sort(key=lambda each: (place.get(each.item or "", 0), tuple(each.slots.values()), each.triples))
    return supports, more


def _with_named_steps(plan: Plan) -> Plan:
    """The plan in which every required step has a name, so that its triples can be asked for."""
    taken = {step.name for part in plan.parts for step in part.steps} | {slot.name for slot in plan.slots}
    names = (name for number in count() if (name := f"t{number}") not in taken)
    parts = tuple(
        replace(part, steps=tuple(step if step.name else replace(step, name=next(names)) for step in part.steps))
        if part.kind == REQUIRED
        else part
        for part in plan.parts
    )
    return replace(plan, parts=parts)


def _outer(plan: Plan) -> list[Slot]:
    """The slots that every match of a plan fills: not those of what is optional, absent or counted."""
    required = plan.required
    optional = {end for part in plan.parts if part.kind == OPTIONAL for step in part.steps for end in step.ends}
    names = {end for step in required.steps for end in step.ends} | {each.of for each in required.conditions}
    names |= {each.of for each in plan.asked} | ({plan.measure.of} - optional if plan.measure else set())
    return [slot for slot in plan.slots if slot.name in names]


class _Climb:
    """Adds the triples from the subclass that was found to the term that was named; each climb is made once."""

    def __init__(self, outcome: Outcome, engine: GraphEngine, store: Store) -> None:
        self._steps = [
            (step, outcome.plan.held(step.subject), outcome.plan.held(step.object)) for step in _walked(outcome)
        ]
        self._engine, self._store = engine, store
        self._known: dict[tuple[str, str, Step], tuple[int, ...]] = {}

    def extended(self, support: Support) -> Support:
        """The support with those triples."""
        extra: list[int] = []
        for step, below, above in self._steps:
            upwards = step.subject in support.slots
            start, targets = support.slots.get(step.subject if upwards else step.object), above if upwards else below
            if start is not None and start not in targets:
                for target in targets:
                    extra += self._between(start, target, step, "out" if upwards else "in")
        return replace(support, triples=(*support.triples, *extra)) if extra else support

    def _between(self, start: str, target: str, step: Step, way: str) -> tuple[int, ...]:
        known = self._known.get((start, target, step))
        if known is None:
            relations = [self._store.schema.relationship(name).relation for name in step.relations]
            found = self._engine.paths(start, target, step.longest, relations=relations, direction=way, limit=1)
            known = tuple(number for path in found for number in path.numbers)
            self._known[start, target, step] = known
        return known


def _walked(outcome: Outcome) -> list[Step]:
    """Steps of the plan that were walked beforehand."""
    left = {step for part in outcome.ran.parts for step in part.steps}
    return [step for part in outcome.plan.parts if part.kind != ABSENT for step in part.steps if step not in left]


def cite(numbers: Iterable[int], engine: GraphEngine) -> tuple[Cited, ...]:
    """Triples of the graph with their assertions."""
    return tuple(
        Cited(
            triple.number,
            triple.subject,
            triple.relation,
            triple.object,
            triple.subject_name,
            triple.object_name,
            tuple(engine.assertions(triple.number)),
        )
        for triple in engine.numbered(numbers)
    )
