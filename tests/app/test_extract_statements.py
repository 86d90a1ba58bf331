"""`clew statements`: train, export, evaluate and judge, from the command line."""

import json
from pathlib import Path

import pytest

from statement_corpora import write_corpora, write_start


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("statements")
    return write_corpora(folder / "data"), write_start(folder / "start")


def test_from_gold_to_judged_documents(run, folders: tuple[Path, Path], tmp_path: Path) -> None:
    data, start = folders
    trained, model, log = tmp_path / "trained", tmp_path / "model", tmp_path / "dev.jsonl"
    options = ("--epochs", 2, "--texts", data / "biored" / "biored_train.pubtator.gz", "--word-epochs", 1)
    done = run("statements", "train", "--data", data, "--start", start, "--out", trained, *options, "--json")
    assert done.code != 0
    assert "256" in done.error  # the texts fill no row of 256 tokens
    done = run("statements", "train", "--data", data, "--start", start, "--out", trained, "--epochs", 2)
    assert done.code == 0, done.error
    assert "bc5cdr" in done.out
    complete = tmp_path / "complete"
    half = run("statements", "train-reader", trained, "--data", data, "--read", "read.tsv", "--out", complete)
    assert half.code != 0
    assert "--texts" in half.error
    done = run("statements", "train-reader", trained, "--data", data, "--out", complete, "--epochs", 1, "--json")
    assert done.code == 0, done.error
    assert done.json["training"]["reader"]["pairs"] > 0
    assert run("statements", "export", complete, "--out", model, "--json").json["bytes"] > 10_000
    assert (model / "pairs.onnx").is_file()
    report = run("statements", "evaluate", model, "--data", data, "--log", log, "--name", "tiny", "--json").json
    assert report["bc5cdr"]["documents"] == report["biored"]["documents"] == 2
    assert json.loads(log.read_text())["name"] == "tiny"
    assert "help or harm" in run("statements", "evaluate", model, "--data", data).out
    mentions = [
        {"start": 0, "end": 7, "type": "chemical", "ids": ["a"]},
        {"start": 15, "end": 19, "type": "disease", "ids": ["b"]},
    ]
    linked = tmp_path / "linked.jsonl"
    linked.write_text(json.dumps({"id": "1", "text": "aspirin caused gout .", "mentions": mentions}) + "\n")
    found = run("statements", "judge", model, linked, "--all", "--json").json["statements"]
    assert {(each["document"], each["subject"], each["object"], each["corpus"]) for each in found} == {
        ("1", "a", "b", "bc5cdr"),
        ("1", "a", "b", "biored"),
    }


@pytest.mark.parametrize("line", ["{}", "[]", '{"id": 1, "text": "x", "mentions": [{"start": 0}]}', "{"])
def test_a_line_that_cannot_be_used_is_named(run, folders: tuple[Path, Path], tmp_path: Path, line: str) -> None:
    from clew.app.cli.extraction.statements import _read_linked
    from clew.errors import InputError

    path = tmp_path / "linked.jsonl"
    path.write_text(f"\n{line}\n")
    with pytest.raises(InputError, match="line 2"):
        _read_linked(path)


def test_a_model_that_is_not_there(run, tmp_path: Path) -> None:
    done = run("statements", "judge", tmp_path / "none", tmp_path / "none.jsonl")
    assert done.code != 0
    assert "clew statements export" in done.error
