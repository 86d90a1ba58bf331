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
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

import clew
from benchmarks.partitions.memory import bytes_read, peak_bytes, reset_peak
from clew.graph import Graph
from clew.graph.storage.segments import NEIGHBOURS

__all__ = ["QUERIES", "walk_cold", "walk_in_memory"]

QUERIES, SEEDS = 150, 20
ENOUGH_SECONDS, FEWEST, MOST = 20, 2, 5  # a walk is repeated until it took this long, at least and at most so often
DIRECTIONS = {"out": 1, "both": 2}  # that a walk loads of each partition
KEPT = 4 << 30  # bytes of results, so that none is computed twice
Queries = list[np.ndarray]
Found = list[clew.BatchResult]


def main(path: str, task: str) -> None:
    """Do all walks of a task."""
    asked = json.loads(task)
    rows = []
    for walk in asked["walks"]:
        made = (
            walk_in_memory(Path(path), walk) if asked["cache"] is None else walk_cold(Path(path), asked["cache"], walk)
        )
        rows.append({"cache": asked["cache"], **walk, **made})
        print(rows[-1], file=sys.stderr, flush=True)
    print(json.dumps(rows))


def walk_in_memory(path: Path, walk: dict[str, Any]) -> dict[str, Any]:
    """The best of a few walks in memory, everything prepared."""
    engine = clew.open(path, backend="numba")
    queries = _queries(engine)
    _walked(engine, _queries(engine)[:2], walk | {"hops": 1})  # prepared
    times, found = _repeated(lambda: _walked(engine, queries, walk))
    return {"seconds": min(times), "times": times, **_checked(found)}


def walk_cold(path: Path, cache: int, walk: dict[str, Any]) -> dict[str, Any]:
    """The best of a few walks from an empty cache of some partitions."""
    partition = DIRECTIONS[walk["direction"]] * Graph(path).segments.largest(*NEIGHBOURS)
    best: dict[str, Any] = {}
    engine: clew.Engine | None = None

    def once() -> tuple[float, Found]:
        nonlocal best, engine
        engine = None
        engine = clew.open(path, backend="numba", cache=cache * partition)
        queries = _queries(engine)
        _forget_pages(path)
        reset_peak()
        before = bytes_read()
        seconds, found = _walked(engine, queries, walk)
        counts = engine.cache
        assert counts is not None
        if not best or seconds < best["seconds"]:
            best = {
                "seconds": round(seconds, 4), "loads": counts.loads, "evictions": counts.evictions,
                "hits": counts.hits, "loaded_bytes": counts.loaded_bytes, "read_bytes": bytes_read() - before,
                "peak_bytes": peak_bytes(), "partition_bytes": partition,
            }  # fmt: skip
        return seconds, found

    times, found = _repeated(once)
    checked = _checked(found)
    del found
    queries, warm = _queries(engine), list[float]()
    if walk.get("warm"):
        warm, _ = _repeated(lambda: _walked(engine, queries, walk))
    return {**best, "times": times, "warm_seconds": min(warm, default=None), "warm_times": warm, **checked}


def _repeated(once: Callable[[], tuple[float, Found]]) -> tuple[list[float], Found]:
    """The seconds of a walk that is repeated, and what it found."""
    times: list[float] = []
    found: Found = []
    while len(times) < FEWEST or (len(times) < MOST and sum(times) < ENOUGH_SECONDS):
        found = []  # the memory of the last one
        seconds, found = once()
        times.append(round(seconds, 4))
    return times, found


def _queries(engine: clew.Engine) -> Queries:
    """1 to 20 entities each, drawn at random."""
    rng, count = np.random.default_rng(3), engine.counts["entities"]
    return [np.unique(rng.integers(0, count, rng.integers(1, SEEDS + 1))).astype(np.int32) for _ in range(QUERIES)]


def _batches(queries: Queries, walk: dict[str, Any]) -> list[Queries]:
    return [queries[first : first + walk["batch"]] for first in range(0, len(queries), walk["batch"])]


def _walked(engine: clew.Engine | None, queries: Queries, walk: dict[str, Any]) -> tuple[float, Found]:
    """Seconds until the results of all queries are there and counted, and the results."""
    assert engine is not None
    begun = time.perf_counter()
    found = []
    for batch in _batches(queries, walk):
        found.append(engine.hop_batch(batch, walk["hops"], direction=walk["direction"], memory=KEPT))
        assert found[-1].offsets[0] == 0
    return time.perf_counter() - begun, found


def _checked(found: Found) -> dict[str, Any]:
    """How many entities were found, and a checksum of all of them."""
    count = checksum = 0
    for batch in found:
        for near in batch:
            ids = near.ids
            count += len(ids)
            checksum = zlib.crc32(ids.data, checksum)
    return {"found": count, "checksum": checksum}


def _forget_pages(path: Path) -> None:
    """Let the system forget the pages of the rows."""
    for file in path.rglob("segments/*/*.npy"):
        held = os.open(file, os.O_RDONLY)
        os.fsync(held)  # pages not yet written cannot be dropped
        os.posix_fadvise(held, 0, 0, os.POSIX_FADV_DONTNEED)
        os.close(held)


if __name__ == "__main__":
    main(*sys.argv[1:])
