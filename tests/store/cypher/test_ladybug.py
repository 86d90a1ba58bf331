"""Statements rendered for Ladybug answer, on Ladybug itself, what Neo4j would."""

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ladybug._lbug  # first, which keeps its symbols from other native libraries
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import QueryError, UnknownName
from clew.store.cypher import parse, render

NAMES = {"a": (0, ["p", "q", "r"]), "b": (1, ["q"]), "c": (2, []), "d": (None, None)}
STEPS = [("a", "b"), ("b", "c"), ("c", "a"), ("a", "c"), ("d", "d")]


@pytest.fixture(scope="module")
def connection(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    path: Path = tmp_path_factory.mktemp("ladybug") / "toy"
    connection = ladybug.Connection(ladybug.Database(str(path)))
    connection.execute("CREATE NODE TABLE Gene(id STRING PRIMARY KEY, n INT64, xs STRING[])")
    connection.execute("CREATE NODE TABLE `Odd Type`(id STRING PRIMARY KEY)")
    connection.execute("CREATE REL TABLE R(FROM Gene TO Gene, FROM Gene TO `Odd Type`, triple INT64)")
    connection.execute("CREATE REL TABLE S(FROM Gene TO Gene)")
    for name, (n, xs) in NAMES.items():
        connection.execute("CREATE (:Gene {id: $id, n: $n, xs: $xs})", {"id": name, "n": n, "xs": xs})
    connection.execute("CREATE (:`Odd Type` {id: 'odd'})")
    for number, (start, end) in enumerate(STEPS):
        connection.execute(
            "MATCH (a:Gene {id: $a}), (b:Gene {id: $b}) CREATE (a)-[:R {triple: $t}]->(b)",
            {"a": start, "b": end, "t": number},
        )
    connection.execute("MATCH (a:Gene {id: 'a'}), (b:`Odd Type`) CREATE (a)-[:R {triple: 9}]->(b)")
    yield connection
    connection.close()


@pytest.fixture(scope="module")
def ask(connection: Any) -> Any:
    def answer(text: str, **parameters: Any) -> list[list[Any]]:
        rows: list[list[Any]] = connection.execute(render(parse(text), "ladybug"), parameters).get_all()
        return rows

    return answer


def test_one_relationship_never_stands_for_two(ask: Any) -> None:
    rows = ask("MATCH (x:Gene)-[:R]->(y)<-[:R]-(z:Gene) RETURN x.id, y.id, z.id")
    assert Counter(map(tuple, rows)) == Counter([("a", "c", "b"), ("b", "c", "a")])


def test_nor_in_a_condition(ask: Any) -> None:
    rows = ask("MATCH (x:Gene) WHERE (x)-[:R]->()<-[:R]-(:Gene) RETURN x.id ORDER BY x.id")
    assert rows == [["a"], ["b"]]
    assert ask("MATCH (x:Gene) WHERE size((x)-[:R]->()<-[:R]-()) = 1 RETURN count(*)") == [[2]]


def trails(longest: int) -> list[list[tuple[int, str, str]]]:
    """Walks that take no relationship twice, by plain search."""
    steps = [(number, start, end) for number, (start, end) in enumerate(STEPS)] + [(9, "a", "odd")]
    found: list[list[tuple[int, str, str]]] = []
    waiting: list[list[tuple[int, str, str]]] = [[step] for step in steps]
    while waiting:
        trail = waiting.pop()
        found.append(trail)
        if len(trail) < longest:
            waiting += [[*trail, step] for step in steps if step[1] == trail[-1][2] and step not in trail]
    return found


@pytest.mark.parametrize("longest", [1, 2, 4, 6])
def test_repeated_relationships_are_trails(ask: Any, longest: int) -> None:
    rows = ask(f"MATCH (x)-[r:R*1..{longest}]->(y) RETURN x.id, y.id, size(r)")
    expected = Counter((trail[0][1], trail[-1][2], len(trail)) for trail in trails(longest))
    assert Counter(map(tuple, rows)) == expected


def test_a_trail_and_a_step_share_nothing(ask: Any) -> None:
    rows = ask("MATCH (x:Gene)-[:R*1..3]->(y)<-[:R]-(z {id: 'a'}) RETURN x.id, y.id")
    expected = Counter(
        (trail[0][1], trail[-1][2])
        for trail in trails(3)
        for step in trails(1)
        if step[0][1] == "a" and step[0][2] == trail[-1][2] and step[0] not in trail
    )
    assert Counter(map(tuple, rows)) == expected


def test_two_trails_share_nothing(ask: Any) -> None:
    rows = ask("MATCH (x:Gene)-[:R*1..2]->(y)<-[:R*1..2]-(z) RETURN x.id, y.id, z.id")
    expected = Counter(
        (one[0][1], one[-1][2], two[0][1])
        for one in trails(2)
        for two in trails(2)
        if one[-1][2] == two[-1][2] and not set(one) & set(two)
    )
    assert Counter(map(tuple, rows)) == expected


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("MATCH (x:Gene) RETURN sum(x.n), avg(x.n), collect(x.n)", [[3, 1.0, [0, 1, 2]]]),
        ("MATCH (x:Gene {id: 'none'}) RETURN sum(x.n), max(x.n), collect(x.id), count(x)", [[0, None, [], 0]]),
        ("MATCH (x {id: 'odd'}) RETURN labels(x), x:Gene, x:`Odd Type`", [[["Odd Type"], False, True]]),
        ("MATCH ({id: 'a'})-[r]->({id: 'odd'}) RETURN type(r)", [["R"]]),
        ("MATCH (x:Gene) WHERE NOT (x)-[:R]->(:Gene) RETURN x.id", []),
        ("MATCH (x:Gene) RETURN x.id, x.n ORDER BY x.n DESC LIMIT 2", [["d", None], ["c", 2]]),
        ("MATCH (x:Gene) RETURN x.id ORDER BY x.n, x.id SKIP 3", [["d"]]),
        ("RETURN substring('abcdef', 1, 2), substring('abc', 1), left('abc', 2)", [["bc", "bc", "ab"]]),
        ("RETURN toUpper('a'), lower('A')", [["A", "a"]]),
        ("RETURN [x IN [1, 2, 3] WHERE x > 1 | x * 2], [x IN [1, 2] WHERE x > 1]", [[[4, 6], [2]]]),
        ("RETURN [x IN [1] | -x]", [[[-1]]]),
        ("MATCH (x:Gene) RETURN x.id, [y IN [0, 1, 2] WHERE y > x.n] ORDER BY x.id LIMIT 1", [["a", [1, 2]]]),
        ("RETURN head([1, 2]), last([1, 2]), tail([1, 2, 3])", [[1, 2, [2, 3]]]),
        ("RETURN any(x IN [1] WHERE x = 1), all(x IN [] WHERE x = 1)", [[True, True]]),
        ("MATCH p = (x {id: 'a'})-[:R*2..2]->(y {id: 'c'}) RETURN [e IN nodes(p) | e.id]", [[["a", "b", "c"]]]),
        ("MATCH p = (x {id: 'a'})-[:R*2..2]->(y {id: 'c'}) RETURN [e IN relationships(p) | e.triple]", [[[0, 1]]]),
        ("MATCH p = shortestPath((x:Gene {id: 'b'})-[:R*1..5]->(y:Gene {id: 'a'})) RETURN length(p)", [[2]]),
        ("MATCH (x:Gene {id: 'a'})-[:R]->(y:Gene) RETURN * ORDER BY y.id LIMIT 0", []),
        ("MATCH (x:Gene)-[r:R*1..2]->(y:Gene) WITH x, r WHERE size(r) = 2 RETURN count(*)", [[5]]),
        ("MATCH (x:Gene {id: 'a'}) RETURN x.id AS n UNION MATCH (x:Gene {id: 'a'}) RETURN x.id AS n", [["a"]]),
        ("RETURN 'a' AS n UNION ALL MATCH (x:Gene {id: 'a'}) RETURN x.id AS n", [["a"], ["a"]]),
        ("MATCH (x:Gene) WHERE EXISTS { MATCH (x)-[:R]->(y) WHERE y.id = 'odd' } RETURN x.id", [["a"]]),
        ("MATCH (x:Gene {id: 'a'}) RETURN count { (x)-[:R]->() }", [[3]]),
        ("MATCH (x:Gene) OPTIONAL MATCH (x)-[:S]->(y) RETURN count(x), count(y)", [[4, 0]]),
        ("UNWIND [3, 1, 2] AS x WITH x ORDER BY x RETURN x", [[1], [2], [3]]),
    ],
)
def test_answers_are_those_of_cypher(ask: Any, text: str, rows: list[list[Any]]) -> None:
    assert ask(text) == rows


