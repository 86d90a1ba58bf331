"""The results of many queries at once: computed block by block, and dropped when they need too much memory.

Blocks are computed when first asked for and kept while they fit into the memory allowed, so a batch may be far larger
than that: iterate, and each block is dropped in its turn.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Protocol, overload

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.contents import Reader
from clew.graph.snapshot import Snapshot
from clew.traverse.request import HopRequest
from clew.traverse.result import HopResult
from clew.traverse.walk import Walk

__all__ = ["BatchResult", "Block", "Blocks", "ListedBlock", "SeedLists"]

Ints = NDArray[np.integer]


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


class Blocks(Protocol):
    """Where the results of a batch come from: block by block, `width` queries each."""

    width: int

    def block(self, number: int) -> Block: ...


class BatchResult(Sequence[HopResult]):
    """The results of a batch, in the order of its queries.

    `ids` holds the entities of all queries one after another, `offsets` where each query's begin.
    """

    def __init__(self, reader: Reader, seeds: SeedLists, walk: Walk, blocks: Blocks, *, memory: int) -> None:
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < 0:
            raise InputError(f"memory is a number of bytes, 0 or more, not {memory!r}")
        self._reader = reader
        self._seeds = seeds
        self._source = blocks
        self._memory = memory
        self._blocks: OrderedDict[int, Block] = OrderedDict()
        self.walk = walk
        if 0 < len(seeds) <= blocks.width:
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
        block, place = divmod(at, self._source.width)
        return HopResult(self._reader, self._seeds.of(at), self.walk, self._block(block).ids(place))

    def __iter__(self) -> Iterator[HopResult]:
        for at in range(len(self)):
            yield self[at]

    @property
    def snapshot(self) -> Snapshot:
        """The graph that was walked."""
        return self._reader.snapshot

    @property
    def requests(self) -> list[HopRequest]:
        """What was asked, query by query."""
        return [
            HopRequest(self.snapshot.id, tuple(np.unique(self._seeds.of(at)).tolist()), self.walk)
            for at in range(len(self))
        ]

    @property
    def ids(self) -> Ints:
        """The entities of all queries, one query after another."""
        blocks = [self._block(number) for number in range(self._block_count)]
        if len(blocks) == 1 and isinstance(blocks[0], ListedBlock):
            return blocks[0].all
        total = sum(int(block.counts.sum()) for block in blocks)
        ids = np.empty(total + 8, self.snapshot.widths.entity)
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
        return -(-len(self) // self._source.width)

    def _block(self, number: int) -> Block:
        held = self._blocks.get(number)
        if held is None:
            held = self._blocks[number] = self._source.block(number)
            while len(self._blocks) > 1 and sum(block.nbytes for block in self._blocks.values()) > self._memory:
                self._blocks.popitem(last=False)
        return held
