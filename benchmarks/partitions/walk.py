"""Walks one engine in a process of its own and prints what each walk took, as JSON on the output.

`python -m benchmarks.partitions.walk GRAPH '{"cache": 1, "walks": [{"hops": 2, "direction": "out", "batch": 150}]}'`:
a cache of so many partitions, or none for the engine in memory. A partitioned engine is timed from an empty cache with
the page cache dropped for the rows, then (`"warm": true`) again with what it holds.
"""

import json
import os
import sys
import time
import zlib
from pathlib import Path
from typing import Any

import numpy as np

import clew
from benchmarks.partitions.memory import bytes_read, peak_bytes, reset_peak
from clew.graph import Graph
from clew.graph.storage.segments import NEIGHBOURS

__all__ = ["QUERIES"]

QUERIES, SEEDS = 150, 20
ENOUGH_SECONDS, FEWEST, MOST = 20, 2, 5  # a walk is repeated until it took this long, at least and at most so often
DIRECTIONS = {"out": 1, "both": 2}  # that a walk loads of each partition
Queries = list[np.ndarray]


def main(path: str, task: str) -> None:
    """Do all walks of a task."""
    asked = json.loads(task)
    rows = []
    for walk in asked["walks"]:
        made = _in_memory(Path(path), walk) if asked["cache"] is None else _cold(Path(path), asked["cache"], walk)
        rows.append({"cache": asked["cache"], **walk, **made})
        print(rows[-1], file=sys.stderr, flush=True)
    print(json.dumps(rows))


def _in_memory(path: Path, walk: dict[str, Any]) -> dict[str, Any]:
    engine = clew.open(path, backend="numba")
    queries = _queries(engine)
    _timed(engine, queries, walk)  # compiled and prepared
    times = _repeated(lambda: _timed(engine, queries, walk))
    return {"seconds": min(times), "times": times, **_checked(engine, queries, walk)}


def _cold(path: Path, cache: int, walk: dict[str, Any]) -> dict[str, Any]:
    partition = DIRECTIONS[walk["direction"]] * Graph(path).segments.largest(*NEIGHBOURS)
    best: dict[str, Any] = {}
    engine: clew.Engine | None = None

    def once() -> float:
        nonlocal best, engine
        engine = None
        engine = clew.open(path, backend="numba", cache=cache * partition)
        queries = _queries(engine)
        _forget_pages(path)
        reset_peak()
        before = bytes_read()
        seconds = _timed(engine, queries, walk)
        counts = engine.cache
        assert counts is not None
        if not best or seconds < best["seconds"]:
            best = {
                "seconds": seconds, "loads": counts.loads, "evictions": counts.evictions, "hits": counts.hits,
                "loaded_bytes": counts.loaded_bytes, "read_bytes": bytes_read() - before, "peak_bytes": peak_bytes(),
                "partition_bytes": partition,
            }  # fmt: skip
        return seconds

    times = _repeated(once)
    assert engine is not None
    queries = _queries(engine)
    warm = _repeated(lambda: _timed(engine, queries, walk)) if walk.get("warm") else []
    return {
        **best, "times": times, "warm_seconds": min(warm) if warm else None, "warm_times": warm,
        **_checked(engine, queries, walk),
    }  # fmt: skip


def _repeated(once: Any) -> list[float]:
    times: list[float] = []
    while len(times) < FEWEST or (len(times) < MOST and sum(times) < ENOUGH_SECONDS):
        times.append(round(once(), 4))
    return times


def _queries(engine: clew.Engine) -> Queries:
    """1 to 20 entities each, drawn at random."""
    rng, count = np.random.default_rng(3), engine.counts["entities"]
    return [np.unique(rng.integers(0, count, rng.integers(1, SEEDS + 1))).astype(np.int32) for _ in range(QUERIES)]


def _batches(queries: Queries, walk: dict[str, Any]) -> list[Queries]:
    return [queries[first : first + walk["batch"]] for first in range(0, len(queries), walk["batch"])]


def _timed(engine: clew.Engine, queries: Queries, walk: dict[str, Any]) -> float:
    """Seconds until the results of all queries are there and counted."""
    begun = time.perf_counter()
    for batch in _batches(queries, walk):
        assert engine.hop_batch(batch, walk["hops"], direction=walk["direction"]).offsets[0] == 0
    return time.perf_counter() - begun


def _checked(engine: clew.Engine, queries: Queries, walk: dict[str, Any]) -> dict[str, Any]:
    """How many entities were found, and a checksum of all of them."""
    found = checksum = 0
    for batch in _batches(queries, walk):
        for near in engine.hop_batch(batch, walk["hops"], direction=walk["direction"]):
            found += len(near.ids)
            checksum = zlib.crc32(near.ids.data, checksum)
    return {"found": found, "checksum": checksum}


def _forget_pages(path: Path) -> None:
    """Let the system forget the pages of the rows."""
    for file in path.rglob("segments/*/*.npy"):
        held = os.open(file, os.O_RDONLY)
        os.fsync(held)  # pages not yet written cannot be dropped
        os.posix_fadvise(held, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(held)


if __name__ == "__main__":
    main(*sys.argv[1:])
