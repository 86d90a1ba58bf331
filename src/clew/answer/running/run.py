"""A plan run on a store: the items, or the number or yes that was asked for."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from clew.answer.answer import Item
from clew.answer.plans.plan import Plan
from clew.answer.plans.provenance import restrict_to_assertions
from clew.answer.plans.write import write_statement
from clew.answer.running.expand import expand
from clew.store.cypher import Statement, write
from clew.store.cypher import syntax as s
from clew.store.store import Store
from clew.store.values import Rows
from clew.traverse import GraphEngine

__all__ = ["Outcome", "run_plan"]

ROW_CAP = 10_000
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


def run_plan(plan: Plan, store: Store, engine: GraphEngine, *, timeout: float = 30.0, limit: int = ROW_CAP) -> Outcome:
    """Ask the store for what a plan wants."""
    ran = expand(plan, engine, store.schema)
    held = restrict_to_assertions(ran, engine, store.schema)
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
    by_name = tuple(s.Order(s.Variable(item.column)) for item in reversed(named))  # namesakes by their ids
    order = (s.Order(s.Variable(SUPPORT), descending=True), *by_name)
    ranked = s.Return(s.Projection(items, order=order))
    return Statement((s.Query((*clauses, ranked)),))


def _items(plan: Plan, rows: Rows, store: Store) -> Iterable[Item]:
    types = plan.slot(plan.asked[0].of).types if any(slot.name == plan.asked[0].of for slot in plan.slots) else ()
    type = store.schema.type_of(types[0]) if len(types) == 1 else ""
    measured = plan.measure is not None
    for row in rows.rows:
        yield Item(str(row[0]), str(row[1]), type, row[-1] if measured else None)
