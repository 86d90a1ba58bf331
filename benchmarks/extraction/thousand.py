"""A folder of documents through `clew extract` in a process of its own, whose memory is watched: it is killed in the
middle and started again, and the facts are compared with those of a run that was never killed."""

import json
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from clew.extract.facts.folder import PART, read_facts

__all__ = ["extract_killed_and_resumed"]

PAUSE = 0.5  # seconds between two looks at the process
KILLED_AFTER = 0.4  # of the parts


def extract_killed_and_resumed(texts: Sequence[str], model: Path, *, again: bool) -> dict[str, Any]:
    """Figures of one extraction that is killed and resumed; with `again`, whether an undisturbed one gives the same."""
    with TemporaryDirectory(prefix="clew-thousand-") as place:
        folder = Path(place) / "texts"
        folder.mkdir()
        for number, text in enumerate(texts):
            (folder / f"{number:06}.txt").write_text(text, "utf-8")
        parts = -(-len(texts) // PART)
        killed = _watch(folder, Path(place) / "facts", model, until=max(1, int(KILLED_AFTER * parts)))
        resumed = _watch(folder, Path(place) / "facts", model, until=None)
        facts = read_facts(Path(place) / "facts")
        found = {
            "documents": json.loads((Path(place) / "facts" / "counts.json").read_text("utf-8"))["documents"],
            "facts": facts.num_rows,
            "killed": killed,
            "resumed": resumed,
        }
        if again:
            found["undisturbed"] = _watch(folder, Path(place) / "whole", model, until=None)
            found["same_facts"] = read_facts(Path(place) / "whole").equals(facts)
        return found


def _watch(folder: Path, out: Path, model: Path, *, until: int | None) -> dict[str, Any]:
    """Run to the end, or kill after so many parts; memory in MiB after the first part and at most since."""
    command = [
        sys.executable,
        "-m",
        "clew.app.cli.main",
        "extract",
        str(folder),
        "--out",
        str(out),
        "--model",
        str(model),
    ]
    begun = time.perf_counter()
    running = subprocess.Popen([*command, "--json"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    early, most, first = 0, 0, _parts(out)
    most_parts = first
    while running.poll() is None:
        now, memory = _parts(out), _memory(running.pid)
        most_parts = max(most_parts, now)
        if now > first:
            early = early or memory
            most = max(most, memory)
        if until is not None and now >= until:
            running.kill()
        time.sleep(PAUSE)
    if until is None and running.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {running.returncode}")
    return {
        "seconds": round(time.perf_counter() - begun, 1),
        "parts": most_parts - first,
        "memory_after_first_part_mib": early,
        "memory_at_most_mib": most,
    }


def _parts(out: Path) -> int:
    return len(list(out.with_name(f".{out.name}.parts").glob("part-*.json")))


def _memory(process: int) -> int:
    """Resident MiB of a process; 0 once it has ended."""
    try:
        lines = Path(f"/proc/{process}/status").read_text("utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in lines if line.startswith("VmRSS")), 0)
