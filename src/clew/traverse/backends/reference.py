"""The oracle: plain Python sets, slow and obvious. Every other backend must agree with it."""

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency

__all__ = ["ReferenceBackend"]

Ints = NDArray[np.integer]


class ReferenceBackend:
    """Follows every pair one by one."""

    def prepare(self, adjacency: Adjacency) -> Adjacency:
        return adjacency

    def expand(self, prepared: Adjacency, frontier: Ints) -> Ints:
        found: set[int] = set()
        rows = prepared.forward
        for entity in frontier.tolist():
            for position in range(int(rows.offsets[entity]), int(rows.offsets[entity + 1])):
                found.add(int(rows.neighbour[position]))
        return np.array(sorted(found), frontier.dtype)
