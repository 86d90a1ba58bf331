"""Cypher read as plans: what becomes of a query, what no plan can say, and how much of what people write is a plan."""

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from clew.answer.plans.canonical import same
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.cypher.write import write_statement
from clew.answer.plans.plan import REQUIRED, Measure, Part, Slot, Sort, Step
from clew.errors import QueryError
from clew.store.cypher import parse, write
from plans import plan_of


def test_a_query_becomes_slots_steps_and_what_is_asked() -> None:
    plan = plan_of(
        "MATCH (g:Gene)-[:CAUSES]->(d:Disease)<-[r:HAS {n: 1}]-(:Sign {name: 'x'}) WHERE d.name STARTS WITH 'A' "
        "RETURN g.name, count(DISTINCT d) AS n ORDER BY n DESC LIMIT 5"
    )
    assert plan.slots == (Slot("g", ("Gene",)), Slot("d", ("Disease",)), Slot("e1", ("Sign",)))
    assert plan.parts == (
        Part(
            REQUIRED,
            (Step("g", ("CAUSES",), "d"), Step("e1", ("HAS",), "d", name="r")),
            (
                Condition("e1", "name", "=", "x"),
                Condition("r", "n", "=", 1),
                Condition("d", "name", "STARTS WITH", "A"),
            ),
        ),
    )
    assert plan.asked == (Asked("g", "name"),)
    assert plan.measure == Measure("count", "d")
    assert (plan.sort, plan.limit, plan.operation) == ((Sort(None, descending=True),), 5, "top")


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (a) UNWIND a.xs AS x RETURN x",
        "MATCH (a) RETURN *",
        "RETURN 1",
        "MATCH (a) RETURN a.x + 1",
        "MATCH (a)--(b) WHERE a.x > b.x * b.y RETURN a",
        "MATCH (a)--(b) WHERE NOT (a.x IS NULL OR a.x > 2) RETURN a",
        "MATCH (a)--(b)--(c) WITH a, count(DISTINCT b) AS n, count(DISTINCT c) AS m WHERE n > 2 RETURN a",
        "MATCH (a)--(b)--(c) WITH a, count(DISTINCT b) AS n WHERE n > 2 AND EXISTS { MATCH (a)--(b) } RETURN a",
        "MATCH (a) WHERE a.x = 1 OR a.y = 2 RETURN a",
        "MATCH (a) WHERE a.x CONTAINS 'p' OR a.x STARTS WITH 'q' RETURN a",
        "MATCH (a) WITH a ORDER BY a.x LIMIT 3 MATCH (a)--(b) RETURN b",
        "MATCH (a) WITH a ORDER BY a.x LIMIT 3 RETURN count(a)",
        "MATCH (a) WITH a ORDER BY a.x LIMIT 3 RETURN a ORDER BY a.y",
        "MATCH (a) WHERE COUNT { (a) } > 2 RETURN a",
        "MATCH (a)--(b) WHERE COUNT { (a)--(b) } > COUNT { (a)--(c) } RETURN a",
        "MATCH (a)--(b) WHERE COUNT { (a)--(c) } IN COUNT { (b)--(d) } RETURN a",
        "MATCH (a)--(b) RETURN count(a) > count(b)",
        "MATCH (a)--(b) RETURN a, COUNT { (a)--(b) } AS n",
        "MATCH (a) RETURN a UNION MATCH (b) RETURN b",
        "MATCH (a)--(b) RETURN count(a), count(b)",
        "MATCH (a)-[r:R]->(b) WITH a, avg(r.x) AS x, count(r) AS n WHERE n >= 3 RETURN a, x ORDER BY x",
        "MATCH (a:Gene) MATCH (a:Disease) RETURN a",
        "MATCH (a) WHERE a.x = $missing RETURN a",
        "MATCH (a) RETURN a LIMIT 'x'",
    ],
)
def test_what_no_plan_can_say_is_one_sentence(text: str) -> None:
    with pytest.raises(QueryError) as caught:
        plan_of(text)
    assert "\n" not in str(caught.value)


def test_parameters_get_their_values() -> None:
    plan = read_plan(parse("MATCH (a) WHERE a.id IN $ids RETURN a"), {"ids": ["x", "y"]})
    assert plan.required.conditions == (Condition("a", "id", "IN", ("x", "y")),)


def test_a_name_inside_a_condition_is_known_only_there() -> None:
    plan = plan_of("MATCH (a) WHERE NOT EXISTS { (a)-[:R]->(b:X) } AND NOT EXISTS { (a)-[:S]->(b:Y) } RETURN a")
    assert [slot.types for slot in plan.slots] == [(), ("X",), ("Y",)]


def test_most_real_queries_are_plans(data: Path) -> None:
    """More than 92 % of a fourth of 7,548 queries written for Neo4j, and all of them come back as they were."""
    with gzip.open(data / "text2cypher" / "pairs.jsonl.gz", "rt") as lines:
        texts = [json.loads(line)["cypher"] for line in list(lines)[::4]]
    plans, reasons = [], Counter[str]()
    for text in texts:
        try:
            plans.append(plan_of(text))
        except QueryError as reason:
            reasons[str(reason)[:40]] += 1
    assert len(plans) / len(texts) > 0.92, reasons.most_common(10)
    for plan in plans[::5]:
        assert same(plan_of(write(write_statement(plan))), plan)
