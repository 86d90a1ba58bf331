"""`clew bench partitions`: Table 3 of the LogosKG paper beside ours, on a synthetic graph of its size.

The graph (`recipe`) is built with memory="4GB" into 16 partitions. 150 queries of 1 to 20 entities are walked in
batches, each row from an empty cache with the page cache dropped for these files, and must give what the engine in
memory gives. Every engine has a process of its own; times are the best of a few. `--quick` takes a hundredth of the
size. Needs 30 GB of disk in the folder for temporary files, or in `CLEW_BENCH_FOLDER`, where the graph is kept.
"""

import json
import os
import tempfile
from pathlib import Path
from typing import Any

from benchmarks.partitions.build import MEMORY, PARTITIONS
from benchmarks.partitions.recipe import ENTITIES, TRIPLES, write_tables
from benchmarks.partitions.walk import QUERIES
from benchmarks.report import claim_table, environment
from benchmarks.workers import run_worker, worker_command
from clew.evaluate.report.tables import markdown_table
from clew.files import write_text
from clew.graph import Graph
from clew.progress import Progress, silent

__all__ = ["CACHES", "PAPER", "WALKS", "claims_of", "run", "show", "tasks_of_run"]

CACHES = (1, 2, 4, 8, 16)
WALKS = ((2, "out"), (5, "out"), (2, "both"), (5, "both"))
# factor → value → seconds, loads, evictions, with 192 threads; otherwise 2 hops, batches of 50, a cache of 16
PAPER = {
    "hops": {1: (3.41, 16, 0), 2: (1.61, 16, 0), 3: (6.11, 16, 0), 4: (19.59, 16, 0), 5: (62.73, 16, 0)},
    "batch": {
        1: (100.91, 12, 0), 10: (5.49, 16, 0), 25: (1.37, 16, 0), 50: (1.50, 16, 0), 100: (1.44, 16, 0),
        150: (1.48, 16, 0),
    },
    "cache": {
        1: (441.87, 3010, 3009), 2: (419.44, 2918, 2916), 4: (384.09, 2659, 2655), 8: (304.07, 1967, 1959),
        16: (4.04, 16, 0),
    },
}  # fmt: skip


def run(*, quick: bool = False, progress: Progress = silent) -> dict[str, Any]:
    """Build, then walk in memory and through every cache; the results must be the same."""
    kept = os.environ.get("CLEW_BENCH_FOLDER")
    share = 100 if quick else 1
    if kept is not None:
        return _run(Path(kept) / f"pkg-{share}", share, progress)
    with tempfile.TemporaryDirectory() as folder:
        return _run(Path(folder), share, progress)


