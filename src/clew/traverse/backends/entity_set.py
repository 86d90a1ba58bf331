"""One query's frontier as a NumPy array: a sorted list of entities, or a mark for each once it has grown."""

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Rows
from clew.traverse.backend import FusedWalk, Lists
from clew.traverse.blocks import Block, ListedBlock, SeedLists

__all__ = ["EntitySet", "EntitySets", "members"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]


class EntitySet:
    """Entities, as a sorted list, as marks, or as both."""

    __slots__ = ("_ids", "_marks", "dtype", "entities")

    def __init__(self, ids: Ints, entities: int) -> None:
        self._ids: Ints | None = ids
        self._marks: Mask | None = None
        self.entities = entities
        self.dtype = ids.dtype

    @property
    def ids(self) -> Ints:
        if self._ids is None:
            assert self._marks is not None
            self._ids = np.flatnonzero(self._marks).astype(self.dtype, copy=False)
        return self._ids

    @property
    def marks(self) -> Mask:
        if self._marks is None:
            self._marks = np.zeros(self.entities, bool)
            self._marks[self._ids] = True
        return self._marks

    def add(self, ids: Ints) -> None:
        """Take in more; from then on marks are kept."""
        self.marks[ids] = True
        self._ids = None


def members(frontier: EntitySet, rows: Rows, first: int) -> Ints:
    """The part of a frontier whose rows these are, numbered from their first."""
    ids, count = frontier.ids, len(rows.offsets) - 1
    if first == 0 and count == frontier.entities:
        return ids
    return ids[np.searchsorted(ids, first) : np.searchsorted(ids, first + count)] - np.array(first, ids.dtype)


class EntitySets:
    """A backend of one query at a time but for `prepare` and `step`: the operations that need no rows."""

    width = capacity = 1
    fused: FusedWalk | None = None
    lists: Lists | None = None

    def start(self, seeds: SeedLists, entities: int) -> EntitySet:
        return EntitySet(seeds.of(0), entities)

    def join(self, found: EntitySet, into: EntitySet | None) -> EntitySet:
        """What a step has found, added to what other segments gave."""
        return found if into is None else self.union(into, found)

    def keep(self, frontier: EntitySet, allowed: Mask, exempt: EntitySet | None = None) -> EntitySet:
        ids = frontier.ids
        kept = allowed[ids] if exempt is None else allowed[ids] | exempt.marks[ids]
        return EntitySet(ids[kept], frontier.entities)

    def without(self, frontier: EntitySet, other: EntitySet) -> EntitySet:
        return EntitySet(frontier.ids[~other.marks[frontier.ids]], frontier.entities)

    def union(self, frontier: EntitySet, other: EntitySet) -> EntitySet:
        frontier.add(other.ids)
        return frontier

    def copy(self, frontier: EntitySet) -> EntitySet:
        return EntitySet(frontier.ids, frontier.entities)

    def touches(self, frontier: EntitySet, first: int, rows: int) -> bool:
        low, high = np.searchsorted(frontier.ids, (first, first + rows))
        return bool(low < high)

    def is_empty(self, frontier: EntitySet) -> bool:
        return len(frontier.ids) == 0

    def collect(self, frontier: EntitySet) -> Block:
        return ListedBlock(frontier.ids, np.array([0, len(frontier.ids)]))
