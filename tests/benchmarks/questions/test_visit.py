"""A training on another machine: what is sent arrives whole, and whoever waits learns how it ended."""

import os
import signal
import subprocess
import sys
from pathlib import Path
from random import Random
from time import monotonic

import pytest
from benchmarks.questions.training.visit import LISTED, split

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "questions" / "training" / "visit.py"
TRAINING = """
from pathlib import Path
Path("trained").mkdir()
Path("trained/a").write_bytes(Path("base").read_bytes())
print("learned")
"""


def run(store: Path, *said: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(SCRIPT), "--store", str(store), *said]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


@pytest.fixture
def sent(tmp_path: Path) -> list[Path]:
    """The parts of a file that does not compress and of a folder."""
    (tmp_path / "base").write_bytes(Random(1).randbytes(20_000))
    (tmp_path / "code").mkdir()
    (tmp_path / "code" / "one.py").write_text("1")
    split([tmp_path / "base", tmp_path / "code"], tmp_path / "parts", size=6_000)
    return sorted((tmp_path / "parts").glob("part.*"))


def test_what_is_taken_in_any_order_is_trained_on_and_comes_back(sent: list[Path], tmp_path: Path) -> None:
    store, out = tmp_path / "there", tmp_path / "out"
    for part in (*reversed(sent), sent[0]):
        last = run(store, "take", str(part))
    assert last.stdout == f"{len(sent)} of {len(sent)} parts\n"
    assert len(sent) >= 4
    assert run(store, "begin", sys.executable, "-c", TRAINING).returncode == 0
    assert "begun before" in run(store, "begin", "false").stdout
    ended = run(store, "wait", "30", str(out))
    assert (ended.returncode, "learned" in ended.stdout) == (0, True)
    assert run(store, "join", str(out), str(tmp_path / "here")).returncode == 0
    assert (tmp_path / "here" / "trained" / "a").read_bytes() == (tmp_path / "base").read_bytes()


def test_a_command_that_fails_or_never_began_is_told_at_once(sent: list[Path], tmp_path: Path) -> None:
    store, out = tmp_path / "there", tmp_path / "out"
    assert run(store, "wait", "30", str(out)).returncode == 1
    for part in sent[1:]:
        run(store, "take", str(part))
    lacking = run(store, "begin", "true")
    assert (lacking.returncode, "missing: part.00" in lacking.stderr) == (1, True)
    run(store, "take", str(sent[0]))
    run(store, "begin", sys.executable, "-c", "raise SystemExit('no memory')")
    ended = run(store, "wait", "30", str(out))
    assert (ended.returncode, "no memory" in ended.stdout) == (1, True)


def test_a_damaged_part_is_refused(sent: list[Path], tmp_path: Path) -> None:
    sent[1].write_bytes(b"other")
    refused = run(tmp_path / "there", "take", str(sent[1]))
    assert (refused.returncode, "send it again" in refused.stderr) == (1, True)
    assert not (tmp_path / "there").exists()
    assert (sent[1].parent / LISTED).exists()


def test_time_that_is_up_is_no_failure(sent: list[Path], tmp_path: Path) -> None:
    for part in sent:
        run(tmp_path / "there", "take", str(part))
    run(tmp_path / "there", "begin", "sleep", "5")
    assert run(tmp_path / "there", "wait", "1", str(tmp_path / "out")).returncode == 0


def test_a_watcher_that_was_killed_is_not_waited_for(sent: list[Path], tmp_path: Path) -> None:
    store = tmp_path / "there"
    for part in sent:
        run(store, "take", str(part))
    run(store, "begin", "sleep", "5")
    os.kill(int((store / "running").read_text()), signal.SIGKILL)
    begun = monotonic()
    assert run(store, "wait", "30", str(tmp_path / "out")).returncode == 1
    assert monotonic() - begun < 15


@pytest.mark.parametrize(
    ("said", "sentence"),
    [
        (["pack", "parts", "nowhere"], "there is no nowhere"),
        (["pack", "parts", "base", "--size", "0"], "at least one byte"),
        (["pack", "parts", "base", "code/base"], "several are called base"),
        (["take", "parts/part.99"], "is no part of"),
        (["take", "code/one.py"], "cannot be read"),
        (["join", "code", "here"], "cannot be read"),
        (["begin"], "say what to run"),
    ],
)
def test_bad_input_gets_one_sentence(sent: list[Path], tmp_path: Path, said: list[str], sentence: str) -> None:
    (tmp_path / "code" / "base").write_text("")
    command = [sys.executable, str(SCRIPT), "--store", "there", *said]
    refused = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path)
    assert (refused.returncode != 0, sentence in refused.stderr) == (True, True)
    assert "Traceback" not in refused.stderr
