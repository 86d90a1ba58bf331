"""Frontiers of many queries in compiled code: bit q of word v says that query q stands at entity v.

Up to 64 queries have a word for each entity, more of them several.
"""

import numpy as np
from numpy.typing import NDArray

from clew.traverse.backends import numba_batch
from clew.traverse.blocks import Block, SeedLists

__all__ = ["SetBlock", "WordSet", "WordSets"]

Ints = NDArray[np.integer]
Words = NDArray[np.uint64]
Mask = NDArray[np.bool_]
WORD = 64  # queries in a word


class WordSet:
    """The frontiers of some queries as bits of one word an entity, or of several."""

    __slots__ = ("dtype", "queries", "words")

    def __init__(self, words: Words, queries: int, dtype: np.dtype[np.integer]) -> None:
        self.words = words  # (entities + 1,) or (entities + 1, words); the last is never set
        self.queries = queries
        self.dtype = dtype


class WordSets:
    """The operations on such frontiers that need no rows."""

    def start(self, seeds: SeedLists, entities: int) -> WordSet:
        made = numba_batch.seed_words if len(seeds) <= WORD else numba_batch.seed_wide
        return WordSet(made(entities, seeds.starts, seeds.flat), len(seeds), seeds.flat.dtype)

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
        columns = words.reshape(len(words), -1).T
        made = [numba_batch.sets_of_words(column, min(WORD, queries - at * WORD)) for at, column in enumerate(columns)]
        self._sets = [sets for sets, _ in made]  # of 64 queries each
        self.counts = np.concatenate([counts for _, counts in made])
        self.nbytes = sum(sets.nbytes for sets in self._sets)

    def ids(self, query: int) -> Ints:
        count = int(self.counts[query])
        ids = np.empty(count + 8, self._dtype)
        sets = self._sets[query // WORD]
        numba_batch.list_sets(sets[query % WORD : query % WORD + 1], ids, 0)
        return ids[:count]

    def write(self, ids: Ints, at: int) -> None:
        for sets in self._sets:
            at = numba_batch.list_sets(sets, ids, at)
