"""The cost of use: building and opening the heavy-tailed graph, and `clew hop` as a fresh process.

clew bench cost --quick --json cost.json
"""

import json
import sys
import tempfile
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

import clew
from benchmarks.khop import synthetic as graphs
from benchmarks.khop.clew_graph import entity_table, triple_table
from benchmarks.report import limits_markdown, limits_report
from benchmarks.statistics import median, median_ratio
from benchmarks.workers import run_worker, worker_command
from clew.progress import Progress, silent

__all__ = ["run", "show"]

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
    return limits_report("cost", rows, graph={"heavy": graph.describe()}, quick=quick)


def show(report: Mapping[str, Any]) -> str:
    """What was measured, and whether it is within its limit."""
    return limits_markdown("cost of use", report)


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
    worker = "benchmarks.khop.cost_worker"
    found: dict[str, float] = json.loads(
        run_worker(worker_command(worker, *arguments), name=f"{worker} {arguments[0]}")
    )
    return found


def _process(code: str, *arguments: str) -> float:
    start = time.perf_counter()
    run_worker([sys.executable, "-c", code, *arguments], name=f"python -c {code!r} {' '.join(arguments)}")
    return time.perf_counter() - start
