"""Compiled hops of many small frontiers over the rows of one segment after another: lists of entities, query by query.

Each segment gives the neighbours as they come; after the last one, the entities of a query are put in order by a set of
bits, which is small enough to stay near the processor where a word for each entity would not.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Rows
from clew.traverse.backends.bits import ONE, bits_to_ids, compiled, prefetch, touched_to_ids
from clew.traverse.blocks import SeedLists

__all__ = ["NumbaLists"]

Ints = NDArray[np.integer]
Starts = NDArray[np.int64]
AHEAD = 8  # entities by which memory is asked for in advance
SORTED = 128  # entries that are sorted; more go through bits
DENSE_SHARE = 4  # words for each entry up to which all words are looked through


class NumbaLists:
    """The operations of `Lists` in compiled code."""

    def touches(self, lists: SeedLists, first: int, rows: int) -> bool:
        return bool(touch(lists.starts, lists.flat, first, first + rows))

    def expand(self, rows: Rows, first: int, lists: SeedLists) -> SeedLists:
        return SeedLists(*expand(rows.offsets, rows.neighbour, first, lists.starts, lists.flat))

    def distinct(self, found: Sequence[SeedLists], entities: int) -> SeedLists:
        sizes = np.array([len(each.flat) for each in found])
        starts = np.stack([each.starts for each in found]) + (np.cumsum(sizes) - sizes)[:, None]
        return SeedLists(*join(starts, np.concatenate([each.flat for each in found]), entities))


@compiled
def place(flat: Ints, low: int, high: int, entity: int) -> int:
    """The first position from `low` on, up to `high`, whose entity is not below `entity`."""
    while low < high:
        middle = (low + high) >> 1
        if flat[middle] < entity:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def touch(starts: Starts, flat: Ints, first: int, last: int) -> bool:
    """Whether any query has an entity from `first` on that is below `last`."""
    for q in range(len(starts) - 1):
        at = place(flat, starts[q], starts[q + 1], first)
        if at < starts[q + 1] and flat[at] < last:
            return True
    return False


@compiled
def expand(offsets: Ints, neighbour: Ints, first: int, starts: Starts, flat: Ints) -> tuple[Starts, Ints]:
    """The neighbours of each query's entities in these rows, in any order; some may repeat."""
    queries = len(starts) - 1
    last = first + len(offsets) - 1
    low, high, ends = np.empty(queries, np.int64), np.empty(queries, np.int64), np.zeros(queries + 1, np.int64)
    total = 0
    for q in range(queries):
        low[q] = place(flat, starts[q], starts[q + 1], first)
        high[q] = place(flat, low[q], starts[q + 1], last)
        for i in range(low[q], high[q]):
            if i + AHEAD < high[q]:
                prefetch(offsets, np.int64(flat[i + AHEAD]) - first)
            u = np.int64(flat[i]) - first
            total += offsets[u + 1] - offsets[u]
        ends[q + 1] = total
    found = np.empty(total, neighbour.dtype)
    at = 0
    for q in range(queries):
        for i in range(low[q], high[q]):
            if i + AHEAD < high[q]:
                prefetch(neighbour, np.int64(offsets[np.int64(flat[i + AHEAD]) - first]))
            u = np.int64(flat[i]) - first
            for j in range(offsets[u], offsets[u + 1]):
                found[at] = neighbour[j]
                at += 1
    return ends, found


@compiled
def join(starts: Starts, found: Ints, entities: int) -> tuple[Starts, Ints]:
    """The entities of each query, sorted and distinct; part p of query q is found[starts[p, q]:starts[p, q + 1]]."""
    parts, queries = len(starts), starts.shape[1] - 1
    words = (entities >> 6) + 1
    bits, summary = np.zeros(words, np.uint64), np.zeros((words >> 6) + 1, np.uint64)
    ids = np.empty(len(found) + 8, found.dtype)
    ends = np.zeros(queries + 1, np.int64)
    at = 0
    for q in range(queries):
        total = 0
        for p in range(parts):
            total += starts[p, q + 1] - starts[p, q]
        if total <= SORTED:
            at = _sorted(starts, found, q, ids, at)
        elif total * DENSE_SHARE > words:
            for p in range(parts):
                for i in range(starts[p, q], starts[p, q + 1]):
                    v = np.int64(found[i])
                    bits[v >> 6] |= ONE << np.uint64(v & 63)
            at = bits_to_ids(bits, words, ids, at)
            bits[:] = 0
        else:
            for p in range(parts):
                for i in range(starts[p, q], starts[p, q + 1]):
                    v = np.int64(found[i])
                    bits[v >> 6] |= ONE << np.uint64(v & 63)
                    summary[v >> 12] |= ONE << np.uint64((v >> 6) & 63)
            at = touched_to_ids(bits, summary, ids, at)
        ends[q + 1] = at
    return ends, ids[:at].copy()


@compiled
def _sorted(starts: Starts, found: Ints, q: int, ids: Ints, at: int) -> int:
    """Write the few entities of a query, by insertion; returns the position after the last."""
    begin = at
    for p in range(len(starts)):
        for i in range(starts[p, q], starts[p, q + 1]):
            entity = found[i]
            slot = at
            while slot > begin and ids[slot - 1] > entity:
                slot -= 1
            if slot > begin and ids[slot - 1] == entity:
                continue
            for each in range(at, slot, -1):
                ids[each] = ids[each - 1]
            ids[slot] = entity
            at += 1
    return at
