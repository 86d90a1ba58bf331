"""A plan → its items, number, or yes or no: by intersection where it is a conjunction, else on a store."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from clew.answer.answer import Item
from clew.answer.lexicon.numbers import as_number
from clew.answer.plans.assertions.provenance import passing_triples, restrict_to_assertions
from clew.answer.plans.assertions.show import shown_query
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.cypher.write import write_statement
from clew.answer.plans.plan import REQUIRED, Having, Part, Plan, Sort
from clew.answer.running.columns import beside, is_several, named_texts, with_items
from clew.answer.running.compared import hold_compared
from clew.answer.running.expand import expand
from clew.answer.running.intersect import Intersection, intersect
from clew.answer.running.outside import Outside
from clew.answer.running.rows import MOST_ROWS, run_rows
from clew.answer.running.tree import tree_of
from clew.answer.running.values import (
    Valued,
    aggregated,
    aggregates,
    hold_values,
    is_of_another,
    value_column,
    valued_rows,
    with_value,
)
from clew.answer.wording.value_words import title_of
from clew.store.cypher import Statement
from clew.store.cypher import syntax as s
from clew.store.deadline import Deadline
from clew.store.layout import StoreSchema
from clew.store.store import Store
from clew.store.values import Rows
from clew.traverse import GraphEngine

__all__ = ["Outcome", "comes_first", "run_plan", "with_types"]

ROW_CAP = 10_000
SUPPORT = "support"
TIES = 50  # rows beyond those asked for in which ties are looked for first
PUBLICATION = re.compile(r"(?:PMID|PMC|DOI)\b|https?://(?:dx\.)?doi\.org/", re.IGNORECASE)


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
    matched: Intersection | None = None  # how, where no store was needed
    tied: tuple[Item, ...] = ()  # items with the number of the last one, beyond those asked for
    outside: tuple[Outside, ...] = ()  # conditions that the graph records nothing near, where nothing was found

    @property
    def counts_nothing(self) -> bool:
        """Whether the answer is the number 0, which is more often misread than true."""
        counted = self.plan.measure is not None and self.plan.measure.function == "count"
        return counted and not self.plan.asked and self.value == 0

    @property
    def finds_nothing(self) -> bool:
        """Whether no row matches: an empty list, the number 0, no number, or a no."""
        if self.plan.kind in ("exists", "lacks"):
            return self.value is (self.plan.kind == "lacks")
        if self.plan.measure is not None and not self.plan.asked:
            return self.counts_nothing or self.value is None
        return self.plan.kind == "rows" and not self.items

    @property
    def uncovered(self) -> str:
        """Which years, days or texts of the plan the graph records nothing of, in words; "" if it covers them."""
        return "; ".join(str(each) for each in self.outside if each.is_uncovered)


def run_plan(plan: Plan, store: Store, engine: GraphEngine, *, timeout: float = 30.0, limit: int = ROW_CAP) -> Outcome:
    """What a plan asks for: walked by the engine if it is a conjunction of names, else asked of the store."""
    deadline = Deadline.after(timeout)
    plan = _resolved(plan, store, engine, timeout)
    shown = shown_query(plan, store.schema, engine.snapshot.sources)
    compared = hold_compared(plan, store, engine, deadline)
    if compared is not plan:
        found = run_plan(compared, store, engine, timeout=max(deadline.left, 0.001), limit=limit)
        return replace(found, plan=plan, query=shown)
    if plan.having is not None:
        return replace(_chosen(plan, plan.having, store, engine, deadline, limit), plan=plan, query=shown)
    if is_several(plan):
        first = run_plan(replace(plan, asked=plan.asked[:1]), store, engine, timeout=timeout, limit=limit)
        return _with_columns(replace(first, plan=plan, query=shown), store, engine, deadline)
    if plan.attribute is not None and plan.sort:
        return replace(_value_of_first(plan, plan.attribute.of, store, engine, deadline), plan=plan, query=shown)
    ran = expand(hold_values(plan, engine, store.schema), engine, store.schema)
    column = value_column(plan)
    if column is not None:
        return _valued(Outcome(plan, ran, shown), column, store, engine, deadline, limit)
    matched = _intersected(ran, engine, store.schema, deadline)
    if matched is not None:
        base = Outcome(plan, ran, shown, seconds=timeout - deadline.left, matched=matched)
        return _counted(base, engine, store.schema, limit)
    if plan.column is not None:
        rows = run_rows(ran, store, engine, timeout=deadline.left, limit=limit)
        found = Outcome(plan, ran, shown, truncated=rows.truncated, seconds=rows.seconds)
        return replace(found, items=tuple(_values(plan.column, rows, engine)))
    held = restrict_to_assertions(ran, engine, store.schema)
    statement = write_statement(_beyond(held.plan, TIES))
    if ran.operation in ("list", "difference") and ran.measure is None:
        statement = _ranked(statement)
    rows = store.run(statement, held.parameters, timeout=max(deadline.left, 0.001), limit=limit)
    if _are_all_tied(plan, rows):
        whole = write_statement(_beyond(held.plan, limit))
        rows = store.run(whole, held.parameters, timeout=max(deadline.left, 0.001), limit=limit)
    base = Outcome(plan, ran, shown, truncated=rows.truncated, seconds=rows.seconds)
    if plan.kind in ("exists", "lacks") or (plan.measure is not None and not plan.asked):
        value = rows.rows[0][0] if rows.rows else None
        return replace(base, value=value)
    items = sorted(_items(plan, rows, store), key=_place(plan)) if _may_tie(plan) else list(_items(plan, rows, store))
    return _with_ties(replace(base, items=tuple(items)), plan)


def _chosen(plan: Plan, having: Having, store: Store, engine: GraphEngine, deadline: Deadline, limit: int) -> Outcome:
    """What a plan asks of those whose measure passes: first which these are, then the rest."""
    asked = (Asked(having.of),) if having.of else ()
    measured = replace(plan, kind="rows", asked=asked, measure=having.measure, having=None, sort=(), skip=0, limit=None)
    found = run_plan(measured, store, engine, timeout=deadline.left, limit=MOST_ROWS)
    if not having.of:
        return replace(found, value=having.measure.passes(found.value) == (plan.kind == "exists"))
    chosen = Condition(having.of, "id", "IN", tuple(item.id for item in found.items))
    rest = replace(plan, having=None).with_part(Part(REQUIRED, (), (chosen,)))
    return run_plan(rest, store, engine, timeout=max(deadline.left, 0.001), limit=limit)


def _with_columns(outcome: Outcome, store: Store, engine: GraphEngine, deadline: Deadline) -> Outcome:
    """The outcome with what its plan asks for beside the first column."""
    plan = outcome.plan
    if not outcome.items:
        return outcome
    ran = expand(hold_values(with_items(plan, outcome.items), engine, store.schema), engine, store.schema)
    rows = run_rows(ran, store, engine, timeout=deadline.left)
    items = beside(plan, outcome.items, rows.rows, engine)
    return replace(outcome, items=tuple(items), truncated=outcome.truncated or rows.truncated)


def _value_of_first(plan: Plan, slot: str, store: Store, engine: GraphEngine, deadline: Deadline) -> Outcome:
    """The value of what comes first in an order: which one that is, then its value, "the price of the oldest"."""
    first = run_plan(replace(plan, asked=(Asked(slot),)), store, engine, timeout=deadline.left)
    chosen = Condition(slot, "id", "IN", tuple(item.id for item in first.items))
    parts = (*plan.parts, Part(REQUIRED, (), (chosen,)))
    valued = replace(plan, parts=parts, sort=(), skip=0, limit=None)
    return run_plan(valued, store, engine, timeout=max(deadline.left, 0.001))


def _valued(
    outcome: Outcome, column: Asked, store: Store, engine: GraphEngine, deadline: Deadline, limit: int
) -> Outcome:
    """A plan that asks for values of entities, sorts by them or aggregates them."""
    plan = outcome.plan
    rows = run_rows(with_value(outcome.ran, column), store, engine, timeout=deadline.left)
    base = replace(outcome, truncated=rows.truncated, seconds=rows.seconds)
    found = valued_rows(rows.rows)
    if plan.measure is not None and not plan.asked:
        return replace(base, value=aggregated(plan.measure, found))
    if plan.measure is not None:
        found = aggregates(plan.measure, found)
    if plan.attribute is not None:
        items = list(_stated(found, column))
        numbers = [as_number(item.name) for item in items]
        value = numbers[0] if column.numeric and len(items) == 1 else None
        return replace(base, items=tuple(items[:limit]), value=value, truncated=base.truncated or len(items) > limit)
    type, order = _type(plan, store.schema), next(iter(plan.sort), None)
    stated = [row for row in found if row.value not in (None, "")]
    if column.numeric:
        stated = [row for row in stated if row.number is not None]
    stated.sort(key=lambda row: (row.name, row.id))
    if order is not None and order.by in (None, column):
        stated.sort(key=_numbered if column.numeric else _written, reverse=order.descending)
    once = {row.id: row for row in reversed(stated)}  # of several values of one entity the first in order counts
    ranked = [row for row in stated if once.get(row.id) is row][plan.skip :]
    items = [Item(row.id, row.name, type, row.number, None if column.numeric else str(row.value)) for row in ranked]
    kept = items if plan.limit is None else items[: plan.limit]
    if plan.limit is not None and is_of_another(plan, column):  # all that belong to the best of what is sorted
        best = list(dict.fromkeys((item.number, item.value) for item in items))[: plan.limit]
        kept = [item for item in items if (item.number, item.value) in best]
    tied = [
        item for item in items[len(kept) :] if kept and (item.number, item.value) == (kept[-1].number, kept[-1].value)
    ]
    cut = base.truncated or len(kept) > limit
    return _and_tied(replace(base, items=tuple(kept[:limit]), truncated=cut), plan, tied[:limit])


def _numbered(row: Valued) -> float:
    return row.number or 0.0


def _written(row: Valued) -> str:
    return str(row.value)


def _stated(found: Sequence[Valued], column: Asked) -> Iterator[Item]:
    """The distinct values of some rows, as items."""
    called, names = str(column.key).replace("_", " "), {row.name for row in found}
    for text in dict.fromkeys(str(row.value) for row in found):
        if text and text != "None" and text not in names:  # its own name is no other name
            number = as_number(text) if column.numeric else None
            yield Item(text, text, called, number)


def comes_first(outcome: Outcome, ids: Collection[str]) -> bool:
    """Whether some entities have more than all others of a ranking, or fewer if it begins with the fewest.

    An entity that is no item counts as 0.
    """
    own = [item.number or 0 for item in outcome.items if item.id in ids] or [0]
    others = [item.number or 0 for item in outcome.items if item.id not in ids] or [0]
    return max(own) > max(others) if outcome.plan.sort[0].descending else max(own) < max(others)


def _may_tie(plan: Plan) -> bool:
    """Whether a plan asks for the first few of a ranking."""
    return plan.operation == "top" and plan.limit is not None and not plan.skip


def _are_all_tied(plan: Plan, rows: Rows) -> bool:
    """Whether ties go on to the last row, and so perhaps beyond it."""
    if not _may_tie(plan) or plan.limit is None or len(rows.rows) < plan.limit + TIES:
        return False
    return bool(rows.rows[-1][-1] == rows.rows[plan.limit - 1][-1])


def _beyond(plan: Plan, further: int) -> Plan:
    """The plan with more rows than were asked for, to find ties, in the same order on every store."""
    if not _may_tie(plan) or plan.limit is None:
        return plan
    of = plan.asked[0].of
    return replace(plan, limit=plan.limit + further, sort=(*plan.sort, Sort(Asked(of, "name")), Sort(Asked(of, "id"))))


def _place(plan: Plan) -> Callable[[Item], tuple[float, str, str]]:
    sign = -1 if plan.sort[0].descending else 1
    return lambda item: (sign * (item.number or 0), item.name, item.id)


def _with_ties(outcome: Outcome, plan: Plan) -> Outcome:
    """As many items as were asked for, and those that are tied with the last of them."""
    if not _may_tie(plan) or plan.limit is None or not outcome.items[: plan.limit]:
        return outcome
    kept, rest = outcome.items[: plan.limit], outcome.items[plan.limit :]
    tied = [item for item in rest if item.number == kept[-1].number]
    return _and_tied(replace(outcome, items=kept), plan, tied)


def _and_tied(outcome: Outcome, plan: Plan, tied: Sequence[Item]) -> Outcome:
    """With ties: if only the first is asked for, all that are tied for it are items; otherwise they are kept apart."""
    if plan.limit == 1:
        return replace(outcome, items=(*outcome.items, *tied))
    return replace(outcome, tied=tuple(tied))


def _resolved(plan: Plan, store: Store, engine: GraphEngine, timeout: float) -> Plan:
    """The plan with the number that it compares with, where another plan counts that."""
    if plan.measure is None or not isinstance(plan.measure.value, Plan):
        return plan
    counted = run_plan(plan.measure.value, store, engine, timeout=timeout).value
    return replace(plan, measure=replace(plan.measure, value=int(counted or 0)))


def _intersected(plan: Plan, engine: GraphEngine, schema: StoreSchema, deadline: Deadline) -> Intersection | None:
    root = tree_of(plan, schema)
    if root is None:
        return None
    return intersect(root, engine, schema, passing=passing_triples(plan, engine, schema), deadline=deadline)


def _counted(outcome: Outcome, engine: GraphEngine, schema: StoreSchema, limit: int) -> Outcome:
    """The outcome with what an intersection found."""
    plan, matched = outcome.ran, outcome.matched
    assert matched is not None
    if plan.kind in ("exists", "lacks"):
        return replace(outcome, value=bool(len(matched.found)) == (plan.kind == "exists"))
    if not plan.asked:
        return replace(outcome, value=len(matched.found))
    items = list(_matched_items(plan, matched, engine, schema))
    if _may_tie(plan):
        return _with_ties(replace(outcome, items=tuple(items)), plan)
    most = limit if plan.limit is None else min(limit, plan.limit)
    return replace(outcome, items=tuple(items[:most]), truncated=most == limit and len(items) > limit)


def _matched_items(plan: Plan, matched: Intersection, engine: GraphEngine, schema: StoreSchema) -> Iterator[Item]:
    """The entities that match: by their number, else the best supported first; then by name."""
    table = engine.describe(matched.found)
    measure, type = plan.measure, _type(plan, schema)
    numbers = matched.support.tolist() if measure is None else matched.count(measure.of).tolist()
    rows = list(zip(numbers, table["name"].to_pylist(), table["id"].to_pylist(), strict=True))
    if measure is not None:
        rows = [row for row in rows if measure.passes(row[0])]
    falling = measure is None or (bool(plan.sort) and plan.sort[0].descending)
    for number, name, id in sorted(rows, key=lambda row: (-row[0] if falling else row[0], row[1], row[2])):
        yield Item(str(id), str(name), type, None if measure is None else number)


def _ranked(statement: Statement) -> Statement:
    """With the number of matches of each row, the best supported first."""
    (query,) = statement.queries
    *clauses, last = query.clauses
    assert isinstance(last, s.Return)
    projection = last.projection
    if projection.order or projection.limit is not None or not projection.items:
        return statement
    named = tuple(replace(item, alias=f"column{at}") for at, item in enumerate(projection.items))  # no dots in names
    items = (*named, s.Item(s.CountAll(), SUPPORT))
    by_name = tuple(
        s.Order(s.Variable(item.column)) for item in reversed(named)
    )  # then by id, for entities that share a name
    order = (s.Order(s.Variable(SUPPORT), descending=True), *by_name)
    ranked = s.Return(s.Projection(items, order=order))
    return Statement((s.Query((*clauses, ranked)),))


def _values(column: str, rows: Rows, engine: GraphEngine) -> Iterable[Item]:
    """The distinct values of a column of assertions; stores have them as lists, "" where there is none.

    Of what is cited, publications are meant: databases only where no publication is cited.
    """
    texts = (str(each) for row in rows.rows for each in (row[0] if isinstance(row[0], list | tuple) else (row[0],)))
    cited = column == "evidence"
    parted = (part for text in texts for part in (text.split("|") if cited else (text,)))
    found = [text for text in dict.fromkeys(parted) if text and text != "None"]
    if cited:
        found = [text for text in found if PUBLICATION.match(text)] or found
    names = {} if cited else named_texts(set(found), engine)
    for value in sorted(found):
        yield Item(value, names.get(value, value), title_of(column))


def _items(plan: Plan, rows: Rows, store: Store) -> Iterable[Item]:
    type, measured = _type(plan, store.schema), plan.measure is not None
    for row in rows.rows:
        yield Item(str(row[0]), str(row[1]), type, row[-1] if measured else None)


def with_types(items: tuple[Item, ...], engine: GraphEngine) -> tuple[Item, ...]:
    """Items with their types, where the plan that found them leaves these open."""
    untyped = [item.id for item in items if not item.type]
    if not untyped:
        return items
    known = engine.lookup(untyped)
    table = engine.describe(known[known >= 0])
    types = dict(zip(table["id"].to_pylist(), table["type"].to_pylist(), strict=True))
    return tuple(item if item.type else replace(item, type=types.get(item.id) or "") for item in items)


def _type(plan: Plan, schema: StoreSchema) -> str:
    """The type of the items, if it is one."""
    types = next((slot.types for slot in plan.slots if slot.name == plan.asked[0].of), ())
    return schema.type_of(types[0]) if len(types) == 1 else ""
