"""Run in a process of its own by cost.py: builds, updates or walks one graph and prints as JSON what that took."""

import json
import shutil
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow.parquet as pq

import clew
from benchmarks.khop import synthetic as graphs
from clew.graph.readers import stage
from clew.graph.staging import Problems
from clew.graph.updates.update import Changes, compact_graph, update_graph

GRAPH = "graph.clew"
QUERIES, TURNS = 60, 5


def build(folder: Path) -> dict[str, float]:
    """Build from two Parquet files."""
    with _Timed() as took:
        clew.build(
            str(folder / "triples.parquet"), entities=str(folder / "entities.parquet"), out=folder / GRAPH,
            overwrite=True,
        )  # fmt: skip
    return took.record()


def update(folder: Path) -> dict[str, float]:
    """Add rows, open the graph and find one of the new entities by its name."""
    name = pq.read_table(folder / "rows.parquet")["subject_name"][0].as_py()
    with _Timed() as took:
        _change(folder, Changes(_staged(folder / "rows.parquet")))
        (found,) = clew.open(folder / GRAPH).lookup_name(name)
    assert found >= 0
    return took.record()


def change(folder: Path) -> dict[str, float]:
    """Withdraw rows and add rows."""
    with _Timed() as took:
        _change(folder, Changes(_staged(folder / "rows.parquet"), _staged(folder / "removed.parquet")))
    return took.record()


def hops(folder: Path) -> dict[str, float]:
    """The same queries on the graph with its updates and on a copy built as one base, in turns."""
    shutil.copytree(folder / GRAPH, folder / "whole.clew", symlinks=True)
    compact_graph(folder / "whole.clew")
    clew.open(folder / "whole.clew", backend="numba").hop([0], 1)  # compiled code is loaded
    with _Timed() as first:
        updated = clew.open(folder / GRAPH, backend="numba")
        updated.hop([0], 1)
    with _Timed() as first_whole:
        whole = clew.open(folder / "whole.clew", backend="numba")
        whole.hop([0], 1)
    found: dict[str, float] = {
        "first_hop_on_updates_seconds": first.seconds, "first_hop_on_one_base_seconds": first_whole.seconds,
        "delta_share_of_bytes": _delta_share(folder / GRAPH),
    }  # fmt: skip
    queries = [[f"E:{at:07d}" for at in query.tolist()] for query in graphs.load("heavy").queries[:QUERIES]]
    seeds = [(updated.resolve(each), whole.resolve(each)) for each in queries]
    for k in (1, 2, 3):
        ratios = []
        for one, other in seeds:
            _same(updated, updated.hop(one, k).ids, whole, whole.hop(other, k).ids)
            turns = [(_seconds(updated, one, k), _seconds(whole, other, k)) for _ in range(TURNS)]
            ratios.append(min(turn[0] for turn in turns) / min(turn[1] for turn in turns))
        found[f"ratio_{k}"] = float(np.median(ratios))
    return found


def _same(one: Any, ids: np.ndarray, other: Any, others: np.ndarray) -> None:
    if set(one.describe(ids)["id"].to_pylist()) != set(other.describe(others)["id"].to_pylist()):
        raise AssertionError("a hop on updates gives another result than on one base")


def _seconds(engine: Any, seeds: np.ndarray, k: int) -> float:
    start = time.perf_counter()
    engine.hop(seeds, k)
    return time.perf_counter() - start


def _staged(path: Path) -> Any:
    return stage(str(path), problems=Problems("refuse"))


def _change(folder: Path, changes: Changes) -> None:
    update_graph(folder / GRAPH, changes, problems=Problems("refuse"), compact=False)


def _delta_share(path: Path) -> float:
    folder = path / "snapshots" / (path / "CURRENT").read_text().strip()
    sizes = {each: each.stat().st_size for each in folder.rglob("*") if each.is_file()}
    return round(sum(size for each, size in sizes.items() if each.parent.name == "delta") / sum(sizes.values()), 4)


class _Timed:
    """Seconds of the clock and of the CPU in a block."""

    def __enter__(self) -> "_Timed":
        self._begun = time.perf_counter(), time.process_time()
        return self

    def __exit__(self, *_: object) -> None:
        self.seconds, self.cpu = time.perf_counter() - self._begun[0], time.process_time() - self._begun[1]

    def record(self) -> dict[str, float]:
        return {"seconds": self.seconds, "cpu_seconds": self.cpu}


if __name__ == "__main__":
    command, place = sys.argv[1:]
    _ = clew.open, clew.build  # their modules are imported when first asked for, which is not timed
    print(json.dumps({"build": build, "update": update, "change": change, "hops": hops}[command](Path(place))))
