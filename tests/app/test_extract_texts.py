"""`clew extract TEXTS`, then a graph, a question about it and a review, all from the command line."""

from pathlib import Path

import pytest

import clew
from made_once import made_once
from shipped_models import CAUSED, RELIEVED, write_shipped


@pytest.fixture(scope="module")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "shipped", lambda made: write_shipped(made / "tiny")) / "tiny"


def test_from_texts_to_an_answer_with_its_sentence(run, shipped: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    texts, facts, graph = tmp_path / "texts", tmp_path / "facts", tmp_path / "mine.clew"
    texts.mkdir()
    (texts / "one.txt").write_text(CAUSED)
    done = run("extract", texts, "--model", shipped, "--out", facts)
    assert done.code == 0, done.error
    assert "aspirin" in done.out
    assert "clew build" in done.out
    assert run("extract", "texts", texts, "--model", shipped, "--out", facts, "--json").json["counts"]["facts"] == 1
    assert run("build", facts, "--out", graph).code == 0
    shown = run("paths", graph, "aspirin", "tremor", "--k", 1)
    assert "“aspirin caused tremor.”" in shown.out
    assert "one.txt" in shown.out
    report = run("extract", "review", facts, "--report", "--json").json
    assert report["precision"]["all"]["precision"] is None


def test_facts_go_straight_into_a_graph_and_answer_a_question(run, shipped: Path, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    graph = tmp_path / "mine.clew"
    (tmp_path / "one.txt").write_text(CAUSED)
    (tmp_path / "two.txt").write_text(RELIEVED)
    done = run("extract", tmp_path / "one.txt", "--model", shipped, "--out", tmp_path / "first", "--into", graph)
    assert done.code == 0, done.error
    assert f"made {graph} of them" in done.out
    first = clew.open(graph).snapshot.id
    again = run("extract", tmp_path / "two.txt", "--model", shipped, "--out", tmp_path / "second", "--into", graph)
    assert again.code == 0, again.error
    assert f"updated {graph}: " in again.out
    assert "1 triple added, 1 assertion added" in again.out
    shown = run("info", graph, "--json").json
    assert {each["name"] for each in shown["relations"]} == {"induces", "treats"}  # the first facts are still there
    asked = run("ask", graph, "Which diseases does aspirin induce?")
    assert asked.code == 0, asked.error
    assert "tremor" in asked.out
    assert "aspirin caused tremor." in asked.out
    repeated = run("extract", tmp_path / "two.txt", "--model", shipped, "--out", tmp_path / "second", "--into", graph)
    assert repeated.code == 0, repeated.error
    assert "it has all of these facts already" in repeated.out
    assert run("info", graph, "--json").json["counts"] == shown["counts"]  # the same statement counts once
    assert clew.open(graph).snapshot.parent == first  # an update, not a build
    assert run("update", graph, "--retract-document", "two.txt").code == 0
    left = run("info", graph, "--json").json["relations"]
    assert {each["name"]: each["triples"] for each in left} == {"induces": 1, "treats": 0}


def test_a_word_that_is_neither_command_nor_path_is_refused(run, tmp_path: Path) -> None:
    done = run("extract", "nowhere", "--out", tmp_path / "facts")
    assert done.code != 0
    assert "nowhere" in done.error
