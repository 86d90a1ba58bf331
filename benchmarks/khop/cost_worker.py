"""Run in a process of its own by cost.py: builds or opens one graph and prints as JSON what that took."""

import json
import sys
import time
from pathlib import Path

import clew

REPEATS = 9


def private_bytes() -> int:
    """Memory that only this process holds, mapped file pages that nobody else maps included."""
    lines = Path("/proc/self/smaps_rollup").read_text().splitlines()
    return sum(int(line.split()[1]) * 1024 for line in lines if line.startswith("Private_"))


def peak_bytes() -> int:
    """The most memory this process ever held."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))


def build(triples: str, entities: str, out: str) -> dict[str, float]:
    """Build from two Parquet files."""
    start = time.perf_counter()
    clew.build(triples, entities=entities, out=out)
    return {"seconds": time.perf_counter() - start, "peak_bytes": peak_bytes()}


def open_graph(path: str) -> dict[str, float]:
    """Open for the first time in this process, then again and again."""
    opening = clew.open  # what it imports is loaded here
    before = private_bytes()
    start = time.perf_counter()
    first = opening(path)
    seconds = time.perf_counter() - start
    after = private_bytes()
    again = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        opening(path)
        again.append(time.perf_counter() - start)
    del first
    return {
        "first_seconds": seconds,
        "again_seconds": sorted(again)[REPEATS // 2],
        "private_bytes": after - before,
        "process_private_bytes": after,
    }


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    print(json.dumps({"build": build, "open": open_graph}[command](*arguments)))