def _run(folder: Path, share: int, progress: Progress) -> dict[str, Any]:
    tables, path, built = folder / "tables", folder / "pkg.clew", folder / "build.json"
    if not built.exists() or not json.loads(built.read_text("utf-8") or "{}"):
        progress("writing tables", 0, None)
        write_tables(tables, entities=ENTITIES // share, triples=TRIPLES // share)
        progress(f"building with {MEMORY}", 0, None)
        made = run_worker(worker_command("benchmarks.partitions.build", str(tables), str(path)), name="the build")
        write_text(built, made)
    graph = Graph(path)
    size = {"bytes": sum(each.size for each in graph.manifest.files.values()), **graph.manifest.counts}
    del graph
    rows = []
    tasks = tasks_of_run()
    for at, task in enumerate(tasks):
        cache = "memory" if task["cache"] is None else f"a cache of {task['cache']}"
        walks = ", ".join(f"{walk['hops']} {walk['direction']}" for walk in task["walks"])
        progress(f"walking {walks} with {cache}", at, len(tasks))
        command = worker_command("benchmarks.partitions.walk", str(path), json.dumps(task))
        rows += json.loads(run_worker(command, name=f"{walks} with {cache}"))
    build = json.loads(built.read_text("utf-8"))
    return {
        "benchmark": "partitions", "quick": share > 1, "graph": size, "build": build, "rows": rows,
        "claims": claims_of(rows, build, size["entities"]), **environment(),
    }  # fmt: skip


def tasks_of_run() -> list[dict[str, Any]]:
    """A process for each: the walks of the claims in memory and through every cache, then the rest of Table 3."""
    tasks: list[dict[str, Any]] = []
    for hops, direction in WALKS:
        for cache in (None, *CACHES):
            walk = {"hops": hops, "direction": direction, "batch": QUERIES, "warm": cache == PARTITIONS}
            tasks.append({"cache": cache, "walks": [walk]})
    fifty = {"direction": "out", "batch": 50}
    tasks.append({"cache": PARTITIONS, "walks": [{"hops": hops, **fifty} for hops in PAPER["hops"]]})
    others = [{"hops": 2, "direction": "out", "batch": batch} for batch in PAPER["batch"] if batch not in (50, QUERIES)]
    tasks.append({"cache": PARTITIONS, "walks": others})
    tasks += [{"cache": cache, "walks": [{"hops": 2, **fifty}]} for cache in CACHES[:-1]]
    return tasks


def claims_of(rows: list[dict[str, Any]], build: dict[str, Any], entities: int) -> list[dict[str, Any]]:
    """What the rows and the build must keep within; raises `AssertionError` where an engine found something else."""
    peak = max(phase["peak_gb"] for phase in build["phases"])
    claims = [_claim(f"build with {MEMORY}: GB of memory at the peak", 6, peak)]
    by_walk = {(row["hops"], row["direction"], row["batch"], row["cache"]): row for row in rows}
    for hops, direction in WALKS:
        memory, *others = (by_walk[hops, direction, QUERIES, cache] for cache in (None, *CACHES))
        label = f"{hops} hops {direction}"
        assert all(row["checksum"] == memory["checksum"] for row in others), (
            f"{label}: not the entities found in memory"
        )
        most = hops * PARTITIONS * (2 if direction == "both" else 1)
        ratios = [row["read_bytes"] / row["loaded_bytes"] for row in others]
        least = others[0]
        words = 3 * 8 * -(-QUERIES // 64) * entities
        claims += [
            _claim(f"{label}: loads, any cache", most, max(row["loads"] for row in others)),
            _claim(f"{label}: bytes read to bytes loaded, most", 1.1, max(ratios)),
            _claim(f"{label}: bytes read to bytes loaded, least", 0.9, min(ratios), at_least=True),
            _claim(
                f"{label}: GB of memory, cache 1", (2 * least["partition_bytes"] + words + 1e9) / 1e9,
                least["peak_bytes"] / 1e9,
            ),
            _claim(f"{label}: cache 1 to cache 16", 2.5, least["seconds"] / others[-1]["seconds"]),
            _claim(f"{label}: warm cache 16 to memory", 1.5, others[-1]["warm_seconds"] / memory["seconds"]),
        ]  # fmt: skip
    return claims


def _claim(what: str, bound: float, measured: float, *, at_least: bool = False) -> dict[str, Any]:
    holds = measured >= bound if at_least else measured <= bound
    side = "at_least" if at_least else "at_most"
    return {"claim": what, side: round(bound, 2), "measured": round(measured, 2), "holds": holds}


def show(report: dict[str, Any]) -> str:
    """The build, every walk, Table 3 beside the paper's, and the claims."""
    graph, build = report["graph"], report["build"]
    built = (
        f"{graph['entities']:,} entities, {graph['triples']:,} triples, {graph['bytes'] / 1e9:.2f} GB; built in "
        f"{build['seconds']} s with {build['memory']}; {QUERIES} queries"
    )
    phases = [[each["phase"], each["seconds"], each["peak_gb"]] for each in build["phases"]]
    parts = [built, markdown_table(["phase", "s", "peak GB"], phases), _walk_table(report["rows"])]
    parts += [markdown_table(_HEADER, _paper_rows(report["rows"])), claim_table(report["claims"])]
    return "\n\n".join(parts)


_HEADER = ["factor", "value", "s", "loads", "evictions", "paper: s", "loads", "evictions"]


def _walk_table(rows: list[dict[str, Any]]) -> str:
    header = ["walk", "cache", "s", "loads", "evictions", "GB loaded", "GB read", "peak GB", "warm s", "entities"]
    body = []
    for row in rows:
        if row["batch"] != QUERIES:
            continue
        own = ["memory", row["seconds"], *[""] * 5] if row["cache"] is None else [
            row["cache"], round(row["seconds"], 3), row["loads"], row["evictions"],
            *(f"{row[name] / 1e9:.2f}" for name in ("loaded_bytes", "read_bytes", "peak_bytes")),
        ]  # fmt: skip
        body.append([f"{row['hops']} {row['direction']}", *own, row.get("warm_seconds") or "", row["found"]])
    return markdown_table(header, body)


def _paper_rows(rows: list[dict[str, Any]]) -> list[list[Any]]:
    """Table 3, row by row."""
    found = {(row["hops"], row["batch"], row["cache"]): row for row in rows if row["direction"] == "out"}
    places: dict[str, Any] = {
        "hops": lambda value: (value, 50, PARTITIONS),
        "batch": lambda value: (2, value, PARTITIONS),
        "cache": lambda value: (2, 50, value),
    }
    body = []
    for factor, values in PAPER.items():
        for value, theirs in values.items():
            row = found[places[factor](value)]
            body.append([factor, value, round(row["seconds"], 3), row["loads"], row["evictions"], *theirs])
    return body
