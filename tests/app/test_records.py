"""One JSON for everybody: every `--json` is built by `clew.app.records`, and means the same wherever it stands."""

import ast
from pathlib import Path

import pytest

from clew.app import cli, records
from clew.app.cli.main import COMMANDS
from clew.errors import QueryError, UnknownName

FOLDER = Path(cli.__file__).parent
ELSEWHERE = ("bench", "graphs.build", "eval", "extract", "mcp", "serve")  # their JSON is of runs and requests
MODULES = sorted({name for each in COMMANDS.values() if not (name := each.partition(":")[0]).startswith(ELSEWHERE)})


@pytest.mark.parametrize("module", MODULES)
def test_every_json_is_a_record(module: str) -> None:
    tree = ast.parse(FOLDER.joinpath(*module.split(".")).with_suffix(".py").read_text("utf-8"))
    made = {
        name.id: each.value.func.id
        for each in ast.walk(tree)
        if isinstance(each, ast.Assign) and isinstance(each.value, ast.Call) and isinstance(each.value.func, ast.Name)
        for name in each.targets
        if isinstance(name, ast.Name)
    }
    printed = [
        each.args[0]
        for each in ast.walk(tree)
        if isinstance(each, ast.Call) and isinstance(each.func, ast.Name) and each.func.id == "print_json"
    ]
    assert printed
    for given in printed:
        if isinstance(given, ast.Call) and isinstance(given.func, ast.Name):
            assert given.func.id in records.__all__
        else:
            assert isinstance(given, ast.Name), ast.unparse(given)
            assert made[given.id] in records.__all__


def test_a_triple_and_its_assertions_are_the_same_in_answers_and_paths(run, graph: Path) -> None:
    (path,) = run("paths", graph, "FBN1", "D:1", "--k", 1, "--json").json["paths"]
    answer = run("ask", graph, "Which diseases does FBN1 cause?", "--no-embedding", "--json").json
    walked = {name: value for name, value in path["triples"][0].items() if name != "forward"}
    asked = {each["object"]: each for each in answer["evidence"]["triples"]}["D:1"]
    assert asked == walked
    assert list(asked["assertions"][0]) == list(walked["assertions"][0])


def test_an_error_is_a_kind_a_sentence_and_what_comes_near() -> None:
    assert records.error_record(UnknownName("no type\n Gnee", close=("Gene",))) == {
        "error": {"kind": "UnknownName", "message": "no type Gnee", "close": ["Gene"]}
    }
    assert records.error_record(QueryError("no"))["error"]["close"] == []


def test_answers_from_a_pipe_hold_errors_too(run, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("Which diseases does FBN1 cause?\n"))
    ran = run("ask", graph, "--no-embedding", "--timeout", 1e-9, "--json")
    (answer,) = ran.json["answers"]
    assert (ran.code, answer["question"]) == (1, "Which diseases does FBN1 cause?")
    assert answer["error"]["kind"] == "Timeout"
