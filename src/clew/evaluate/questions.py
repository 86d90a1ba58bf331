"""Benches of questions whose gold is Cypher: a line of JSON each, with every accepted interpretation."""

import json
from dataclasses import dataclass, replace
from importlib.resources import files

from clew.answer import Asker, Plan
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.cypher.write import write_statement
from clew.answer.plans.schema.ground import names_to_ids
from clew.answer.running.expand import expand
from clew.errors import QueryError, UnknownName
from clew.evaluate.coverage import missing_parts
from clew.evaluate.metrics import Gold, GoldSet, GoldTop, GoldValue
from clew.store.cypher import Statement, parse

__all__ = ["BENCHES", "GoldQuestion", "Reading", "load_bench", "work_out"]

BENCHES = ("hpo-60", "hpo-held", "ibkh")
NOTHING = {"number": GoldValue(0), "boolean": GoldValue(False), "path": GoldValue(False)}


@dataclass(frozen=True, slots=True)
class GoldQuestion:
    """A question with its paraphrases and the queries that answer it, the main interpretation first."""

    id: str
    level: str
    question: str
    paraphrases: tuple[str, ...]
    asked: str
    cypher: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Reading:
    """One way to read a question: its plan, held to ids, what it gives, and what of it the graph does not have."""

    plan: Plan | None  # None where the query says more than a plan can
    gold: Gold
    text: str
    missing: tuple[str, ...] = ()


def load_bench(name: str) -> list[GoldQuestion]:
    """The questions of a bench by its name."""
    if name not in BENCHES:
        raise UnknownName(f"no bench is called {name!r}: known: {', '.join(BENCHES)}")
    lines = files("clew.evaluate").joinpath(f"benches/{name}.jsonl").read_text("utf-8").splitlines()
    return [
        GoldQuestion(
            row["id"],
            row["level"],
            row["question"],
            tuple(row["paraphrases"]),
            row["asked"],
            tuple(row["cypher"]),
        )
        for row in map(json.loads, lines)
    ]


def work_out(question: GoldQuestion, asker: Asker) -> list[Reading]:
    """The result of each gold query on the asker's graph; empty where the query names what the graph lacks."""
    readings = []
    for text in question.cypher:
        statement = parse(text)
        missing = missing_parts(statement, asker.resources.engine, asker.resources.schema)
        try:
            reading = _reading(statement, text, question.asked, asker)
        except (QueryError, UnknownName):
            if not missing:
                raise
            reading = Reading(None, NOTHING.get(question.asked, GoldSet(frozenset())), text)
        readings.append(replace(reading, missing=missing))
    return readings


def _reading(statement: Statement, text: str, asked: str, asker: Asker) -> Reading:
    store, engine = asker.resources.store, asker.resources.engine
    try:
        plan = names_to_ids(read_plan(statement), engine, store.schema)
    except QueryError:
        plan = None
    if asked == "path":
        return Reading(plan, GoldValue(True), text)
    if plan is None:
        rows = store.run(statement).rows
    else:
        whole = replace(plan, limit=None) if plan.operation == "top" else plan  # every row that a tie can bring in
        rows = store.run(write_statement(expand(whole, engine, store.schema))).rows
    if asked in ("number", "boolean"):
        return Reading(plan, GoldValue(rows[0][0]), text)
    if plan is not None and plan.operation == "top":
        least = not plan.sort[0].descending
        return Reading(plan, GoldTop(tuple((row[0], row[-1]) for row in rows), plan.limit or len(rows), least), text)
    return Reading(plan, GoldSet(frozenset(str(row[0]) for row in rows)), text)
