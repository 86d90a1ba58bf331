"""What a query becomes before it is sent."""

from collections.abc import Callable

import pyarrow as pa
import pytest

import clew
from clew.errors import InputError, QueryError
from clew.graph import Relation
from clew.store.cypher import parse, write
from clew.store.deadline import Deadline
from clew.store.layout import lay_out
from clew.store.prepare import cap, exclude_negated, prepare


@pytest.mark.parametrize(
    ("query", "capped"),
    [
        ("RETURN 1 AS x", "RETURN 1 AS x LIMIT 11"),
        ("MATCH (n) RETURN n LIMIT 5", "MATCH (n)\nRETURN n LIMIT 5"),
        ("MATCH (n) RETURN n LIMIT 500", "MATCH (n)\nRETURN n LIMIT 11"),
        ("MATCH (n) RETURN n LIMIT $many", "MATCH (n)\nRETURN n LIMIT 11"),
        ("MATCH (n) RETURN n LIMIT $few", "MATCH (n)\nRETURN n LIMIT $few"),
        (
            "MATCH (n) WITH n LIMIT 500 RETURN n ORDER BY n.id SKIP 2",
            "MATCH (n)\nWITH n LIMIT 500\nRETURN n ORDER BY n.id SKIP 2 LIMIT 11",
        ),
        ("RETURN 1 AS x UNION ALL RETURN 2 AS x", "RETURN 1 AS x LIMIT 11\nUNION ALL\nRETURN 2 AS x LIMIT 11"),
        (
            "RETURN 1 AS x UNION RETURN 2 AS x",
            "RETURN DISTINCT 1 AS x LIMIT 11\nUNION\nRETURN DISTINCT 2 AS x LIMIT 11",
        ),
        (
            "RETURN 1 AS x LIMIT 99 UNION RETURN 2 AS x",
            "RETURN 1 AS x LIMIT 99\nUNION\nRETURN DISTINCT 2 AS x LIMIT 11",
        ),
    ],
)
def test_a_cap_is_pushed_into_the_query(query: str, capped: str) -> None:
    assert write(cap(parse(query), {"many": 50, "few": 5}, 11)) == capped


def test_any_relationship_is_no_denial(make: Callable[..., clew.Engine]) -> None:
    statement = parse("MATCH (a)-[r]->(b) RETURN r")
    assert exclude_negated(statement, lay_out(make())) is statement
    table = {"subject": ["a", "a"], "relation": ["has", "lacks"], "object": ["b", "c"]}
    path = make().snapshot.folder.with_name("denying.clew")
    clew.build(pa.table(table), relations=[Relation("lacks", negated=True)], out=path)
    assert write(exclude_negated(statement, lay_out(clew.open(path)))) == "MATCH (a)-[r:HAS]->(b)\nRETURN r"


def test_what_is_asked_for_is_checked(make: Callable[..., clew.Engine]) -> None:
    schema = lay_out(make())

    def ready(query: str, parameters: dict[str, object], *, timeout: float = 1.0, limit: int = 5) -> None:
        prepare(query, parameters, schema=schema, dialect="neo4j", deadline=Deadline.after(timeout), limit=limit)

    ready("RETURN $a AS a", {"a": [1, "x", None, True, 2.5, {"k": "v"}]})
    for value in (2**63, -(2**63) - 1):
        with pytest.raises(QueryError, match="64 bits"):
            ready("RETURN $a AS a", {"a": [value]})
    with pytest.raises(QueryError, match="surrogate"):
        ready("RETURN $a AS a", {"a": "\ud800"})
    with pytest.raises(QueryError, match="bytes"):
        ready("RETURN $a AS a", {"a": b"x"})
    ready("RETURN range(1, 1000000) AS x, range(-$a, $a, -1) AS y, range(1, size('x')) AS z", {"a": 10**9})
    for query in ("range(1, 1000000000)", "range(-1000000000, 0)", "range($a, 0, -2)"):
        with pytest.raises(QueryError, match="too long"):
            ready(f"UNWIND {query} AS i RETURN $a AS a", {"a": 10**9})
    for limit in (-1, True, 1.5):
        with pytest.raises(InputError, match="limit"):
            ready("RETURN 1 AS x", {}, limit=limit)  # type: ignore[arg-type]
    for timeout in (0, -1, float("nan")):
        with pytest.raises(InputError, match="timeout"):
            ready("RETURN 1 AS x", {}, timeout=timeout)
