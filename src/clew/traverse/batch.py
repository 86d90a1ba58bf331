"""Many queries at once: computed block by block, 64 queries in the bits of one word where that wins.

Blocks are computed when first asked for and kept while they fit into the memory allowed, so a batch may be far larger
than that: iterate, and each block is dropped in its turn.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, overload

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.traverse.backend import BatchWalker
from clew.traverse.deadline import Deadline
from clew.traverse.query import Query
from clew.traverse.result import HopResult
from clew.traverse.view import View

if TYPE_CHECKING:
    from clew.traverse.engine import Engine

__all__ = ["BatchResult", "SeedLists"]

Ints = NDArray[np.integer]
Words = NDArray[np.uint64]
WORD = 64  # queries that walk together, as the bits of a word
MANY = 1024  # queries in a block when they walk one by one
TOGETHER_FROM = 3  # hops from which on walking 64 queries together beats one by one
TOGETHER_QUERIES = 8  # and at least this many of them


class SeedLists:
    """The seeds of many queries, one after another: query q has flat[starts[q]:starts[q + 1]]."""

    __slots__ = ("flat", "starts")

    def __init__(self, starts: NDArray[np.int64], flat: Ints) -> None:
        self.starts = starts
        self.flat = flat

    @classmethod
    def joined(cls, queries: Sequence[Ints], dtype: np.dtype[np.integer]) -> "SeedLists":
        starts = np.zeros(len(queries) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, queries), np.int64, len(queries)), out=starts[1:])
        return cls(starts, np.concatenate(queries) if len(queries) else np.empty(0, dtype))

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, query: int) -> Ints:
        """The seeds of one query."""
        return self.flat[self.starts[query] : self.starts[query + 1]]

    def part(self, first: int, last: int) -> "SeedLists":
        """Some of the queries."""
        starts = self.starts[first : last + 1]
        return SeedLists(starts - starts[0], self.flat[starts[0] : starts[-1]])


class Block(Protocol):
    """The results of some queries."""

    counts: Ints

    @property
    def nbytes(self) -> int: ...

    def ids(self, query: int) -> Ints: ...

    def write(self, ids: Ints, at: int) -> None:
        """Write the entities of all queries, one after another, into `ids` from `at` on; it has 8 to spare."""


class ListedBlock:
    """Results as lists."""

    def __init__(self, ids: Ints, offsets: Ints) -> None:
        self.all = ids
        self._offsets = offsets
        self.counts = np.diff(offsets)
        self.nbytes = ids.nbytes

    def ids(self, query: int) -> Ints:
        return self.all[self._offsets[query] : self._offsets[query + 1]]

    def write(self, ids: Ints, at: int) -> None:
        ids[at : at + len(self.all)] = self.all


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


class BatchResult(Sequence[HopResult]):
    """The results of a batch, in the order of its queries.

    `ids` holds the entities of all queries one after another, `offsets` where each query's begin.
    """

    def __init__(self, engine: "Engine", seeds: SeedLists, query: Query, deadline: Deadline, *, memory: int) -> None:
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < 0:
            raise InputError(f"memory is a number of bytes, 0 or more, not {memory!r}")
        self._engine = engine
        self._seeds = seeds
        self._query = query
        self._deadline = deadline
        self._memory = memory
        self._together = query.k >= TOGETHER_FROM and len(seeds) >= TOGETHER_QUERIES
        self._width = WORD if self._together else MANY  # queries in a block
        self._blocks: OrderedDict[int, Block] = OrderedDict()
        if 0 < len(seeds) <= self._width:
            self._block(0)  # errors and time-outs of a small batch come from the call itself

    def __len__(self) -> int:
        return len(self._seeds)

    @overload
    def __getitem__(self, at: int) -> HopResult: ...

    @overload
    def __getitem__(self, at: slice) -> list[HopResult]: ...

    def __getitem__(self, at: int | slice) -> HopResult | list[HopResult]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        if not -len(self) <= at < len(self):
            raise IndexError(f"query {at} of {len(self)}")
        at %= len(self)
        return HopResult(
            self._engine, self._seeds.of(at), self._query, self._block(at // self._width).ids(at % self._width)
        )

    def __iter__(self) -> Iterator[HopResult]:
        for at in range(len(self)):
            yield self[at]

    @property
    def ids(self) -> Ints:
        """The entities of all queries, one query after another."""
        blocks = [self._block(number) for number in range(self._block_count)]
        if len(blocks) == 1 and isinstance(blocks[0], ListedBlock):
            return blocks[0].all
        total = sum(int(block.counts.sum()) for block in blocks)
        ids = np.empty(total + 8, self._engine.manifest.widths.entity)
        at = 0
        for block in blocks:
            block.write(ids, at)
            at += int(block.counts.sum())
        return ids[:total]

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each query's entities begin in `ids`, and the end of the last."""
        counts = [self._block(number).counts for number in range(self._block_count)]
        return np.concatenate(([0], *counts)).cumsum().astype(np.int64)

    @property
    def _block_count(self) -> int:
        return -(-len(self) // self._width)

    def _block(self, number: int) -> Block:
        held = self._blocks.get(number)
        if held is None:
            held = self._blocks[number] = self._compute(
                self._seeds.part(number * self._width, min((number + 1) * self._width, len(self)))
            )
            while len(self._blocks) > 1 and sum(block.nbytes for block in self._blocks.values()) > self._memory:
                self._blocks.popitem(last=False)
        return held

    def _compute(self, seeds: SeedLists) -> Block:
        self._deadline.check()
        engine, query, use = self._engine, self._query, self._engine.use
        if isinstance(use.backend, BatchWalker) and query.k > 0:
            if self._together:
                words = self._walk_together(use.backend, use.prepared, seeds)
                return SetBlock(use.backend, words, len(seeds), np.dtype(engine.manifest.widths.entity))
            if query.uniform and query.mode == "exact" and query.types is None and not self._deadline.watched:
                return ListedBlock(
                    *use.backend.walk_each(use.prepared(engine.view(query, 1)), seeds.starts, seeds.flat, query.k)
                )
        found = [engine.ends(np.unique(seeds.of(at)), query, self._deadline) for at in range(len(seeds))]
        return ListedBlock(np.concatenate(found), np.cumsum([0, *map(len, found)]))

    def _walk_together(self, backend: BatchWalker, prepared: Callable[[View], Any], seeds: SeedLists) -> Words:
        """All queries of a block as bits of one word, up to the result."""
        engine, query = self._engine, self._query
        words = start = backend.seed_words(prepared(engine.view(query, 1)), seeds.starts, seeds.flat)
        walkable = query.walkable(engine.graph)
        exact = query.mode == "exact"
        reached = start if exact else start.copy()  # at any distance so far
        for hop in range(1, query.k + 1):
            self._deadline.check()
            if not words.any():
                break
            if walkable is not None:
                words = words.copy()
                words[:-1][~walkable] &= start[:-1][~walkable]  # a query walks through its own seeds regardless
            words = backend.spread(prepared(engine.view(query, hop)), words)
            if exact:
                continue
            if len(query.steps) == 1 or hop == query.k:
                words &= ~reached  # first arrivals are the next frontier, and the last of them the shortest
            reached |= words
        chosen = reached if query.mode == "within" else words
        if query.types is not None:
            chosen = chosen.copy()
            chosen[:-1][~np.isin(engine.graph.entity_types, sorted(query.types))] = 0
        return chosen
