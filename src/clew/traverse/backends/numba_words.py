"""Frontiers of up to 64 queries in compiled code: bit q of word v says that query q stands at entity v."""

import numpy as np
from numpy.typing import NDArray

from clew.traverse.backends import numba_batch
from clew.traverse.blocks import Block

__all__ = ["SetBlock", "WordSet", "WordSets"]

Ints = NDArray[np.integer]
Words = NDArray[np.uint64]
Mask = NDArray[np.bool_]


class WordSet:
    """The frontiers of some queries as bits of one word an entity."""

    __slots__ = ("dtype", "queries", "words")

    def __init__(self, words: Words, queries: int, dtype: np.dtype[np.integer]) -> None:
        self.words = words  # (entities + 1,); the last is never set
        self.queries = queries
        self.dtype = dtype


class WordSets:
    """The operations on such frontiers that need no rows."""

    def keep(self, frontier: WordSet, allowed: Mask, exempt: WordSet | None = None) -> WordSet:
        words = frontier.words.copy()
        words[:-1][~allowed] &= np.uint64(0) if exempt is None else exempt.words[:-1][~allowed]
        return WordSet(words, frontier.queries, frontier.dtype)

    def without(self, frontier: WordSet, other: WordSet) -> WordSet:
        frontier.words &= ~other.words
        return frontier

    def union(self, frontier: WordSet, other: WordSet) -> WordSet:
        frontier.words |= other.words
        return frontier

    def copy(self, frontier: WordSet) -> WordSet:
        return WordSet(frontier.words.copy(), frontier.queries, frontier.dtype)

    def touches(self, frontier: WordSet, first: int, rows: int) -> bool:
        return bool(frontier.words[first : first + rows].any())

    def is_empty(self, frontier: WordSet) -> bool:
        return not frontier.words.any()

    def collect(self, frontier: WordSet) -> Block:
        return SetBlock(frontier.words, frontier.queries, frontier.dtype)


class SetBlock:
    """Results as sets of bits, listed when asked for: a dense result takes a 32nd of the room."""

    def __init__(self, words: Words, queries: int, dtype: np.dtype[np.integer]) -> None:
        self._dtype = dtype
        self._sets, self.counts = numba_batch.sets_of_words(words, queries)
        self.nbytes = self._sets.nbytes

    def ids(self, query: int) -> Ints:
        count = int(self.counts[query])
        ids = np.empty(count + 8, self._dtype)
        numba_batch.list_sets(self._sets[query : query + 1], ids, 0)
        return ids[:count]

    def write(self, ids: Ints, at: int) -> None:
        numba_batch.list_sets(self._sets, ids, at)
