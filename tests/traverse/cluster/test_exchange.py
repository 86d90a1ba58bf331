"""Frontiers are cut into pieces and joined again without a loss, as lists and as words; placement goes by size."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.traverse.blocks import SeedLists
from clew.traverse.cluster.exchange import WordBackend, cut_frontier, empty_frontier, join_frontier, join_pieces
from clew.traverse.cluster.placement import place
from clew.traverse.partitioned.many import Frontier, ManyQueries
from effort import examples

DTYPE = np.dtype(np.int32)


def frontier(sets: list[set[int]], entities: int, *, dense: bool) -> Frontier:
    lists = SeedLists.joined([np.array(sorted(each), DTYPE) for each in sets], DTYPE)
    made = ManyQueries(WordBackend(), entities).start(lists, entities)
    if dense:
        made.replace([WordBackend().start(lists, entities)])
    return made


def members(found: Frontier) -> list[set[int]]:
    block = ManyQueries(WordBackend(), found.entities).collect(found)
    return [set(block.ids(query).tolist()) for query in range(found.queries)]


@given(data=st.data(), queries=st.sampled_from((1, 3, 64, 65, 130)), entities=st.integers(1, 90))
@settings(max_examples=examples(60), deadline=None)
def test_pieces_hold_what_was_cut(data: st.DataObject, queries: int, entities: int) -> None:
    """Two parts send what they found to each part, which joins it with what it has itself."""
    rng = np.random.default_rng(data.draw(st.integers(0, 99)))
    bounds = np.array([0, *sorted(data.draw(st.lists(st.integers(0, entities), max_size=3))), entities])
    found = []
    for _ in range(3):
        share = data.draw(st.sampled_from((0.0, 0.004, 0.05, 0.6)))
        found.append([set(np.flatnonzero(rng.random(entities) < share).tolist()) for _ in range(queries)])
    sent = [cut_frontier(frontier(sets, entities, dense=data.draw(st.booleans())), bounds) for sets in found]
    joined = []
    for part, size in enumerate(np.diff(bounds).tolist()):
        own = join_pieces(empty_frontier(queries, size, DTYPE), [sent[0][part]])
        whole = join_pieces(own, [sent[1][part], sent[2][part]])
        joined.append(cut_frontier(whole, np.array([0, size]))[0])
    expected = [set().union(*(sets[query] for sets in found)) for query in range(queries)]
    assert members(join_frontier(joined, bounds, queries, DTYPE)) == expected


@pytest.mark.parametrize(
    ("sizes", "parts", "expected"),
    [
        ([1] * 16, 2, [8, 8]),
        ([9, 1, 1, 1], 2, [1, 3]),
        ([1, 1, 1, 9], 3, [1, 2, 1]),
        ([0, 0, 0], 3, [1, 1, 1]),
        ([5, 0, 0, 0], 3, None),
        ([3, 1, 4, 1, 5, 9, 2, 6], 3, [4, 2, 2]),
    ],
)
def test_partitions_are_placed_by_size(sizes: list[int], parts: int, expected: list[int] | None) -> None:
    """As even as consecutive partitions allow, and no actor without one."""
    cuts = place(sizes, parts)
    counts = np.diff(cuts).tolist()
    assert len(counts) == parts
    assert min(counts) > 0
    assert sum(counts) == len(sizes)
    loads = [sum(sizes[first:last]) for first, last in pairwise(cuts)]
    assert expected is None or max(loads) == max(
        sum(sizes[first : first + count])
        for first, count in zip(np.cumsum([0, *expected[:-1]]).tolist(), expected, strict=True)
    )
