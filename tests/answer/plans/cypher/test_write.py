"""Plans written as Cypher, from which the same plan is read again."""

import json
from importlib.resources import files

from hypothesis import given, settings

from clew.answer.plans.canonical import same
from clew.answer.plans.condition import Asked, Condition
from clew.answer.plans.cypher.write import write_statement
from clew.answer.plans.plan import ABSENT, OPTIONAL, REQUIRED, Part, Plan, Slot, Step
from clew.store.cypher import render, write
from effort import examples
from plans import plan_of, plans


@settings(max_examples=examples(150), deadline=None)
@given(plans())
def test_a_plan_survives_cypher(plan: Plan) -> None:
    text = write(write_statement(plan))
    assert same(plan_of(text), plan)


def test_the_ends_of_an_optional_step_are_there_by_themselves() -> None:
    step, there = Step("a", (), "a"), Condition("a", "id", "IS NOT NULL")
    plan = Plan((Slot("a"), Slot("b")), (Part(OPTIONAL, (step,), (there,)),), asked=(Asked("b"),))
    assert same(plan_of(write(write_statement(plan))), plan)


def test_every_gold_query_is_a_plan_for_every_store() -> None:
    lines = files("clew.evaluate").joinpath("benches/hpo-60.jsonl").read_text("utf-8").splitlines()
    for line in lines:
        for text in json.loads(line)["cypher"]:
            statement = write_statement(plan_of(text))
            assert same(plan_of(write(statement)), plan_of(text))
            for dialect in ("neo4j", "ladybug"):
                assert render(statement, dialect)


def test_an_order_by_what_is_not_asked_allows_no_distinct() -> None:
    assert "RETURN a.y" in write(write_statement(plan_of("MATCH (a) RETURN DISTINCT a.y ORDER BY a.x")))
    assert "RETURN DISTINCT a.y" in write(write_statement(plan_of("MATCH (a) RETURN a.y ORDER BY a.y")))
    assert "RETURN DISTINCT a.id" in write(write_statement(plan_of("MATCH (a) RETURN a ORDER BY a.name")))


def test_what_only_optional_steps_lead_to_stays_required() -> None:
    plan = plan_of("MATCH (a:X) OPTIONAL MATCH (a)-[:R]->(b) RETURN a, count(b) AS n")
    assert write(write_statement(plan)).startswith("MATCH (a:X)\nOPTIONAL MATCH (a)-[:R]->(b)\n")


def test_an_absent_part_without_steps_is_written_as_its_conditions() -> None:
    plan = Plan(
        (Slot("a", ("X",)),), (Part(ABSENT, (), (Condition("a", "id", "IN", ("A", "B")),)),), asked=(Asked("a"),)
    )
    (where,) = (line for line in write(write_statement(plan)).splitlines() if line.startswith("WHERE"))
    assert where == "WHERE NOT a.id IN ['A', 'B']"


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
