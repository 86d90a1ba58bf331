"""The bench of the language-model baseline: whole abstracts are drawn, read, linked and held against their gold."""

import argparse
import gzip
import json
from pathlib import Path

import pyarrow as pa
from benchmarks.extraction_baseline import draw_documents, run

import clew
from clew.evaluate.extraction.pubtator import read_pubtator
from clew.extract.corpus import Input, prepare_corpus
from clew.lm.clients.scripted import Scripted

ABSTRACTS = """1|t|Lithium and tremor.
1|a|Lithium caused a tremor in two patients.
1\t0\t7\tLithium\tChemical\tD1
1\t12\t18\ttremor\tDisease\tD3
1\tCID\tD1\tD3

2|t|Zinc and rash.
2|a|Zinc caused a rash in one patient.
2\t0\t4\tZinc\tChemical\tD2
2\t9\t13\trash\tDisease\tD4
2\tCID\tD2\tD4
"""
SAID = "lithium | induces | tremor\nlithium | induces | a fine tremor of both hands\nzinc | treats | tremor"


def made(place: Path) -> argparse.Namespace:
    """A seed, a corpus of two abstracts and where everything goes."""
    (place / "bc5cdr").mkdir()
    text = place / "bc5cdr" / "cdr_dev.pubtator.gz"
    text.write_bytes(gzip.compress(ABSTRACTS.encode()))
    prepare_corpus([Input(text, source="BC5CDR", license="public domain", format="pubtator")], place / "run")
    entities = pa.table(
        {
            "id": ["CHEBI:1", "CHEBI:2", "MONDO:3", "MONDO:4"],
            "name": ["lithium", "zinc", "tremor", "rash"],
            "type": ["Chemical", "Chemical", "Disease", "Disease"],
            "xrefs": [["MESH:D1"], ["MESH:D2"], ["MESH:D3"], ["MESH:D4"]],
        }
    )
    rows = {"subject": ["CHEBI:1", "CHEBI:2"], "relation": ["induces", "treats"], "object": ["MONDO:3", "MONDO:4"]}
    clew.build(pa.table(rows), entities=entities, out=place / "seed.clew")
    (place / "relations.json").write_text(json.dumps(["induces", "treats"]))
    return argparse.Namespace(
        run=place / "run",
        graph=place / "seed.clew",
        data=place,
        relations=place / "relations.json",
        abstracts=2,
        seed=0,
        triples=place / "triples.parquet",
    )


def test_drawn_abstracts_are_read_and_scored_against_their_gold(tmp_path: Path) -> None:
    model = Scripted(lambda request: SAID if "Lithium" in request.messages[-1].content else "none")
    report = run(model, made(tmp_path))
    assert report["documents"] == ["PMID:1", "PMID:2"]
    assert (report["chunks"], report["triples"], len(model.requests)) == (2, 3, 2)
    assert report["by relation"] == {
        "induces": {"triples": 2, "both ends linked": 1},
        "treats": {"triples": 1, "both ends linked": 1},
    }
    figures = report["bc5cdr"]["figures"]
    assert (figures["hits"], figures["predicted"], figures["gold"]) == (1, 1, 2)


def test_more_drawn_abstracts_hold_the_fewer(tmp_path: Path) -> None:
    made(tmp_path)
    abstracts = read_pubtator(tmp_path / "bc5cdr" / "cdr_dev.pubtator.gz")
    one, two = (draw_documents(abstracts, count, seed=1) for count in (1, 2))
    assert two[:1] == one
    assert set(two) == {"PMID:1", "PMID:2"}
