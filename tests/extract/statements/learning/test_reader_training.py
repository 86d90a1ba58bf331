"""A reader is trained for a trained model, and what both readings say is combined on held-out documents."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

from clew.errors import InputError
from clew.extract.statements.gold import Mention, read_training
from clew.extract.statements.learning.pair_reader import ReaderSettings
from clew.extract.statements.learning.reader_training import (
    ReadPair,
    gold_rows,
    read_labels,
    read_rows,
    train_reader,
)
from clew.extract.statements.learning.storage import TrainedModel, read_trained, write_trained
from clew.extract.statements.marking import Marker

SETTINGS = ReaderSettings(frozen=1, epochs=2, batch=8, rate=1e-3, head_rate=3e-3)


def test_a_reader_is_added_and_combined_with_the_model(
    trained: TrainedModel, corpora: Path, start: Path, tmp_path: Path
) -> None:
    held = {**trained.training, "settings": {**trained.training["settings"], "held_out": 0.5}}
    made = train_reader(replace(trained, training=held), read_training(corpora), Marker.for_start(start), SETTINGS)
    assert made.training["reader"]["pairs"] > 0
    assert "induces" in made.training["combinations"]
    assert len(made.training["combinations"]["induces"]["weights"]) == 2 + 3 + 1
    write_trained(tmp_path / "complete", made)
    again = read_trained(tmp_path / "complete")
    assert again.reader is not None
    assert again.training["combinations"]["induces"]["bias"] == made.training["combinations"]["induces"]["bias"]


def test_gold_that_annotates_harm_alone_leaves_help_open(corpora: Path, start: Path) -> None:
    rows = gold_rows(Marker.for_start(start), read_training(corpora))
    bc5cdr = {row.target for row in rows if row.document.startswith("1")}
    biored = {row.target for row in rows if row.document.startswith("2")}
    assert bc5cdr == {(0, 0, 1), (1, 1, 0)}
    assert {(0, 0, 1), (1, 0, 0)} <= biored | {(0, 0, 1)}
    assert (1, 1, 0) not in biored


def test_read_pairs_become_rows_where_their_names_are_found(start: Path) -> None:
    text = "aspirin relieved gout ."
    named = [Mention(0, 7, "chemical", ("a",)), Mention(17, 21, "disease", ("b",))]
    labels = [ReadPair("1", "a", "b", "helps"), ReadPair("1", "a", "c", "harms"), ReadPair("2", "a", "b", "harms")]
    (row,) = read_rows(Marker.for_start(start), labels, {"1": text}, lambda _: named)
    assert (row.document, row.target) == ("1", (0, 1, 0))
    assert row.tokens.dtype == np.int64


def test_a_file_of_read_pairs_is_checked(tmp_path: Path) -> None:
    path = tmp_path / "read.tsv"
    path.write_text("document\tsubject\tobject\tsays\nPMID:1\ta\tb\tnot helps\n")
    assert read_labels(path) == [ReadPair("1", "a", "b", "not helps")]
    path.write_text("document\tsubject\tobject\tsays\n1\ta\tb\tcures\n")
    with pytest.raises(InputError, match="line 2"):
        read_labels(path)
    path.write_text("a\tb\n")
    with pytest.raises(InputError, match="expected the columns"):
        read_labels(path)


def test_verdicts_of_a_review_are_read_pairs(tmp_path: Path) -> None:
    fact = {"document": "PMID:1", "subject": "a", "object": "b", "confidence": 0.9, "sentence": "a b"}
    said = [("treats", "wrong"), ("induces", "right"), ("affects", "right"), ("treats", "unsure"), ("is_a", "right")]
    rows = [{**fact, "object": f"b{at}", "relation": one, "verdict": two} for at, (one, two) in enumerate(said)]
    path = tmp_path / "facts.verdicts.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    found = [(each.object, each.says) for each in read_labels(path)]
    assert found == [("b0", "not helps"), ("b1", "harms"), ("b2", "related")]


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_a_gpu_that_is_not_there_is_refused(trained: TrainedModel, start: Path) -> None:
    with pytest.raises(InputError, match="there is no cuda"):
        train_reader(trained, [], Marker.for_start(start), replace(SETTINGS, device="cuda"))


def test_nothing_to_learn_from_is_said(trained: TrainedModel, start: Path) -> None:
    with pytest.raises(InputError, match="0 pairs to learn from"):
        train_reader(trained, [], Marker.for_start(start), SETTINGS)
