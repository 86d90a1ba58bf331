"""Plans: read from Cypher, written to it again, and equal whenever they say the same."""

import json
from dataclasses import replace
from importlib.resources import files
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.answer.plans.canonical import canonical, same
from clew.answer.plans.cypher.read import read_plan
from clew.answer.plans.cypher.write import write_statement
from clew.answer.plans.plan import (
    ABSENT,
    COUNTED,
    OPTIONAL,
    REQUIRED,
    Asked,
    Condition,
    Count,
    Measure,
    Part,
    Plan,
    Slot,
    Sort,
    Step,
)
from clew.errors import InputError, QueryError
from clew.store.cypher import parse, render, write
from effort import examples
from plans import plans


def plan_of(text: str) -> Plan:
    return read_plan(parse(text))


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
    ("text", "operation"),
    [
        ("MATCH (g:Gene) RETURN g", "list"),
        ("MATCH (g:Gene) RETURN count(*)", "count"),
        ("MATCH (g:Gene) RETURN avg(g.size)", "aggregate"),
        ("MATCH (g:Gene)--(d) RETURN count(*) > 0", "exists"),
        ("MATCH (g:Gene) WHERE NOT (g)--(:Disease) RETURN g", "difference"),
        ("MATCH (g:Gene)--(d) WITH g, count(d) AS n ORDER BY n RETURN g.name LIMIT 3", "top"),
        ("MATCH (g:Gene)--(d) WITH g, count(d) AS n WHERE n > 2 RETURN g.name", "list"),
        ("MATCH p = shortestPath((a:Gene)-[*1..4]-(b:Disease)) RETURN p", "path"),
    ],
)
def test_the_operation_is_recognised(text: str, operation: str) -> None:
    assert plan_of(text).operation == operation


