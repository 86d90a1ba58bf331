"""`clew extract` on the toy corpus: what is printed, what is remembered, and what is refused."""

import io
from pathlib import Path

import pytest

import clew
from clew.app.cli import main as command_line
from clew.extract.toy import toy_corpus, toy_seed

DOCUMENTS = 9


@pytest.fixture(scope="module")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over a few documents, with a model that has hardly been trained."""
    folder = tmp_path_factory.mktemp("short")
    few = toy_corpus().read_text("utf-8").splitlines(keepends=True)[:DOCUMENTS]
    (folder / "few.jsonl").write_text("".join(few), "utf-8")
    clew.build(toy_seed(), out=folder / "seed.clew")
    texts = ["extract", "run", folder / "run", folder / "few.jsonl", "--seed-graph", folder / "seed.clew"]
    settings = ["--size", "tiny", "--steps", 3, "--confidence", 0, "--device", "cpu"]
    assert command_line.main([str(each) for each in (*texts, *settings)]) == 0
    return folder / "run"


def test_status_lists_every_stage(run, short_run: Path) -> None:
    done = run("extract", "status", short_run)
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0].split() == ["stage", "command", "state", "contents", "counts"]
    assert sum(" finished " in line for line in lines) == 14
    assert f"{DOCUMENTS} documents" in done.out
    assert f"clew build {short_run}/triples" in done.out


def test_json_is_one_object_with_stages_and_triples(run, short_run: Path) -> None:
    report = run("extract", "status", short_run, "--limit", 2, "--json").json
    assert list(report) == ["action", "run", "seconds", "stages", "total", "triples"]
    assert [stage["stage"] for stage in report["stages"]][:2] == ["corpus", "sequences"]
    assert {stage["state"] for stage in report["stages"]} == {"finished"}
    assert report["total"] > len(report["triples"]) == 2
    triple = report["triples"][0]
    assert {"subject", "relation", "object", "sentence", "head_start", "confidence", "model"} <= triple.keys()


def test_what_was_chosen_is_remembered(run, short_run: Path) -> None:
    before = (short_run / "triples" / "seal.json").stat().st_mtime_ns
    assert run("extract", "run", short_run).code == 0  # tiny, 3 steps, confidence 0
    assert (short_run / "triples" / "seal.json").stat().st_mtime_ns == before
    done = run("extract", "filter", short_run, "--confidence", "0.9999", "--json")
    assert done.json["total"] == 0
    assert run("extract", "filter", short_run, "--confidence", "0", "--json").json["total"] > 0


def test_ones_own_text_is_a_table_or_json(run, short_run: Path, tmp_path: Path, monkeypatch) -> None:
    text = "Quinine is used to treat malaria. It has no effect on gout."
    (tmp_path / "abstract.txt").write_text(text, "utf-8")
    graph = short_run.parent / "seed.clew"
    arguments = (
        "extract",
        "predict",
        "--model",
        short_run / "model",
        "--seed-graph",
        graph,
        "--confidence",
        "0",
        "--device",
        "cpu",
    )
    done = run(*arguments, "--text", tmp_path / "abstract.txt")
    assert done.code == 0
    assert "2 sentences, 1 left out" in done.out
    assert "Quinine is used to treat malaria." in done.out
    monkeypatch.setattr("sys.stdin", io.StringIO(text))
    report = run(*arguments, "--text", "-", "--json").json
    assert list(report) == ["action", "model", "seconds", "counts", "total", "triples"]
    assert {row["head_text"] for row in report["triples"]} <= {"Quinine", "malaria"}
    for row in report["triples"]:
        assert text[row["head_start"] : row["head_end"]] == row["head_text"]
        assert text[row["sentence_start"] : row["sentence_end"]] == row["sentence"]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("extract", "learn"), "No such command 'learn'"),
        (("extract", "status", "nowhere"), "clew extract prepare nowhere"),
        (("extract", "train", "nowhere"), "nowhere is not a run directory"),
        (("extract", "run", "x", "--size", "huge"), "known: tiny, small, paper"),
        (("extract", "run", "x", "texts.txt"), "--seed-graph"),
        (("extract", "train", "x", "--text", "-"), "No such option: --text"),
        (("extract", "run", "x", "--beta", "2"), "beta is 2.0, expected 0 to 1"),
        (("extract", "run", "x", "--confidence", "99"), "the minimum confidence is 99.0, expected 0 to 1"),
        (("extract", "run", "x", "--epochs", "-5"), "epochs is -5.0, expected more than 0"),
        (("extract", "run", "x", "--epochs", "1e30"), "at most 10,000"),
        (("extract", "run", "x", "--steps", "0"), "steps is 0, expected 1 or more"),
        (("extract", "run", "x", "--rank-epochs", "100000000000000000000000"), "expected 0 to 1,000"),
        (("extract", "run", "x", "--limit", "-1"), "--limit"),
    ],
)
def test_what_cannot_be_is_one_line(run, arguments, said: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run(*arguments)
    assert done.code == 2
    assert done.out == ""
    assert said in done.error
    assert len(done.error.splitlines()) == 1
    assert not list(tmp_path.iterdir())


def test_without_torch_the_extra_is_named(run, short_run: Path, monkeypatch) -> None:
    from clew.extract.run import pipeline

    monkeypatch.setattr(pipeline, "find_spec", lambda name: None)
    done = run("extract", "train", short_run, "--steps", 4)
    assert done.code == 1
    assert "clew[extract]" in done.error


def test_a_model_that_is_not_there_is_one_line(run, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    done = run("extract", "predict", "--model", "nowhere", "--text", "-")
    assert done.code == 1
    assert "neither a directory nor an installed model" in done.error
    assert len(done.error.splitlines()) == 1


def test_prepare_needs_no_torch(run, tmp_path: Path, monkeypatch) -> None:
    from clew.extract.run import pipeline

    monkeypatch.setattr(pipeline, "find_spec", lambda name: None)
    done = run("extract", "prepare", tmp_path / "run")
    assert done.code == 0
    assert sum(" finished " in line for line in done.out.splitlines()) == 8
    assert "118 documents" in done.out
