"""The partitioned engine: everything the local engine does, over segments that are loaded when they are needed."""

from clew.graph.partitions.cache import CacheCounts
from clew.graph.partitions.graph import PartitionedGraph
from clew.traverse.backend import Backend
from clew.traverse.local.engine import Engine
from clew.traverse.partitioned.walking import PartitionedWalking

__all__ = ["PartitionedEngine"]


class PartitionedEngine(Engine):
    """The engine of a graph larger than memory, returned by `clew.open(path, cache=…)`. Safe for many threads."""

    def __init__(self, graph: PartitionedGraph, *, backend: str | Backend = "auto") -> None:
        super().__init__(graph, walking=PartitionedWalking(graph, backend))
        self._cache = graph.cache

    @property
    def cache(self) -> CacheCounts | None:
        """Hits, loads and evictions of the cache since the graph was opened."""
        return self._cache.counts
