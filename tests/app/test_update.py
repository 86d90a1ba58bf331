"""`clew update`: what it prints, and what it refuses."""

from pathlib import Path

import pytest

import clew


@pytest.fixture
def mine(run, tmp_path: Path) -> Path:
    (tmp_path / "rows.csv").write_text("subject,relation,object,document\nA:1,has,B:1,D:1\nA:2,has,B:1,D:2\n")
    assert run("build", tmp_path / "rows.csv", "--out", tmp_path / "mine.clew").code == 0
    return tmp_path / "mine.clew"


def test_rows_are_added_once(run, mine: Path) -> None:
    new = mine.with_name("new.csv")
    new.write_text("subject,relation,object,document\nA:3,has,B:1,D:3\nA:1,has,B:1,D:1\n")
    ran = run("update", mine, new)
    assert (ran.code, ran.error) == (0, "")
    assert "1 entity added, 1 triple added, 1 assertion added" in ran.out
    assert "has 4 entities, 3 triples, 3 assertions" in ran.out
    assert "nothing was changed" in run("update", mine, new).out
    again = run("update", mine, new, "--json").json
    assert (again["changes"], again["snapshot"]) == ({}, clew.open(mine).snapshot.id)


def test_documents_rows_and_entities_are_withdrawn(run, mine: Path) -> None:
    report = run("update", mine, "--retract-document", "D:1", "--json").json
    assert report["changes"] == {"triples removed": 1, "assertions removed": 1}
    wrong = mine.with_name("wrong.csv")
    wrong.write_text("subject,relation,object,document\nA:2,has,B:1,D:7\nA:9,has,B:1,D:2\n")
    ran = run("update", mine, "--retract", wrong)
    assert ran.code == 0
    assert "wrong.csv:2: nothing to retract: no statement of this triple says so" in ran.out
    assert "wrong.csv:3: nothing to retract: this graph has no such triple" in ran.out
    assert run("update", mine, "--retract-entity", "B:1", "--json").json["counts"]["triples"] == 0


def test_a_base_is_built_when_it_is_asked_for(run, mine: Path) -> None:
    assert run("update", mine, "--retract-document", "D:1").code == 0
    report = run("update", mine, "--compact", "--json").json
    assert (report["compacted"], report["changes"], report["counts"]["triples"]) == (True, {}, 1)
    assert run("info", mine, "--json").json["format_version"] == 1
    assert "built from the snapshot before, without changes" in run("log", mine).out
    assert run("update", mine, "--compact", "--json").json["compacted"] is False


def test_derived_data_is_said_to_be_stale(run, mine: Path) -> None:
    assert run("index", mine, "--no-vectors").code == 0
    ran = run("update", mine, "--retract-document", "D:1")
    assert "computed for the snapshot before, and not for this one: names" in ran.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "nothing to do: give rows to add"),
        (["--entities", "rows.csv"], "--entities describes the entities of SOURCE"),
        (["--retract-entity", "bee"], None),
        (["nothere.csv"], "there is no file nothere.csv"),
        (["--retract-documnet", "D:1"], "No such option"),
    ],
)
def test_odd_updates(run, mine: Path, arguments: list[str], words: str | None) -> None:
    before = clew.open(mine).snapshot.id
    ran = run("update", mine, *arguments)
    assert (ran.code == 0) is (words is None)
    assert words is None or words in ran.error
    assert clew.open(mine).snapshot.id == before


def test_no_graph(run, tmp_path: Path) -> None:
    ran = run("update", tmp_path / "none.clew", "--retract-document", "D:1")
    assert ran.code != 0
    assert "none.clew does not exist; make one with `clew build`" in ran.error


def test_the_history_of_a_graph(run, mine: Path) -> None:
    first = clew.open(mine).snapshot.id
    assert run("update", mine, "--retract-document", "D:1").code == 0
    lines = run("log", mine).out.splitlines()
    assert "1 triple removed, 1 assertion removed" in lines[1]
    assert "(current)" in lines[1]
    assert lines[2].startswith(first)
    assert lines[2].endswith("built")
    told = run("diff", mine, first[:8]).out
    assert "- A:1 has B:1 (document D:1)" in told
    assert "1 triple removed, 1 assertion removed" in told
    assert "nothing differs" in run("diff", mine, first, first).out
    assert "B:1" in run("hop", mine, "A:1", "--as-of", first[:8]).out
    assert "0 entities" in run("hop", mine, "A:1").out
    assert run("info", mine, "--as-of", first, "--json").json["counts"]["triples"] == 2
    assert run("export", mine, "--to", "kgx", "--out", mine.with_name("out"), "--as-of", first).code == 0
    assert run("hop", mine, "A:1", "--as-of", "ffff").code == 2
    assert "removed the snapshot " + first in run("gc", mine).out
    assert "has no snapshot" in run("diff", mine, first).error
