"""Walking a graph on actors: the loop runs here, the hops there.

Blocks of a batch overlap; a walk starts over if an actor was lost.
"""

from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial

import numpy as np
from numpy.typing import NDArray

from clew.graph.segment import Segment
from clew.traverse.blocks import Block, SeedLists
from clew.traverse.cluster.actors import persist
from clew.traverse.cluster.frontiers import ClusterFrontiers
from clew.traverse.cluster.graph import ClusterGraph
from clew.traverse.cluster.view import ClusterView
from clew.traverse.deadline import Deadline
from clew.traverse.local.batch_walk import WalkedBlocks
from clew.traverse.local.choice import Choice, Use
from clew.traverse.local.query import Query
from clew.traverse.local.view import Views
from clew.traverse.local.walking import Walking

__all__ = ["ClusterWalking", "PipelinedBlocks"]

Ints = NDArray[np.integer]
AHEAD = 2  # blocks of a batch under way at a time


class ClusterWalking(Walking):
    """The views of a graph on actors and the frontiers there. Safe to use from many threads."""

    def __init__(self, graph: ClusterGraph) -> None:
        dtype = np.dtype(graph.manifest.widths.entity)
        everything = Segment(graph, 0, graph.entity_count)
        views = Views(graph, (everything,), kind=ClusterView)
        frontiers = ClusterFrontiers(graph.actors, dtype)
        super().__init__(graph, views, Choice(Use("cluster", frontiers, lambda view: [view.step]), None))
        self._actors = graph.actors

    def batch_width(self, query: Query, queries: int) -> int | None:
        """How many queries of a batch are walked together."""
        return self.use.backend.width if queries > 1 else None

    def block(self, seeds: SeedLists, query: Query, deadline: Deadline) -> Block:
        """The entities that some queries reach together; their seeds are distinct."""
        return persist(self._actors, partial(super().block, seeds, query, deadline), deadline)

    def sets(self, seeds: Ints, query: Query, deadline: Deadline, *, count: int | None = None) -> list[Ints]:
        """The sets of hop 0 to k (exact) or distance 0 to k (within, shortest), or the first `count`, unless empty."""
        return persist(self._actors, partial(super().sets, seeds, query, deadline, count=count), deadline)


class PipelinedBlocks(WalkedBlocks):
    """The blocks of a batch; while one is waited for, the actors already walk the next."""

    def __init__(self, walking: ClusterWalking, seeds: SeedLists, query: Query, deadline: Deadline) -> None:
        super().__init__(walking, seeds, query, deadline)
        self._count = -(-len(seeds) // self.width)
        self._pool = ThreadPoolExecutor(AHEAD, thread_name_prefix="clew-block")
        self._coming: dict[int, Future[Block]] = {}

    def block(self, number: int) -> Block:
        """The results of queries number * width and following."""
        if self._count == 1:
            return super().block(number)
        for each in range(number, min(number + AHEAD, self._count)):
            if each not in self._coming:
                self._coming[each] = self._pool.submit(super().block, each)
        found = self._coming.pop(number)
        for each in [each for each in self._coming if not number < each < number + AHEAD]:
            self._coming.pop(each).cancel()  # asked for in another order
        return found.result()
