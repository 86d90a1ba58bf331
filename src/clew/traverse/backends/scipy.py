"""Hops as the products q·SUB·OBJ of the LogosKG paper, with one row of SUB and OBJ for every pair."""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from clew.graph.adjacency import Adjacency

__all__ = ["ScipyBackend"]

Ints = NDArray[np.integer]


class ScipyBackend:
    """Multiplies a sparse row vector by the two incidence matrices."""

    def prepare(self, adjacency: Adjacency) -> tuple[Any, Any]:
        rows, n, m = adjacency.forward, adjacency.entities, adjacency.pairs
        ones = np.ones(m, bool)
        numbers = np.arange(m + 1, dtype=rows.offsets.dtype)
        leaves = csr_array((ones, numbers[:m], rows.offsets), shape=(n, m))  # SUB: entity → pairs that leave it
        arrives = csr_array((ones, rows.neighbour, numbers), shape=(m, n))  # OBJ: pair → entity it arrives at
        return leaves, arrives

    def expand(self, prepared: tuple[Any, Any], frontier: Ints) -> Ints:
        leaves, arrives = prepared
        count = len(frontier)
        start = csr_array((np.ones(count, bool), frontier, np.array([0, count])), shape=(1, leaves.shape[0]))
        found = ((start @ leaves) @ arrives).indices
        return np.sort(found).astype(frontier.dtype, copy=False)
