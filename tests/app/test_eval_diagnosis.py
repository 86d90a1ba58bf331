"""`clew eval diagnosis`, `rounds`, `quality` and `patients` as a user runs them."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from ward import build_ward

SMALL = ("--count", 6, "--findings", 2, "--noise", 1)


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_ward(tmp_path_factory.mktemp("ward"))


def test_rankings_are_a_table(run: Callable, ward: Path, tmp_path: Path) -> None:
    ran = run("eval", "diagnosis", ward, *SMALL, "--hidden", 0.1, "--out", tmp_path / "run.jsonl")
    assert ran.code == 0
    assert [line.split()[0] for line in ran.out.splitlines()[1:6]] == [
        "ranker", "random", "overlap", "cosine", "best-match",
    ]  # fmt: skip
    assert "10% of their rows hidden" in ran.out
    assert "no row is called 'luck'" in run("eval", "diagnosis", ward, *SMALL, "--rows", "luck").error
    assert "no row is named" in run("eval", "diagnosis", ward, *SMALL, "--rows", ",").error
    assert "did you mean 'has_sign'" in run("eval", "diagnosis", ward, "--relation", "has_sgn").error
    assert "0 patients" in run("eval", "diagnosis", ward, "--count", 0).error


def test_rounds_are_tables_and_a_plot(run: Callable, ward: Path, tmp_path: Path) -> None:
    plot = tmp_path / "hops.svg"
    ran = run("eval", "rounds", ward, *SMALL, "--k", "1,2", "--plot", plot)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert [line.split()[:2] for line in lines[2:6]] == [["round", "1"], ["round", "2"], ["round", "1"], ["round", "2"]]
    assert any(line.startswith("nearest") for line in lines)
    assert plot.read_text("utf-8").startswith("<svg xmlns=")
    assert "such as 1,2,3" in run("eval", "rounds", ward, "--k", "two").error
    assert "from 1 to 5" in run("eval", "rounds", ward, "--k", "0").error
    assert "precision is above 0" in run("eval", "rounds", ward, "--precision", 0).error
    assert "ends in .svg" in run("eval", "rounds", ward, "--plot", "hops.png").error


def test_patients_are_chats(run: Callable, ward: Path, tmp_path: Path) -> None:
    out = tmp_path / "train.jsonl"
    report = run("eval", "patients", ward, *SMALL, "--out", out, "--mode", "within", "--json").json
    assert report["chats"] == len(out.read_text("utf-8").splitlines()) == 6
    assert json.loads(out.read_text("utf-8").splitlines()[0])["messages"][2]["content"].startswith("Disease ")
    assert "'near'" in run("eval", "patients", ward, *SMALL, "--out", out, "--mode", "near").error


def test_a_judge_is_calibrated_before_it_judges(run: Callable, ward: Path) -> None:
    ran = run("eval", "quality", ward, *SMALL)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert [line.split()[0] for line in lines[1:10]][::4] == ["cited", "organized", "unbiased"]
    assert "cannot judge" in lines[6]
    assert lines[6].endswith("no figure")
    assert "give 4 or more" in run("eval", "quality", ward, "--count", 2, *SMALL[2:]).error
