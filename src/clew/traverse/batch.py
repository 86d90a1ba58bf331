"""The results of many queries, computed in blocks and dropped when they exceed the memory limit.

Blocks are computed on first use and cached within the memory limit, so a batch may be far larger than the limit if it
is iterated in order.
"""

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from typing import Protocol, overload

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.contents import Reader
from clew.graph.snapshot import Snapshot
from clew.traverse.blocks import Block, ListedBlock, SeedLists
from clew.traverse.request import HopRequest
from clew.traverse.result import HopResult
from clew.traverse.walk import Walk

__all__ = ["BatchResult", "Blocks"]

Ints = NDArray[np.integer]


class Blocks(Protocol):
    """The source of a batch's results, in blocks of `width` queries."""

    width: int

    def block(self, number: int) -> Block: ...


class BatchResult(Sequence[HopResult]):
    """The results of a batch, in the order of its queries.

    `ids` are the entities of all queries, concatenated; `offsets` is the start of each query in it.
    """

    def __init__(self, reader: Reader, seeds: SeedLists, walk: Walk, blocks: Blocks, *, memory: int) -> None:
        if isinstance(memory, bool) or not isinstance(memory, int) or memory < 0:
            raise InputError(f"memory must be a number of bytes, 0 or more, not {memory!r}")
        self._reader = reader
        self._seeds = seeds
        self._source = blocks
        self._memory = memory
        self._blocks: OrderedDict[int, Block] = OrderedDict()
        self.walk = walk
        if 0 < len(seeds) <= blocks.width:
            self._block(0)  # errors and timeouts of a small batch are raised by the call itself

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
        """The graph that was traversed."""
        return self._reader.snapshot

    @property
    def requests(self) -> list[HopRequest]:
        """The request of each query."""
        return [
            HopRequest(self.snapshot.id, tuple(np.unique(self._seeds.of(at)).tolist()), self.walk)
            for at in range(len(self))
        ]

    @property
    def ids(self) -> Ints:
        """The entities of all queries, concatenated."""
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
        """The start of each query's entities in `ids`, and the end of the last."""
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
