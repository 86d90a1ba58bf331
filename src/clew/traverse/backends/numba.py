"""The compiled backend: one call does all hops of a query, or one hop of 64 queries.

Scratch arrays belong to a thread, so one graph serves many threads at once; kernels run without the interpreter lock.
"""

import threading
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency
from clew.graph.names import IdArrays
from clew.traverse.backends import numba_batch, numba_flood, numba_ids, numba_walk
from clew.traverse.backends.entity_set import EntitySet, EntitySets, members
from clew.traverse.backends.numba_lists import NumbaLists
from clew.traverse.backends.numba_walk import Pairs, Scratch
from clew.traverse.backends.numba_words import WordSet, WordSets
from clew.traverse.blocks import Block, ListedBlock, SeedLists

__all__ = ["NumbaBackend"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
Frontier = EntitySet | WordSet
MOST_QUERIES = 4096  # of one frontier


class Prepared(NamedTuple):
    """A segment laid out for the kernels. Only one that holds every entity has rows both ways, and can be pulled."""

    pairs: Pairs
    adjacency: Adjacency
    first: int
    shape: tuple[int, np.dtype[np.integer]]  # how many entities there are, and the type of their numbers
    whole: bool


class NumbaBackend:
    """Push and pull over bits and bytes; see `numba_walk`, `numba_flood` and `numba_batch`."""

    width = 64
    capacity = MOST_QUERIES

    def __init__(self) -> None:
        self._local = threading.local()
        self._sets, self._words = EntitySets(), WordSets()
        self.lists = NumbaLists()

    @property
    def fused(self) -> "NumbaBackend":
        return self

    def prepare(self, rows: Adjacency, first: int, entities: int) -> Prepared:
        shape = entities, rows.forward.neighbour.dtype
        return Prepared(_pairs(rows, entities), rows, first, shape, rows.backward is not None)

    def scratch(self, prepared: Prepared) -> Scratch:
        """This thread's arrays; a backend serves one graph, so they fit all its views."""
        shape, scratch = getattr(self._local, "held", (None, None))
        if scratch is None or shape != prepared.shape:
            scratch = _new_scratch(*prepared.shape)
            self._local.held = prepared.shape, scratch
        return scratch

    # frontiers --------------------------------------------------------------------------------------------------

    def start(self, seeds: SeedLists, entities: int) -> Frontier:
        if len(seeds) == 1:
            return EntitySet(seeds.of(0), entities)
        return self._words.start(seeds, entities)

    def step(self, prepared: Prepared, frontier: Frontier, into: Frontier | None) -> Frontier:
        if isinstance(frontier, EntitySet):
            assert into is None or isinstance(into, EntitySet)
            return self._sets.join(EntitySet(self._expand(prepared, frontier), prepared.shape[0]), into)
        assert into is None or isinstance(into, WordSet)
        pairs, words = prepared.pairs, frontier.words
        if prepared.whole:
            reached = numba_batch.spread(
                pairs.offsets, pairs.neighbour, pairs.back_offsets, pairs.back_neighbour, words
            )
            found = WordSet(reached, frontier.queries, frontier.dtype)
            return found if into is None else self._words.union(into, found)
        found = WordSet(np.zeros_like(words), frontier.queries, frontier.dtype) if into is None else into
        if frontier.queries <= self.width:
            numba_batch.push_rows(pairs.offsets, pairs.neighbour, prepared.first, words, found.words)
        else:
            numba_batch.push_wide(pairs.offsets, pairs.neighbour, prepared.first, words, found.words)
        return found

    def _expand(self, prepared: Prepared, frontier: EntitySet) -> Ints:
        pairs, scratch = prepared.pairs, self.scratch(prepared)
        if prepared.whole:
            return numba_walk.walk(*pairs, *scratch, frontier.ids, 1)[0]
        local = members(frontier, prepared.adjacency.forward, prepared.first)
        starts = np.array([0, len(local)])
        return numba_walk.expand_each(pairs.offsets, pairs.neighbour, starts, local, scratch.bits, scratch.summary)[0]

    def keep(self, frontier: Frontier, allowed: Mask, exempt: Frontier | None = None) -> Frontier:
        return self._of(frontier).keep(frontier, allowed, exempt)  # type: ignore[arg-type]

    def without(self, frontier: Frontier, other: Frontier) -> Frontier:
        return self._of(frontier).without(frontier, other)  # type: ignore[arg-type]

    def union(self, frontier: Frontier, other: Frontier) -> Frontier:
        return self._of(frontier).union(frontier, other)  # type: ignore[arg-type]

    def copy(self, frontier: Frontier) -> Frontier:
        return self._of(frontier).copy(frontier)  # type: ignore[arg-type]

    def touches(self, frontier: Frontier, first: int, rows: int) -> bool:
        return self._of(frontier).touches(frontier, first, rows)  # type: ignore[arg-type]

    def is_empty(self, frontier: Frontier) -> bool:
        return self._of(frontier).is_empty(frontier)  # type: ignore[arg-type]

    def collect(self, frontier: Frontier) -> Block:
        return self._of(frontier).collect(frontier)  # type: ignore[arg-type]

    def _of(self, frontier: Frontier) -> EntitySets | WordSets:
        return self._sets if isinstance(frontier, EntitySet) else self._words

    # whole walks ------------------------------------------------------------------------------------------------

    def exact(self, prepared: Prepared, seeds: Ints, k: int) -> Ints | None:
        pairs, scratch = prepared.pairs, self.scratch(prepared)
        if k == 1:
            ids, state = numba_walk.expand_few(pairs.offsets, pairs.neighbour, seeds, scratch.bits, scratch.summary)
            if state != 0:
                return ids if state > 0 else None
        ids, known = numba_walk.walk(*pairs, *scratch, seeds, k)
        return ids if known else None

    def within(self, prepared: Prepared, seeds: Ints, k: int) -> Ints:
        return numba_flood.walk_within(prepared.pairs, seeds, k, self.scratch(prepared))

    def shortest(self, prepared: Prepared, seeds: Ints, k: int) -> Ints:
        reached, offsets = numba_flood.walk_levels(prepared.pairs, seeds, k, self.scratch(prepared))
        return reached[offsets[k] : offsets[k + 1]] if len(offsets) > k + 1 else reached[:0]

    def find_ids(self, arrays: IdArrays, ids: list[str]) -> Ints | None:
        try:
            text = "\0".join(ids).encode()
        except (TypeError, UnicodeEncodeError):  # not all are strings, or half a surrogate pair is no text
            return None
        found = np.empty(len(ids), arrays.entity.dtype)
        return found if numba_ids.find_ids(text, found, *arrays) else None

    def exact_each(self, prepared: Prepared, seeds: SeedLists, k: int) -> Block:
        pairs, scratch = prepared.pairs, self.scratch(prepared)
        if k == 1:
            arrays = (pairs.offsets, pairs.neighbour, seeds.starts, seeds.flat, scratch.bits, scratch.summary)
            return ListedBlock(*numba_walk.expand_each(*arrays))
        return ListedBlock(*numba_walk.walk_each(pairs, seeds.starts, seeds.flat, k, scratch))


def _pairs(rows: Adjacency, entities: int) -> Pairs:
    forward, back = rows.forward, rows.backward
    if back is None:
        none, no_words = forward.neighbour[:0], np.zeros(0, np.uint64)
        return Pairs(forward.offsets, forward.neighbour, forward.offsets[:1], none, none, none, no_words)
    lengths = np.diff(back.offsets)
    filled, two = np.flatnonzero(lengths), np.flatnonzero(lengths > 1)
    last = int(filled[-1]) + 1 if len(filled) else 0
    second = np.full(last, entities, back.neighbour.dtype)
    second[two] = back.neighbour[back.offsets[two] + 1]
    marks = np.zeros(_words(entities) << 6, bool)
    marks[two] = True
    several = np.packbits(marks, bitorder="little").view(np.uint64)
    for array in (second, several):
        array.setflags(write=False)
    return Pairs(forward.offsets, forward.neighbour, back.offsets, back.neighbour, back.first[:last], second, several)


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
