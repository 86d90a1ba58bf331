"""`clew bench updates`: an update beside a rebuild, and hops over updates beside the same contents built as one base.

On the heavy-tailed graph (3.4 M triples): 1,000 random triples with 300 new entities, synced and found by name in a
graph opened afterwards, over a base and over earlier updates; then five updates that change 9 % of the triples, hubs
and retractions included. Every part runs in a process of its own; seconds of the clock stand beside those of the CPU.
"""

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.khop import synthetic as graphs
from benchmarks.khop.clew_graph import entity_table, triple_table
from benchmarks.khop.synthetic import BenchGraph
from benchmarks.report import limits_markdown, limits_report
from benchmarks.statistics import median
from benchmarks.workers import run_worker, worker_command
from clew.progress import Progress, silent

__all__ = ["run", "show"]

ADDED, NEW = 1_000, 300  # triples and entities of a small update
LARGE, SHARE, RETRACTED = 5, 0.09, 0.2  # large updates, their share of all triples, and the share of retractions in it
UPDATE, HOPS = 0.1, 1.5  # the claims


def run(*, quick: bool = False, progress: Progress = silent) -> dict[str, Any]:
    """Measure, and judge the claims."""
    graph, repeats = graphs.load("heavy"), 2 if quick else 5
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        progress("writing tables", 0, None)
        pq.write_table(triple_table(graph), folder / "triples.parquet")
        pq.write_table(entity_table(graph), folder / "entities.parquet")
        progress("building", 0, None)
        built = [_work("build", folder) for _ in range(1 if quick else 3)]
        updates = []
        for number in range(repeats + 1):
            progress("small updates", number, repeats + 1)
            pq.write_table(_small(graph, number), folder / "rows.parquet")
            updates.append(_work("update", folder))
        for number in range(LARGE):
            progress("large updates", number, LARGE)
            added, removed = _large(graph, number)
            pq.write_table(added, folder / "rows.parquet")
            pq.write_table(removed, folder / "removed.parquet")
            _work("change", folder)
        progress("hops", 0, None)
        hops = _work("hops", folder)
    rows = _rows(built, updates, hops)
    return limits_report("updates", rows, graph={"heavy": graph.describe()}, quick=quick)


def show(report: Mapping[str, Any]) -> str:
    """What was measured, and whether it is within its limit."""
    return limits_markdown("updates", report)


def _rows(
    built: list[dict[str, float]], updates: list[dict[str, float]], hops: dict[str, float]
) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for unit in ("seconds", "cpu_seconds"):
        build = median(np.array([each[unit] for each in built]))
        over = median(np.array([each[unit] for each in updates[1:]]))
        told = "" if unit == "seconds" else ", CPU"
        rows += [
            {"claim": f"update over earlier ones, share of a rebuild{told}", "measured": round(over / build, 4)},
            {"claim": f"first update, share of a rebuild{told}", "measured": round(updates[0][unit] / build, 4)},
            {"claim": f"rebuild, seconds{told}", "measured": round(build, 3)},
            {"claim": f"update over earlier ones, seconds{told}", "measured": round(over, 3)},
        ]
        rows[-4]["at_most"] = UPDATE
    for k in (1, 2, 3):
        ratio = {"claim": f"hop {k}, base and updates over one base", "measured": round(hops[f"ratio_{k}"], 4)}
        rows.append({**ratio, "at_most": HOPS})
    rows += [
        {"claim": name.replace("_", " "), "measured": value} for name, value in hops.items() if "ratio" not in name
    ]
    return rows


def _work(what: str, folder: Path) -> dict[str, float]:
    found: dict[str, float] = json.loads(
        run_worker(worker_command("benchmarks.updates.worker", what, str(folder)), name=what)
    )
    return found


def _small(graph: BenchGraph, number: int) -> pa.Table:
    random = np.random.default_rng([3, number])
    new = [f"N:{number}-{at}" for at in range(NEW)]
    known = [f"E:{at:07d}" for at in random.integers(0, graph.entities, 2 * ADDED).tolist()]
    subject = [*new, *known[: ADDED - NEW]]
    names = [f"novel finding {each}" for each in new] + [None] * (ADDED - NEW)
    relation = [f"relation_{at:03d}" for at in random.integers(0, graph.relations, ADDED).tolist()]
    return pa.table({"subject": subject, "subject_name": pa.array(names, pa.string()), "relation": relation,
                     "object": known[ADDED:], "document": [f"D:{number}"] * ADDED})  # fmt: skip


def _large(graph: BenchGraph, number: int) -> tuple[pa.Table, pa.Table]:
    """Triples between ends of other triples, so that hubs are hit as often as they are large; and some to retract."""
    random = np.random.default_rng([4, number])
    count = int(SHARE / LARGE * len(graph.subject))
    drawn = [random.integers(0, len(graph.subject), count) for _ in range(3)]
    gone = random.integers(0, len(graph.subject), int(count * RETRACTED))
    added = (graph.subject[drawn[0]], graph.relation[drawn[1]], graph.object[drawn[2]])
    kept = slice(0, count - len(gone))
    return (
        _table(*(column[kept] for column in added)),
        _table(graph.subject[gone], graph.relation[gone], graph.object[gone]),
    )


def _table(subject: np.ndarray, relation: np.ndarray, object_: np.ndarray) -> pa.Table:
    return pa.table(
        {
            "subject": [f"E:{at:07d}" for at in subject.tolist()],
            "relation": [f"relation_{at:03d}" for at in relation.tolist()],
            "object": [f"E:{at:07d}" for at in object_.tolist()],
        }
    )
