"""`clew bench partitions`: Table 3 of the LogosKG paper beside ours, on a synthetic graph of its size.

The graph (`recipe`) is built with memory="4GB" into 16 partitions. 150 queries of 1 to 20 entities are walked as one
batch, each row from an empty cache with the page cache dropped for these files, and must give what the engine in memory
gives. `--quick` takes a hundredth of the size. Needs 30 GB of disk; `CLEW_BENCH_FOLDER` says where.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import clew
from benchmarks.partitions.recipe import ENTITIES, TRIPLES, write_tables
from benchmarks.report import claim_table, environment
from clew.evaluate.report.tables import markdown_table
from clew.progress import Progress, silent

__all__ = ["run", "show"]

PARTITIONS, QUERIES, SEEDS = 16, 150, 20
CACHES = (1, 2, 4, 8, 16)
WALKS = ((2, "out"), (5, "out"), (2, "both"), (5, "both"))
PAPER = {1: (441.87, 3010, 3009), 2: (419.44, 2918, 2916), 4: (384.09, 2659, 2655), 8: (304.07, 1967, 1959),
         16: (4.04, 16, 0)}  # cache → seconds, loads, evictions: 2 hops, batches of 50, 192 threads  # fmt: skip
BUILD = """
import json, resource, sys, time
import clew
begun, phases = time.perf_counter(), []
def note(what, step, steps):
    phases.append([what, round(time.perf_counter() - begun, 1)])
folder, out = sys.argv[1:3]
clew.build(f"{folder}/triples.parquet", entities=f"{folder}/entities.parquet", out=out, partitions=16, memory="4GB",
           overwrite=True, progress=note)
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
print(json.dumps({"phases": phases, "seconds": round(time.perf_counter() - begun, 1), "peak_gb": round(peak / 1e6, 2)}))
"""


def run(*, quick: bool = False, progress: Progress = silent) -> dict[str, Any]:
    """Build, then time every cache size; equality with the engine in memory is asserted first."""
    share = 100 if quick else 1
    with tempfile.TemporaryDirectory(dir=os.environ.get("CLEW_BENCH_FOLDER")) as folder:
        progress("writing tables", 0, 3)
        write_tables(Path(folder), entities=ENTITIES // share, triples=TRIPLES // share)
        progress("building", 1, 3)
        path = Path(folder) / "pkg.clew"
        command = [sys.executable, "-c", BUILD, folder, str(path)]
        made = subprocess.run(command, capture_output=True, text=True, check=True)
        progress("walking", 2, 3)
        return _report(path, json.loads(made.stdout), quick=quick)


def _report(path: Path, build: dict[str, Any], *, quick: bool) -> dict[str, Any]:
    whole = clew.open(path, backend="numba")
    rng = np.random.default_rng(3)
    count = whole.counts["entities"]
    queries = [np.unique(rng.integers(0, count, rng.integers(1, SEEDS + 1))).astype(np.int32) for _ in range(QUERIES)]
    rows: list[dict[str, Any]] = []
    for hops, direction in WALKS:
        whole.hop_batch(queries, hops, direction=direction)  # compiled and prepared
        in_memory, expected = _timed(whole, queries, hops, direction)
        for cache in CACHES:
            _drop(path)
            engine = clew.open(path, backend="numba", cache=cache * whole.snapshot.largest_load)
            before = _bytes_read()
            seconds, found = _timed(engine, queries, hops, direction)
            assert found == expected, f"cache {cache} differs from memory at {hops} hops {direction}"
            counts = engine.cache
            assert counts is not None
            warm = _timed(engine, queries, hops, direction)[0] if cache == PARTITIONS else None
            rows.append(
                {
                    "hops": hops, "direction": direction, "cache": cache, "seconds": seconds, "warm_seconds": warm,
                    "memory_seconds": in_memory, "loads": counts.loads, "evictions": counts.evictions,
                    "loaded_mb": round(counts.loaded_bytes / 1e6, 1),
                    "read_mb": round((_bytes_read() - before) / 1e6, 1) if warm is None else None,
                }
            )  # fmt: skip
    size = {"bytes": whole.snapshot.bytes, "largest_load": whole.snapshot.largest_load, **whole.counts}
    return {
        "benchmark": "partitions", "quick": quick, "graph": size, "build": build, "rows": rows,
        "claims": _claims(rows, build), **environment(),
    }  # fmt: skip


def _timed(engine: clew.Engine, queries: list[Any], hops: int, direction: str) -> tuple[float, str]:
    """Seconds of the batch, and a checksum of its entities."""
    begun = time.perf_counter()
    found = engine.hop_batch(queries, hops, direction=direction)
    digest = hashlib.sha256(found.offsets.tobytes())
    seconds = round(time.perf_counter() - begun, 3)
    for each in found:
        digest.update(each.ids.tobytes())
    return seconds, digest.hexdigest()


def _drop(path: Path) -> None:
    """Let the system forget the pages of the rows."""
    for file in path.rglob("segments/*/*.npy"):
        held = os.open(file, os.O_RDONLY)
        os.posix_fadvise(held, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(held)


def _bytes_read() -> int:
    listed = dict(line.split(": ") for line in Path("/proc/self/io").read_text().splitlines())
    return int(listed["read_bytes"])


def _claims(rows: list[dict[str, Any]], build: dict[str, Any]) -> list[dict[str, Any]]:
    claims = [_claim("GB of memory at the peak of the build", 6, build["peak_gb"])]
    for hops, direction in WALKS:
        mine = {row["cache"]: row for row in rows if (row["hops"], row["direction"]) == (hops, direction)}
        most = hops * PARTITIONS * (2 if direction == "both" else 1)
        label = f"{hops} hops {direction}"
        claims.append(_claim(f"{label}: loads, any cache", most, max(row["loads"] for row in mine.values())))
        claims.append(_claim(f"{label}: cache 1 to cache 16", 2.5, mine[1]["seconds"] / mine[16]["seconds"]))
        claims.append(
            _claim(f"{label}: warm cache 16 to memory", 1.5, mine[16]["warm_seconds"] / mine[16]["memory_seconds"])
        )
    return claims


def _claim(what: str, most: float, measured: float) -> dict[str, Any]:
    return {"claim": what, "at_most": most, "measured": round(measured, 2), "holds": measured <= most}


def show(report: dict[str, Any]) -> str:
    """The build, the table beside the paper's, and the claims."""
    header = [
        "walk",
        "cache",
        "s",
        "loads",
        "evictions",
        "MB loaded",
        "warm s",
        "in memory s",
        "paper: s",
        "loads",
        "ev.",
    ]
    body = []
    for row in report["rows"]:
        theirs = PAPER[row["cache"]] if (row["hops"], row["direction"]) == (2, "out") else ("", "", "")
        own = [row[name] for name in ("cache", "seconds", "loads", "evictions", "loaded_mb")]
        warm = "" if row["warm_seconds"] is None else row["warm_seconds"]
        body.append([f"{row['hops']} {row['direction']}", *own, warm, row["memory_seconds"], *theirs])
    graph, build = report["graph"], report["build"]
    built = (
        f"{graph['entities']:,} entities, {graph['triples']:,} triples, {graph['bytes'] / 1e9:.2f} GB; built in "
        f"{build['seconds']} s, peak {build['peak_gb']} GB; {QUERIES} queries as one batch"
    )
    phases = ", ".join(f"{what} from {at} s" for what, at in build["phases"])
    return "\n\n".join([built, phases, markdown_table(header, body), claim_table(report["claims"])])
