"""Triples of some documents: weighed here, or elsewhere between two calls, with the same outcome."""

import json
import sys
from pathlib import Path

import numpy as np
import pytest
from benchmarks.extraction_sample import describe, draw_documents, main

from clew.extract.filter.triples import read_triples
from clew.extract.predict.predictions import open_predictor
from clew.extract.predict.query_arrays import read_query_arrays
from clew.graph import Graph


@pytest.fixture
def call(short_run: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run the script; what it printed."""
    stated = ["--run", short_run, "--seed-graph", short_run / "seed.clew", "--model", short_run / "model"]

    def call(*more: object) -> dict[str, object]:
        monkeypatch.setattr(sys, "argv", ["extraction_sample", *map(str, [*stated, "--least", 0.2, *more])])
        main()
        return json.loads(capsys.readouterr().out)

    return call


def test_weighed_elsewhere_is_the_same_as_weighed_here(call, short_run: Path, tmp_path: Path) -> None:
    here = call("--out", tmp_path / "here", "--all")
    asked = call("--out", tmp_path / "there", "--all", "--ask")
    assert asked == {"asked": here["asked"]}
    predictor = open_predictor(short_run / "model", device="cpu")
    said = predictor.answer(read_query_arrays(tmp_path / "there" / "queries"), 0)
    (tmp_path / "said").mkdir()
    np.save(tmp_path / "said" / "weights.npy", said.weights.astype(np.float16))
    there = call("--out", tmp_path / "there", "--said", tmp_path / "said")
    assert there == {name: counts for name, counts in here.items() if name != "asked"}
    assert here["triples"]["assertions"] > 0


def test_only_the_documents_that_were_drawn_are_asked_about(call, tmp_path: Path) -> None:
    call("--out", tmp_path / "some", "--documents", 20)
    documents = set(read_triples(tmp_path / "some")["document"].to_pylist())
    (tmp_path / "listed").write_text("\n".join(sorted(documents)[:3]), "utf-8")
    assert 3 < len(documents) <= 20
    call("--out", tmp_path / "listed-run", "--listed", tmp_path / "listed")
    assert set(read_triples(tmp_path / "listed-run")["document"].to_pylist()) == set(sorted(documents)[:3])


def test_a_directory_that_is_there_is_not_written_over(call, tmp_path: Path) -> None:
    for options in (["--out", tmp_path, "--all"], ["--out", tmp_path / "none", "--said", tmp_path]):
        with pytest.raises(SystemExit):
            call(*options)


def test_documents_are_drawn_the_same_way_again() -> None:
    documents = [f"PMID:{number}" for number in range(50)]
    drawn = draw_documents(documents * 2, 10)
    assert drawn == draw_documents(documents, 10)
    assert len(set(drawn)) == 10


def test_assertions_are_counted_by_what_the_model_was_shown(short_run: Path) -> None:
    counted = describe(short_run, Graph(short_run / "seed.clew"))
    triples = read_triples(short_run)
    assert sum(sum(each.values()) for each in counted.values()) == triples.num_rows
    known = sum(number for each in counted.values() for name, number in each.items() if name.startswith("known"))
    assert known == sum(triples["known"].to_pylist())
    assert any("known: a leaf shows the pair" in each for each in counted.values())
