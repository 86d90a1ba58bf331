"""`clew cypher`."""

from pathlib import Path

import pytest

QUERY = "MATCH (g:Gene {name: $gene})-[r:CAUSES]->(d:Disease) RETURN d.id, d, r, r.source ORDER BY d.id"


def test_the_store_is_built_on_first_use(run, graph: Path) -> None:
    first = run("cypher", graph, QUERY, "--param", "gene=FBN1", "--json")
    assert first.code == 0
    assert first.error == f"clew: building the embedded Cypher store of {graph}, once\n"
    report = first.json
    assert list(report) == ["graph", "store", "query", "columns", "count", "truncated", "seconds", "rows"]
    assert report["columns"] == ["d.id", "d", "r", "r.source"]
    assert [row[0] for row in report["rows"]] == ["D:1", "D:2", "D:3"]
    assert report["rows"][1][1]["name"] == "Two\nlines\tand a tab"
    assert report["rows"][0][2]["relation"] == "causes"
    second = run("cypher", graph, QUERY, "--param", "gene=FBN1", "--json")
    assert (second.error, second.json["rows"]) == ("", report["rows"])


def test_for_people(run, graph: Path) -> None:
    out = run("cypher", graph, QUERY, "--param", "gene=FBN1").out
    assert "Marfan syndrome (D:1)" in out
    assert "Two\\nlines" in out
    assert "G:1 causes D:1" in out
    assert "[A]" in out
    assert "3 rows in" in out


def test_long_lists_are_shortened_and_rows_are_capped(run, graph: Path) -> None:
    out = run("cypher", graph, "MATCH (n) RETURN collect(n.id) AS ids").out
    assert "… (10 in all)]" in out
    capped = run("cypher", graph, "MATCH (n) RETURN n.id", "--limit", 3)
    assert "3 rows (there are more: --limit)" in capped.out
    assert run("cypher", graph, "MATCH (n) RETURN n.id", "--limit", 3, "--json").json["truncated"] is True
    assert run("cypher", graph, "MATCH (n) RETURN n.id", "--limit", -1).code == 2


def test_parameters_are_json_or_text(run, graph: Path) -> None:
    query = "MATCH (n) WHERE n.id IN $ids RETURN n.id ORDER BY n.id LIMIT $many"
    ran = run("cypher", graph, query, "-p", 'ids=["G:1","P:1","P:2"]', "-p", "many=2", "--json")
    assert ran.json["rows"] == [["G:1"], ["P:1"]]
    assert run("cypher", graph, query, "-p", "ids", "--json").code == 2
    missing = run("cypher", graph, query, "-p", "many=2")
    assert (missing.code, "$ids" in missing.error) == (2, True)


def test_schema_needs_no_store(run, graph: Path) -> None:
    report = run("cypher", graph, "--schema", "--json").json
    assert list(report) == ["graph", "snapshot", "labels", "properties", "relationships"]
    named = {each["name"]: each for each in report["relationships"]}
    assert named["CAUSES"]["ends"] == [{"subject": "Gene", "object": "Disease", "count": 3}]
    assert (named["NEAR"]["symmetric"], named["LACKS"]["negated"]) == (True, True)
    assert not (graph / "derived").exists()
    out = run("cypher", graph, "--schema").out
    assert "Disease → Phenotype" in out
    assert "q_frequency (strings)" in out


def test_loading(run, graph: Path, tmp_path: Path) -> None:
    report = run("cypher", graph, "--load", "--store", tmp_path / "store", "--json").json
    assert (report["entities"], report["relationships"]) == (10, 10)
    assert "10 entities and 10 relationships" in run("cypher", graph, "--load").out
    ran = run("cypher", graph, "MATCH (n:Gene) RETURN count(n) AS n", "--store", tmp_path / "store", "--json")
    assert ran.json["rows"] == [[2]]


@pytest.mark.parametrize("query", ["MATCH (n) DELETE n", "CREATE (n)", "MATCH (n"])
def test_a_query_that_does_not_read_builds_nothing(run, graph: Path, query: str) -> None:
    refused = run("cypher", graph, query)
    assert (refused.code, refused.error.count("\n")) == (2, 1)
    assert not (graph / "derived").exists()


def test_one_thing_at_a_time(run, graph: Path) -> None:
    for arguments in ((), ("--load", "--schema"), ("RETURN 1 AS x", "--load")):
        assert "exactly one" in run("cypher", graph, *arguments).error


def test_a_password_is_never_shown(run, graph: Path) -> None:
    for arguments in (("--load",), ("MATCH (n) RETURN n",)):
        ran = run("cypher", graph, *arguments, "--store", "bolt://neo4j:geheim@127.0.0.1:1/kg")
        assert ran.code == 1
        assert "bolt://127.0.0.1:1/kg" in ran.error
        assert "geheim" not in ran.error + ran.out
    assert run("cypher", graph, "RETURN 1 AS x", "--timeout", 0).code == 2
