"""The partitioned engine: loads that do not depend on the cache, and the results of the engine in memory."""

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

import clew
from clew.errors import GraphError, InputError, Timeout
from clew.graph import Graph, Relation
from clew.graph.storage.snapshots import snapshot_folder
from clew.traverse.walk import DIRECTIONS, MODES
from engines import partitioned

PARTITIONS, ENTITIES, TRIPLES = 16, 3000, 9000


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of 16 partitions with hubs, a symmetric and a negated relation, and two sources."""
    rng = np.random.default_rng(4)
    ends = (ENTITIES * rng.random((2, TRIPLES)) ** 2).astype(np.int64)
    relation = rng.integers(0, 6, TRIPLES)
    table = pa.table(
        {
            "subject": [f"X:{each}" for each in ends[0]],
            "relation": [f"r{each}" for each in relation],
            "object": [f"X:{each}" for each in ends[1]],
            "subject_type": [f"T{each % 3}" for each in ends[0]],
            "object_type": [f"T{each % 3}" for each in ends[1]],
            "source": [f"S{each}" for each in rng.integers(0, 2, TRIPLES)],
        }
    )
    path = tmp_path_factory.mktemp("large") / "large.clew"
    relations = [Relation("r0", symmetric=True), Relation("r1", negated=True)]
    clew.build(table, out=path, relations=relations, partitions=PARTITIONS)
    return path


def queries(count: int, *, seed: int = 0) -> list[np.ndarray]:
    rng = np.random.default_rng(seed)
    return [np.unique(rng.integers(0, 1000, rng.integers(1, 20))).astype(np.int32) for _ in range(count)]


@pytest.mark.parametrize("size", [1, 2, 4, 16])
@pytest.mark.parametrize(("direction", "sides"), [("out", 1), ("in", 1), ("both", 2)])
def test_a_hop_of_a_batch_loads_each_partition_once(large: Path, size: int, direction: str, sides: int) -> None:
    whole = clew.open(large, backend="numpy")
    for k in (1, 2, 5):
        engine = partitioned("numba", size)(large)
        found = engine.hop_batch(queries(150), k, direction=direction)
        expected = whole.hop_batch(queries(150), k, direction=direction)
        assert np.array_equal(found.ids, expected.ids)
        assert np.array_equal(found.offsets, expected.offsets)
        counts = engine.cache
        assert counts is not None
        assert 0 < counts.loads <= k * PARTITIONS * sides
        assert counts.held <= counts.capacity
        if size == 16 and direction != "both":
            assert counts.loads <= PARTITIONS
        kept = (counts.loads - counts.evictions) * engine.snapshot.largest_load
        assert counts.held <= kept


def random_options(rng: np.random.Generator, k: int) -> dict[str, Any]:
    """Any mode, direction and filter."""
    options: dict[str, Any] = {"mode": rng.choice(MODES).item(), "direction": rng.choice(DIRECTIONS).item()}
    kind = rng.integers(0, 8)
    some = [f"r{each}" for each in rng.integers(0, 6, 3)]
    if kind == 1:
        options["relations"] = some
    elif kind == 2 and k > 0:
        options["relations"] = [some[: 1 + hop % 3] for hop in range(k)]
    elif kind == 3:
        options["types"] = ["T0"]
    elif kind == 4:
        options["through"] = ["T1", "T2"]
    elif kind == 5:
        options["max_degree"] = int(rng.integers(1, 40))
    elif kind == 6:
        options["where"] = clew.Where(sources="S1")
    elif kind == 7:
        options["where"] = clew.Where(negated=True)
    return options


@pytest.mark.parametrize(("backend", "size"), [("auto", 1), ("numba", 2), ("numpy", 4), ("numba", 16)])
def test_random_queries_equal_those_in_memory(large: Path, backend: str, size: int) -> None:
    whole, engine = clew.open(large, backend="numpy"), partitioned(backend, size)(large)
    rng = np.random.default_rng(size)
    for seeds in queries(60, seed=size):
        k = int(rng.integers(0, 5))
        options = random_options(rng, k)
        near, expected = engine.hop(seeds, k, **options), whole.hop(seeds, k, **options)
        assert np.array_equal(near.ids, expected.ids), options
        if k:
            for leading in (False, True):
                found = engine.hop_triples(near, leading_to_result=leading)
                assert np.array_equal(found.numbers, whole.hop_triples(expected, leading_to_result=leading).numbers), (
                    options
                )
            assert found.table.equals(whole.hop_triples(expected, leading_to_result=True).table)
    assert not {"forward", "backward", "adjacency"} & vars(engine._graph).keys()  # nothing was joined in memory


@pytest.mark.parametrize("mode", MODES)
def test_batches_of_several_words_equal_those_in_memory(large: Path, mode: str) -> None:
    whole, engine = clew.open(large, backend="numpy"), partitioned("numba", 1)(large)
    for options in ({"types": ["T0"]}, {"through": ["T1", "T2"], "direction": "both"}, {"relations": ["r0", "r3"]}):
        found, expected = (graph.hop_batch(queries(150), 4, mode=mode, **options) for graph in (engine, whole))
        assert np.array_equal(found.ids, expected.ids), options
        assert np.array_equal(found.offsets, expected.offsets), options
        assert np.array_equal(found[100].ids, expected[100].ids), options


def test_paths_and_the_rest_equal_those_in_memory(large: Path) -> None:
    whole, engine = clew.open(large, backend="numpy"), partitioned("numba", 1)(large)
    for source, target in zip(range(0, 60, 6), range(900, 960, 6), strict=True):
        for kind in ("simple", "shortest", "walks"):
            one, other = (
                graph.paths(source, target, 3, kind=kind, direction="both", limit=5) for graph in (engine, whole)
            )
            assert [path.numbers for path in one] == [path.numbers for path in other]
            assert (one.count, one.count_kind) == (other.count, other.count_kind)
    some = np.array([5, 900, 17, 3])
    assert np.array_equal(engine.degree(), whole.degree())
    assert np.array_equal(engine.degree(some, direction="out"), whole.degree(some, direction="out"))
    assert np.array_equal(engine.triples(some).numbers, whole.triples(some).numbers)
    assert np.array_equal(engine.subgraph(np.arange(300)).numbers, whole.subgraph(np.arange(300)).numbers)
    for numbers in (None, np.array([8000, 3, 4000, 3])):
        one, other = engine.triple_columns(numbers), whole.triple_columns(numbers)
        assert all(np.array_equal(getattr(one, end), getattr(other, end)) for end in ("subject", "relation", "object"))
    rows = {"relations": ["r2"], "rows": 1000}
    assert [block.to_pydict() for block in engine.scan_triples(**rows)] == [
        block.to_pydict() for block in whole.scan_triples(**rows)
    ]
    assert [each.tolist() for each in engine.distances(some, 3)] == [each.tolist() for each in whole.distances(some, 3)]
    assert not {"forward", "backward", "adjacency"} & vars(engine._graph).keys()


def test_reading_ahead_changes_nothing_but_the_time(large: Path) -> None:
    whole = clew.open(large, backend="numpy")
    engine = partitioned("numba", 2)(large)
    engine._graph.cache._ahead_bytes = 0  # type: ignore[attr-defined]  # small files are read ahead too
    for _ in range(3):
        assert np.array_equal(engine.hop_batch(queries(20), 3).ids, whole.hop_batch(queries(20), 3).ids)
    counts = engine.cache
    assert counts is not None
    assert counts.loads <= 9 * PARTITIONS
    assert counts.held <= counts.capacity


def test_eight_threads_share_a_cache(large: Path) -> None:
    whole, engine = clew.open(large, backend="numpy"), partitioned("numba", 2)(large)
    asked = queries(40, seed=9)
    expected = [whole.hop(seeds, 3, direction="both").ids.tolist() for seeds in asked]
    with ThreadPoolExecutor(8) as pool:
        found = pool.map(lambda seeds: engine.hop(seeds, 3, direction="both").ids.tolist(), asked)
        assert list(found) == expected
    counts = engine.cache
    assert counts is not None
    assert counts.held <= counts.capacity


def test_what_is_refused(large: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"a cache of 100 bytes cannot hold the largest partition .*: allow at least"):
        clew.open(large, cache=100)
    least = clew.open(large, cache=Graph(large).segments.largest("forward", "backward"))
    assert len(least.hop_batch(queries(20), 3)) == 20
    with pytest.raises(InputError, match=r"which for filters, triples and paths needs [\d,]+ bytes: allow at least"):
        least.hop([5], 2, relations=["r2"])
    for odd in ("lots", "", 0, -1, True, "2XB", "-1GB", "0"):
        with pytest.raises(InputError, match="cache must be a size such as 500MB, 4GB or 2GiB, not"):
            clew.open(large, cache=odd)
    updated = tmp_path / "updated.clew"
    shutil.copytree(large, updated)
    clew.update(updated, pa.table({"subject": ["X:1"], "relation": ["r2"], "object": ["X:new"]}))
    with pytest.raises(
        InputError, match="was updated since it was built, and cache= and engine= need a graph without updates"
    ):
        clew.open(updated, cache="1GB")
    with pytest.raises(Timeout):
        clew.open(large, cache="1GB").hop_batch(queries(20), 3, timeout=1e-9)


@pytest.mark.parametrize("damage", ["removed", "cut", "ids", "offsets"])
def test_damage_is_one_sentence(large: Path, tmp_path: Path, damage: str) -> None:
    shutil.copytree(large, tmp_path / "g.clew")
    engine = clew.open(tmp_path / "g.clew", cache="1GB")
    file = (
        snapshot_folder(tmp_path / "g.clew")
        / "segments/0003"
        / ("forward_offsets.npy" if damage == "offsets" else "forward_neighbour.npy")
    )
    content = file.read_bytes()
    if damage == "removed":
        file.unlink()
    else:
        file.write_bytes(content[:-1] if damage == "cut" else content[:-8] + b"\xff" * 8)
    for _ in range(2):  # a load that failed is tried again
        with pytest.raises(GraphError, match=r"segments/0003/forward_.*: run `clew doctor`") as error:
            engine.hop_batch(queries(20), 3)
        assert "\n" not in str(error.value)
    file.write_bytes(content)
    whole = clew.open(large, backend="numpy")
    assert np.array_equal(engine.hop_batch(queries(20), 3).ids, whole.hop_batch(queries(20), 3).ids)


def test_one_bit_of_a_partition_is_found(large: Path, tmp_path: Path) -> None:
    shutil.copytree(large, tmp_path / "g.clew")
    file = snapshot_folder(tmp_path / "g.clew") / "segments/0003/forward_neighbour.npy"
    content = bytearray(file.read_bytes())
    content[-3] ^= 1
    file.write_bytes(content)
    with pytest.raises(GraphError, match=r"segments/0003/forward_neighbour\.npy: block 0") as error:
        clew.open(tmp_path / "g.clew", cache="1GB", verify=True)
    assert "\n" not in str(error.value)
