"""The benchmark of graphs larger than memory, on a small one: what it measures, and what it would call a miss."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.partitions.build import PARTITIONS
from benchmarks.partitions.recipe import write_tables
from benchmarks.partitions.table import CACHES, PAPER, WALKS, claims_of, tasks_of_run
from benchmarks.partitions.walk import QUERIES, walk_cold, walk_in_memory

import clew

WALK = {"hops": 2, "direction": "both", "batch": QUERIES}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("pkg")
    write_tables(folder, entities=3_000, triples=6_000)
    clew.build(
        folder / "triples.parquet", entities=folder / "entities.parquet", out=folder / "g.clew", partitions=PARTITIONS
    )
    return folder / "g.clew"


def test_degrees_have_a_heavy_tail_in_both_directions(graph: Path) -> None:
    engine = clew.open(graph)
    out, into = (np.sort(engine.degree(direction=way))[::-1] for way in ("out", "in"))
    assert out[0] > 20 * np.median(out[out > 0])
    assert into[0] > 20 * np.median(into[into > 0])
    both = engine.degree(direction="out") + engine.degree(direction="in")
    assert both.max() > 1.5 * max(out[0], into[0])  # a hub of one direction is one of the other


def test_a_cold_walk_finds_what_is_found_in_memory(graph: Path) -> None:
    memory, cold = walk_in_memory(graph, WALK), walk_cold(graph, 1, WALK | {"warm": True})
    assert memory["found"] == cold["found"] > 1000
    assert memory["checksum"] == cold["checksum"]
    assert cold["loads"] <= 2 * 2 * PARTITIONS
    assert cold["evictions"] > 0
    assert cold["peak_bytes"] > 1e7
    assert cold["warm_seconds"] <= max(cold["warm_times"])


def test_every_claim_can_fail() -> None:
    row = {
        "seconds": 1.0, "warm_seconds": 1.0, "loads": 1, "loaded_bytes": 100, "read_bytes": 100, "peak_bytes": 1,
        "partition_bytes": 1, "checksum": 7,
    }  # fmt: skip
    rows = [task | walk | row for task in tasks_of_run() for walk in task["walks"]]
    asked = {(each["hops"], each["direction"], each["batch"], each["cache"]) for each in rows}
    assert {(2, "out", 50, cache) for cache in CACHES} < asked
    assert {(2, "out", batch, PARTITIONS) for batch in PAPER["batch"]} < asked
    build = {"phases": [{"peak_gb": 5.0}]}
    assert all(claim["holds"] for claim in claims_of(rows, build, 1000))
    bad = {"loads": 999, "read_bytes": 50, "peak_bytes": 2e9}
    slow = [each | bad | {"seconds": 9.0} if each["cache"] == 1 else each for each in rows]
    slow = [each | {"warm_seconds": 9.0, "read_bytes": 120} if each["cache"] == PARTITIONS else each for each in slow]
    assert not any(claim["holds"] for claim in claims_of(slow, {"phases": [{"peak_gb": 7.0}]}, 1000))
    with pytest.raises(AssertionError, match="not the entities found in memory"):
        claims_of([each | {"checksum": 8} if each["cache"] == 4 else each for each in rows], build, 1000)
    assert len(WALKS) == 4
