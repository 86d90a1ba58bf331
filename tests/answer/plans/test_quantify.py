"""Quantifiers put onto plans: what is counted, copied or compared, and what they cannot be put onto."""

import pytest

from clew.answer.plans.canonical import same
from clew.answer.plans.plan import Count, Plan
from clew.answer.plans.quantify import another, counted, every, only, root_of
from plans import plan_of

BASE = "MATCH (s:Studio)<-[:MADE_BY]-(f:Film)-[:DIRECTED_BY]->(p:Person {id: 'p1'})"


def test_counting_takes_the_slot_and_all_beyond_it() -> None:
    plan = counted(plan_of(f"{BASE} RETURN s"), Count("f", ">=", 3))
    assert plan is not None
    wanted = (
        "MATCH (s:Studio) WHERE COUNT { (s)<-[:MADE_BY]-(f:Film) "
        "WHERE EXISTS { (f)-[:DIRECTED_BY]->(:Person {id: 'p1'}) } } >= 3 RETURN s"
    )
    assert same(plan, plan_of(wanted))
    assert same(plan, plan_of(wanted.replace(">= 3", "> 2")))
    assert not same(plan, plan_of(wanted.replace(">= 3", ">= 2")))


def test_only_asks_that_no_other_fails_what_is_said() -> None:
    plan = only(plan_of(f"{BASE} RETURN s"), "f")
    assert plan is not None
    nothing_else = (
        "NOT EXISTS { (s)<-[:MADE_BY]-(g:Film) WHERE NOT EXISTS { (g)-[:DIRECTED_BY]->(:Person {id: 'p1'}) } }"
    )
    assert same(plan, plan_of(f"{BASE} WHERE {nothing_else} RETURN s"))


def test_only_a_name_excludes_the_others() -> None:
    plan = only(plan_of("MATCH (d:Drug)-[:TREATS]->(x:Disease {id: 'gout'}) RETURN d"), "x")
    wanted = (
        "MATCH (d:Drug)-[:TREATS]->(:Disease {id: 'gout'}) "
        "WHERE NOT EXISTS { (d)-[:TREATS]->(y:Disease) WHERE NOT y.id = 'gout' } RETURN d"
    )
    assert plan is not None
    assert same(plan, plan_of(wanted))


def test_every_compares_with_how_many_there_are() -> None:
    plan = every(plan_of(f"{BASE} RETURN s"), ["f"])
    assert plan is not None
    assert plan.measure is not None
    total = plan.measure.value
    assert isinstance(total, Plan)
    assert same(total, plan_of("MATCH (f:Film)-[:DIRECTED_BY]->(:Person {id: 'p1'}) RETURN count(f)"))


def test_another_is_none_of_those_that_are_said() -> None:
    plan = another(plan_of(f"{BASE} RETURN s"), ["f"])
    wanted = "MATCH (s:Studio)<-[:MADE_BY]-(f:Film) WHERE NOT EXISTS { (f)-[:DIRECTED_BY]->(:Person {id: 'p1'}) }"
    assert plan is not None
    assert same(plan, plan_of(f"{wanted} RETURN s"))
    assert another(plan_of(f"{BASE} RETURN s"), ["p"]) is None
    assert another(plan_of("MATCH (s:Studio)<-[:MADE_BY]-(f:Film) RETURN s"), ["f"]) is None


@pytest.mark.parametrize("slot", ["s", "x"])
def test_what_is_asked_for_or_joined_twice_is_not_quantified(slot: str) -> None:
    text = "MATCH (s:Studio)<-[:MADE_BY]-(x:Film)-[:SHOWN_BY]->(s) RETURN s"
    assert only(plan_of(text), slot) is None
    assert counted(plan_of(text), Count(slot, ">", 2)) is None


def test_nothing_is_said_of_bare_slots() -> None:
    assert only(plan_of("MATCH (s:Studio)<-[:MADE_BY]-(f:Film) RETURN s"), "f") is None


def test_the_root_of_a_judged_plan_is_what_it_names() -> None:
    assert root_of(plan_of("MATCH (a {id: 'x'})-[:R]->(b) RETURN count(*) > 0")) == "a"
