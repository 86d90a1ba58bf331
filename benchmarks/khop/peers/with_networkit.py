"""networkit: `iterNeighbors`, the only call that gives neighbours to Python, into sets.

It has no products or frontiers of its own on the Python side, and its breadth-first search cannot revisit.
"""

from collections.abc import Sequence

import networkit
import numpy as np

from benchmarks.khop.peers.peer import Ids, Peer

__all__ = ["NetworKit"]


class NetworKit(Peer):
    """`set().union` over the neighbour iterators of the frontier."""

    name = "networkit"

    def prepare(self, n: int, subject: np.ndarray, object: np.ndarray, *, tuning: Sequence[np.ndarray] = ()) -> None:
        ends = subject.astype(np.uint64), object.astype(np.uint64)
        self._graph = networkit.GraphFromCoo(ends, n=n, directed=True, weighted=False)

    def exact(self, seeds: np.ndarray, k: int) -> Ids:
        row = self._graph.iterNeighbors
        frontier = seeds.tolist()
        for _ in range(k):
            frontier = set().union(*map(row, frontier))
        return frontier
