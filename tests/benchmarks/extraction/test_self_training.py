"""The recipe of the shipped model runs from gold to an exported model, on a corpus that can be learnt by heart."""

import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from benchmarks.extraction.self_training import (
    Place,
    fold_of,
    mark_texts,
    prepare,
    train_student,
    train_teacher,
    train_words,
)

from benchmarks.extraction import self_training
from clew.extract.statements.examples import load_examples
from clew.extract.statements.prediction import StatementModel
from statement_corpora import write_corpora, write_start


def test_every_step_leads_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    data, start = write_corpora(tmp_path / "data"), write_start(tmp_path / "start")
    empty = {"entities": {"id": [], "xrefs": []}, "triples": {"subject": [], "relation": [], "object": []}}
    for name, columns in empty.items():
        pq.write_table(pa.table(columns), tmp_path / f"{name}.parquet")
    inputs = tmp_path / "inputs"
    prepare(data, start, tmp_path, [str(data / "bc5cdr" / "cdr_train.pubtator.gz")], inputs)
    assert not any(each.labels.any() for each in load_examples(inputs / "dev.npz"))
    place = Place(inputs, tmp_path / "work", "cpu", word_epochs=1, texts=4, epochs=1, guess_epochs=1, gold_epochs=1)
    place.work.mkdir()
    monkeypatch.setattr(self_training, "TEACHERS", self_training.TEACHERS[:1])
    monkeypatch.setattr(self_training, "SEEDS", 1)
    train_words(place)
    mark_texts(place)
    for fold in range(self_training.FOLDS):
        train_teacher(place, fold, 0)
    for fold in (*range(self_training.FOLDS), None):
        train_student(place, fold, 0)
    found = self_training.finish(place, tmp_path / "out")
    assert found["left_out"]["bc5cdr"]["gold"] == 3
    (scored,) = self_training.score(data, start, tmp_path, tmp_path / "out", tmp_path / "dev.jsonl")
    assert json.loads((tmp_path / "dev.jsonl").read_text())["bc5cdr"] == scored["bc5cdr"]
    assert scored["bc5cdr"]["documents"] == 2
    assert StatementModel.open(tmp_path / "out" / "statements").thresholds.keys() == found["relations"].keys()


def test_an_abstract_is_in_one_fold() -> None:
    assert {fold_of(str(each)) for each in range(100)} == set(range(self_training.FOLDS))
