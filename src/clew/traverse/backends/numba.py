"""The compiled backend: one call does all hops of a query, or one hop of 64 queries.

Scratch arrays belong to a thread, so one graph serves many threads at once; kernels run without the interpreter lock.
"""

import threading

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency
from clew.traverse.backends import numba_batch, numba_flood, numba_walk
from clew.traverse.backends.numba_walk import Pairs, Scratch

__all__ = ["NumbaBackend"]

Ints = NDArray[np.integer]
Words = NDArray[np.uint64]


class NumbaBackend:
    """Push and pull over bits and bytes; see `numba_walk`, `numba_flood` and `numba_batch`."""

    def __init__(self) -> None:
        self._local = threading.local()

    def prepare(self, adjacency: Adjacency) -> Pairs:
        forward, back = adjacency.forward, adjacency.backward
        lengths = np.diff(back.offsets)
        filled, two = np.flatnonzero(lengths), np.flatnonzero(lengths > 1)
        last = int(filled[-1]) + 1 if len(filled) else 0
        second = np.full(last, adjacency.entities, back.neighbour.dtype)
        second[two] = back.neighbour[back.offsets[two] + 1]
        marks = np.zeros(_words(adjacency.entities) << 6, bool)
        marks[two] = True
        several = np.packbits(marks, bitorder="little").view(np.uint64)
        for array in (second, several):
            array.setflags(write=False)
        return Pairs(
            forward.offsets, forward.neighbour, back.offsets, back.neighbour, back.first[:last], second, several
        )

    def scratch(self, pairs: Pairs) -> Scratch:
        """This thread's arrays; a backend serves one graph, so they fit all its views."""
        size = len(pairs.offsets)
        held: Scratch | None = getattr(self._local, "scratch", None)
        if held is None or self._local.size != size or held.here.dtype != pairs.neighbour.dtype:
            held = self._local.scratch = _new_scratch(size - 1, pairs.neighbour.dtype)
            self._local.size = size
        return held

    def expand(self, prepared: Pairs, frontier: Ints) -> Ints:
        return self.walk(prepared, frontier, 1)

    def expand_few(self, prepared: Pairs, frontier: Ints) -> tuple[Ints, int]:
        """One hop in the fewest instructions; see `numba_walk.expand_few` for the number."""
        s = self.scratch(prepared)
        return numba_walk.expand_few(prepared.offsets, prepared.neighbour, frontier, s.bits, s.summary)

    def walk(self, prepared: Pairs, seeds: Ints, k: int) -> Ints:
        return numba_walk.walk(*prepared, *self.scratch(prepared), seeds, k)[0]

    def try_walk(self, prepared: Pairs, seeds: Ints, k: int) -> tuple[Ints, bool]:
        """`walk` of seeds that may not all be entities: False if one is not."""
        return numba_walk.walk(*prepared, *self.scratch(prepared), seeds, k)

    def levels(self, prepared: Pairs, seeds: Ints, k: int) -> tuple[Ints, Ints]:
        return numba_flood.walk_levels(prepared, seeds, k, self.scratch(prepared))

    def within(self, prepared: Pairs, seeds: Ints, k: int) -> Ints:
        return numba_flood.walk_within(prepared, seeds, k, self.scratch(prepared))

    def walk_each(self, prepared: Pairs, starts: Ints, seeds: Ints, k: int) -> tuple[Ints, Ints]:
        s = self.scratch(prepared)
        if k == 1:
            return numba_walk.expand_each(prepared.offsets, prepared.neighbour, starts, seeds, s.bits, s.summary)
        return numba_walk.walk_each(prepared, starts, seeds, k, s)

    def seed_words(self, prepared: Pairs, starts: Ints, seeds: Ints) -> Words:
        return numba_batch.seed_words(len(prepared.offsets) - 1, starts, seeds)

    def spread(self, prepared: Pairs, words: Words) -> Words:
        p = prepared
        return numba_batch.spread(p.offsets, p.neighbour, p.back_offsets, p.back_neighbour, words)

    def sets_of_words(self, words: Words, queries: int) -> tuple[Words, Ints]:
        return numba_batch.sets_of_words(words, queries)

    def list_sets(self, sets: Words, ids: Ints, at: int) -> None:
        numba_batch.list_sets(sets, ids, at)


def _words(entities: int) -> int:
    return (entities >> 6) + 1


def _new_scratch(entities: int, dtype: np.dtype[np.integer]) -> Scratch:
    words = _words(entities)
    return Scratch(
        marks=np.zeros(words << 6, np.uint8),
        answers=np.zeros(words << 6, np.uint8),
        bits=np.zeros(words, np.uint64),
        visited=np.zeros(words, np.uint64),
        summary=np.zeros((words >> 6) + 1, np.uint64),
        here=np.empty((words << 6) + 64, dtype),
        there=np.empty((words << 6) + 64, dtype),
    )
