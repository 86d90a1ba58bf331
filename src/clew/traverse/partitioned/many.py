"""Any number of queries as one frontier, so that a segment that was loaded serves all of them before the next.

Few entities are kept as a sorted list of (query, entity) and expanded by NumPy; many as frontiers of another backend.
"""

from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency, gather
from clew.traverse.backend import Backend, FusedWalk
from clew.traverse.blocks import Block, ListedBlock, SeedLists

__all__ = ["ManyQueries"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
Keys = NDArray[np.int64]
FRONTIER_BYTES = 4 << 30  # of the frontiers of one block of queries: the current one, the next, and what was reached
FRONTIERS = 3
MOST_QUERIES = 4096  # in one block
FEW = 64  # entries that are always kept as a list
SPARSE = 32  # a list is kept while it has less than one entry for 32 entities


class Frontier:
    """The entities of some queries: sorted keys (query times entities plus entity), or frontiers of the backend."""

    __slots__ = ("_found", "_keys", "_places", "dtype", "entities", "parts", "queries")

    def __init__(self, keys: Keys, queries: int, entities: int, dtype: np.dtype[np.integer]) -> None:
        self._keys = keys
        self._found: list[Keys] = []  # more keys, in any order
        self._places: Ints | None = None
        self.parts: list[Any] | None = None  # takes the place of keys
        self.queries, self.entities, self.dtype = queries, entities, dtype

    @property
    def keys(self) -> Keys:
        """All keys, sorted and distinct."""
        if self._found:
            self._keys = np.unique(np.concatenate([self._keys, *self._found]))
            self._found = []
        return self._keys

    @property
    def size(self) -> int:
        """The number of keys, repeated ones included."""
        return len(self._keys) + sum(map(len, self._found))

    @property
    def places(self) -> Ints:
        """The entities of all queries, sorted and distinct."""
        if self._places is None:
            self._places = np.unique(self.keys % max(1, self.entities))
        return self._places

    def add(self, keys: Keys) -> None:
        """Add keys."""
        self._found.append(keys)

    def seeds(self) -> SeedLists:
        """The entities of each query, as lists."""
        keys, bounds = self.keys, np.arange(self.queries + 1) * self.entities
        return SeedLists(np.searchsorted(keys, bounds), (keys % max(1, self.entities)).astype(self.dtype))

    def like(self, keys: Keys) -> "Frontier":
        """A frontier of the same queries with other entities."""
        return Frontier(keys, self.queries, self.entities, self.dtype)

    def replace(self, parts: list[Any]) -> None:
        """Keep frontiers of the backend from now on."""
        self.parts, self._keys, self._found, self._places = parts, self._keys[:0], [], None


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

    def __init__(self, inner: Backend, entities: int) -> None:
        self._inner = inner
        held = max(1, FRONTIER_BYTES // (FRONTIERS * 8 * max(1, entities)))
        self.width = min(held * inner.width, MOST_QUERIES)

    def prepare(self, rows: Adjacency, first: int, entities: int) -> Prepared:
        return Prepared(self._inner, rows, first, entities)

    def start(self, seeds: SeedLists, entities: int) -> Frontier:
        query = np.repeat(np.arange(len(seeds)), np.diff(seeds.starts))
        return Frontier(query * entities + seeds.flat, len(seeds), entities, seeds.flat.dtype)

    def step(self, prepared: Prepared, frontier: Frontier, into: Frontier | None) -> Frontier:
        if into is None:
            into = frontier.like(np.empty(0, np.int64))
            if frontier.parts is None and frontier.size > self._most(frontier):
                self._dense(frontier)
        if frontier.parts is None:
            into.add(_expand(prepared, frontier))
            if into.size > 2 * self._most(frontier):  # lists grow too long: from here on in frontiers of the backend
                self._dense(frontier)
                self._dense(into)
            return into
        before = [None] * len(frontier.parts) if into.parts is None else into.parts
        pairs = zip(frontier.parts, before, strict=True)
        into.replace([self._inner.step(prepared.dense, part, found) for part, found in pairs])
        return into

    def keep(self, frontier: Frontier, allowed: Mask, exempt: Frontier | None = None) -> Frontier:
        if frontier.parts is not None or (exempt is not None and exempt.parts is not None):
            mine = self._dense(frontier)
            parts = zip(mine, [None] * len(mine) if exempt is None else self._dense(exempt), strict=True)
            return self._made(frontier, [self._inner.keep(part, allowed, each) for part, each in parts])
        keys = frontier.keys
        kept = allowed[keys % max(1, frontier.entities)]
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
            return frontier.like(np.union1d(frontier.keys, other.keys))
        parts = zip(self._dense(frontier), self._dense(other), strict=True)
        return self._made(frontier, [self._inner.union(part, each) for part, each in parts])

    def copy(self, frontier: Frontier) -> Frontier:
        if frontier.parts is None:
            return frontier.like(frontier.keys)
        return self._made(frontier, [self._inner.copy(part) for part in frontier.parts])

    def touches(self, frontier: Frontier, first: int, rows: int) -> bool:
        if frontier.parts is not None:
            return any(self._inner.touches(part, first, rows) for part in frontier.parts)
        low, high = np.searchsorted(frontier.places, (first, first + rows))
        return bool(low < high)

    def is_empty(self, frontier: Frontier) -> bool:
        if frontier.parts is not None:
            return all(self._inner.is_empty(part) for part in frontier.parts)
        return frontier.size == 0

    def collect(self, frontier: Frontier) -> Block:
        if frontier.parts is None:
            seeds = frontier.seeds()
            return ListedBlock(seeds.flat, seeds.starts)
        if len(frontier.parts) == 1:
            return self._inner.collect(frontier.parts[0])
        return StackedBlock([self._inner.collect(part) for part in frontier.parts], self._inner.width)

    def _most(self, frontier: Frontier) -> int:
        """How many keys a list may have."""
        return max(FEW, frontier.entities * -(-frontier.queries // self._inner.width) // SPARSE)

    def _dense(self, frontier: Frontier) -> list[Any]:
        """The frontiers of the backend, from now on."""
        if frontier.parts is None:
            seeds, width = frontier.seeds(), self._inner.width
            starts = range(0, frontier.queries, width)
            listed = [seeds.part(first, min(first + width, frontier.queries)) for first in starts]
            frontier.replace([self._inner.start(each, frontier.entities) for each in listed])
        assert frontier.parts is not None
        return frontier.parts

    def _made(self, like: Frontier, parts: list[Any]) -> Frontier:
        made = like.like(np.empty(0, np.int64))
        made.replace(parts)
        return made


def _expand(prepared: Prepared, frontier: Frontier) -> Keys:
    """The neighbours over one segment's rows, as keys; some may repeat."""
    keys, entities = frontier.keys, max(1, frontier.entities)
    place = keys % entities
    here = (place >= prepared.first) & (place < prepared.first + prepared.rows.entities)
    keys, place = keys[here], place[here]
    position, owner = gather(prepared.rows.offsets, place - prepared.first)
    return np.unique((keys - place)[owner] + prepared.rows.neighbour[position])


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
