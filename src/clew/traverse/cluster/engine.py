"""The cluster engine: everything the local engine does, with the rows of a partitioned graph on actors."""

from collections.abc import Callable, Sequence

from clew.graph.contents import Seeds
from clew.traverse.blocks import SeedLists
from clew.traverse.cluster.actors import Actors
from clew.traverse.cluster.graph import ClusterGraph
from clew.traverse.cluster.placement import Placement, placement
from clew.traverse.cluster.walking import ClusterWalking, PipelinedBlocks
from clew.traverse.deadline import Deadline
from clew.traverse.local.engine import Engine
from clew.traverse.local.query import read_walk
from clew.traverse.walk import Walk

__all__ = ["ClusterEngine"]


class ClusterEngine(Engine):
    """The engine of a graph on actors, returned by `clew.open(path, engine="ray")`. Safe to use from many threads."""

    def __init__(
        self, graph: ClusterGraph, actors: int, start: Callable[[Placement], Actors], *, cache: int | None = None
    ) -> None:
        graph.actors = start(placement(graph, actors, cache=cache))
        self._cluster = ClusterWalking(graph)
        super().__init__(graph, walking=self._cluster)

    def _batch(self, queries: Sequence[Seeds], walk: Walk, deadline: Deadline) -> tuple[SeedLists, PipelinedBlocks]:
        query, seeds = read_walk(self.schema, walk), self._starts(queries)
        return seeds, PipelinedBlocks(self._cluster, seeds, query, deadline)
