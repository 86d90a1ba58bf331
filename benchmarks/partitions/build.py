"""Builds the graph in a process of its own: seconds and peak memory of each phase, as JSON on the output.

`python -m benchmarks.partitions.build TABLES OUT`
"""

import json
import sys
import time
from pathlib import Path

import clew
from benchmarks.partitions.memory import peak_bytes, reset_peak

__all__ = ["MEMORY", "PARTITIONS"]

PARTITIONS, MEMORY = 16, "4GB"


def main(tables: str, out: str) -> None:
    """Build, and print what it took."""
    begun = time.perf_counter()
    phases: list[dict[str, object]] = []
    marks: list[tuple[str, float]] = []

    def note(what: str, step: int, steps: int | None) -> None:
        now = time.perf_counter()
        if marks:
            name, since = marks[-1]
            phases.append({"phase": name, "seconds": round(now - since, 1), "peak_gb": round(peak_bytes() / 1e9, 2)})
            print(phases[-1], file=sys.stderr, flush=True)
        marks.append((what, now))
        reset_peak()

    clew.build(
        f"{tables}/triples.parquet", entities=f"{tables}/entities.parquet", out=Path(out), partitions=PARTITIONS,
        memory=MEMORY, progress=note,
    )  # fmt: skip
    seconds = round(time.perf_counter() - begun, 1)
    print(json.dumps({"memory": MEMORY, "seconds": seconds, "phases": phases}))


if __name__ == "__main__":
    main(*sys.argv[1:])
