"""Any number of queries as one frontier, so that a segment that was loaded serves all of them before the next.

Few entities are kept as sorted lists, query by query; many as frontiers of another backend.
"""

from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency
from clew.traverse.backend import Backend, FusedWalk, Lists
from clew.traverse.blocks import Block, ListedBlock, SeedLists
from clew.traverse.partitioned.lists import NumpyLists, keys_of, lists_of

__all__ = ["Frontier", "ManyQueries"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
Keys = NDArray[np.int64]
FRONTIER_BYTES = 4 << 30  # of the frontiers of one block of queries: the current one, the next, and what was reached
FRONTIERS = 3
MOST_QUERIES = 4096  # in one block
FEW = 64  # entries that are always kept as lists
SPARSE = 2  # lists are kept while they have less than one entry for 2 entities and word of the backend


class Frontier:
    """The entities of some queries: lists of them, or frontiers of the backend."""

    __slots__ = ("_found", "_join", "_lists", "entities", "parts")

    def __init__(self, lists: SeedLists, entities: int, join: Lists) -> None:
        self._lists = lists
        self._found: list[SeedLists] = []  # more of them, in any order
        self._join = join
        self.parts: list[Any] | None = None  # takes the place of lists
        self.entities = entities

    @property
    def queries(self) -> int:
        return len(self._lists)

    @property
    def lists(self) -> SeedLists:
        """The entities of each query, sorted and distinct."""
        if self._found:
            self._lists = self._join.distinct([self._lists, *self._found], self.entities)
            self._found = []
        return self._lists

    @property
    def keys(self) -> Keys:
        """The same as one sorted array."""
        return keys_of(self.lists, self.entities)

    @property
    def size(self) -> int:
        """The number of entities of all queries, repeated ones included."""
        return len(self._lists.flat) + sum(len(each.flat) for each in self._found)

    def add(self, lists: SeedLists) -> None:
        """Add entities."""
        self._found.append(lists)

    def empty(self) -> "Frontier":
        """A frontier of the same queries without entities."""
        starts = np.zeros(self.queries + 1, np.int64)
        return Frontier(SeedLists(starts, self._lists.flat[:0]), self.entities, self._join)

    def like(self, keys: Keys) -> "Frontier":
        """A frontier of the same queries with other entities."""
        lists = lists_of(keys, self.queries, self.entities, self._lists.flat.dtype)
        return Frontier(lists, self.entities, self._join)

    def replace(self, parts: list[Any]) -> None:
        """Keep frontiers of the backend from now on."""
        self.parts, self._found = parts, []
        self._lists = SeedLists(np.zeros(self.queries + 1, np.int64), self._lists.flat[:0].copy())


class Prepared:
    """The rows of a segment; the backend's own form is made when it is first needed."""

    def __init__(self, backend: Backend, rows: Adjacency, first: int, entities: int) -> None:
        self.rows, self.first = rows.forward, first
        self._make = partial(backend.prepare, rows, first, entities)

    @cached_property
    def dense(self) -> Any:
        """The rows in the backend's own form."""
        return self._make()


class ManyQueries:
    """A backend over another backend: queries of any number, in lists or in as many frontiers as they need."""

    fused: FusedWalk | None = None
    lists: Lists | None = None

    def __init__(self, inner: Backend, entities: int) -> None:
        self._inner = inner
        self._lists: Lists = inner.lists or NumpyLists()
        held = max(1, FRONTIER_BYTES // (FRONTIERS * 8 * max(1, entities)))
        self.width = self.capacity = min(held * inner.width, MOST_QUERIES)

    def prepare(self, rows: Adjacency, first: int, entities: int) -> Prepared:
        return Prepared(self._inner, rows, first, entities)

    def start(self, seeds: SeedLists, entities: int) -> Frontier:
        return Frontier(seeds, entities, self._lists)

    def step(self, prepared: Prepared, frontier: Frontier, into: Frontier | None) -> Frontier:
        """`into` may be a frontier over more entities: those that rows of a part of a graph lead to."""
        fresh = into is None
        into = frontier.empty() if into is None else into
        if frontier.parts is None and frontier.size > self._most(frontier):
            self._dense(frontier)
        if frontier.parts is None and into.parts is None:
            into.add(self._lists.expand(prepared.rows, prepared.first, frontier.lists))
            if into.size > 2 * self._most(into):  # lists grow too long: from here on in frontiers of the backend
                self._dense(frontier)
                self._dense(into)
            return into
        parts = self._dense(frontier)
        before = [None] * len(parts) if fresh else self._dense(into)
        pairs = zip(parts, before, strict=True)
        into.replace([self._inner.step(prepared.dense, part, found) for part, found in pairs])
        return into

    def keep(self, frontier: Frontier, allowed: Mask, exempt: Frontier | None = None) -> Frontier:
        if frontier.parts is not None or (exempt is not None and exempt.parts is not None):
            mine = self._dense(frontier)
            parts = zip(mine, [None] * len(mine) if exempt is None else self._dense(exempt), strict=True)
            return self._made(frontier, [self._inner.keep(part, allowed, each) for part, each in parts])
        keys, kept = frontier.keys, allowed[frontier.lists.flat]
        if exempt is not None:
            kept |= np.isin(keys, exempt.keys, assume_unique=True)
        return frontier.like(keys[kept])

    def without(self, frontier: Frontier, other: Frontier) -> Frontier:
        if frontier.parts is None and other.parts is None:
            return frontier.like(np.setdiff1d(frontier.keys, other.keys, assume_unique=True))
        parts = zip(self._dense(frontier), self._dense(other), strict=True)
        return self._made(frontier, [self._inner.without(part, each) for part, each in parts])

    def union(self, frontier: Frontier, other: Frontier) -> Frontier:
        if frontier.parts is None and other.parts is None:
            frontier.add(other.lists)
            return frontier
        parts = zip(self._dense(frontier), self._dense(other), strict=True)
        return self._made(frontier, [self._inner.union(part, each) for part, each in parts])

    def copy(self, frontier: Frontier) -> Frontier:
        if frontier.parts is None:
            return Frontier(frontier.lists, frontier.entities, self._lists)
        return self._made(frontier, [self._inner.copy(part) for part in frontier.parts])

    def touches(self, frontier: Frontier, first: int, rows: int) -> bool:
        if frontier.parts is not None:
            return any(self._inner.touches(part, first, rows) for part in frontier.parts)
        return self._lists.touches(frontier.lists, first, rows)

    def is_empty(self, frontier: Frontier) -> bool:
        if frontier.parts is not None:
            return all(self._inner.is_empty(part) for part in frontier.parts)
        return frontier.size == 0

    def collect(self, frontier: Frontier) -> Block:
        if frontier.parts is None:
            return ListedBlock(frontier.lists.flat, frontier.lists.starts)
        if len(frontier.parts) == 1:
            return self._inner.collect(frontier.parts[0])
        return StackedBlock([self._inner.collect(part) for part in frontier.parts], self._inner.capacity)

    def _most(self, frontier: Frontier) -> int:
        """How many entities lists may have."""
        return max(FEW, frontier.entities * -(-frontier.queries // self._inner.width) // SPARSE)

    def _dense(self, frontier: Frontier) -> list[Any]:
        """The frontiers of the backend, from now on."""
        if frontier.parts is None:
            lists, capacity = frontier.lists, self._inner.capacity
            starts = range(0, frontier.queries, capacity)
            listed = [lists.part(first, min(first + capacity, frontier.queries)) for first in starts]
            frontier.replace([self._inner.start(each, frontier.entities) for each in listed])
        assert frontier.parts is not None
        return frontier.parts

    def _made(self, like: Frontier, parts: list[Any]) -> Frontier:
        made = like.empty()
        made.replace(parts)
        return made


class StackedBlock:
    """The results of some blocks of `width` queries each, one after another."""

    def __init__(self, blocks: list[Block], width: int) -> None:
        self._blocks, self._width = blocks, width
        self.counts: Ints = np.concatenate([block.counts for block in blocks])

    @property
    def nbytes(self) -> int:
        return sum(block.nbytes for block in self._blocks)

    def ids(self, query: int) -> Ints:
        return self._blocks[query // self._width].ids(query % self._width)

    def write(self, ids: Ints, at: int) -> None:
        for block in self._blocks:
            block.write(ids, at)
            at += int(block.counts.sum())
