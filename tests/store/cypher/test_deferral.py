"""WITH between two MATCH clauses keeps every variable once, also one that several patterns share."""

from clew.store.cypher import parse
from clew.store.cypher import syntax as s
from clew.store.cypher.deferral import defer_conditions


def test_a_variable_of_several_patterns_is_kept_once() -> None:
    statement = parse(
        "MATCH (a:Disease)<-[r:CAUSES]-(g:Gene), (g)-[t:CAUSES]->(b:Disease) WHERE r.source = 'x' "
        "MATCH (g)-[:CAUSES]->(d:Disease) RETURN d.id"
    )
    (query,) = statement.queries
    (kept,) = (each for each in defer_conditions(query).clauses if isinstance(each, s.With))
    assert sorted(item.column for item in kept.projection.items) == ["a", "b", "g", "r", "t"]
