"""Triples as assertions: places that hold, files that build, layers that keep them apart."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

import clew
from clew.errors import DerivedError
from clew.extract.filter.assertions import (
    SCHEMA,
    mint,
    verify_spans,
    write_kgx,
)
from clew.graph import Relation, Source, Where

TEXT = "Gout. Aspirin may worsen gout\tand\nfatty  liver. It is cheap."
SOURCE = Source("clew-extract", version="tiny", license="CC0")


def row(**changed: Any) -> dict[str, Any]:
    sentence = "Aspirin may worsen gout\tand\nfatty  liver."
    start = TEXT.index(sentence)
    said = {
        "subject": "D:1",
        "subject_name": "Aspirin",
        "subject_type": "Drug",
        "relation": "worsens",
        "object": mint("fatty liver"),
        "object_name": "fatty liver",
        "object_type": None,
        "known": False,
        "turned": False,
        "document": "PMID:7",
        "license": "CC0",
        "sentence": sentence,
        "sentence_start": start,
        "sentence_end": start + len(sentence),
        "head_text": "Aspirin",
        "head_start": start,
        "head_end": start + 7,
        "tail_text": "fatty liver",
        "tail_start": TEXT.index("fatty"),
        "tail_end": TEXT.index("fatty") + len("fatty  liver"),
        "log_prob": -1.5,
        "confidence": 0.6,
        "similarity": 0.4,
        "decoder": "beam",
        "model": "tiny-1",
        "head": 0,
        "sequence": 0,
    }
    return said | changed


def table(*rows: dict[str, Any]) -> pa.Table:
    return pa.Table.from_pylist(list(rows), schema=SCHEMA)


def test_places_that_hold_pass() -> None:
    verify_spans(table(row(), row(tail_start=None, tail_end=None, tail_text="podagra")), {"PMID:7": TEXT})


@pytest.mark.parametrize(
    "changed",
    [
        {"head_start": 7},
        {"head_text": "aspirin"},  # the text says Aspirin
        {"head_end": 10_000},
        {"sentence_end": 40},
        {"tail_text": "liver"},
        {"tail_start": 0},
        {"head_start": -57, "head_end": -50},
        {"document": "PMID:8"},
    ],
)
def test_a_place_that_does_not_hold_is_an_error(changed: dict[str, Any]) -> None:
    with pytest.raises(DerivedError, match="triple 1"):
        verify_spans(table(row(), row(**changed)), {"PMID:7": TEXT})


def test_minted_ids_are_those_of_the_words() -> None:
    assert mint("Fatty livers") == mint("fatty-liver")
    assert mint("fatty liver") != mint("fatty lever")
    assert mint("+") != mint("-")


def test_the_files_build_with_curated_ones_and_stay_apart(tmp_path: Path) -> None:
    (tmp_path / "seed_nodes.tsv").write_text(
        "id\tname\tcategory\nD:1\tAspirin\tbiolink:Drug\nX:1\tPain\tbiolink:Disease\n", "utf-8"
    )
    (tmp_path / "seed_edges.tsv").write_text(
        "subject\tpredicate\tobject\tknowledge_level\tagent_type\n"
        "D:1\tbiolink:treats\tX:1\tknowledge_assertion\tmanual_agent\n",
        "utf-8",
    )
    extracted = table(
        row(), row(relation="treats", object="X:1", object_name="Pain", object_type="Disease", document="note 1")
    )
    paths = write_kgx(tmp_path, extracted, relations=[Relation("worsens"), Relation("treats")], source=SOURCE)
    assert [path.name for path in paths] == [
        "extracted_nodes.jsonl",
        "extracted_edges.jsonl",
        "extracted_relations.json",
    ]
    graph = clew.build(tmp_path, out=tmp_path / "both.clew")
    counts = graph.counts
    assert (counts["entities"], counts["triples"], counts["assertions"]) == (3, 2, 3)
    liver = graph.hop("Aspirin", relations="worsens").ids
    assert graph.describe(liver).to_pylist() == [{"id": mint("fatty liver"), "name": "fatty liver", "type": "Entity"}]
    assert len(graph.hop("Aspirin", where=Where(layer="curated")).ids) == 1
    assert len(graph.hop("Aspirin", where=Where(layer="no-extracted")).ids) == 1
    assert len(graph.hop("Aspirin").ids) == 2
    (triple,) = graph.triples("Aspirin", relations="worsens")
    (assertion,) = graph.assertions(triple.number)
    assert assertion.agent_type == "text_mining_agent"
    assert assertion.knowledge_level == "prediction"
    assert assertion.document == "PMID:7"
    assert assertion.evidence == ("PMID:7",)
    assert assertion.source_version == "tiny-1"
    assert assertion.license == "CC0"
    assert assertion.confidence == pytest.approx(0.6)
    said = dict(assertion.qualifiers or {})
    start, end = int(said["head_start"]), int(said["head_end"])
    assert TEXT[start:end] == said["head_text"] == "Aspirin"
    assert said["sentence"] == TEXT[int(said["sentence_start"]) : int(said["sentence_end"])]
    assert graph.snapshot.sources[0].name == "clew-extract"
