"""The edge: exit codes, one line for every failure, and what a fresh process loads."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import clew
from clew.app.cli.graphs import look

HEAVY = ("numba", "scipy", "pandas", "rich", "pyarrow.compute", "pyarrow.parquet", "torch", "rapidfuzz", "networkx")


def fresh(*arguments: object, **options: object) -> subprocess.CompletedProcess[str]:
    """Run `clew` as its own process."""
    environment = {**os.environ, "PYTHONPATH": str(Path(clew.__file__).parents[1])}
    command = [sys.executable, "-m", "clew.app.cli.main", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False, **options)


def test_version(run) -> None:
    assert run("--version").out == f"clew {clew.__version__}\n"


def test_nothing_asked_shows_every_command(run) -> None:
    ran = run()
    assert ran.code == 0
    for command in ("build", "info", "find", "hop", "paths", "export", "doctor", "bench", "demo"):
        assert f"\n  {command} " in ran.out


@pytest.mark.parametrize("command", ["build", "info", "find", "hop", "paths", "export", "doctor", "bench", "demo"])
def test_every_command_has_examples(run, command: str) -> None:
    out = run(command, "--help").out
    assert out.count(f"\n    clew {command}") >= 2


def test_a_mistyped_command_is_corrected(run) -> None:
    ran = run("hopp")
    assert (ran.code, ran.out) == (2, "")
    assert "Did you mean 'hop'?" in ran.error
    assert ran.error.count("\n") == 1


def test_what_nobody_expected_is_one_line(run, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: str, **options: object) -> None:
        raise RuntimeError("first\nsecond")

    monkeypatch.setattr(look, "open_graph", fail)
    ran = run("info", graph)
    assert (ran.code, ran.out) == (1, "")
    assert ran.error == (
        "clew: error: unexpected RuntimeError: first second (run with CLEW_DEBUG=1 for the traceback)\n"
    )
    monkeypatch.setenv("CLEW_DEBUG", "1")
    assert "Traceback" in run("info", graph).error


def test_an_interrupt_is_130(run, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(path: str, **options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(look, "open_graph", interrupt)
    ran = run("info", graph)
    assert (ran.code, ran.out) == (130, "")
    assert "Traceback" not in ran.error


def test_debug_shows_the_traceback_of_expected_errors_too(run, graph: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_DEBUG", "1")
    ran = run("hop", graph, "nobody")
    assert ran.code == 2
    assert "Traceback" in ran.error
    assert ran.error.splitlines()[-1].startswith("clew: error: ")


def test_verbose_logs_to_stderr(tables: Path, tmp_path: Path) -> None:
    ran = fresh("-v", "build", tables / "triples.parquet", "--out", tmp_path / "g", "--json")
    assert ran.returncode == 0
    assert "clew.graph.build: built" in ran.stderr
    assert "clew.graph.build" not in ran.stdout


def test_a_reader_that_goes_away_is_no_error(graph: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(clew.__file__).parents[1])}
    command = [sys.executable, "-m", "clew.app.cli.main", "hop", str(graph), "FBN1", "--k", "2"]
    reading, writing = os.pipe()
    os.close(reading)
    ran = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, env=environment, check=False)
    os.close(writing)
    assert ran.stderr == b""
    assert ran.returncode in (1, -signal.SIGPIPE)


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(graph: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": str(Path(clew.__file__).parents[1])}
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [sys.executable, "-m", "clew.app.cli.main", "info", str(graph)],
            stdout=full, stderr=subprocess.PIPE, text=True, env=environment, check=False,
        )  # fmt: skip
    assert ran.returncode == 1
    assert ran.stderr.count("\n") == 1
    assert "No space left" in ran.stderr


def loaded(*arguments: object) -> str:
    """Which heavy libraries a fresh process has loaded after a command."""
    program = (
        "import sys; from clew.app.cli.main import main; code = main(sys.argv[1:]);"
        f"print([m for m in {HEAVY!r} if m in sys.modules], file=sys.stderr); sys.exit(code)"
    )
    environment = {**os.environ, "PYTHONPATH": str(Path(clew.__file__).parents[1])}
    ran = subprocess.run(
        [sys.executable, "-c", program, *map(str, arguments)],
        capture_output=True, text=True, env=environment, check=False,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    return ran.stderr.splitlines()[-1]


def test_a_small_hop_loads_nothing_heavy(graph: Path) -> None:
    for arguments in (["hop", graph, "FBN1", "--k", 2, "--json"], ["hop", graph, "FBN1"], ["info", graph]):
        assert loaded(*arguments) == "[]", arguments


def test_a_question_does_not_load_pandas(run, graph: Path) -> None:
    question = "Which genes are linked to arachnodactyly?"
    assert run("ask", graph, question).code == 0  # builds the store, once
    assert "pandas" not in loaded("ask", graph, question)
