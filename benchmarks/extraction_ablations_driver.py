"""Several variants side by side, each a process of its own, so that one that fails takes none with it.

What was measured comes back in one archive, which is written anew whenever a variant ends. A variant that is stopped,
because the time is over, goes on where it was in the next call with the same work folder.
"""

import json
import os
import subprocess
import sys
import tarfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, fields
from pathlib import Path

from benchmarks.extraction_ablations_device import TAUGHT, Course, Inputs, read_report, steps_of
from benchmarks.extraction_ablations_plan import PLAN

__all__ = ["Limits", "run_plan"]

ARCHIVE = "ablations.tar"
POLL_S = 0.5


@dataclass(frozen=True, slots=True)
class Limits:
    """How many variants run at once; the seconds after which none is begun, and after which all are stopped."""

    side_by_side: int = 4
    begin: float = 420.0
    stop: float = 560.0


def run_plan(names: Sequence[str], inputs: Inputs, course: Course, out: Path, limits: Limits) -> dict[str, str]:
    """Run variants in the order of their names; returns what became of each."""
    driver = _Driver(names, inputs, course, out)
    try:
        driver.run(limits)
    finally:
        driver.stop()
    measured = inputs.work / "out"
    measured.mkdir(parents=True, exist_ok=True)
    (measured / "ended.json").write_text(json.dumps(driver.ended, indent=1) + "\n", "utf-8")
    _pack(inputs.work, out)
    return driver.ended


class _Driver:
    """Variants that wait, run and have ended."""

    def __init__(self, names: Sequence[str], inputs: Inputs, course: Course, out: Path) -> None:
        self.inputs, self.course, self.out = inputs, course, out
        self.began = time.monotonic()
        self.running: dict[str, subprocess.Popen[bytes]] = {}
        self.ended = {name: "done before" for name in names if self._steps_left(name) == 0}
        self.waiting = [name for name in names if name not in self.ended]

    def run(self, limits: Limits) -> None:
        """Begin what is ready and look after it, until all have ended or the time is over."""
        while self.waiting or self.running:
            self._look()
            passed = time.monotonic() - self.began
            if passed > limits.begin:
                self.ended |= dict.fromkeys(self.waiting, "not begun: out of time")
                self.waiting.clear()
            if passed > limits.stop:
                return
            while len(self.running) < limits.side_by_side and (name := self._next()) is not None:
                self.waiting.remove(name)
                self.running[name] = _begin(name, self.inputs, self.course)
            if not self.running:
                self.ended |= {name: f"not begun: it needs {PLAN[name].after}" for name in self.waiting}
                self.waiting.clear()
            time.sleep(POLL_S)

    def stop(self) -> None:
        """Stop what still runs."""
        for name, process in self.running.items():
            process.kill()
            process.wait()
            self.ended[name] = f"stopped with {self._steps_left(name)} steps left"

    def _look(self) -> None:
        for name, process in list(self.running.items()):
            if process.poll() is not None:
                del self.running[name]
                self.ended[name] = "ok" if process.returncode == 0 else f"failed ({process.returncode})"
                print(f"{time.monotonic() - self.began:6.1f} s  {name}: {self.ended[name]}", flush=True)
                _pack(self.inputs.work, self.out)

    def _next(self) -> str | None:
        """The first that waits for nothing but its turn."""
        for name in self.waiting:
            needed = PLAN[name].after
            if needed is None or TAUGHT in read_report(PLAN[needed], self.inputs, self.course)["seconds"]:
                return name
        return None

    def _steps_left(self, name: str) -> int:
        done = read_report(PLAN[name], self.inputs, self.course)["seconds"]
        return sum(step not in done for step in steps_of(PLAN[name]))


def _begin(name: str, inputs: Inputs, course: Course) -> "subprocess.Popen[bytes]":
    out = inputs.work / "out" / name
    out.mkdir(parents=True, exist_ok=True)
    command = [sys.executable, "-m", "benchmarks.extraction_ablations", "one", name]
    for each in fields(inputs):
        command += [f"--{each.name}", str(getattr(inputs, each.name))]
    for each in fields(course):
        if (value := getattr(course, each.name)) is not None:
            command += [f"--{each.name.replace('_', '-')}", str(value)]
    with (out / "log.txt").open("ab") as log:
        return subprocess.Popen(
            command, stdout=log, stderr=subprocess.STDOUT, env=os.environ | {"OMP_NUM_THREADS": "2"}
        )


def _pack(work: Path, out: Path) -> None:
    """Everything that was measured so far, as one archive."""
    out.mkdir(parents=True, exist_ok=True)
    unfinished = work / ARCHIVE
    with tarfile.open(unfinished, "w") as archive:
        for file in sorted((work / "out").rglob("*")):
            if file.is_file():
                archive.add(file, file.relative_to(work / "out").as_posix())
    (out / ARCHIVE).write_bytes(unfinished.read_bytes())
