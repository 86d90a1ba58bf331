"""Parts of a benchmark that run in a process of their own, with the same Clew and the same benchmarks to import."""

import os
import subprocess
import sys
from pathlib import Path

import clew
from clew.errors import ClewError

__all__ = ["last_line", "run_worker", "worker_command", "worker_environment"]

ROOT = Path(__file__).resolve().parent.parent


def worker_command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of the benchmarks."""
    return [sys.executable, "-m", module, *arguments]


def worker_environment() -> dict[str, str]:
    """This process's environment, where Clew and the benchmarks are importable."""
    places = [str(Path(clew.__file__).resolve().parent.parent), str(ROOT), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(place for place in places if place)}


def run_worker(command: list[str], *, name: str, timeout: float | None = None) -> str:
    """What a process prints; `ClewError` under `name` if it fails or takes longer than `timeout` seconds."""
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, env=worker_environment(), timeout=timeout
        )
    except subprocess.TimeoutExpired as error:
        raise ClewError(f"{name} was stopped after {timeout:.0f} s") from error
    if done.returncode:
        raise ClewError(f"{name} ended with status {done.returncode}: {last_line(done.stderr)}")
    return done.stdout


def last_line(text: str) -> str:
    """The last line of a message, which names the error."""
    return (text.strip().splitlines() or ["no message"])[-1]
