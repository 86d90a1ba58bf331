"""`clew cypher`."""

import shutil
from pathlib import Path

import pytest


@pytest.fixture
def own(graph: Path, tmp_path: Path) -> Path:
    """A copy of the graph that may be given a store."""
    return Path(shutil.copytree(graph, tmp_path / "own.clew"))


QUERY = "MATCH (g:Gene {name: $gene})-[r:CAUSES]->(d:Disease) RETURN d.id, d, r, r.source ORDER BY d.id"


def test_the_store_is_built_on_first_use(run, own: Path) -> None:
    first = run("cypher", own, QUERY, "--param", "gene=FBN1", "--json")
    assert first.code == 0
    assert first.error == f"clew: building the embedded Cypher store of {own}, once\n"
    report = first.json
    assert list(report) == ["graph", "store", "query", "columns", "count", "truncated", "seconds", "rows"]
    assert report["columns"] == ["d.id", "d", "r", "r.source"]
    assert [row[0] for row in report["rows"]] == ["D:1", "D:2", "D:3"]
    assert report["rows"][1][1]["name"] == "Two\nlines\tand a tab"
    assert report["rows"][0][2]["relation"] == "causes"
    second = run("cypher", own, QUERY, "--param", "gene=FBN1", "--json")
    assert (second.error, second.json["rows"]) == ("", report["rows"])


def test_for_people(run, own: Path) -> None:
    out = run("cypher", own, QUERY, "--param", "gene=FBN1").out
    assert "Marfan syndrome (D:1)" in out
    assert "Two\\nlines" in out
    assert "G:1 causes D:1" in out
    assert "[A]" in out
    assert "3 rows in" in out


def test_long_lists_are_shortened_and_rows_are_capped(run, own: Path) -> None:
    out = run("cypher", own, "MATCH (n) RETURN collect(n.id) AS ids").out
    assert "… (10 in all)]" in out
    capped = run("cypher", own, "MATCH (n) RETURN n.id", "--limit", 3)
    assert "3 rows (there are more: --limit)" in capped.out
    assert run("cypher", own, "MATCH (n) RETURN n.id", "--limit", 3, "--json").json["truncated"] is True
    assert run("cypher", own, "MATCH (n) RETURN n.id", "--limit", -1).code == 2


def test_parameters_are_json_or_text(run, own: Path) -> None:
    query = "MATCH (n) WHERE n.id IN $ids RETURN n.id ORDER BY n.id LIMIT $many"
    ran = run("cypher", own, query, "-p", 'ids=["G:1","P:1","P:2"]', "-p", "many=2", "--json")
    assert ran.json["rows"] == [["G:1"], ["P:1"]]
    assert run("cypher", own, query, "-p", "ids", "--json").code == 2
    missing = run("cypher", own, query, "-p", "many=2")
    assert (missing.code, "$ids" in missing.error) == (2, True)


def test_schema_needs_no_store(run, own: Path) -> None:
    report = run("cypher", own, "--schema", "--json").json
    assert list(report) == ["graph", "snapshot", "labels", "properties", "relationships"]
    named = {each["name"]: each for each in report["relationships"]}
    assert named["CAUSES"]["ends"] == [{"subject": "Gene", "object": "Disease", "count": 3}]
    assert (named["NEAR"]["symmetric"], named["LACKS"]["negated"]) == (True, True)
    assert not (own / "derived").exists()
    out = run("cypher", own, "--schema").out
    assert "Disease → Phenotype" in out
    assert "q_frequency (strings)" in out


def test_loading(run, own: Path, tmp_path: Path) -> None:
    report = run("cypher", own, "--load", "--store", tmp_path / "store", "--json").json
    assert (report["entities"], report["relationships"]) == (10, 10)
    assert "10 entities and 10 relationships" in run("cypher", own, "--load").out
    ran = run("cypher", own, "MATCH (n:Gene) RETURN count(n) AS n", "--store", tmp_path / "store", "--json")
    assert ran.json["rows"] == [[2]]


@pytest.mark.parametrize("query", ["MATCH (n) DELETE n", "CREATE (n)", "MATCH (n"])
def test_a_query_that_does_not_read_builds_nothing(run, own: Path, query: str) -> None:
    refused = run("cypher", own, query)
    assert (refused.code, refused.error.count("\n")) == (2, 1)
    assert not (own / "derived").exists()


def test_one_thing_at_a_time(run, own: Path) -> None:
    for arguments in ((), ("--load", "--schema"), ("RETURN 1 AS x", "--load")):
        assert "exactly one" in run("cypher", own, *arguments).error


def test_a_password_is_never_shown(run, own: Path) -> None:
    for arguments in (("--load",), ("MATCH (n) RETURN n",)):
        ran = run("cypher", own, *arguments, "--store", "bolt://neo4j:geheim@127.0.0.1:1/kg")
        assert ran.code == 1
        assert "bolt://127.0.0.1:1/kg" in ran.error
        assert "geheim" not in ran.error + ran.out
    assert run("cypher", own, "RETURN 1 AS x", "--timeout", 0).code == 2
