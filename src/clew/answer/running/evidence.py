"""The evidence of an answer: which triples carry each item, and what their sources state."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from clew.answer.answer import Cited, Evidence, Item, Support
from clew.answer.plans.plan import ABSENT, OPTIONAL, REQUIRED, Asked, Condition, Part, Plan, Slot, Sort, Step
from clew.answer.plans.provenance import restrict_to_assertions
from clew.answer.plans.write import write_statement
from clew.answer.running.intersect import Intersection
from clew.answer.running.run import Outcome
from clew.store.store import Store
from clew.traverse import GraphEngine

__all__ = ["cite", "gather_evidence", "ids_of"]

SHOWN = 25  # items whose evidence is gathered
MOST_SUPPORTS = 400
MOST_COUNTED = 60  # triples of what a plan counts, for each support
ALL_SUPPORTS = 100_000  # where the evidence of every item is asked for


def gather_evidence(
    outcome: Outcome, store: Store, engine: GraphEngine, *, timeout: float = 30.0, every_item: bool = False
) -> Evidence:
    """The triples behind the first items of an outcome, or behind every one; or behind its number or yes."""
    items = outcome.items if every_item else outcome.items[:SHOWN]
    most = ALL_SUPPORTS if every_item else MOST_SUPPORTS
    if outcome.matched is not None:
        supports, more = _matched_supports(outcome, outcome.matched, items, engine, most)
        return _cited(supports, outcome, engine, store, complete=not more and len(items) == len(outcome.items))
    plan = _with_named_steps(outcome.ran)
    steps = plan.required.steps
    if not steps and not (outcome.value and _walked(outcome)):
        return Evidence()
    root = plan.asked[0].of if plan.asked and plan.column is None and plan.attribute is None else None
    conditions = list(plan.required.conditions)
    if root is not None and outcome.items:
        conditions.append(Condition(root, "id", "IN", tuple(item.id for item in items)))
    others = tuple(part for part in plan.parts if part.kind not in (REQUIRED, OPTIONAL))
    inner = {end for part in others for step in part.steps for end in (step.subject, step.object)}
    slots = _joined(plan.slots, steps, inner)
    single = [step for step in steps if step.longest == 1]  # what longer ones walked is found afterwards
    asked = (*(Asked(slot.name, "id") for slot in slots), *(Asked(step.name, "triple") for step in single))
    wanted = replace(
        plan,
        kind="rows",
        parts=(Part(REQUIRED, tuple(steps), tuple(conditions)), *others),
        asked=asked,
        measure=None,
        sort=tuple(map(Sort, asked)),  # whichever store runs it, and wherever it stops
        skip=0,
        limit=None,
    )
    held = restrict_to_assertions(wanted, engine, store.schema)
    rows = store.run(write_statement(held.plan), held.parameters, timeout=timeout, limit=most)
    place = {item.id: at for at, item in enumerate(items)}
    supports = [_support(row, slots, len(single), root) for row in rows.rows]
    supports.sort(key=lambda each: place.get(each.item or "", len(place)))
    whole = not rows.truncated and len(items) == len(outcome.items)
    return _cited(supports, outcome, engine, store, complete=whole)


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
    """The matches behind some items, or behind a number or yes, and whether there are more."""
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


def _joined(slots: Sequence[Slot], steps: Sequence[Step], inner: set[str]) -> list[Slot]:
    ends = {end for step in steps for end in (step.subject, step.object)}
    return [slot for slot in slots if slot.name in ends or slot.name not in inner]


def _support(row: tuple[Any, ...], slots: Sequence[Slot], steps: int, root: str | None) -> Support:
    filled = {slot.name: str(value) for slot, value in zip(slots, row, strict=False)}
    triples = tuple(int(value) for value in row[len(slots) : len(slots) + steps])
    return Support(filled.get(root) if root else None, filled, triples)


class _Climb:
    """Adds the triples from the subclass that was found to the term that was named; each climb is made once."""

    def __init__(self, outcome: Outcome, engine: GraphEngine, store: Store) -> None:
        self._steps = [
            (step, ids_of(outcome.plan, step.subject), ids_of(outcome.plan, step.object)) for step in _walked(outcome)
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


def ids_of(plan: Plan, slot: str) -> tuple[str, ...]:
    """The ids that a slot of a plan is held to; empty where it is held to none."""
    for condition in plan.required.conditions:
        if (condition.of, condition.key) == (slot, "id"):
            return tuple(map(str, condition.value)) if isinstance(condition.value, tuple) else (str(condition.value),)
    return ()


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
