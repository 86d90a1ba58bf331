"""The seeds of several queries, and the entities they reach."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

__all__ = ["Block", "ListedBlock", "SeedLists"]

Ints = NDArray[np.integer]


class SeedLists:
    """The concatenated seeds of several queries: query q has flat[starts[q]:starts[q + 1]]."""

    __slots__ = ("flat", "starts")

    def __init__(self, starts: NDArray[np.int64], flat: Ints) -> None:
        self.starts = starts
        self.flat = flat

    @classmethod
    def joined(cls, queries: Sequence[Ints], dtype: np.dtype[np.integer]) -> "SeedLists":
        starts = np.zeros(len(queries) + 1, np.int64)
        np.cumsum(np.fromiter(map(len, queries), np.int64, len(queries)), out=starts[1:])
        return cls(starts, np.concatenate(queries) if len(queries) else np.empty(0, dtype))

    @classmethod
    def single(cls, seeds: Ints) -> "SeedLists":
        """One query."""
        return cls(np.array([0, len(seeds)]), seeds)

    def __len__(self) -> int:
        return len(self.starts) - 1

    def of(self, query: int) -> Ints:
        """The seeds of one query."""
        return self.flat[self.starts[query] : self.starts[query + 1]]

    def distinct(self) -> "SeedLists":
        """The same queries, with the seeds of each sorted and distinct."""
        query = np.repeat(np.arange(len(self)), np.diff(self.starts))
        order = np.lexsort((self.flat, query))
        query, flat = query[order], self.flat[order]
        fresh = np.ones(len(flat), bool)
        fresh[1:] = (flat[1:] != flat[:-1]) | (query[1:] != query[:-1])
        return SeedLists(np.searchsorted(query[fresh], np.arange(len(self) + 1)), flat[fresh])

    def part(self, first: int, last: int) -> "SeedLists":
        """Some of the queries."""
        starts = self.starts[first : last + 1]
        return SeedLists(starts - starts[0], self.flat[starts[0] : starts[-1]])


class Block(Protocol):
    """The results of some queries."""

    counts: Ints  # entities of each query

    @property
    def nbytes(self) -> int: ...

    def ids(self, query: int) -> Ints:
        """The entities of one query, ascending."""

    def write(self, ids: Ints, at: int) -> None:
        """Write the entities of all queries, concatenated, into `ids` from `at` on; it has 8 spare entries."""


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
