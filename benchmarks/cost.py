"""The cost of use: building and opening the heavy-tailed graph, and `clew hop` as a fresh process.

python benchmarks/cost.py --quick --json cost.json
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

if not __package__:  # run as a file: its own folder holds a statistics.py that must not stand for Python's
    sys.path[0] = str(Path(__file__).resolve().parent.parent)

import numpy as np
import pyarrow.parquet as pq

import clew
from benchmarks import graphs
from benchmarks.clew_graph import entity_table, triple_table
from benchmarks.report import claim_table, environment, main
from benchmarks.statistics import median, median_ratio
from clew.errors import ClewError
from clew.progress import Progress, silent

__all__ = ["run", "show"]

WORKER = Path(__file__).with_name("cost_worker.py")
OPEN_MS, OPEN_MB = 20.0, 60.0
BUILD_SECONDS, BUILD_GB = 8.0, 1.5
FRESH_RATIO = 3.0
BARE = "import numpy, pyarrow"
COMMAND = "import sys; from clew.app.cli.main import main; sys.exit(main())"  # what the `clew` script does


def run(*, quick: bool = False, progress: Progress = silent) -> dict[str, Any]:
    """Measure each cost in processes of its own, and judge it."""
    builds, openings, pairs = (1, 5, 7) if quick else (3, 9, 21)
    graph = graphs.load("heavy")
    with tempfile.TemporaryDirectory() as name:
        directory = Path(name)
        progress("writing Parquet files", 0, None)
        pq.write_table(triple_table(graph), directory / "triples.parquet")
        pq.write_table(entity_table(graph), directory / "entities.parquet")
        progress("building", 0, builds)
        rows = _build_rows(directory, builds)
        progress("opening", 0, openings)
        rows += _open_rows(directory / "graph-0.clew", openings)
        progress("running clew hop in fresh processes", 0, pairs)
        rows += _process_rows(directory, pairs)
    limited = [row for row in rows if "at_most" in row]
    return {
        "benchmark": "cost",
        "graph": {"heavy": graph.describe()},
        "agree": True,
        **environment(),
        "quick": quick,
        "rows": rows,
        "claims": [{**row, "holds": row["measured"] <= row["at_most"]} for row in limited],
    }


def show(report: Mapping[str, Any]) -> str:
    """What was measured, and whether it is within its limit."""
    others = [f"- {row['claim']}: {row['measured']:.3g}" for row in report["rows"] if "at_most" not in row]
    return "\n\n".join(["### cost of use", claim_table(report["claims"]), "\n".join(others)])


def _build_rows(directory: Path, repeats: int) -> list[dict[str, Any]]:
    files = [str(directory / f"{name}.parquet") for name in ("triples", "entities")]
    found = [_work("build", *files, str(directory / f"graph-{repeat}.clew")) for repeat in range(repeats)]
    seconds, peak = (np.array([each[what] for each in found]) for what in ("seconds", "peak_bytes"))
    return [
        _row("build from Parquet with names, seconds", median(seconds), at_most=BUILD_SECONDS),
        _row("build, peak memory, GB", float(peak.max()) / 1e9, at_most=BUILD_GB),
    ]


def _open_rows(path: Path, repeats: int) -> list[dict[str, Any]]:
    found = [_work("open", str(path)) for _ in range(repeats)]
    middle = {what: median(np.array([each[what] for each in found])) for what in found[0]}
    return [
        _row("open, first in a process, ms", middle["first_seconds"] * 1000, at_most=OPEN_MS),
        _row("open, private memory added, MB", middle["private_bytes"] / 1e6, at_most=OPEN_MB),
        _row("open, again in that process, ms", middle["again_seconds"] * 1000),
        _row("private memory of that whole process, MB", middle["process_private_bytes"] / 1e6),
    ]


def _process_rows(directory: Path, repeats: int) -> list[dict[str, Any]]:
    """`clew hop` on HPO against bare imports, in turns; the first turn, which warms the disk cache, does not count."""
    path = directory / "hpo.clew"
    clew.build("hpo", out=path)
    turns = [(_process(BARE), _process(COMMAND, "hop", str(path), "HP:0001250")) for _ in range(repeats + 1)][1:]
    bare, hop = (np.array(side) for side in zip(*turns, strict=True))
    ratio = median_ratio(hop, bare)
    return [
        _row("clew hop on HPO, fresh process, times the bare imports (upper end)", ratio.high, at_most=FRESH_RATIO),
        _row("clew hop on HPO, fresh process, ms", median(hop) * 1000),
        _row("python -c 'import numpy, pyarrow', ms", median(bare) * 1000),
    ]


def _row(claim: str, measured: float, *, at_most: float | None = None) -> dict[str, Any]:
    row: dict[str, Any] = {"claim": claim, "measured": round(measured, 4)}
    return row if at_most is None else {**row, "at_most": at_most}


def _work(*arguments: str) -> dict[str, float]:
    done = subprocess.run(
        [sys.executable, "-P", str(WORKER), *arguments], capture_output=True, text=True, check=False, env=_environment()
    )
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ClewError(f"cost_worker.py {arguments[0]} ended with status {done.returncode}: {last}")
    return json.loads(done.stdout)


def _process(code: str, *arguments: str) -> float:
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=False, env=_environment()
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[-1]
        raise ClewError(f"python -c {code!r} {' '.join(arguments)} ended with status {done.returncode}: {last}")
    return seconds


def _environment() -> dict[str, str]:
    """This process's environment, with the same Clew to import."""
    places = [str(Path(clew.__file__).resolve().parent.parent), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(place for place in places if place)}


if __name__ == "__main__":
    sys.exit(main(run, "Measure what building, opening and starting cost.", show))
