"""Ends of triples: linked to entities of the right type, else minted."""

import pyarrow as pa
import pytest

import clew
from clew.extract.filter.assertions import mint
from clew.extract.filter.entities import EntityResolver, known_triples
from clew.extract.seed.signatures import Signatures
from clew.graph import Relation
from clew.traverse import GraphEngine
from clew.traverse import open as open_graph


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> GraphEngine:
    path = tmp_path_factory.mktemp("ends") / "small.clew"
    entities = pa.table(
        {
            "id": ["D:1", "D:2", "C:1", "C:2"],
            "name": ["Gout", "Cold", "Cold", "Aspirin"],
            "type": ["Disease", "Disease", "Drug", "Drug"],
        }
    )
    triples = pa.table({"subject": ["C:2", "D:1"], "relation": ["treats", "near"], "object": ["D:1", "D:2"]})
    clew.build(triples, entities=entities, relations=[Relation("near", symmetric=True)], out=path)
    return open_graph(path)


def test_a_tail_is_an_entity_of_a_type_that_the_relation_leads_to(graph: GraphEngine) -> None:
    ends = EntityResolver(graph, Signatures.of_schema(graph.schema))
    cold, gout, new = ends.objects(["cold", "GOUT", "goutt"], ["treats"] * 3, ["Drug"] * 3)
    assert (cold.id, cold.type, cold.linked) == ("D:2", "Disease", True)  # the drug of that name is none
    assert (gout.id, gout.name, gout.type) == ("D:1", "Gout", "Disease")
    assert (new.id, new.type, new.linked) == (mint("goutt"), None, False)


def test_heads_are_their_entities_or_minted(graph: GraphEngine) -> None:
    ends = EntityResolver(graph, Signatures.of_schema(graph.schema))
    linked, free = ends.mentioned(["ASA", "Ziconotides"], ["C:2", None], ["Drug", None])
    assert (linked.id, linked.name, linked.type) == ("C:2", "Aspirin", "Drug")
    assert (free.id, free.name) == (mint("ziconotide"), "ziconotides")


def test_known_triples_are_those_of_the_graph(graph: GraphEngine) -> None:
    subjects = ["C:2", "D:1", "D:2", "D:1", "C:2", "CLEW:x"]
    relations = ["treats", "near", "near", "treats", "heals", "treats"]
    objects = ["D:1", "D:2", "D:1", "C:2", "D:1", "D:1"]
    assert known_triples(graph, subjects, relations, objects) == [True, True, True, False, False, False]
    assert known_triples(graph, [], [], []) == []
