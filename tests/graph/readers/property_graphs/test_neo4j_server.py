"""A running server as a source of graphs. It is ArcadeDB, which speaks Bolt; Neo4j itself was not at hand."""

from pathlib import Path

import neo4j
import pytest

import clew
from arcadedb import Server, arcadedb, free_port  # noqa: F401
from clew.bolt.address import PASSWORD_FILE_VARIABLE, PASSWORD_VARIABLE
from clew.errors import InputError, StoreError
from clew.graph.readers import READERS, recognise, stage
from clew.graph.readers.property_graphs import neo4j_server
from clew.graph.staging import Problems

NODES = """
CREATE (a:Gene:Thing {id: 'G:1', name: 'FBN1', size: 3, aliases: ['fibrillin', 'MFS1'], seen: date('2020-05-01')}),
       (b:Disease:Thing {id: 'D:1', name: 'Marfan syndrome', size: 'large'}),
       (c:Disease:Thing {id: 7}),
       (d:Note {text: 'no id'}),
       (a)-[:CAUSES {source: 'X', confidence: 0.5, evidence: ['PMID:1'], dose: 2}]->(b),
       (a)-[:CAUSES {source: 'Y'}]->(b), (b)-[:RESEMBLES]->(c), (c)-[:RESEMBLES]->(c)
"""


@pytest.fixture(scope="module")
def filled(arcadedb: Server) -> tuple[str, str]:  # noqa: F811
    """The address of a database without its password, and the password."""
    url = arcadedb.database()
    address, name = f"bolt://127.0.0.1:{arcadedb.port}", url.rpartition("/")[2]
    with neo4j.GraphDatabase.driver(address, auth=("root", arcadedb.password)) as driver:
        driver.execute_query(NODES, database_=name)
    return f"bolt://root@127.0.0.1:{arcadedb.port}/{name}", arcadedb.password


@pytest.mark.parametrize("block", [2, 10_000])
def test_nodes_and_relationships_become_a_graph(
    filled: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int
) -> None:
    monkeypatch.setattr(neo4j_server, "BLOCK", block)
    (tmp_path / "password").write_text(filled[1] + "\n")
    monkeypatch.delenv(PASSWORD_VARIABLE, raising=False)
    monkeypatch.setenv(PASSWORD_FILE_VARIABLE, str(tmp_path / "password"))
    told: list[tuple[str, int, int | None]] = []
    graph = clew.build(filled[0], out=tmp_path / "g.clew", progress=lambda *report: told.append(report))
    assert {("reading nodes", 4, 4), ("reading relationships", 4, 4)} <= set(told)
    found = graph.details(["G:1", "D:1", "7"]).to_pylist()
    assert [each["size"] for each in found] == ["3", "large", None]
    assert (found[0]["aliases"], found[0]["seen"]) == (["fibrillin", "MFS1"], "2020-05-01")
    assert sorted(found[0]["categories"]) == ["Gene", "Thing"]
    assert graph.describe(graph.resolve(["G:1", "D:1", "7"]))["type"].to_pylist() == ["Gene", "Disease", "Disease"]
    assert graph.counts["entities"] == 4
    (path,) = graph.paths("G:1", "D:1", k=1)
    stated = sorted(graph.assertions(path.triples[0].number), key=lambda each: each.source or "")
    assert [(each.source, each.confidence, each.evidence) for each in stated] == [
        ("X", 0.5, ("PMID:1",)),
        ("Y", None, ()),
    ]
    assert stated[0].qualifiers == {"dose": "2"}
    assert {each.name: each.triples for each in graph.schema.relations} == {"CAUSES": 1, "RESEMBLES": 2}


def test_another_property_is_the_id(filled: tuple[str, str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, filled[1])
    problems = Problems("refuse")
    staged = stage(filled[0], entity_columns={"id": "name"}, problems=problems)
    ids = staged.entities["id"].to_pylist()
    assert {"FBN1", "Marfan syndrome"} < set(ids)
    assert problems.differences == {"node without an id": 2}
    assert "--entity-column id=PROPERTY" in problems.difference_examples[0]


def test_what_is_refused(filled: tuple[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(PASSWORD_VARIABLE, "not this one")
    problems = Problems("refuse")
    with pytest.raises(StoreError, match="rejects the user 'root' with this password"):
        stage(filled[0], problems=problems)
    with pytest.raises(InputError, match="a password in an address can be seen by everyone"):
        stage(filled[0].replace("root@", "root:secret@"), problems=problems)
    with pytest.raises(StoreError, match="no Bolt server answers"):
        clew.build(f"bolt://127.0.0.1:{free_port()}", out=tmp_path / "none.clew")
    assert not (tmp_path / "none.clew").exists()
    monkeypatch.delenv(PASSWORD_VARIABLE)
    monkeypatch.setenv(PASSWORD_FILE_VARIABLE, str(tmp_path / "absent"))
    with pytest.raises(InputError, match=r"cannot read the password in .*absent"):
        stage(filled[0], problems=problems)


def test_addresses_are_recognised() -> None:
    assert {recognise(f"{each}host") for each in ("bolt://", "neo4j+s://", "bolt+ssc://")} == {"neo4j-server"}
    assert READERS.entry("neo4j-server").extra == "server"
