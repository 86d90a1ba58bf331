"""Hops of lists: the compiled ones do what the plain ones do, whether a query has few entities or many."""

import numpy as np
import pytest

from clew.graph.adjacency import Rows
from clew.traverse.backends.numba_lists import DENSE_SHARE, SORTED, NumbaLists
from clew.traverse.blocks import SeedLists
from clew.traverse.partitioned.lists import NumpyLists

ENTITIES, FIRST, ROWS = 60_000, 20_000, 9_000
SIZES = (0, 1, SORTED, SORTED + 1, ENTITIES // 64 // DENSE_SHARE + 50, 0, 5_000)  # every way to put them in order


@pytest.fixture(scope="module")
def rows() -> Rows:
    rng = np.random.default_rng(1)
    degree = rng.integers(0, 4, ROWS)
    degree[::500] = 300
    offsets = np.concatenate(([0], np.cumsum(degree))).astype(np.int32)
    return Rows(offsets, rng.integers(0, ENTITIES, offsets[-1]).astype(np.int32), np.empty(0, np.int32))


def random_lists(seed: int) -> SeedLists:
    rng = np.random.default_rng(seed)
    drawn = [np.unique(rng.integers(0, ENTITIES, size)).astype(np.int32) for size in SIZES]
    return SeedLists.joined(drawn, np.dtype(np.int32))


def test_compiled_hops_equal_plain_ones(rows: Rows) -> None:
    plain, compiled, lists = NumpyLists(), NumbaLists(), random_lists(2)
    for first, count in ((FIRST, ROWS), (0, 1), (ENTITIES - 1, 1), (5, 0)):
        assert compiled.touches(lists, first, count) == plain.touches(lists, first, count)
    one, other = plain.expand(rows, FIRST, lists), compiled.expand(rows, FIRST, lists)
    assert len(one.flat) > len(lists.flat) // 10
    for query in range(len(SIZES)):
        assert sorted(one.of(query).tolist()) == sorted(other.of(query).tolist())


def test_distinct_entities_are_sorted_query_by_query() -> None:
    found = [random_lists(seed) for seed in range(3)]
    found.append(SeedLists(found[0].starts, found[0].flat))  # everything twice
    for lists in (NumpyLists(), NumbaLists()):
        made = lists.distinct(found, ENTITIES)
        for query in range(len(SIZES)):
            expected = np.unique(np.concatenate([each.of(query) for each in found]))
            assert np.array_equal(made.of(query), expected)
        assert made.flat.dtype == np.int32
