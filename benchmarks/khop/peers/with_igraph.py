"""igraph: its adjacency lists, walked with Python sets."""

from collections.abc import Sequence

import igraph
import numpy as np

from benchmarks.khop.peers.peer import Ids, Peer

__all__ = ["IGraph"]

# Measured on the heavy-tailed graph, ms at hops 1-5, interleaved on two busy cores: lists as igraph gives them
# 0.023 / 0.49 / 14 / 239 / 508; the same lists over shared integers 0.015 / 0.43 / 12 / 141 / 289 (kept: fewer
# objects, fewer cache misses); tuples 0.019 / 0.42 / 11 / 130 / 285; frozen sets 0.021 / 0.49 / 13 / 128 / 220;
# pulling with `isdisjoint` when dense 0.019 / 0.47 / 11 / 173 / 261; `successors` per entity 0.05 / 1.2 / 45;
# `neighborhood` 0.21 / 2.3 / 32.


class IGraph(Peer):
    """`set().union` over the adjacency lists of the frontier."""

    name = "igraph"

    def prepare(self, n: int, subject: np.ndarray, object: np.ndarray, *, tuning: Sequence[np.ndarray] = ()) -> None:
        graph = igraph.Graph(n=n, edges=np.column_stack([subject, object]), directed=True)
        shared = list(range(n))
        self._lists = [[shared[other] for other in row] for row in graph.get_adjlist(mode="out")]

    def exact(self, seeds: np.ndarray, k: int) -> Ids:
        row = self._lists.__getitem__
        frontier = seeds.tolist()
        for _ in range(k):
            frontier = set().union(*map(row, frontier))
        return frontier
