"""`clew eval extraction`: tables for people, one object for machines, and refusals in one sentence."""

import json
from pathlib import Path

import numpy as np
import pytest
import typer

from clew.app.cli.eval_extraction import application
from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr_arrays import make_bc5cdr_arrays
from clew.evaluate.extraction.pubtator import read_pubtator
from tokenizers_of_texts import learn_tokenizer


def asked(*arguments: object) -> None:
    command = typer.main.get_command(application())
    command.main([str(each) for each in arguments], prog_name="clew eval extraction", standalone_mode=False)


@pytest.fixture(scope="module")
def arrays(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Questions cut by a tokenizer of the corpus's own."""
    folder, out = data / "bc5cdr", tmp_path_factory.mktemp("arrays")
    texts = [each.text for each in read_pubtator(folder / "cdr_train.pubtator.gz")]
    tokenizer = learn_tokenizer(texts, out / "tokenizer.json")
    parts = (folder / f"cdr_{part}.pubtator.gz" for part in ("train", "dev"))
    make_bc5cdr_arrays(*parts, out / "made", tokenizer=tokenizer, relations=["induces"])
    return out / "made"


def test_rules_alone_are_shown_without_a_model(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked("bc5cdr", "--data", data)
    shown = capsys.readouterr().out
    assert "sentence co-occurrence" in shown
    assert "0.310      0.757   0.440" in shown
    assert "without hypernyms" not in shown


def test_scores_from_elsewhere_are_shown_and_logged_once(
    data: Path, arrays: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for part in ("train", "dev"):
        rows = len(np.load(arrays / f"scoring-{part}" / "row_query.npy"))
        np.save(tmp_path / f"{part}.npy", np.random.default_rng(0).normal(-9, 1, rows).astype(np.float32))
    log = tmp_path / "dev.jsonl"
    options = ("--data", data, "--arrays", arrays, "--scores", tmp_path, "--name", "noise", "--log", log)
    asked("bc5cdr", *options, "--json")
    report = json.loads(capsys.readouterr().out)
    assert report["configuration"] == "noise"
    parts = {(row["name"], row["part"]): row["figures"] for row in report["rows"]}
    assert parts["model", "dev"]["gold"] == 1012
    assert parts["model", "dev"]["f1"]["mean"] < 0.5
    assert json.loads(log.read_text("utf-8"))["configuration"] == "noise"
    asked("bc5cdr", *options)
    assert "chosen on train" in capsys.readouterr().out
    assert len(log.read_text("utf-8").splitlines()) == 1
    np.save(tmp_path / "dev.npy", np.load(tmp_path / "dev.npy") * 2)
    with pytest.raises(InputError, match="scored once"):
        asked("bc5cdr", *options)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--log", "x.jsonl"), "give --name"),
        (("--scores", "nowhere", "--arrays", "nowhere"), "holds no questions"),
        (("--model", "nowhere"), "not the directory of a trained model"),
    ],
)
def test_what_cannot_be_used_is_refused(data: Path, arguments: tuple[str, ...], said: str) -> None:
    with pytest.raises(InputError, match=said):
        asked("bc5cdr", "--data", data, *arguments)


def test_scores_of_planted_facts_need_their_model() -> None:
    with pytest.raises(InputError, match="--scores are of 'full', which is no --model"):
        asked("planted", "run", "--graph", "seed.clew", "--scores", "full=planted.npy")


def test_every_command_has_examples(capsys: pytest.CaptureFixture[str]) -> None:
    for command in ("bc5cdr", "planted", "judge", "baseline"):
        asked(command, "--help")
        assert capsys.readouterr().out.count(f"clew eval extraction {command}") >= 2
