"""End to end: entities of the seed become MeSH ids, the best of a pair counts, the threshold comes from train."""

from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.evaluate.extraction.bc5cdr.abstracts import Abstract
from clew.evaluate.extraction.bc5cdr.end_to_end import Extracted, mesh_ids, score_end_to_end
from clew.traverse import Engine, open


def document(number: str, *induces: tuple[str, str]) -> Abstract:
    return Abstract(number, "", "", (), frozenset(induces))


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    out = tmp_path_factory.mktemp("seed") / "seed.clew"
    entities = pa.table(
        {
            "id": ["CHEBI:1", "MESH:D2", "MONDO:3", "MONDO:4"],
            "name": ["lithium", "zinc", "tremor", "rash"],
            "type": ["Chemical", "Chemical", "Disease", "Disease"],
            "xrefs": [["MESH:D1", "CAS:7"], [], ["UMLS:C1", "MESH:D3"], ["UMLS:C2"]],
        }
    )
    triples = pa.table({"subject": ["CHEBI:1"], "relation": ["induces"], "object": ["MONDO:3"]})
    clew.build(triples, entities=entities, out=out)
    return open(out)


def test_entities_are_mesh_records_by_id_and_cross_reference(graph: Engine) -> None:
    found = mesh_ids(graph, ["MONDO:3", "CHEBI:1", "MESH:D2", "MONDO:4", "MONDO:3", "CLEW:0"])
    assert found == {"MONDO:3": ("D3",), "CHEBI:1": ("D1",), "MESH:D2": ("D2",)}


def test_a_graph_of_mesh_knows_records_by_name(graph: Engine, tmp_path: Path) -> None:
    entities = pa.table({"id": ["MESH:D4", "MESH:D9"], "name": ["Rash", "Tremor"], "type": ["Disease", "Disease"]})
    triples = pa.table({"subject": ["MESH:D4"], "relation": ["is_a"], "object": ["MESH:D9"]})
    clew.build(triples, entities=entities, out=tmp_path / "mesh.clew")
    found = mesh_ids(graph, ["MONDO:3", "MONDO:4", "MESH:D2"], mesh=open(tmp_path / "mesh.clew"))
    assert found == {"MONDO:3": ("D3",), "MONDO:4": ("D4",), "MESH:D2": ("D2",)}  # an id goes before a name


def test_the_threshold_comes_from_train_and_the_best_mention_counts(tmp_path: Path) -> None:
    mesh = {"c": ("C",), "d": ("D",), "e": ("E", "F")}
    train = [document("1", ("C", "D")), document("2", ("C", "D"))]
    dev = [document("3", ("C", "D"), ("C", "E")), document("4")]
    extracted = [
        Extracted("PMID:1", "c", "d", -1.0),
        Extracted("PMID:2", "c", "d", -9.0),
        Extracted("PMID:2", "c", "d", -2.0),
        Extracted("PMID:2", "c", "e", -5.0),
        Extracted("PMID:3", "c", "d", -3.0),
        Extracted("PMID:3", "c", "e", -6.0),
        Extracted("PMID:4", "c", "unlinked", -0.1),
        Extracted("PMID:4", "c", "d", -4.0),
        Extracted("PMID:9", "c", "d", -0.1),
    ]
    on_train, on_dev = score_end_to_end("end to end", extracted, mesh, train, dev)
    assert (on_train.figures.hits, on_train.figures.predicted, on_train.figures.gold) == (2, 2, 2)
    assert "-3.500" in on_dev.note
    assert (on_dev.figures.hits, on_dev.figures.predicted, on_dev.figures.gold) == (1, 1, 2)


def test_nothing_extracted_is_a_row_of_zeros() -> None:
    rows = score_end_to_end("none", [], {}, [document("1", ("C", "D"))], [document("2", ("C", "D"))])
    assert [row.figures.f1.mean for row in rows] == [0.0, 0.0]
