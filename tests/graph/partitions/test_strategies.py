"""Partitioning strategies: sizes, locality, and the same result in every run."""

from itertools import pairwise
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import clew
from clew.errors import InputError, UnknownName
from clew.graph.partitions.strategy import PARTITIONINGS, GraphShape, choose_partitions
from clew.graph.storage.manifest import read_manifest
from clew.graph.storage.snapshots import snapshot_folder


def heavy_tailed(entities: int, triples: int, *, seed: int = 0) -> GraphShape:
    """A few hubs with most triples."""
    rng = np.random.default_rng(seed)
    ends = (entities * rng.random((2, triples)) ** 3).astype(np.int64)
    key = np.unique(ends[0] * entities + ends[1])
    return GraphShape(entities, key // entities, key % entities)


def communities(groups: int, size: int, *, seed: int = 0) -> GraphShape:
    """Groups of entities, densely connected inside, numbered at random."""
    rng = np.random.default_rng(seed)
    number = rng.permutation(groups * size)
    inside = rng.integers(0, size, (2, groups * size * 5))
    group = rng.integers(0, groups, inside.shape[1]) * size
    between = rng.integers(0, groups * size, (2, groups * size // 10))
    subject, object_ = np.concatenate((number[inside + group], number[between]), axis=1)
    key = np.unique(subject * len(number) + object_)
    return GraphShape(len(number), key // len(number), key % len(number))


def loads(shape: GraphShape, chosen: np.ndarray) -> np.ndarray:
    return np.bincount(chosen, weights=shape.weights())


@pytest.mark.parametrize("name", list(PARTITIONINGS))
@pytest.mark.parametrize("partitions", [2, 7, 16])
def test_sizes_are_balanced(name: str, partitions: int) -> None:
    shape = heavy_tailed(20_000, 60_000)
    chosen = choose_partitions(shape, partitions, name)
    assert chosen.shape == (shape.entities,)
    assert set(chosen.tolist()) == set(range(partitions))
    sizes = loads(shape, chosen)
    assert sizes.max() <= 1.06 * sizes.mean()
    assert np.array_equal(chosen, choose_partitions(shape, partitions, name))


def test_hubs_are_spread_evenly() -> None:
    shape = heavy_tailed(100_000, 200_000)
    chosen = choose_partitions(shape, 16, "balanced")
    hubs = np.argsort(-shape.weights(), kind="stable")[:16]
    assert np.unique(chosen[hubs]).tolist() == list(range(16))
    sizes = loads(shape, chosen)
    assert sizes.max() - sizes.min() <= 0.01 * sizes.mean()


def test_local_keeps_neighbours_together() -> None:
    shape = communities(40, 50)
    cut = {}
    for name in PARTITIONINGS:
        chosen = choose_partitions(shape, 4, name)
        cut[name] = (chosen[shape.subject] != chosen[shape.object]).mean()
    assert cut["balanced"] > 0.7
    assert cut["local"] < 0.3


def test_what_is_refused() -> None:
    shape = heavy_tailed(10, 10)
    for odd in (0, -1, True, 2.0, "4", 10**9):
        with pytest.raises(InputError, match="partitions must be a number from 1 to 4,096, not"):
            choose_partitions(shape, odd, "balanced")  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="no partitioning is called 'balance': did you mean 'balanced'"):
        choose_partitions(shape, 1, "balance")


@pytest.fixture(scope="module")
def table() -> pa.Table:
    shape = heavy_tailed(300, 900, seed=3)
    names = [f"X:{number}" for number in range(shape.entities)]
    relation = [f"r{number % 5}" for number in range(len(shape.subject))]
    ends = [[names[each] for each in side.tolist()] for side in (shape.subject, shape.object)]
    return pa.table({"subject": ends[0], "relation": relation, "object": ends[1]})


class TestSegments:
    def test_the_same_graph_in_every_run(self, table: pa.Table, tmp_path: Path) -> None:
        made = [clew.build(table, out=tmp_path / f"{n}.clew", partitions=4).snapshot.id for n in range(2)]
        assert made[0] == made[1]
        assert made[0] != clew.build(table, out=tmp_path / "5.clew", partitions=5).snapshot.id

    @pytest.mark.parametrize("partitioning", list(PARTITIONINGS))
    def test_what_the_manifest_says(self, table: pa.Table, tmp_path: Path, partitioning: str) -> None:
        clew.build(table, out=tmp_path / "g.clew", partitions=4, partitioning=partitioning)
        manifest = read_manifest(snapshot_folder(tmp_path / "g.clew"))
        assert (manifest.format_version, manifest.partitioning, len(manifest.segments)) == (2, partitioning, 4)
        for one, other in pairwise(manifest.segments):
            assert other.first_entity == one.first_entity + one.entities
        assert clew.build(table, out=tmp_path / "one.clew").snapshot.format == 1

    def test_triples_and_assertions_are_those_of_one_segment(self, table: pa.Table, tmp_path: Path) -> None:
        said = table.append_column("source", pa.array([f"S{n % 3}" for n in range(table.num_rows)]))
        whole = clew.build(pa.concat_tables([said, said.slice(5, 40)]), out=tmp_path / "one.clew")
        parts = clew.build(pa.concat_tables([said, said.slice(5, 40)]), out=tmp_path / "four.clew", partitions=4)
        stated = []
        for graph in (whole, parts):
            rows = clew.graph.read_triples(graph, assertions=("source",))
            names = clew.graph.read_entities(graph, ("id",))["id"].to_pylist()
            ends = [[names[each] for each in rows[end].to_pylist()] for end in ("subject", "object")]
            stated.append(sorted(zip(*ends, rows["relation"].to_pylist(), rows["source"].to_pylist(), strict=True)))
        assert stated[0] == stated[1]

    def test_more_partitions_than_entities(self, tmp_path: Path) -> None:
        table = pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]})
        graph = clew.build(table, out=tmp_path / "g.clew", partitions=16)
        assert len(read_manifest(snapshot_folder(tmp_path / "g.clew")).segments) == 2
        assert graph.hop("a").entities["id"].to_pylist() == ["b"]
