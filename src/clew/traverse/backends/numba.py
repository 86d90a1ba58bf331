"""The compiled backend: one call does all hops of a query, or one hop of 64 queries.

Scratch arrays belong to a thread, so one graph serves many threads at once; compiled code runs without the interpreter lock.
"""

import threading
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency
from clew.traverse.backends import numba_batch, numba_walk

__all__ = ["NumbaBackend"]

Ints = NDArray[np.integer]
Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """An adjacency laid out for the kernels: `second` and `several` speed the pull (see `numba_walk.pull`)."""

    entities: int
    offsets: Ints
    neighbour: Ints
    back_offsets: Ints
    back_neighbour: Ints
    first: Ints  # only up to the last entity that has an in-neighbour
    second: Ints
    several: Words  # bits: entities with two in-neighbours or more


class Scratch:
    """Arrays a walk works in; all zero between calls, the lists excepted."""

    __slots__ = ("answers", "bits", "here", "marks", "summary", "there", "visited")

    def __init__(self, entities: int, dtype: np.dtype[np.integer]) -> None:
        words = (entities >> 6) + 1
        self.marks = np.zeros(words << 6, np.uint8)
        self.answers = np.zeros(words << 6, np.uint8)
        self.bits = np.zeros(words, np.uint64)
        self.visited = np.zeros(words, np.uint64)
        self.summary = np.zeros((words >> 6) + 1, np.uint64)
        self.here = np.empty((words << 6) + 64, dtype)
        self.there = np.empty((words << 6) + 64, dtype)


class NumbaBackend:
    """Push and pull over bits and bytes; see `numba_walk` and `numba_batch`."""

    def __init__(self) -> None:
        self._local = threading.local()

    def prepare(self, adjacency: Adjacency) -> Prepared:
        back = adjacency.backward
        lengths = np.diff(back.offsets)
        filled = np.flatnonzero(lengths)
        last = int(filled[-1]) + 1 if len(filled) else 0
        two = np.flatnonzero(lengths > 1)
        second = np.full(last, adjacency.entities, back.neighbour.dtype)
        second[two] = back.neighbour[back.offsets[two] + 1]
        marks = np.zeros(((adjacency.entities >> 6) + 1) << 6, bool)
        marks[two] = True
        several = np.packbits(marks, bitorder="little").view(np.uint64)
        for array in (second, several):
            array.setflags(write=False)
        forward = adjacency.forward
        return Prepared(
            adjacency.entities,
            forward.offsets,
            forward.neighbour,
            back.offsets,
            back.neighbour,
            back.first[:last],
            second,
            several,
        )

    def scratch(self, entities: int, dtype: np.dtype[np.integer]) -> Scratch:
        """This thread's arrays for a graph of that size."""
        held: dict[tuple[int, str], Scratch] | None = getattr(self._local, "scratch", None)
        if held is None:
            held = self._local.scratch = {}
        key = (entities, dtype.str)
        found = held.get(key)
        if found is None:
            found = held[key] = Scratch(entities, dtype)
        return found

    def expand(self, prepared: Prepared, frontier: Ints) -> Ints:
        return self.walk(prepared, frontier, 1)

    def expand_few(self, prepared: Prepared, frontier: Ints) -> tuple[Ints, int]:
        """One hop in the fewest instructions; see `numba_walk.expand_few` for the number."""
        s = self.scratch(prepared.entities, prepared.neighbour.dtype)
        found: tuple[Ints, int] = numba_walk.expand_few(
            prepared.offsets, prepared.neighbour, frontier, s.bits, s.summary, s.here
        )
        return found

    def walk(self, prepared: Prepared, seeds: Ints, k: int) -> Ints:
        p, s = prepared, self.scratch(prepared.entities, prepared.neighbour.dtype)
        ids: Ints = numba_walk.walk(
            p.offsets, p.neighbour, p.back_offsets, p.back_neighbour, p.first, p.second, p.several,
            seeds, k, s.marks, s.answers, s.bits, s.summary, s.here, s.there,
        )  # fmt: skip
        return ids

    def levels(self, prepared: Prepared, seeds: Ints, k: int) -> tuple[Ints, Ints]:
        p, s = prepared, self.scratch(prepared.entities, prepared.neighbour.dtype)
        found: tuple[Ints, Ints] = numba_walk.walk_levels(
            p.offsets, p.neighbour, p.back_offsets, p.back_neighbour, p.first, p.second,
            seeds, k, s.marks, s.bits, s.visited, s.here, s.there,
        )  # fmt: skip
        return found

    def walk_each(self, prepared: Prepared, queries: Sequence[Ints], k: int) -> tuple[Ints, Ints]:
        p, s = prepared, self.scratch(prepared.entities, prepared.neighbour.dtype)
        starts, seeds = _joined(queries, p.neighbour.dtype)
        found: tuple[Ints, Ints] = numba_walk.walk_each(
            p.offsets, p.neighbour, p.back_offsets, p.back_neighbour, p.first, p.second, p.several,
            starts, seeds, k, s.marks, s.answers, s.bits, s.summary, s.here, s.there,
        )  # fmt: skip
        return found

    def seed_words(self, prepared: Prepared, queries: Sequence[Ints]) -> Words:
        starts, seeds = _joined(queries, prepared.neighbour.dtype)
        words: Words = numba_batch.seed_words(prepared.entities, starts, seeds)
        return words

    def spread(self, prepared: Prepared, words: Words) -> Words:
        p = prepared
        reached: Words = numba_batch.spread(p.offsets, p.neighbour, p.back_offsets, p.back_neighbour, words)
        return reached

    def list_words(self, prepared: Prepared, words: Words, queries: int) -> tuple[Ints, Ints]:
        found: tuple[Ints, Ints] = numba_batch.list_words(words, queries, prepared.neighbour)
        return found


def _joined(queries: Sequence[Ints], dtype: np.dtype[np.integer]) -> tuple[Ints, Ints]:
    starts = np.zeros(len(queries) + 1, np.int64)
    np.cumsum([len(seeds) for seeds in queries], out=starts[1:])
    seeds = np.concatenate(queries).astype(dtype, copy=False) if queries else np.empty(0, dtype)
    return starts, seeds
