"""docs/your-own-graph.md: its script runs as it stands there, from an empty directory to answered questions."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import clew
from clew.answer.lexicon.own_words import load_words

PAGE = Path(__file__).resolve().parents[2] / "docs" / "your-own-graph.md"
(SCRIPT,) = re.findall(r"```bash\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)
(FROM_PYTHON,) = re.findall(r"```python\n(.*?)```", PAGE.read_text("utf-8"), re.DOTALL)


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """Where the script ran, and what it printed."""
    folder = tmp_path_factory.mktemp("mine")
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    done = subprocess.run(
        ["bash", "-c", SCRIPT], cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder, done.stdout


def test_the_script_answers_its_questions(ran: tuple[Path, str]) -> None:
    _, said = ran
    assert re.search(r"2 telescopes .*: Great Mirror and Twin Dish", said)
    assert re.search(r"2 telescopes .*: Night Lantern and Twin Dish", said)
    assert "https://example.org/log/17" in said
    assert re.search(r"Great Mirror .*located_at.* Hilltop Observatory .*located_in.* Norland", said)
    assert "Ignored" not in said, "every word of the page's questions is understood"


def test_the_graph_has_what_the_tables_say(ran: tuple[Path, str]) -> None:
    graph = clew.open(ran[0] / "sky.clew")
    assert graph.counts["triples"] == 8
    assert graph.counts["entities"] == 9
    described = graph.details(graph.resolve(["T:1"])).to_pylist()[0]
    assert described["synonyms"] == ["Big Eye", "GM"]
    assert described["mirror in metres"] == "5.1"
    assert load_words(graph.snapshot)["types"] == {"Telescope": ["telescope", "instrument"]}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"types": {"Telescop": ["scope"]}}', "'Telescop', but the types of this graph are Comet, Country"),
        ('{"types": ["scope"]}', "does not hold words for asking"),
        ('{"typs": {"Telescope": ["scope"]}}', "does not hold words for asking"),
        ('{"types": {"Telescope": "scope"}}', "does not hold words for asking"),
        ("{", "does not hold words for asking"),
    ],
)
def test_wrong_words_are_refused(run, ran: tuple[Path, str], tmp_path: Path, text: str, words: str) -> None:
    (tmp_path / "words.json").write_text(text)
    done = run("build", ran[0] / "sky.clew", "--words", tmp_path / "words.json", "--out", tmp_path / "g")
    assert done.code == 2
    assert words in done.error


def test_the_python_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture) -> None:
    monkeypatch.chdir(tmp_path)
    exec(FROM_PYTHON, {})
    assert "Great Mirror and Twin Dish" in capsys.readouterr().out


def test_codes_are_spelt_out(run, tmp_path: Path) -> None:
    (tmp_path / "codes.csv").write_text("code,name\nr,treats\nhrs,hours\n")
    (tmp_path / "t.csv").write_text("subject,relation,object,hrs,res\na,r,b,1,2\n")
    build = ("build", tmp_path / "t.csv", "--codebook", tmp_path / "codes.csv", "--out", tmp_path / "g.clew")
    assert run(*build).code == 0
    assert [each.name for each in clew.open(tmp_path / "g.clew").schema.relations] == ["treats"]
    done = run(*build, "--memory", "1GB")
    assert "--codebook cannot be given with --memory" in done.error
    (tmp_path / "codes.csv").write_text("code,name\nhrs,res\n")
    done = run(*build, "--overwrite")
    assert (done.code, done.error.count("\n")) == (2, 1)
    assert "--codebook calls the column hrs 'res'" in done.error


def test_codes_that_no_word_reaches_are_listed(run, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text(
        "subject,subject_type,relation,object,object_type,hrs,since\nAda,LW,RCL,Ben,person,1,2\nAda,LW,treats,Ben,person,1,2\n"
    )
    (tmp_path / "codes.csv").write_text("code,name\nRCL,acts for the claimant in\nLW,lawyer\nhrs,hours billed\n")
    assert run("build", tmp_path / "t.csv", "--out", tmp_path / "coded.clew").code == 0
    said = run("words", tmp_path / "coded.clew").out
    assert "No everyday word reaches the types LW\n" in said
    assert "No everyday word reaches the relations RCL\n" in said
    assert "No everyday word reaches the columns hrs\n" in said
    written = tmp_path / "written.csv"
    assert run("words", tmp_path / "coded.clew", "--codebook", written).code == 0
    rows = written.read_text().splitlines()
    assert rows == ["code,name,of,examples", "LW,,type,Ada", "RCL,,relation,Ada → Ben", "hrs,,column,1"]
    assert "exists already" in run("words", tmp_path / "coded.clew", "--codebook", written).error
    unfilled = run("build", tmp_path / "t.csv", "--codebook", written, "--out", tmp_path / "unfilled.clew")
    assert "has no name for 'LW': each line needs both" in unfilled.error
    named = tmp_path / "named.clew"
    assert run("build", tmp_path / "t.csv", "--codebook", tmp_path / "codes.csv", "--out", named).code == 0
    assert "No everyday word" not in run("words", named).out
    assert "it needs no codebook" in run("words", named, "--codebook", tmp_path / "more.csv").error