POSITIONS = st.none() | st.integers(-5, 5)


@settings(deadline=None)
@given(st.lists(st.integers(0, 9), max_size=4), POSITIONS, POSITIONS)
def test_lists_count_from_zero(ask: Any, items: list[int], start: int | None, end: int | None) -> None:
    """Slices as literals and as values; what lies outside a list is null or empty."""
    first, last = "" if start is None else str(start), "" if end is None else str(end)
    expected = items[start:end]
    assert ask(f"WITH $items AS xs RETURN xs[{first}..{last}]", items=items or [0]) == [[(items or [0])[start:end]]]
    if items and start is not None and end is not None:
        text = "WITH $items AS xs, $a AS a, $b AS b RETURN xs[a..b], xs[a]"
        one = items[start] if -len(items) <= start < len(items) else None
        assert ask(text, items=items, a=start, b=end) == [[expected, one]]
        assert ask(f"WITH $items AS xs RETURN xs[{start}]", items=items) == [[one]]


def test_names_that_are_added_never_show(connection: Any) -> None:
    text = render(parse("MATCH (x:Gene)-[:R]->(y)<-[:R]-(z) RETURN *"), "ladybug")
    assert connection.execute(text).get_column_names() == ["x", "y", "z"]


def test_columns_are_named_as_written(connection: Any) -> None:
    text = render(parse("MATCH (x:Gene) RETURN x.id,  count( * ), x.n AS n"), "ladybug")
    assert connection.execute(text).get_column_names() == ["x.id", "count( * )", "n"]


