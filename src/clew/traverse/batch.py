"""Many queries at once: computed block by block, 64 queries in the bits of one word where that wins.

Blocks are computed when first asked for and kept while they fit into the memory allowed, so a batch may be far larger
than its results' share of it: iterate and each block is dropped in its turn.
"""

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, overload

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

__all__ = ["BatchResult"]

Ints = NDArray[np.integer]
Words = NDArray[np.uint64]
WORD = 64  # queries in a block
TOGETHER_FROM = 3  # hops from which on walking 64 queries together beats one by one
TOGETHER_QUERIES = 8  # and at least this many of them


class BatchResult(Sequence[HopResult]):
    """The results of a batch, in the order of its queries.

    `ids` holds the entities of all queries one after another, `offsets` where each query's begin.
    """

    def __init__(self, engine: "Engine", seeds: list[Ints], query: Query, deadline: Deadline, *, memory: int) -> None:
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < 0:
            raise InputError(f"memory is a number of bytes, 0 or more, not {memory!r}")
        self._engine = engine
        self._seeds = seeds
        self._query = query
        self._deadline = deadline
        self._memory = memory
        self._blocks: OrderedDict[int, tuple[Ints, Ints]] = OrderedDict()
        if len(seeds) <= WORD:
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
        ids, offsets = self._block(at // WORD)
        start, end = offsets[at % WORD], offsets[at % WORD + 1]
        return HopResult(self._engine, self._seeds[at], self._query, ids[start:end])

    def __iter__(self) -> Iterator[HopResult]:
        for at in range(len(self)):
            yield self[at]

    @property
    def ids(self) -> Ints:
        """The entities of all queries, one query after another."""
        blocks = [self._block(number)[0] for number in range(-(-len(self) // WORD))]
        return np.concatenate(blocks) if blocks else self._engine.graph.resolve([])

    @property
    def offsets(self) -> NDArray[np.int64]:
        """Where each query's entities begin in `ids`, and the end of the last."""
        counts = [np.diff(self._block(number)[1]) for number in range(-(-len(self) // WORD))]
        return np.concatenate(([0], np.cumsum(np.concatenate(counts)) if counts else [])).astype(np.int64)

    def _block(self, number: int) -> tuple[Ints, Ints]:
        held = self._blocks.get(number)
        if held is None:
            held = self._compute(self._seeds[number * WORD : (number + 1) * WORD])
            self._blocks[number] = held
            while len(self._blocks) > 1 and sum(ids.nbytes for ids, _ in self._blocks.values()) > self._memory:
                self._blocks.popitem(last=False)
        return held

    def _compute(self, seeds: list[Ints]) -> tuple[Ints, Ints]:
        self._deadline.check()
        engine, query = self._engine, self._query
        use = engine.use
        if isinstance(use.backend, BatchWalker) and seeds:
            if query.k >= TOGETHER_FROM and len(seeds) >= TOGETHER_QUERIES:
                return self._together(use.backend, use.prepared, seeds)
            if query.uniform and query.mode == "exact" and query.types is None and not self._deadline.watched:
                return use.backend.walk_each(use.prepared(engine.view(query, 1)), seeds, query.k)
        found = [engine.ends(each, query, self._deadline) for each in seeds]
        offsets = np.concatenate(([0], np.cumsum([len(ids) for ids in found]))).astype(np.int64)
        return np.concatenate(found) if found else engine.graph.resolve([]), offsets

    def _together(
        self, backend: BatchWalker, prepared_for: Callable[[View], Any], seeds: list[Ints]
    ) -> tuple[Ints, Ints]:
        """All queries of a block as bits of one word."""
        engine, query = self._engine, self._query
        prepared = prepared_for(engine.view(query, 1))
        words = start = backend.seed_words(prepared, seeds)
        walkable = query.walkable(engine.graph)
        reached = start.copy()  # at any distance so far
        for hop in range(1, query.k + 1):
            self._deadline.check()
            if not words.any():
                break
            if walkable is not None:
                words[:-1][~walkable] &= start[:-1][~walkable]  # only their own queries walk through seeds regardless
            found = backend.spread(prepared_for(engine.view(query, hop)), words)
            if query.mode == "exact":
                words = found
            elif len(query.steps) == 1:
                words = found & ~reached  # first arrivals are the next frontier
                reached |= found
            else:
                words, reached = found, reached | found if hop < query.k or query.mode == "within" else reached
        return backend.list_words(prepared, self._chosen(words, reached), len(seeds))

    def _chosen(self, words: Words, reached: Words) -> Words:
        """The words of the result: by mode, and of the types asked for."""
        query = self._query
        chosen = reached if query.mode == "within" else words
        if query.mode == "shortest" and len(query.steps) > 1:
            chosen = words & ~reached
        if query.types is not None:
            chosen = chosen.copy()
            chosen[:-1][~np.isin(self._engine.graph.entity_types, sorted(query.types))] = 0
        return chosen
