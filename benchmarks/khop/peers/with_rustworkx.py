"""rustworkx: `successor_indices` into Python sets."""

from collections.abc import Sequence

import numpy as np
import rustworkx

from benchmarks.khop.peers.peer import Ids, Peer

__all__ = ["RustworkX"]

# Measured on the heavy-tailed graph, ms at hops 1-3, interleaved on two busy cores: `successor_indices` 0.025 /
# 0.66 / 36 (kept), `neighbors` 0.025 / 0.87 / 39, `successors` 0.041 / 1.1 / 40.


class RustworkX(Peer):
    """`set().union` over the successor indices of the frontier."""

    name = "rustworkx"

    def prepare(self, n: int, subject: np.ndarray, object: np.ndarray, *, tuning: Sequence[np.ndarray] = ()) -> None:
        graph = rustworkx.PyDiGraph(node_count_hint=n, edge_count_hint=len(subject))
        graph.add_nodes_from(range(n))
        graph.extend_from_edge_list(list(zip(subject.tolist(), object.tolist(), strict=True)))
        self._graph = graph

    def exact(self, seeds: np.ndarray, k: int) -> Ids:
        row = self._graph.successor_indices
        frontier = seeds.tolist()
        for _ in range(k):
            frontier = set().union(*map(row, frontier))
        return frontier