def test_symmetric_relations_are_matched_both_ways() -> None:
    statement = parse("MATCH (a)-[:S]->(b)-[:R]->(c) RETURN c.id AS c")
    assert "(a)-[:S]-(b)-[:R]->(c)" in render(statement, symmetric=frozenset({"S"}))


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("RETURN apoc.text.join(['a'], ',')", "the function apoc.text.join is not among"),
        ("RETURN toLower('a', 'b')", "takes 1 arguments, not 2"),
        ("RETURN size(DISTINCT [1])", "takes no DISTINCT"),
        ("MATCH (a)-[*]->(b) RETURN a", "upper bound"),
        ("MATCH (a)-[*1..31]->(b) RETURN a", "upper bound"),
        ("RETURN [(a)-->(b) | b.id]", "no pattern comprehensions"),
        ("UNWIND [3, 1] AS x WITH x ORDER BY x RETURN collect(x)", "no defined order"),
        ("RETURN *", "nothing for \\*"),
    ],
)
def test_what_would_mean_something_else_is_refused(text: str, says: str) -> None:
    with pytest.raises(QueryError, match=says):
        render(parse(text), "ladybug")


def test_an_unknown_dialect_is_named() -> None:
    with pytest.raises(UnknownName, match="known: neo4j, ladybug"):
        render(parse("RETURN 1"), "gremlin")
