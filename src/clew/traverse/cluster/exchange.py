"""Frontiers as arrays, as they go from actor to actor: cut by the entities that each actor has, and joined again.

A piece is numbered from the first entity of its part. It is a list of entities for each query, or words, one row an
entity and one more that is never set, where bit q of an entity is set if query q has it.
"""

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency, Rows
from clew.traverse.backend import FusedWalk
from clew.traverse.backends import numba_batch
from clew.traverse.backends.numba_lists import NumbaLists
from clew.traverse.backends.numba_words import WordSet, WordSets
from clew.traverse.blocks import SeedLists
from clew.traverse.partitioned.many import Frontier

__all__ = ["Piece", "WordBackend", "cut_frontier", "empty_frontier", "join_frontier", "join_pieces"]

Ints = NDArray[np.integer]
Words = NDArray[np.uint64]
Piece = SeedLists | Words
MOST_QUERIES = 4096  # of one frontier


class WordBackend(WordSets):
    """A backend whose frontiers are arrays of words; a step may lead from the entities of a part to those of all."""

    width = 64
    capacity = MOST_QUERIES
    fused: FusedWalk | None = None

    def __init__(self) -> None:
        self.lists = NumbaLists()

    def prepare(self, rows: Adjacency, first: int, entities: int) -> tuple[Rows, int]:
        return rows.forward, first

    def step(self, prepared: tuple[Rows, int], frontier: WordSet, into: WordSet | None) -> WordSet:
        rows, first = prepared
        found = WordSet(np.zeros_like(frontier.words), frontier.queries, frontier.dtype) if into is None else into
        push = numba_batch.push_rows if frontier.queries <= self.width else numba_batch.push_wide
        push(rows.offsets, rows.neighbour, first, frontier.words, found.words)
        return found


def empty_frontier(queries: int, entities: int, dtype: np.dtype[np.integer]) -> Frontier:
    """A frontier without entities."""
    return Frontier(_no_lists(queries, dtype), entities, NumbaLists())


def cut_frontier(frontier: Frontier, bounds: Ints) -> list[Piece]:
    """The pieces of a frontier: entities bounds[p] to bounds[p + 1] for each part p."""
    spans = list(pairwise(bounds.tolist()))
    if frontier.parts is None:
        return [_listed(frontier.lists, first, last) for first, last in spans]
    (whole,) = frontier.parts
    return [_words(whole, first, last) for first, last in spans]


def _listed(lists: SeedLists, first: int, last: int) -> SeedLists:
    here = (lists.flat >= first) & (lists.flat < last)
    before = np.zeros(len(here) + 1, np.int64)
    np.cumsum(here, out=before[1:])
    return SeedLists(before[lists.starts], lists.flat[here] - np.array(first, lists.flat.dtype))


def _words(whole: WordSet, first: int, last: int) -> Piece:
    """The words of some entities; an empty list if none is set."""
    found = whole.words[first:last]
    if not found.any():
        return _no_lists(whole.queries, whole.dtype)
    words = np.zeros((len(found) + 1, *found.shape[1:]), np.uint64)
    words[:-1] = found
    return words


def _no_lists(queries: int, dtype: np.dtype[np.integer]) -> SeedLists:
    return SeedLists(np.zeros(queries + 1, np.int64), np.empty(0, dtype))


def join_pieces(frontier: Frontier, pieces: list[Piece]) -> Frontier:
    """A frontier with what some pieces add to it; all are of the same entities."""
    listed = frontier if frontier.parts is None else frontier.empty()
    dense: list[Words] = []
    for piece in pieces:
        if isinstance(piece, SeedLists):
            listed.add(piece)
        else:
            dense.append(piece)
    if frontier.parts is None and not dense:
        return frontier
    words = _own(dense.pop()) if frontier.parts is None else frontier.parts[0].words
    for found in dense:
        words |= found
    lists = listed.lists
    if len(lists.flat):
        words |= WordSets().start(lists, frontier.entities).words
    frontier.replace([WordSet(words, frontier.queries, lists.flat.dtype)])
    return frontier


def _own(words: Words) -> Words:
    """Words that may be changed: what came from another process may not."""
    return words if words.flags.writeable else words.copy()


def join_frontier(pieces: list[Piece], bounds: Ints, queries: int, dtype: np.dtype[np.integer]) -> Frontier:
    """The frontier of all entities from the pieces of all parts."""
    entities = int(bounds[-1])
    joined = empty_frontier(queries, entities, dtype)
    words: Words | None = None
    for piece, (first, last) in zip(pieces, pairwise(bounds.tolist()), strict=True):
        if isinstance(piece, SeedLists):
            joined.add(SeedLists(piece.starts, piece.flat + np.array(first, dtype)))
            continue
        if words is None:
            words = np.zeros((entities + 1, *piece.shape[1:]), np.uint64)
        words[first:last] = piece[:-1]
    return joined if words is None else join_pieces(joined, [words])
