"""Hops of many small frontiers as lists of entities, query by query, with NumPy; a backend may have them compiled."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Rows, gather
from clew.traverse.blocks import SeedLists

__all__ = ["NumpyLists", "keys_of", "lists_of"]

Keys = NDArray[np.int64]


class NumpyLists:
    """The operations of `Lists`, array by array."""

    def touches(self, lists: SeedLists, first: int, rows: int) -> bool:
        return bool(((lists.flat >= first) & (lists.flat < first + rows)).any())

    def expand(self, rows: Rows, first: int, lists: SeedLists) -> SeedLists:
        here = (lists.flat >= first) & (lists.flat < first + rows.entities)
        before = np.zeros(len(here) + 1, np.int64)
        np.cumsum(here, out=before[1:])
        local = lists.flat[here] - first
        position, _ = gather(rows.offsets, local)
        ends = np.zeros(len(local) + 1, np.int64)
        np.cumsum(rows.offsets[local + 1] - rows.offsets[local].astype(np.int64), out=ends[1:])
        return SeedLists(ends[before[lists.starts]], rows.neighbour[position])

    def distinct(self, found: Sequence[SeedLists], entities: int) -> SeedLists:
        keys = np.unique(np.concatenate([keys_of(each, entities) for each in found]))
        return lists_of(keys, len(found[0]), entities, found[0].flat.dtype)


def keys_of(lists: SeedLists, entities: int) -> Keys:
    """Query times entities plus entity, for each entry: sorted if the lists are."""
    query = np.repeat(np.arange(len(lists)), np.diff(lists.starts))
    return query * entities + lists.flat


def lists_of(keys: Keys, queries: int, entities: int, dtype: np.dtype[np.integer]) -> SeedLists:
    """The lists of sorted keys."""
    starts = np.searchsorted(keys, np.arange(queries + 1) * entities)
    return SeedLists(starts, (keys % max(1, entities)).astype(dtype))