@pytest.mark.parametrize(
    "text",
    [
        "MATCH (a) UNWIND a.xs AS x RETURN x",
        "MATCH (a) RETURN *",
        "RETURN 1",
        "MATCH (a) RETURN a.x + 1",
        "MATCH (a)--(b) WHERE a.x > b.x + 1 RETURN a",
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


def test_slots_are_known() -> None:
    with pytest.raises(InputError, match="none of its parts"):
        Plan((Slot("a"),), (Part(REQUIRED, (Step("a", (), "b"),)),))


@pytest.mark.parametrize(
    "counts",
    [
        (Count("b", ">", "c"),),  # nothing else is counted
        (Count("b"), Count("c", ">", 1)),  # compared with nothing
        (Count("b", ">", "c"), Count("c", ">", 1)),  # the other has a number of its own
    ],
)
def test_a_count_is_compared_with_one_that_has_no_number(counts: tuple[Count, ...]) -> None:
    slots, parts = (
        (Slot("a"), Slot("b"), Slot("c")),
        [Part(COUNTED, (Step("a", (), each.of),), (), each) for each in counts],
    )
    with pytest.raises(InputError, match="compare"):
        Plan(slots, tuple(parts), asked=(Asked("a"),))


def test_a_name_inside_a_condition_is_known_only_there() -> None:
    plan = plan_of("MATCH (a) WHERE NOT EXISTS { (a)-[:R]->(b:X) } AND NOT EXISTS { (a)-[:S]->(b:Y) } RETURN a")
    assert [slot.types for slot in plan.slots] == [(), ("X",), ("Y",)]


@settings(max_examples=examples(150), deadline=None)
@given(plans())
def test_a_plan_survives_cypher(plan: Plan) -> None:
    text = write(write_statement(plan))
    assert same(read_plan(parse(text)), plan)


def test_the_ends_of_an_optional_step_are_there_by_themselves() -> None:
    step, there = Step("a", (), "a"), Condition("a", "id", "IS NOT NULL")
    plan = Plan((Slot("a"), Slot("b")), (Part(OPTIONAL, (step,), (there,)),), asked=(Asked("b"),))
    assert same(plan_of(write(write_statement(plan))), plan)


def mix(random: Random, items: tuple[Any, ...]) -> tuple[Any, ...]:
    return tuple(random.sample(items, len(items)))


@settings(max_examples=examples(100), deadline=None)
@given(plans(), st.randoms())
def test_names_and_order_do_not_matter(plan: Plan, random: Random) -> None:
    names = [slot.name for slot in plan.slots]
    mixed = random.sample(names, len(names))
    turned = plan.renamed(dict(zip(names, mixed, strict=True)))
    parts = [
        replace(part, steps=mix(random, part.steps), conditions=mix(random, part.conditions)) for part in turned.parts
    ]
    shuffled = replace(turned, slots=mix(random, turned.slots), parts=mix(random, tuple(parts)))
    assert canonical(shuffled) == canonical(plan)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("MATCH (a)-[:R]->(b) RETURN a", "MATCH (a)<-[:R]-(b) RETURN a"),
        ("MATCH (a)-[:R]->(b) RETURN a", "MATCH (a)-[:R]->(b) RETURN b"),
        ("MATCH (a)-[:R]->(b) RETURN a", "MATCH (a)-[:S]->(b) RETURN a"),
        ("MATCH (a:X)-[:R]->(b) RETURN a", "MATCH (a:Y)-[:R]->(b) RETURN a"),
        ("MATCH (a {x: 1}) RETURN a", "MATCH (a {x: 2}) RETURN a"),
        ("MATCH (a {x: 1}) RETURN a", "MATCH (a {x: 1}) RETURN count(a)"),
        ("MATCH (a)--(b) RETURN a LIMIT 1", "MATCH (a)--(b) RETURN a LIMIT 2"),
        ("MATCH (a)--(b)--(c) RETURN a", "MATCH (a)--(b), (a)--(c) RETURN a"),
        ("MATCH (a) WHERE NOT (a)--(:X) RETURN a", "MATCH (a)--(:X) RETURN a"),
        ("MATCH (a)-[*1..2]-(b) RETURN a", "MATCH (a)-[*1..3]-(b) RETURN a"),
        ("MATCH (a)--(b) WHERE a.x > b.x RETURN a", "MATCH (a)--(b) WHERE a.x < b.x RETURN a"),
        ("MATCH (a) WHERE a.x > 3 RETURN a", "MATCH (a) WHERE size(a.x) > 3 RETURN a"),
        ("MATCH (a) RETURN a.x", "MATCH (a) RETURN size(a.x)"),
        (
            "MATCH (a) WHERE COUNT { (a)-[:R]->(b) } > COUNT { (a)-[:S]->(c) } RETURN a",
            "MATCH (a) WHERE COUNT { (a)-[:R]->(b) } < COUNT { (a)-[:S]->(c) } RETURN a",
        ),
        (
            "MATCH (a) WHERE COUNT { (a)-[:R]->(b) } > COUNT { (a)-[:S]->(c) } RETURN a",
            "MATCH (a) WHERE COUNT { (a)-[:R]->(b) } >= COUNT { (a)-[:S]->(c) } RETURN a",
        ),
        ("MATCH (a) WHERE 'p' IN a.x RETURN a", "MATCH (a) WHERE a.x = 'p' RETURN a"),
        ("MATCH (a) OPTIONAL MATCH (a)-[:R]->(b) RETURN a, b", "MATCH (b) OPTIONAL MATCH (a)-[:R]->(b) RETURN a, b"),
        ("MATCH (a)-[r]->(b) WHERE r.source = 'x' RETURN a", "MATCH (a)-[r]->(b) WHERE r.source = 'y' RETURN a"),
        (
            "MATCH (a)-[r:R]->(b)<-[q:S]-(c) WHERE r.source = 'x' RETURN b",
            "MATCH (a)-[r:R]->(b)<-[q:S]-(c) WHERE q.source = 'x' RETURN b",
        ),
    ],
)
def test_plans_that_differ_are_not_the_same(one: str, other: str) -> None:
    assert not same(plan_of(one), plan_of(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("MATCH (a:X)-[:R]->(b:Y) RETURN a", "MATCH (q:Y)<-[:R]-(p:X) RETURN DISTINCT p.name"),
        ("MATCH (a {x: 1})--(b) RETURN b", "MATCH (b)--(a) WHERE a.x = 1 RETURN b.id"),
        ("MATCH (a) WHERE a.x IN [1] RETURN a", "MATCH (a) WHERE 1 = a.x RETURN a"),
        ("MATCH (a) WHERE a.x = 1 OR a.x = 2 RETURN a", "MATCH (a) WHERE a.x IN [2, 1] RETURN a"),
        ("MATCH (a) WHERE NOT a.x = 1 RETURN a", "MATCH (a) WHERE a.x <> 1 RETURN a"),
        ("MATCH (a)--(b) MATCH (a)--(c) RETURN a", "MATCH (a)--(c), (a)--(b) RETURN a"),
        ("MATCH (a)--(b) RETURN count(b)", "MATCH (a)--(b) RETURN count(DISTINCT b.id)"),
        ("MATCH (a)--(b) WHERE a <> b RETURN a", "MATCH (a)--(b) WHERE b <> a RETURN a"),
        ("MATCH (a)--(b) WHERE a <> b RETURN a", "MATCH (a)--(b) WHERE a.id <> b.id RETURN a"),
        ("MATCH (a:X|Y)-[:R|S]->(b) RETURN a", "MATCH (a:Y|X)-[:S|R]->(b) RETURN a"),
        ("MATCH (a)--(b) WHERE a.x > b.y RETURN a", "MATCH (p)--(q) WHERE q.y < p.x RETURN p"),
        ("MATCH (a) WHERE size(a.x) > 3 RETURN a", "MATCH (a) WHERE 3 < length(a.x) RETURN a"),
        ("MATCH (a) WHERE 1 IN a.xs RETURN a", "MATCH (b) WHERE 1 IN b.xs RETURN b"),
        (
            "MATCH (a) WHERE a.x CONTAINS 'p' OR a.x CONTAINS 'q' RETURN a",
            "MATCH (a) WHERE a.x CONTAINS 'q' OR a.x CONTAINS 'p' RETURN a",
        ),
        ("MATCH (a) WITH a ORDER BY a.x LIMIT 3 RETURN a.y", "MATCH (a) RETURN a.y ORDER BY a.x LIMIT 3"),
        ("MATCH (a) WITH a.x AS x WHERE x > 1 RETURN x", "MATCH (a) WHERE a.x > 1 RETURN a.x"),
        (
            "MATCH (a) RETURN a, COUNT { (a)-[:R]->(:X) } AS n ORDER BY n DESC",
            "MATCH (a) OPTIONAL MATCH (a)-[:R]->(x:X) RETURN a, count(DISTINCT x) AS n ORDER BY n DESC",
        ),
        ("MATCH (a) WHERE COUNT { (a)--(:X) } = 0 RETURN a", "MATCH (a) WHERE NOT (a)--(:X) RETURN a"),
        (
            "MATCH (a) WHERE COUNT { (c)-[:R]->(b)-[:S]->(a) } > 2 RETURN a",
            "MATCH (a) WHERE COUNT { (a)<-[:S]-(b)<-[:R]-(c) } > 2 RETURN a",
        ),
        (
            "MATCH (a) WHERE COUNT { (a)<-[:S]-(b)<-[:R]-({id: 'x'}) } > 2 RETURN a",
            "MATCH (a) WHERE COUNT { (a)<-[:S]-(b) WHERE EXISTS { (b)<-[:R]-({id: 'x'}) } } > 2 RETURN a",
        ),
        ("MATCH (a) WHERE size((a)--(:X)) > 0 RETURN a", "MATCH (a)--(:X) RETURN a"),
        (
            "MATCH (a) WHERE COUNT { (a)-[:R]->(b) } > COUNT { (a)-[:S]->(c) } RETURN a",
            "MATCH (a) WHERE COUNT { (a)-[:S]->(b) } < COUNT { (a)-[:R]->(b) } RETURN a",
        ),
        (
            "MATCH (a) WHERE COUNT { (a)-[:R]->(b) } = COUNT { (a)-[:S]->(c) } RETURN a",
            "MATCH (a) WHERE COUNT { (a)-[:S]->(b) } = COUNT { (a)-[:R]->(c) } RETURN a",
        ),
        (
            "MATCH (a {id: 'x'}), (b {id: 'y'}) WHERE COUNT { (a)-[:R]->(m) } > COUNT { (b)-[:R]->(n) } "
            "RETURN count(*) > 0",
            "MATCH (a {id: 'x'})-[:R]->(m), (b {id: 'y'})-[:R]->(n) RETURN count(DISTINCT m) > count(DISTINCT n)",
        ),
        (
            "MATCH (a {id: 'x'}), (b {id: 'y'}) WHERE COUNT { (a)-[:R]->(m) } > COUNT { (b)-[:R]->(n) } "
            "RETURN count(*) > 0",
            "MATCH (a {id: 'x'}), (b {id: 'y'}) RETURN COUNT { (a)-[:R]->(m) } > COUNT { (b)-[:R]->(n) }",
        ),
        ("MATCH (a) WHERE a.d > date('2020-01-01') RETURN a", "MATCH (a) WHERE a.d > '2020-01-01' RETURN a"),
        ("MATCH (a)-[r:R]->(b) WHERE 'x' IN r.source RETURN a", "MATCH (a)-[:R {source: 'x'}]->(b) RETURN a"),
        (
            "MATCH (a)-[r:R]->(b)<-[q:R]-(c) WHERE r.source = 'x' AND q.source = 'y' RETURN b",
            "MATCH (c)-[q:R]->(b)<-[r:R]-(a) WHERE q.source = 'y' AND r.source = 'x' RETURN b",
        ),
        ("MATCH (a) WHERE NOT (a)--(:X) RETURN a", "MATCH (a) WHERE NOT EXISTS { MATCH (:X)--(a) } RETURN a"),
    ],
)
def test_plans_that_say_the_same_are_the_same(one: str, other: str) -> None:
    assert same(plan_of(one), plan_of(other))


