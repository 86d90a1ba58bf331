"""Hops as array gathers: nothing to compile, so it answers at once; the command line's way for a small hop."""

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency
from clew.traverse.view import gather

__all__ = ["NumpyBackend"]

Ints = NDArray[np.integer]
SORT_SHARE = 32  # fewer than n / 32 neighbour entries are sorted; more are marked


class NumpyBackend:
    """Gathers the rows of the frontier, then sorts or marks what they hold."""

    def prepare(self, adjacency: Adjacency) -> Adjacency:
        return adjacency

    def expand(self, prepared: Adjacency, frontier: Ints) -> Ints:
        rows = prepared.forward
        position, _ = gather(rows.offsets, frontier)
        ends = rows.neighbour[position]
        if len(ends) * SORT_SHARE < prepared.entities:
            return np.unique(ends)
        marks = np.zeros(prepared.entities, bool)
        marks[ends] = True
        return np.flatnonzero(marks).astype(frontier.dtype, copy=False)
