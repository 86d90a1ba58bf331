"""A plan run on a store: the rows, and the triples that carry each of them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Any

from clew.answer.answer import Cited, Evidence, Item, Support
from clew.answer.expand import expand
from clew.answer.plan import ABSENT, OPTIONAL, REQUIRED, Asked, Condition, Part, Plan, Slot, Step
from clew.answer.provenance import hold_to_assertions
from clew.answer.write import write_statement
from clew.store.cypher import Statement, write
from clew.store.cypher import syntax as s
from clew.store.store import Store
from clew.store.values import Rows
from clew.traverse import Engine

__all__ = ["Outcome", "gather_evidence", "run_plan"]

ROW_CAP = 10_000
SHOWN = 25  # items whose evidence is gathered
MOST_SUPPORTS = 400
SUPPORT = "support"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What running a plan gave."""

    plan: Plan
    ran: Plan  # with hierarchies walked
    query: str
    items: tuple[Item, ...] = ()
    value: int | float | bool | None = None
    truncated: bool = False
    seconds: float = 0.0


def run_plan(plan: Plan, store: Store, engine: Engine, *, timeout: float = 30.0, limit: int = ROW_CAP) -> Outcome:
    """Ask the store for what a plan wants."""
    ran = expand(plan, engine, store.schema)
    held = hold_to_assertions(ran, engine.graph, store.schema)
    statement = write_statement(held.plan)
    if ran.operation in ("list", "difference") and ran.measure is None:
        statement = _ranked(statement)
    rows = store.run(statement, held.parameters, timeout=timeout, limit=limit)
    shown = write(write_statement(plan))
    base = Outcome(plan, ran, shown, truncated=rows.truncated, seconds=rows.seconds)
    if plan.kind in ("exists", "lacks") or (plan.measure is not None and not plan.asked):
        value = rows.rows[0][0] if rows.rows else None
        return replace(base, value=value)
    return replace(base, items=tuple(_items(plan, rows, store)))


def _ranked(statement: Statement) -> Statement:
    """With how many ways there are to each row, the best supported first."""
    (query,) = statement.queries
    *clauses, last = query.clauses
    assert isinstance(last, s.Return)
    projection = last.projection
    if projection.order or projection.limit is not None or not projection.items:
        return statement
    named = tuple(replace(item, alias=f"column{at}") for at, item in enumerate(projection.items))  # no dots in names
    items = (*named, s.Item(s.CountAll(), SUPPORT))
    order = (s.Order(s.Variable(SUPPORT), descending=True), s.Order(s.Variable(named[-1].column)))
    ranked = s.Return(s.Projection(items, order=order))
    return Statement((s.Query((*clauses, ranked)),))


def _items(plan: Plan, rows: Rows, store: Store) -> Iterable[Item]:
    types = plan.slot(plan.asked[0].of).types if any(slot.name == plan.asked[0].of for slot in plan.slots) else ()
    type = store.schema.type_of(types[0]) if len(types) == 1 else ""
    measured = plan.measure is not None
    for row in rows.rows:
        yield Item(str(row[0]), str(row[1]), type, row[-1] if measured else None)


# evidence -----------------------------------------------------------------------------------------------------------


def gather_evidence(outcome: Outcome, store: Store, engine: Engine, *, timeout: float = 30.0) -> Evidence:
    """The triples behind the first items of an outcome, or behind its number or yes."""
    plan = _with_named_steps(outcome.ran)
    steps = plan.required.steps
    if not steps and not (outcome.value and _walked(outcome)):
        return Evidence()
    root = plan.asked[0].of if plan.asked else None
    conditions = list(plan.required.conditions)
    if root is not None and outcome.items:
        shown = tuple(item.id for item in outcome.items[:SHOWN])
        conditions.append(Condition(root, "id", "IN", shown))
    others = tuple(part for part in plan.parts if part.kind not in (REQUIRED, OPTIONAL))
    inner = {end for part in others for step in part.steps for end in (step.subject, step.object)}
    slots = _joined(plan.slots, steps, inner)
    wanted = replace(
        plan,
        kind="rows",
        parts=(Part(REQUIRED, tuple(steps), tuple(conditions)), *others),
        asked=(*(Asked(slot.name, "id") for slot in slots), *(Asked(step.name, "triple") for step in steps)),
        measure=None,
        sort=(),
        skip=0,
        limit=None,
    )
    held = hold_to_assertions(wanted, engine.graph, store.schema)
    rows = store.run(write_statement(held.plan), held.parameters, timeout=timeout, limit=MOST_SUPPORTS)
    supports = [_support(row, slots, len(steps), root) for row in rows.rows]
    supports = [_up_the_hierarchy(each, outcome, engine, store) for each in supports]
    numbers = dict.fromkeys(number for each in supports for number in each.triples)
    return Evidence(
        cite(numbers, engine),
        tuple(supports),
        complete=not rows.truncated and len(outcome.items) <= SHOWN,
    )


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


def _up_the_hierarchy(support: Support, outcome: Outcome, engine: Engine, store: Store) -> Support:
    """With the triples from the kind that was found to the one that was named."""
    extra: list[int] = []
    for step in _walked(outcome):
        here, there = (step.subject, step.object) if step.subject in support.slots else (step.object, step.subject)
        targets = _held_to(outcome.plan, there)
        start = support.slots.get(here)
        if start is None or start in targets:
            continue
        relations = [store.schema.relationship(name).relation for name in step.relations]
        way = "out" if here == step.subject else "in"
        for target in targets:
            found = engine.paths(start, target, step.longest, relations=relations, direction=way, limit=1)
            extra += [number for path in found for number in path.numbers]
    return replace(support, triples=(*support.triples, *extra)) if extra else support


def _walked(outcome: Outcome) -> list[Step]:
    """Steps of the plan that were walked beforehand."""
    left = {step for part in outcome.ran.parts for step in part.steps}
    return [step for part in outcome.plan.parts if part.kind != ABSENT for step in part.steps if step not in left]


def _held_to(plan: Plan, slot: str) -> tuple[str, ...]:
    for condition in plan.required.conditions:
        if condition.of == slot and condition.key == "id":
            return condition.value if isinstance(condition.value, tuple) else (condition.value,)  # type: ignore[return-value]
    return ()


def cite(numbers: Iterable[int], engine: Engine) -> tuple[Cited, ...]:
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
