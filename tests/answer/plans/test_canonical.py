"""Plans are equal whenever they say the same, whatever their names and order."""

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.answer.plans.canonical import canonical, same
from clew.answer.plans.plan import Plan
from effort import examples
from plans import plan_of, plans


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
        (  # for each of several c, or for all of them together
            "MATCH (a)-[:S]->(c) WHERE COUNT { (c)-[:R]->(b) } >= 3 RETURN a",
            "MATCH (a)-[:S]->(c)-[:R]->(b) WITH a, count(DISTINCT b) AS n WHERE n >= 3 RETURN a",
        ),
        (
            "MATCH (a) WHERE COUNT { (a)-[:R]->(b) } <= 3 RETURN a",  # or none
            "MATCH (a)-[:R]->(b) WITH a, count(DISTINCT b) AS n WHERE n <= 3 RETURN a",
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
            "MATCH (a {x: 1}) WHERE COUNT { (a)-[:R]->(b) WHERE b.y = 2 } > 2 RETURN a.id, a.name",
            "MATCH (a)-[:R]->(b {y: 2}) WHERE a.x = 1 WITH a, count(DISTINCT b) AS n WHERE n >= 3 RETURN a",
        ),
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
