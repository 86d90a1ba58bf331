"""How a batch is walked: block by block, 64 queries in the bits of one word where that wins."""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.traverse.backend import BatchWalker
from clew.traverse.batch import Block, ListedBlock, SeedLists
from clew.traverse.deadline import Deadline
from clew.traverse.query import Query
from clew.traverse.view import View
from clew.traverse.walking import Walking

__all__ = ["WalkedBlocks"]

Ints = NDArray[np.integer]
Words = NDArray[np.uint64]
WORD = 64  # queries that walk together, as the bits of a word
MANY = 1024  # queries in a block when they walk one by one
TOGETHER_FROM = 3  # hops from which on walking 64 queries together beats one by one
TOGETHER_QUERIES = 8  # and at least this many of them


class SetBlock:
    """Results as sets of bits, listed when asked for: a dense result takes a 32nd of the room."""

    def __init__(self, backend: BatchWalker, words: Words, queries: int, dtype: np.dtype[np.integer]) -> None:
        self._backend = backend
        self._dtype = dtype
        self._sets, self.counts = backend.sets_of_words(words, queries)
        self.nbytes = self._sets.nbytes

    def ids(self, query: int) -> Ints:
        count = int(self.counts[query])
        ids = np.empty(count + 8, self._dtype)
        self._backend.list_sets(self._sets[query : query + 1], ids, 0)
        return ids[:count]

    def write(self, ids: Ints, at: int) -> None:
        self._backend.list_sets(self._sets, ids, at)


class WalkedBlocks:
    """The blocks of a batch, walked when asked for."""

    def __init__(self, walking: Walking, seeds: SeedLists, query: Query, deadline: Deadline) -> None:
        self._walking = walking
        self._seeds = seeds
        self._query = query
        self._deadline = deadline
        self._together = query.k >= TOGETHER_FROM and len(seeds) >= TOGETHER_QUERIES
        self.width = WORD if self._together else MANY

    def block(self, number: int) -> Block:
        """The results of queries number * width and following."""
        self._deadline.check()
        seeds = self._seeds.part(number * self.width, min((number + 1) * self.width, len(self._seeds)))
        walking, query, use = self._walking, self._query, self._walking.use
        if isinstance(use.backend, BatchWalker) and query.k > 0:
            if self._together:
                words = self._walk_together(use.backend, use.prepared, seeds)
                return SetBlock(use.backend, words, len(seeds), seeds.flat.dtype)
            if query.uniform and query.mode == "exact" and query.types is None and not self._deadline.watched:
                return ListedBlock(
                    *use.backend.walk_each(use.prepared(walking.view(query, 1)), seeds.starts, seeds.flat, query.k)
                )
        found = [walking.ends(np.unique(seeds.of(at)), query, self._deadline) for at in range(len(seeds))]
        return ListedBlock(np.concatenate(found), np.cumsum([0, *map(len, found)]))

    def _walk_together(self, backend: BatchWalker, prepared: Callable[[View], Any], seeds: SeedLists) -> Words:
        """All queries of a block as bits of one word, up to the result."""
        walking, query = self._walking, self._query
        words = start = backend.seed_words(prepared(walking.view(query, 1)), seeds.starts, seeds.flat)
        walkable = query.walkable(walking.graph)
        exact = query.mode == "exact"
        reached = start if exact else start.copy()  # at any distance so far
        for hop in range(1, query.k + 1):
            self._deadline.check()
            if not words.any():
                break
            if walkable is not None:
                words = words.copy()
                words[:-1][~walkable] &= start[:-1][~walkable]  # a query walks through its own seeds regardless
            words = backend.spread(prepared(walking.view(query, hop)), words)
            if exact:
                continue
            if len(query.steps) == 1 or hop == query.k:
                words &= ~reached  # first arrivals are the next frontier, and the last of them the shortest
            reached |= words
        chosen = reached if query.mode == "within" else words
        if query.types is not None:
            chosen = chosen.copy()
            chosen[:-1][~np.isin(walking.graph.entity_types, sorted(query.types))] = 0
        return chosen
