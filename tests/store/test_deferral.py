"""Conditions that are moved for Ladybug: what stands between two MATCH clauses."""

from clew.store.cypher import parse, render


def test_a_variable_that_a_match_has_twice_is_passed_on_once() -> None:
    text = "MATCH (a:A)<-[:R]-(g:B)-[:R]->(b:A), (g)-[:S]->(c:C) MATCH (g)-[:R]->(d:A) RETURN d.id"
    (between,) = [line for line in render(parse(text), "ladybug").splitlines() if line.startswith("WITH")]
    names = between.removeprefix("WITH ").split(", ")
    assert names.count("g") == len([name for name in names if name.split()[-1] == "g"]) == 1
