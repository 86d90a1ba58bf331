"""A segment: the rows of a range of entities, both ways. Row numbers are local, neighbours and triples global."""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency, TripleRows
from clew.graph.model import Graph
from clew.graph.storage.segments import Side

__all__ = ["Segment", "cut"]

Ints = NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Segment:
    """Entities `first` to `first + rows` (excluded) with the triples that leave and enter them."""

    graph: Graph
    first: int
    rows: int

    @property
    def whole(self) -> bool:
        """Whether this is every entity of the graph."""
        return self.rows == self.graph.entity_count

    def triples(self, side: Side) -> TripleRows:
        """Triples under their subjects (`out`) or their objects (`in`)."""
        rows = self.graph.forward if side == "out" else self.graph.backward
        return rows if self.whole else rows.part(self.first, self.rows)

    def adjacency(self, *, inwards: bool) -> Adjacency:
        """Distinct neighbours over all triples that are not negated, following triples or against them."""
        both = self.graph.adjacency
        out, into = both.forward, both.backward
        assert into is not None
        forward, backward = (into, out) if inwards else (out, into)
        return Adjacency(forward, backward) if self.whole else Adjacency(forward.part(self.first, self.rows), None)

    def members(self, entities: Ints) -> Ints:
        """Those of some sorted entities that are in this segment."""
        if self.whole:
            return entities
        low, high = np.searchsorted(entities, (self.first, self.first + self.rows))
        return entities[low:high]


def cut(graph: Graph, parts: int) -> tuple[Segment, ...]:
    """The graph as `parts` segments of about equal size; one is empty only if all are."""
    bounds = np.unique(np.linspace(0, graph.entity_count, parts + 1).astype(np.int64)).tolist()
    pairs = list(pairwise(bounds)) or [(0, 0)]
    return tuple(Segment(graph, first, last - first) for first, last in pairs)
