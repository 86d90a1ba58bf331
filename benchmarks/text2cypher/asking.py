"""One question of the collection asked, and what was read held to the plan of its gold query."""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from benchmarks.text2cypher.gold import first_column, from_store, plain, to_store
from benchmarks.text2cypher.schema import Schema
from clew.answer import Answer, Asker, Plan, Question
from clew.answer.answer import Item
from clew.answer.plans.assertions.show import shown_query
from clew.answer.plans.canonical import same
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.schema.ground import names_to_ids
from clew.answer.running.run import Outcome, run_plan
from clew.answer.strategy import Step
from clew.errors import ClewError, QueryError
from clew.evaluate.metrics.matches import same_value
from clew.store.cypher import parse

__all__ = ["Gold", "ask", "expected"]

GOLD_SECONDS = 30.0  # for a gold query


@dataclass(frozen=True, slots=True)
class Gold:
    """A gold plan in the terms of a graph's store, and what it finds there; None where it cannot be run."""

    plan: Plan
    outcome: Outcome | None
    whole: frozenset[str]  # ids of everything that passes, where any n of it are asked for


def expected(plan: Plan, asker: Asker) -> Gold:
    """What a gold plan, in the terms of the graph, finds: the entities or values that it shows first."""
    store, engine = asker.resources.store, asker.resources.engine
    stored = names_to_ids(to_store(plan, store.schema), engine, store.schema)
    if plan.kind == "path":
        return Gold(stored, None, frozenset())
    try:
        shown = first_column(stored)
        outcome = run_plan(shown, store, engine, timeout=GOLD_SECONDS)
        any_of = (
            run_plan(replace(shown, limit=None, skip=0), store, engine, timeout=GOLD_SECONDS)
            if _is_any(plan)
            else outcome
        )
    except ClewError:
        return Gold(stored, None, frozenset())
    return Gold(stored, outcome, frozenset(item.id for item in any_of.items))


def _is_any(plan: Plan) -> bool:
    """Whether a plan asks for some of what it finds, whichever."""
    return plan.limit is not None and not plan.sort


def ask(question: str, gold: Gold, schema: Schema, asker: Asker, *, timeout: float) -> dict[str, Any]:
    """Ask a question; how its answer compares with the gold, and how sure it was."""
    steps: list[Step] = []
    try:
        answer = asker.ask(Question(question, timeout=timeout, report=steps.append))
    except ClewError as error:
        return {"declined": True, "failed": True, "answer": str(error), "seconds": 0.0}
    row: dict[str, Any] = {
        "declined": answer.abstained is not None,
        "answer": answer.abstained or answer.text[:200],
        "seconds": round(answer.usage.seconds, 3),
    }
    if answer.decided:
        row["model"] = answer.decided
    if answer.abstained is not None:
        return row
    store = asker.resources.store.schema
    row |= {"certainty": answer.certainty, "ignored": list(answer.unrecognised), "query": answer.query}
    plan = _answered(answer, [each.text for each in steps if each.name == "query"], asker)
    if plan is None:  # more than a plan can say, as no gold query is
        return row | {"plan": False, "columns": False, "result": False}
    given, wanted = (
        plain(from_store(names_to_ids(each, asker.resources.engine, store), store), schema)
        for each in (plan, gold.plan)
    )
    found = _relations(given) == _relations(wanted) and _same_result(answer, gold)
    return row | {
        "plan": same(given, wanted),
        "columns": same(first_column(given), first_column(wanted)),
        "result": found,
    }


def _answered(answer: Answer, queries: Sequence[str], asker: Asker) -> Plan | None:
    """The plan of an answer: its query read back, or, where that shows lists of assertions, the one that ran so."""
    try:
        return read_plan(parse(answer.query))
    except QueryError:
        engine, schema = asker.resources.engine, asker.resources.store.schema
        shown = (each for each in _plans(queries) if shown_query(each, schema, engine.snapshot.sources) == answer.query)
        return next(shown, None)


def _plans(queries: Sequence[str]) -> Iterator[Plan]:
    """The plans of queries; what the counts of two patterns are compared by is none that can be read back."""
    for each in dict.fromkeys(queries):
        with suppress(QueryError):
            yield read_plan(parse(each))


def _relations(plan: Plan) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(sorted(step.relations)) for part in plan.parts for step in part.steps)


def _same_result(answer: Answer, gold: Gold) -> bool:
    """Whether an answer is what the gold plan finds, which has to be something; ties may be cut anywhere."""
    outcome = gold.outcome
    if outcome is None:
        return False
    if outcome.value is not None or answer.value is not None:
        return outcome.value is not None and answer.value is not None and same_value(answer.value, outcome.value)
    ids = {item.id for item in answer.items}
    if not outcome.items or len(ids) != len({item.id for item in outcome.items}):
        return False
    if _is_any(gold.plan):
        return ids <= gold.whole
    last = _place(outcome.items[-1])
    tied = {item.id for item in (*outcome.items, *outcome.tied) if outcome.tied and _place(item) == last}
    return {item.id for item in outcome.items} - tied <= ids <= {item.id for item in outcome.items} | tied


def _place(item: Item) -> tuple[int | float | None, str | None]:
    return item.number, item.value
