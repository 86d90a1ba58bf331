"""Hops as the products Q·SUB·OBJ of the LogosKG paper: a row of Q for each query, one of OBJ for each pair."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from clew.graph.adjacency import Adjacency
from clew.traverse.blocks import Block, ListedBlock, SeedLists

__all__ = ["ScipyBackend"]

Mask = NDArray[np.bool_]
Keys = NDArray[np.int64]


class Incidence(NamedTuple):
    """The two matrices of a segment."""

    leaves: Any  # SUB: entity → pairs that leave it
    arrives: Any  # OBJ: pair → entity it arrives at
    first: int


class Frontier(NamedTuple):
    """Which entities each query stands at, as a sparse matrix."""

    matrix: Any  # (queries, entities) bool
    dtype: np.dtype[np.integer]


class ScipyBackend:
    """Multiplies a sparse matrix of frontiers by the two incidence matrices."""

    width = capacity = 64
    fused = lists = None

    def prepare(self, rows: Adjacency, first: int, entities: int) -> Incidence:
        pairs, count = rows.forward, len(rows.forward.neighbour)
        ones = np.ones(count, bool)
        numbers = np.arange(count + 1, dtype=pairs.offsets.dtype)
        leaves = csr_array((ones, numbers[:count], pairs.offsets), shape=(len(pairs.offsets) - 1, count))
        arrives = csr_array((ones, pairs.neighbour, numbers), shape=(count, entities))
        return Incidence(leaves, arrives, first)

    def start(self, seeds: SeedLists, entities: int) -> Frontier:
        ones = np.ones(len(seeds.flat), bool)
        return Frontier(csr_array((ones, seeds.flat, seeds.starts), shape=(len(seeds), entities)), seeds.flat.dtype)

    def step(self, prepared: Incidence, frontier: Frontier, into: Frontier | None) -> Frontier:
        here, rows = frontier.matrix, prepared.leaves.shape[0]
        if rows != here.shape[1]:
            here = here[:, prepared.first : prepared.first + rows]
        found = Frontier((here @ prepared.leaves) @ prepared.arrives, frontier.dtype)
        return found if into is None else self.union(into, found)

    def keep(self, frontier: Frontier, allowed: Mask, exempt: Frontier | None = None) -> Frontier:
        keys = _keys(frontier)
        kept = allowed[keys % frontier.matrix.shape[1]]
        if exempt is not None:
            kept |= np.isin(keys, _keys(exempt))
        return _frontier(keys[kept], frontier)

    def without(self, frontier: Frontier, other: Frontier) -> Frontier:
        return _frontier(np.setdiff1d(_keys(frontier), _keys(other)), frontier)

    def union(self, frontier: Frontier, other: Frontier) -> Frontier:
        return _frontier(np.union1d(_keys(frontier), _keys(other)), frontier)

    def copy(self, frontier: Frontier) -> Frontier:
        return frontier  # matrices are never changed here

    def touches(self, frontier: Frontier, first: int, rows: int) -> bool:
        entities = frontier.matrix.indices
        return bool(((entities >= first) & (entities < first + rows)).any())

    def is_empty(self, frontier: Frontier) -> bool:
        return bool(frontier.matrix.nnz == 0)

    def collect(self, frontier: Frontier) -> Block:
        matrix = frontier.matrix
        matrix.sort_indices()
        return ListedBlock(matrix.indices.astype(frontier.dtype, copy=False), matrix.indptr.astype(np.int64))


def _keys(frontier: Frontier) -> Keys:
    """Members as numbers: query times entities plus entity."""
    matrix = frontier.matrix
    query = np.repeat(np.arange(matrix.shape[0]), np.diff(matrix.indptr))
    return np.asarray(query * matrix.shape[1] + matrix.indices)


def _frontier(keys: Keys, like: Frontier) -> Frontier:
    keys = np.sort(keys)
    queries, entities = like.matrix.shape
    offsets = np.searchsorted(keys, np.arange(queries + 1) * entities)
    parts = (np.ones(len(keys), bool), keys % max(1, entities), offsets)
    return Frontier(csr_array(parts, shape=like.matrix.shape), like.dtype)
