"""Walking a partitioned graph: at each hop, every segment that a batch needs is loaded once for all its queries."""

from functools import partial
from typing import Any

from clew.graph.adjacency import Adjacency
from clew.graph.partitions.graph import PartitionedGraph
from clew.graph.partitions.segment import stored_segments
from clew.traverse.backend import Backend
from clew.traverse.deadline import Deadline
from clew.traverse.local.choice import Choice, Use
from clew.traverse.local.query import Query
from clew.traverse.local.view import View, Views
from clew.traverse.local.walking import Walking
from clew.traverse.partitioned.many import ManyQueries
from clew.traverse.partitioned.view import PartitionedView

__all__ = ["PartitionedWalking"]


class PartitionedWalking(Walking):
    """The views of a partitioned graph and the backend that walks them. Safe to use from many threads."""

    def __init__(self, graph: PartitionedGraph, backend: str | Backend) -> None:
        self._segments = stored_segments(graph)
        views = Views(graph, self._segments, kind=PartitionedView)
        super().__init__(graph, views, Choice(backend, None, wrap=partial(ManyQueries, entities=graph.entity_count)))

    def batch_width(self, query: Query, queries: int) -> int | None:
        """How many queries of a batch are walked together: as many as fit in memory."""
        return self.use.backend.width if queries > 1 else None

    def _step(self, use: Use, view: View, frontier: Any, deadline: Deadline) -> Any:
        """One hop of all queries, segment by segment."""
        backend, into = use.backend, None
        assert isinstance(view, PartitionedView)
        assert isinstance(backend, ManyQueries)
        needed = [each for each in self._segments if backend.touches(frontier, each.first, each.rows)]
        for segment, rows in view.visits(needed):
            deadline.check()
            prepared = backend.prepare(Adjacency(rows, None), segment.first, view.entities)
            into = backend.step(prepared, frontier, into)
        assert into is not None, "an empty frontier was advanced"
        return into
