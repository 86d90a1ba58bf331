"""What is denied: of all entities of a name, and of a listed term with its subclasses."""

from clew.answer.plans.canonical import same
from clew.answer.plans.denied import deny_of_all, deny_subclasses
from plans import plan_of

TWO = ("d1", "d2")
HELD = "d.id IN ['d1', 'd2']"


def test_a_name_of_two_entities_lacks_what_both_lack() -> None:
    plan = plan_of(f"MATCH (d:Disease) WHERE {HELD} AND NOT EXISTS {{ (:Gene)-[:CAUSES]->(d) }} RETURN count(*) > 0")
    wanted = plan_of(f"MATCH (:Gene)-[:CAUSES]->(d:Disease) WHERE {HELD} RETURN count(*) = 0")
    assert same(deny_of_all(plan, [TWO]), wanted)


def test_beside_something_else_each_denial_is_of_any_entity_of_the_name() -> None:
    plan = plan_of(
        f"MATCH (d:Disease)-[:HAS]->(:Sign) WHERE {HELD} AND NOT EXISTS {{ (:Gene)-[:CAUSES]->(d) }} "
        "RETURN count(*) > 0"
    )
    inner = "NOT EXISTS { (:Gene)-[:CAUSES]->(e:Disease) WHERE e.id IN ['d1', 'd2'] }"
    wanted = plan_of(f"MATCH (d:Disease)-[:HAS]->(:Sign) WHERE {HELD} AND {inner} RETURN count(*) > 0")
    assert same(deny_of_all(plan, [TWO]), wanted)


def test_what_is_listed_or_chosen_from_is_no_name() -> None:
    listed = plan_of(f"MATCH (d:Disease) WHERE {HELD} AND NOT EXISTS {{ (:Gene)-[:CAUSES]->(d) }} RETURN d")
    assert deny_of_all(listed, [TWO]) == listed
    judged = plan_of(f"MATCH (d:Disease) WHERE {HELD} AND NOT EXISTS {{ (:Gene)-[:CAUSES]->(d) }} RETURN count(*) > 0")
    assert deny_of_all(judged, [("d1",), ("d2",)]) == judged  # of two names, either


def test_a_listed_term_is_lacked_with_its_subclasses() -> None:
    given = "MATCH (:Disease {id: 'a'})-[:HAS]->(p:Sign) WHERE NOT EXISTS { (:Disease {id: 'b'})-[:HAS]->(p) } RETURN p"
    wanted = given.replace("[:HAS]->(p) }", "[:HAS]->(:Sign)-[:IS_A*0..9]->(p) }")
    found = deny_subclasses(plan_of(given), {"Sign": "IS_A"}, deepest=9)
    assert found is not None
    assert same(found, plan_of(wanted))
    assert deny_subclasses(plan_of(given), {"Disease": "IS_A"}, deepest=9) is None
    unnamed = given.replace("(:Disease {id: 'b'})", "(:Disease)")
    assert deny_subclasses(plan_of(unnamed), {"Sign": "IS_A"}, deepest=9) is None
