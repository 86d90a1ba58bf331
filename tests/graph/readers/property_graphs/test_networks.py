"""NetworkX graphs and GraphML files: attributes as columns, undirected graphs as symmetric relations."""

from pathlib import Path

import networkx
import pytest

import clew
from clew.errors import InputError
from clew.graph.readers import stage
from clew.graph.staging import Problems, Relation


def test_a_directed_network() -> None:
    network = networkx.MultiDiGraph()
    network.add_node(1, label="One", size=3)
    network.add_edge(1, "b", relation="likes", weight=2, source="S")
    network.add_edge(1, "b", key="knows")
    network.add_edge("b", "b")
    staged = stage(network, problems=Problems())
    rows = {(row["subject"], row["relation"], row["object"], row["source"]) for row in staged.triples.to_pylist()}
    assert rows == {("1", "likes", "b", "S"), ("1", "knows", "b", None), ("b", "related_to", "b", None)}
    assert staged.triples["qualifier:weight"].to_pylist() == ["2", None, None]
    assert staged.entities is not None
    assert staged.entities.to_pylist() == [
        {"id": "1", "name": "One", "size": 3},
        {"id": "b", "name": None, "size": None},
    ]


def test_an_undirected_network_is_symmetric(tmp_path: Path) -> None:
    graph = clew.build(networkx.Graph([("a", "b"), ("b", "c")]), out=tmp_path / "g.clew")
    assert sorted(graph.hop("b")) == ["a", "c"]
    staged = stage(networkx.Graph([("a", "b")]), problems=Problems())
    assert staged.relations == [Relation("related_to", symmetric=True)]


def test_two_nodes_of_one_text() -> None:
    with pytest.raises(InputError, match="the same text"):
        stage(networkx.DiGraph([(1, "1")]), problems=Problems())


def test_the_networkx_format_takes_networks_only() -> None:
    with pytest.raises(InputError, match="takes a NetworkX graph from Python, got str"):
        stage("x", format="networkx", problems=Problems())


@pytest.mark.parametrize("directed", [True, False])
def test_graphml_that_networkx_wrote(tmp_path: Path, directed: bool) -> None:
    network = networkx.DiGraph() if directed else networkx.Graph()
    network.add_node("a", name="A & <b>", size=3, big=True, share=0.5)
    network.add_edge("a", "b", relation="likes", confidence=0.25)
    networkx.write_graphml(network, tmp_path / "mine.graphml")
    staged = stage(tmp_path / "mine.graphml", problems=Problems())
    (row,) = staged.triples.to_pylist()
    assert row == {"subject": "a", "relation": "likes", "object": "b", "confidence": 0.25}
    assert staged.relations == ([] if directed else [Relation("likes", symmetric=True)])
    assert staged.entities is not None
    first = staged.entities.to_pylist()[0]
    assert first == {"id": "a", "name": "A & <b>", "size": 3, "big": True, "share": 0.5}


def test_bad_values_and_what_is_no_graphml(tmp_path: Path) -> None:
    path = tmp_path / "mine.graphml"
    path.write_text(
        '<graphml><key id="k" for="node" attr.name="size" attr.type="int"/><graph edgedefault="directed">'
        '<node id="a"><data key="k">big</data></node><node/><edge source="a"/><hyperedge/></graph></graphml>'
    )
    problems = Problems("skip")
    staged = stage(path, problems=problems)
    assert staged.entities is not None
    assert staged.entities.num_rows == 1
    assert problems.counts == {"malformed value": 1, "malformed row": 2}
    assert problems.differences == {"hyperedge of GraphML left out": 1}
    for text, words in (("<svg/>", "has no element graph"), ("<graphml", "cannot be read as GraphML")):
        path.write_text(text)
        with pytest.raises(InputError, match=words):
            stage(path, problems=Problems())