def test_every_gold_query_is_a_plan_for_every_store() -> None:
    lines = files("clew.evaluate").joinpath("benches/hpo-60.jsonl").read_text("utf-8").splitlines()
    for line in lines:
        for text in json.loads(line)["cypher"]:
            statement = write_statement(plan_of(text))
            assert same(read_plan(parse(write(statement))), plan_of(text))
            for dialect in ("neo4j", "ladybug"):
                assert render(statement, dialect)


def test_an_order_by_what_is_not_asked_allows_no_distinct() -> None:
    assert "RETURN a.y" in write(write_statement(plan_of("MATCH (a) RETURN DISTINCT a.y ORDER BY a.x")))
    assert "RETURN DISTINCT a.y" in write(write_statement(plan_of("MATCH (a) RETURN a.y ORDER BY a.y")))
    assert "RETURN DISTINCT a.id" in write(write_statement(plan_of("MATCH (a) RETURN a ORDER BY a.name")))


def test_what_only_optional_steps_lead_to_stays_required() -> None:
    plan = plan_of("MATCH (a:X) OPTIONAL MATCH (a)-[:R]->(b) RETURN a, count(b) AS n")
    assert write(write_statement(plan)).startswith("MATCH (a:X)\nOPTIONAL MATCH (a)-[:R]->(b)\n")


def test_optional_and_absent_parts_are_written_as_such() -> None:
    plan = Plan(
        (Slot("a", ("X",)), Slot("b"), Slot("c", ("Y",))),
        (
            Part(REQUIRED, (), (Condition("a", "n", ">", 1),)),
            Part(OPTIONAL, (Step("a", ("R",), "b"),)),
            Part(ABSENT, (Step("c", ("S",), "a"),)),
        ),
        asked=(Asked("a"), Asked("b")),
    )
    assert write(write_statement(plan)) == (
        "MATCH (a:X)\nWHERE a.n > 1 AND NOT EXISTS { MATCH (:Y)-[:S]->(a) }\nOPTIONAL MATCH (a)-[:R]->(b)\n"
        "RETURN DISTINCT a.id AS `a.id`, a.name AS `a.name`, b.id AS `b.id`, b.name AS `b.name`"
    )
