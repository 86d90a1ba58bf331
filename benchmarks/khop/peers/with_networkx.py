"""networkx: the adjacency of a DiGraph as a dictionary of sets."""

from collections.abc import Sequence
from typing import ClassVar

import networkx
import numpy as np

from benchmarks.khop.peers.peer import Ids, Peer

__all__ = ["NetworkX"]

# Measured on the heavy-tailed graph, ms at hops 1-5, two busy cores: the DiGraph's own dictionaries 0.036 /
# 0.79 / 23 / 214 / 594; with shared integers 0.049 / 0.90 / 20 / 146 / 361; a dictionary of sets over shared
# integers 0.039 / 0.75 / 22 / 128 / 281 (kept); pulling with `isdisjoint` when dense 0.041 / 0.85 / 23 / 112 /
# 288.


class ThinGraph(networkx.DiGraph):
    """All edges share one attribute dictionary, as networkx's documentation advises for large graphs."""

    _attributes: ClassVar[dict] = {}

    def edge_attr_dict_factory(self) -> dict:
        return self._attributes


class NetworkX(Peer):
    """`set().union` over the successor sets of the frontier."""

    name = "networkx"

    def prepare(self, n: int, subject: np.ndarray, object: np.ndarray, *, tuning: Sequence[np.ndarray] = ()) -> None:
        graph = ThinGraph()
        shared = list(range(n))
        graph.add_nodes_from(shared)
        ends = (map(shared.__getitem__, side.tolist()) for side in (subject, object))
        graph.add_edges_from(zip(*ends, strict=True))
        self._sets = {entity: set(others) for entity, others in graph.adjacency()}

    def exact(self, seeds: np.ndarray, k: int) -> Ids:
        row = self._sets.__getitem__
        frontier = seeds.tolist()
        for _ in range(k):
            frontier = set().union(*map(row, frontier))
        return frontier
