"""`clew bench` finds the benchmarks of a checkout, runs one, shows it and writes it; without a checkout it says so."""

import importlib
import inspect
import json
import sys
from pathlib import Path

import pytest

import clew
from clew.app.cli.bench import BENCHMARKS

MODULE = """
def run(*, quick=False, progress=None):
    progress("timing", 1, 2)
    if {disagree}:
        raise AssertionError("engines disagree at hop 3")
    return {{"benchmark": "khop", "quick": quick, "rows": [], "claims": [{{"holds": {holds}}}]}}

def show(report):
    return f"table, quick={{report['quick']}}"
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A checkout with one benchmark, from which the package seems to run."""
    (tmp_path / "src" / "clew").mkdir(parents=True)
    (tmp_path / "benchmarks" / "khop").mkdir(parents=True)
    for folder in ("benchmarks", "benchmarks/khop"):  # else the real package, which may be on the path, comes first
        (tmp_path / folder / "__init__.py").write_text("")
    monkeypatch.setattr(clew, "__file__", str(tmp_path / "src" / "clew" / "__init__.py"))
    monkeypatch.setattr(sys, "path", list(sys.path))
    for name in [each for each in sys.modules if each.split(".")[0] == "benchmarks"]:
        monkeypatch.delitem(sys.modules, name)

    def write(*, holds: bool = True, disagree: bool = False) -> Path:
        (tmp_path / "benchmarks" / "khop" / "single.py").write_text(MODULE.format(holds=holds, disagree=disagree))
        return tmp_path

    yield write
    for name in [each for each in sys.modules if each.split(".")[0] == "benchmarks"]:
        del sys.modules[name]


def test_runs_shows_and_writes(run, checkout, tmp_path: Path) -> None:
    checkout()
    ran = run("bench", "khop", "--quick", "--json", tmp_path / "report.json")
    assert (ran.code, ran.out) == (0, "table, quick=True\n")
    assert json.loads((tmp_path / "report.json").read_text())["benchmark"] == "khop"


def test_a_dash_prints_only_json(run, checkout) -> None:
    checkout()
    assert run("bench", "khop", "--json", "-").json["quick"] is False


def test_a_claim_that_does_not_hold_is_exit_1(run, checkout) -> None:
    checkout(holds=False)
    ran = run("bench", "khop")
    assert (ran.code, ran.out) == (1, "table, quick=False\n")


def test_disagreement_is_an_error(run, checkout) -> None:
    checkout(disagree=True)
    ran = run("bench", "khop")
    assert (ran.code, ran.out) == (1, "")
    assert ran.error == "clew: error: benchmark khop failed: engines disagree at hop 3\n"


def test_without_a_checkout(run, checkout, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ran = run("bench", "batch")
    assert (ran.code, ran.out) == (1, "")
    assert "run it in a source checkout" in ran.error
    assert ran.error.count("\n") == 1


def test_a_missing_peer_names_the_extra(run, checkout, tmp_path: Path) -> None:
    checkout()
    (tmp_path / "benchmarks" / "khop" / "single.py").write_text("import a_peer_that_is_not_installed\n")
    ran = run("bench", "khop")
    assert ran.code == 1
    assert "needs the library 'a_peer_that_is_not_installed': pip install 'clew[bench]'" in ran.error


def test_an_unknown_benchmark(run) -> None:
    ran = run("bench", "hop")
    known = "khop, batch, cost, partitions, cluster, updates, linking, vectors, stores, context, serve"
    assert (ran.code, ran.error) == (2, f"clew: error: no benchmark is called 'hop': known: {known}\n")


def test_the_checkout_has_what_is_promised() -> None:
    root = Path(clew.__file__).resolve().parents[2]
    for module in BENCHMARKS.values():
        assert "def run(" in (root / f"{module.replace('.', '/')}.py").read_text()


@pytest.mark.parametrize("name", BENCHMARKS)
def test_every_benchmark_can_be_called_as_the_command_does(name: str) -> None:
    sys.path.insert(0, str(Path(__file__).parents[2]))
    module = importlib.import_module(BENCHMARKS[name])
    assert callable(module.show)
    assert {"quick", "progress"} <= inspect.signature(module.run).parameters.keys()
