"""A segment of a partitioned graph: its rows are loaded through the cache, one direction at a time."""

from dataclasses import dataclass

from clew.graph.adjacency import Rows, TripleRows
from clew.graph.partitions.graph import PartitionedGraph
from clew.graph.segment import Segment
from clew.graph.storage.segments import Side

__all__ = ["StoredSegment", "stored_segments"]


@dataclass(frozen=True, slots=True, eq=False)
class StoredSegment(Segment):
    """A segment on disk; keep what it returns only while it is needed."""

    graph: PartitionedGraph
    number: int

    @property
    def whole(self) -> bool:
        """Never: rows are not kept for the whole graph."""
        return False

    def triples(self, side: Side) -> TripleRows:
        """Triples under their subjects (`out`) or their objects (`in`)."""
        return self.graph.cache.triples(self.number, side)

    def neighbours(self, side: Side) -> Rows:
        """Distinct neighbours over all triples that are not negated, `forward` or `backward`."""
        return self.graph.cache.neighbours(self.number, side)

    def held(self, side: Side) -> bool:
        """Whether one direction needs no load now."""
        return self.graph.cache.holds(self.number, side)

    def read_ahead(self, side: Side) -> None:
        """Begin to load one direction."""
        self.graph.cache.read_ahead(self.number, side)


def stored_segments(graph: PartitionedGraph) -> tuple[StoredSegment, ...]:
    """The segments of a graph directory."""
    listed = enumerate(graph.manifest.segments)
    return tuple(StoredSegment(graph, each.first_entity, each.entities, number) for number, each in listed)
