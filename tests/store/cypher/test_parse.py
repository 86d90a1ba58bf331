"""Reading Cypher: what is a reading statement is understood, everything else is one sentence."""

import gzip
import json
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from clew.errors import QueryError
from clew.store.cypher import Statement, parse, quote, quote_text, write
from clew.store.cypher import syntax as s


def without_text(statement: Statement) -> Statement:
    """Columns as written depend on spaces; the rest of the tree does not."""
    return s.rewrite(statement, lambda part: replace(part, text="") if isinstance(part, s.Item) else part)


def expression(text: str) -> s.Expression:
    return parse(f"RETURN {text}").queries[0].returned.items[0].expression


def test_a_whole_query_becomes_a_tree() -> None:
    statement = parse(
        "MATCH (g:Gene {name: 'FBN1'})<-[r:CAUSED_BY|LINKED*1..3]-(d) WHERE d.age >= $age RETURN DISTINCT d.name AS n, "
        "count(*) ORDER BY n DESC SKIP 1 LIMIT 5"
    )
    (query,) = statement.queries
    found, returned = query.clauses
    assert found == s.Match(
        (
            s.Pattern(
                (
                    s.EntityPattern("g", ("Gene",), s.MapLiteral((("name", s.Literal("FBN1")),))),
                    s.RelationshipPattern("in", "r", ("CAUSED_BY", "LINKED"), True, 1, 3),
                    s.EntityPattern("d"),
                )
            ),
        ),
        where=s.Binary(">=", s.Property(s.Variable("d"), "age"), s.Parameter("age")),
    )
    assert isinstance(returned, s.Return)
    assert returned.projection.distinct
    assert returned.projection.order == (s.Order(s.Variable("n"), descending=True),)
    assert (returned.projection.skip, returned.projection.limit) == (s.Literal(1), s.Literal(5))
    assert statement.columns == ("n", "count(*)")
    assert statement.parameters == {"age"}


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("1 + 2 * 3", s.Binary("+", s.Literal(1), s.Binary("*", s.Literal(2), s.Literal(3)))),
        ("NOT a.x = 1 AND b", "(NOT (a.x = 1)) AND b"),
        ("a OR b AND c", "a OR (b AND c)"),
        ("1 < x <= 3", "(1 < x) AND (x <= 3)"),
        ("a.x IS NOT NULL", s.IsNull(s.Property(s.Variable("a"), "x"), negated=True)),
        ("a.name STARTS WITH 'x' + 'y'", "a.name STARTS WITH ('x' + 'y')"),
        ("-x.y", s.Unary("-", s.Property(s.Variable("x"), "y"))),
        ("- 2", s.Literal(-2)),
        ("x[1..2]", s.Slice(s.Variable("x"), s.Literal(1), s.Literal(2))),
        ("x[..-1]", s.Slice(s.Variable("x"), None, s.Literal(-1))),
        ("x[0].y", s.Property(s.Index(s.Variable("x"), s.Literal(0)), "y")),
        ("[x IN xs WHERE x > 1 | x * 2]", s.ListComprehension),
        ("[x IN xs]", s.ListLiteral),
        ("any(x IN xs WHERE x > 1)", s.Quantifier),
        ("exists(a.x)", "a.x IS NOT NULL"),
        ("exists { (a)-->(b) WHERE b.x = 1 }", s.Subquery),
        ("count { MATCH (a)--(b) }", s.Subquery),
        ("size((a)-->())", s.Call),
        ("(a)-->(b)", s.PatternExpression),
        ("(a {x: 1})-->(b)", s.PatternExpression),
        ("(:Gene)<--(b)", s.PatternExpression),
        ("(a) - 1", s.Binary),
        ("[(a)-->(b) | b.name]", s.PatternComprehension),
        ("CASE WHEN x THEN 1 ELSE 2 END", s.Case),
        ("CASE x WHEN 1 THEN 'a' END", s.Case(s.Variable("x"), ((s.Literal(1), s.Literal("a")),), None)),
        ("a:Gene", s.HasLabels(s.Variable("a"), ("Gene",))),
        ("count", s.Variable("count")),
        ("n.order", s.Property(s.Variable("n"), "order")),
        ("`odd ``name`.`in`", s.Property(s.Variable("odd `name"), "in")),
        (r"'it\'s \u00e9\n'", s.Literal("it's é\n")),
        ('"say \\"so\\""', s.Literal('say "so"')),
        ("1.5e3", s.Literal(1500.0)),
        ("TRUE", s.Literal(True)),
        ("a /* all */ + // rest\n b", "a + b"),
    ],
)
def test_expressions_mean_what_cypher_says(text: str, meant: object) -> None:
    if isinstance(meant, type):
        assert isinstance(expression(text), meant)
    else:
        assert expression(text) == (expression(meant) if isinstance(meant, str) else meant)


