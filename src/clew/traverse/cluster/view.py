"""The triples that one step may use, scanned by the actors that hold their rows."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.traverse.cluster.graph import ClusterGraph
from clew.traverse.local.view import Steps, View

__all__ = ["ClusterView"]

Ints = NDArray[np.integer]


class ClusterView(View):
    """A view without rows: each part scans those of its own entities."""

    def worth_scanning(self) -> bool:
        """Never: the actors choose between lists and frontiers themselves."""
        return False

    def expand(self, frontier: Ints) -> Ints:
        """Neighbours of a frontier: sorted, distinct."""
        return np.unique(self.leaving(frontier).end)

    def leaving(self, frontier: Ints) -> Steps:
        """The permitted triples that leave a sorted frontier, once for each direction they can be traversed in."""
        found = self._ask("leaving", frontier)
        entity = self.widths.entity
        none = (np.empty(0, entity), np.empty(0, np.int64), np.empty(0, entity))
        start, triple, end = (np.concatenate(columns) for columns in zip(none, *found, strict=True))
        return Steps(start, triple, end)

    def row_sizes(self, frontier: Ints) -> NDArray[np.int64]:
        """The number of triples in the rows of a sorted frontier, both ways."""
        return np.concatenate([np.empty(0, np.int64), *self._ask("row_sizes", frontier)])

    def _ask(self, method: str, frontier: Ints) -> list[Any]:
        """What the parts that have some of the entities answer."""
        assert isinstance(self.graph, ClusterGraph)
        cut = self.graph.actors.placement.cut(frontier)
        return self.graph.ask(method, [(self.step, each) if len(each) else None for each in cut])
