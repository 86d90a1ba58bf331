"""`clew bench cluster`: a graph on two Ray actors beside the partitioned engine of one process, on 5-hop batches.

The graph is a tenth of that of `clew bench partitions` in 16 partitions (`--quick`: a hundredth). Both engines hold all
rows and have walked the batch before; they take turns, the best of some rounds counts, and both must give what the
engine in memory gives. `CLEW_BENCH_FOLDER` says where the graph is made.
"""

import hashlib
import os
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np

import clew
from benchmarks.partitions.recipe import ENTITIES, TRIPLES, write_tables
from benchmarks.report import claim_table, environment
from clew.evaluate.report.tables import markdown_table
from clew.progress import Progress, silent

__all__ = ["run", "show"]

PARTITIONS, QUERIES, SEEDS = 16, 150, 20
ACTORS, ROUNDS = 2, 5
WALKS = ((2, "out"), (5, "out"), (5, "both"))
MOST = 3.0  # times the partitioned engine


def run(*, quick: bool = False, progress: Progress = silent) -> dict[str, Any]:
    """Build, open both engines, and time them in turns."""
    share = 100 if quick else 10
    with tempfile.TemporaryDirectory(dir=os.environ.get("CLEW_BENCH_FOLDER")) as folder:
        progress("building", 0, 2)
        write_tables(Path(folder), entities=ENTITIES // share, triples=TRIPLES // share)
        path = Path(folder) / "pkg.clew"
        tables = {"entities": f"{folder}/entities.parquet", "memory": "4GB"}
        clew.build(f"{folder}/triples.parquet", out=path, partitions=PARTITIONS, **tables)
        progress("walking", 1, 2)
        return measure(path, quick=quick)


def measure(path: Path, *, quick: bool) -> dict[str, Any]:
    """The report on a graph of 16 partitions."""
    whole = clew.open(path, backend="numba")
    local = clew.open(path, backend="numba", cache=4 * PARTITIONS * whole.snapshot.largest_load)
    cluster = clew.open(path, engine="ray", actors=ACTORS)
    rng, count = np.random.default_rng(3), whole.counts["entities"]
    queries = [np.unique(rng.integers(0, count, rng.integers(1, SEEDS + 1))).astype(np.int32) for _ in range(QUERIES)]
    rows = [_row({"local": local, "ray": cluster}, whole, queries, *walk) for walk in WALKS]
    claims = [
        {"claim": f"{row['hops']} hops {row['direction']}: Ray to local", "at_most": MOST, "measured": row["ratio"],
         "holds": row["ratio"] <= MOST} for row in rows if row["hops"] == 5
    ]  # fmt: skip
    return {
        "benchmark": "cluster", "quick": quick, "graph": {"bytes": whole.snapshot.bytes, **whole.counts},
        "actors": ACTORS, "queries": QUERIES, "rounds": ROUNDS, "rows": rows, "claims": claims, **environment(),
    }  # fmt: skip


def _row(engines: dict[str, Any], whole: clew.Engine, queries: list[Any], hops: int, direction: str) -> dict[str, Any]:
    expected = _timed(whole, queries, hops, direction)[1]
    for name, engine in engines.items():
        assert _timed(engine, queries, hops, direction)[1] == expected, f"{name}: {hops} hops {direction} differ"
    before = _sent(engines["ray"])
    seconds: dict[str, list[float]] = {name: [] for name in engines}
    for _ in range(ROUNDS):
        for name, engine in engines.items():
            seconds[name].append(_timed(engine, queries, hops, direction)[0])
    sent = (_sent(engines["ray"]) - before) / ROUNDS
    best = {name: min(each) for name, each in seconds.items()}
    return {
        "hops": hops, "direction": direction, "local_seconds": best["local"], "ray_seconds": best["ray"],
        "local_median": median(seconds["local"]), "ray_median": median(seconds["ray"]),
        "ratio": round(best["ray"] / best["local"], 2), "exchanged_mb": round(sent / 1e6, 2),
    }  # fmt: skip


def _timed(engine: clew.Engine, queries: list[Any], hops: int, direction: str) -> tuple[float, str]:
    """Seconds of the batch, and a checksum of its entities."""
    begun = time.perf_counter()
    found = engine.hop_batch(queries, hops, direction=direction)
    offsets = found.offsets
    seconds = round(time.perf_counter() - begun, 4)
    digest = hashlib.sha256(offsets.tobytes())
    for each in found:
        digest.update(each.ids.tobytes())
    return seconds, digest.hexdigest()


def _sent(cluster: Any) -> int:
    """The bytes of all pieces that actors have made for each other."""
    actors = cluster._graph.actors
    return sum(actors.get([actors.call(at, "sent_bytes") for at in range(len(actors.placement.plans))]))


def show(report: dict[str, Any]) -> str:
    """The table and the claims."""
    graph = report["graph"]
    header = ["walk", "partitioned, s", "Ray, s", "times", "exchanged, MB"]
    body = [
        [
            f"{row['hops']} {row['direction']}",
            row["local_seconds"],
            row["ray_seconds"],
            row["ratio"],
            row["exchanged_mb"],
        ]
        for row in report["rows"]
    ]
    said = f"{graph['entities']:,} entities, {graph['triples']:,} triples, {QUERIES} queries, {ACTORS} actors"
    return "\n\n".join([said, markdown_table(header, body), claim_table(report["claims"])])