@pytest.mark.parametrize(
    "text",
    [
        "CREATE (n)",
        "MATCH (n) DELETE n",
        "MATCH (n) DETACH DELETE n",
        "match (n) set n.x = 1 return n",
        "MATCH (n) REMOVE n.x RETURN n",
        "MERGE (n:Gene {id: 'x'}) RETURN n",
        "MATCH (n) RETURN n; CREATE (m)",
        "MATCH (n) /* quiet */ CREATE (m) RETURN n",
        "MATCH (n) // quiet\nCREATE (m) RETURN n",
        "MATCH (n) RETURN n UNION CREATE (m) RETURN m",
        "CALL db.labels()",
        "CALL { CREATE (n) } RETURN 1",
        "MATCH (n) CALL { WITH n SET n.x = 1 } RETURN n",
        "MATCH (n) WHERE EXISTS { CREATE (m) } RETURN n",
        "MATCH (n) WHERE EXISTS { MATCH (m) SET m.x = 1 } RETURN n",
        "FOREACH (x IN [1] | CREATE (n))",
        "LOAD CSV FROM 'file:///x' AS row RETURN row",
        "COPY (MATCH (n) RETURN n) TO 'x.csv'",
        "COPY Gene FROM 'x.csv'",
        "DROP TABLE Gene",
        "CREATE NODE TABLE X(id STRING PRIMARY KEY)",
        "ALTER TABLE Gene ADD x INT64",
        "EXPORT DATABASE 'x'",
        "IMPORT DATABASE 'x'",
        "ATTACH 'x' AS y",
        "INSTALL httpfs",
        "LOAD EXTENSION httpfs",
        "EXPLAIN MATCH (n) RETURN n",
        "BEGIN TRANSACTION",
        "USE other MATCH (n) RETURN n",
    ],
)
def test_whatever_could_write_is_refused(text: str) -> None:
    with pytest.raises(QueryError) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("MATCH (n)", "too early"),
        ("MATCH (n RETURN n", "near 'RETURN n'"),
        ("MATCH (n) SET n.x = 1 RETURN n", "SET is not allowed: queries are read-only"),
        ("MATCH (n)\nWHERE n. = 1 RETURN n", "line 2"),
        ("MATCH (n:A:B) RETURN n", r"\(n:A|B\)"),
        ("MATCH (n) WITH n.x RETURN 1", "needs a name"),
        ("MATCH (a)-[*3..1]->(b) RETURN a", "minimum of 3 above its maximum of 1"),
        ("RETURN 99999999999999999999", "too large"),
        ("RETURN sum(*)", "only count takes"),
        ("RETURN size(x IN xs WHERE x)", "takes no WHERE"),
        ("RETURN 1 UNION RETURN 2 UNION ALL RETURN 3", "cannot be mixed"),
        ("RETURN " + "[" * 300 + "1" + "]" * 300, "nested"),
        ("RETURN '" + "x" * 200_000 + "'", "too long"),
        ("RETURN (1 + 2)-[:R]->(b)", "starts with an entity"),
        (r"RETURN '\Uffffffff'", "an invalid escape"),
    ],
)
def test_what_cannot_be_read_is_one_sentence(text: str, says: str) -> None:
    with pytest.raises(QueryError, match=says) as caught:
        parse(text)
    assert "\n" not in str(caught.value)


@given(st.text(max_size=80) | st.text("MATCHRETURNn()-[]><:{}.,'\"` =1*|$", max_size=60))
def test_any_text_is_a_tree_or_a_query_error(text: str) -> None:
    try:
        statement = parse(text)
    except QueryError:
        return
    assert without_text(parse(write(statement))) == without_text(statement)


@given(st.text(max_size=30))
def test_any_string_survives_quoting(text: str) -> None:
    assert expression(quote_text(text)) == s.Literal(text)


@given(st.text(st.characters(blacklist_categories=["Cs"]), min_size=1, max_size=20))
def test_any_name_survives_quoting(name: str) -> None:
    assert expression(f"n.{quote(name)}") == s.Property(s.Variable("n"), name)
    assert parse(f"MATCH (n:{quote(name)}) RETURN n").queries[0].clauses[0].patterns[0].entities[0].labels == (name,)  # type: ignore[attr-defined]


LEAVES = st.sampled_from(["a", "b.x", "1", "-2", "0.5", "'t'", "true", "null", "$p", "[1, 2]", "(a)-->(b)", "a:Gene"])


def compounds(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    operators = [
        "OR",
        "XOR",
        "AND",
        "=",
        "<>",
        "<",
        ">=",
        "IN",
        "CONTAINS",
        "STARTS WITH",
        "+",
        "-",
        "*",
        "/",
        "%",
        "^",
    ]
    return st.one_of(
        st.tuples(inner, st.sampled_from(operators), inner).map(lambda t: f"({t[0]}) {t[1]} ({t[2]})"),
        inner.map(lambda t: f"NOT ({t})"),
        inner.map(lambda t: f"-({t})"),
        inner.map(lambda t: f"({t}) IS NULL"),
        inner.map(lambda t: f"size({t})"),
        st.tuples(inner, inner).map(lambda t: f"[x IN ({t[0]}) WHERE ({t[1]}) | x]"),
        st.tuples(inner, inner).map(lambda t: f"CASE WHEN ({t[0]}) THEN ({t[1]}) END"),
        st.tuples(inner, inner).map(lambda t: f"({t[0]})[({t[1]})]"),
    )


@given(st.recursive(LEAVES, compounds, max_leaves=8))
@example("((a)[($p)]) - (a)")  # not the end of a relationship
@example("([{x: 1}]) - ((a) - (b))")
def test_writing_and_reading_again_gives_the_same_tree(text: str) -> None:
    tree = expression(text)
    assert expression(write(parse(f"RETURN {text}")).removeprefix("RETURN ")) == tree


def test_real_queries_are_read_and_written_again(data: Path) -> None:
    """At least 99 % of a quarter of 7,548 queries written for Neo4j; most of the rest is not Cypher."""
    with gzip.open(data / "text2cypher" / "pairs.jsonl.gz", "rt") as lines:
        rows = [json.loads(line) for line in list(lines)[::4]]
    read = 0
    for number, row in enumerate(rows):
        try:
            statement = parse(row["cypher"])
        except QueryError:
            continue
        read += 1
        if number % 5 == 0:
            assert without_text(parse(write(statement))) == without_text(statement)
    assert read / len(rows) >= 0.99
