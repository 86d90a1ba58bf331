"""A part of a graph, as an actor holds it: the rows of its partitions, and its entities of every frontier.

Frontiers have the numbers that the caller gave them. A hop takes two calls: `expand` cuts the neighbours of a frontier
into a piece for each part, and `receive` joins the pieces that all parts have for this one. Whoever holds a part that
was lost makes it again from the graph directory; the frontiers are gone then, and asking for one is `PartLost`.
"""

from collections.abc import Iterable
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency
from clew.graph.partitions.graph import PartitionedGraph
from clew.graph.partitions.segment import StoredSegment, stored_segments
from clew.traverse.blocks import SeedLists
from clew.traverse.cluster.actors import PartLost
from clew.traverse.cluster.exchange import (
    Piece,
    WordBackend,
    cut_frontier,
    empty_frontier,
    join_pieces,
)
from clew.traverse.cluster.placement import PartPlan
from clew.traverse.local.query import Step
from clew.traverse.local.view import Views
from clew.traverse.partitioned.many import Frontier, ManyQueries
from clew.traverse.partitioned.view import PartitionedView

__all__ = ["Part"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]


class Part:
    """Serves one thread. Methods that make or change a frontier return whether it has no entity in this part."""

    def __init__(self, plan: PartPlan, bounds: Ints, number: int) -> None:
        self._plan, self._bounds, self._number = plan, bounds, number
        self._first, self._entities = int(bounds[number]), int(bounds[number + 1] - bounds[number])
        self._sent = 0
        self._frontiers: dict[int, Frontier] = {}
        self._own: dict[int, Frontier] = {}  # what a step found here, until the pieces of other parts have come

    @cached_property
    def _graph(self) -> PartitionedGraph:
        """Opened by the first call, whose error then reaches the caller."""
        return PartitionedGraph(self._plan.path, cache=self._plan.size, snapshot=self._plan.snapshot)

    @cached_property
    def _segments(self) -> tuple[StoredSegment, ...]:
        return stored_segments(self._graph)[self._plan.first : self._plan.last]

    @cached_property
    def _views(self) -> Views:
        return Views(self._graph, self._segments, kind=PartitionedView)

    @cached_property
    def _dtype(self) -> np.dtype[np.integer]:
        return np.dtype(self._graph.manifest.widths.entity)

    @cached_property
    def _many(self) -> ManyQueries:
        return ManyQueries(WordBackend(), self._entities)

    def sent_bytes(self) -> int:
        """The size of all pieces that were made for other parts."""
        return self._sent

    def ready(self) -> str:
        """The snapshot that is open."""
        return self._graph.manifest.snapshot

    # frontiers --------------------------------------------------------------------------------------------------

    def start(self, new: int, seeds: SeedLists) -> bool:
        """A frontier of some seeds, numbered from the first entity here."""
        own = SeedLists(seeds.starts.copy(), seeds.flat.copy())  # kernels are compiled for arrays that can be written
        return self._keep(new, self._many.start(own, self._entities))

    def expand(self, new: int, number: int, step: Step, dropped: Iterable[int]) -> list[Piece | None]:
        """The neighbours of a frontier over the rows here, a piece for each part; the one for this part stays here."""
        self.drop(dropped)
        frontier, view = self._frontier(number), self._views(step)
        assert isinstance(view, PartitionedView)
        everyone = int(self._bounds[-1])
        into = empty_frontier(frontier.queries, everyone, self._dtype)
        needed = [each for each in self._segments if self._many.touches(frontier, each.first - self._first, each.rows)]
        for segment, rows in view.visits(needed):
            prepared = self._many.prepare(Adjacency(rows, None), segment.first - self._first, everyone)
            into = self._many.step(prepared, frontier, into)
        pieces: list[Piece | None] = list(cut_frontier(into, self._bounds))
        own = pieces[self._number]
        assert own is not None
        self._own[new] = join_pieces(empty_frontier(frontier.queries, self._entities, self._dtype), [own])
        pieces[self._number] = None
        self._sent += sum(map(_size, pieces))
        return pieces

    def receive(self, new: int, *pieces: Piece) -> bool:
        """Complete the frontier that `expand` began with the pieces of the other parts."""
        if new not in self._own:
            raise PartLost(f"part {self._number} started again")
        return self._keep(new, join_pieces(self._own.pop(new), list(pieces)))

    def keep(self, new: int, number: int, allowed: Mask, exempt: int | None) -> bool:
        also = None if exempt is None else self._frontier(exempt)
        return self._keep(new, self._many.keep(self._frontier(number), allowed, also))

    def without(self, new: int, number: int, other: int) -> bool:
        return self._keep(new, self._many.without(self._taken(number), self._frontier(other)))

    def union(self, new: int, number: int, other: int) -> bool:
        return self._keep(new, self._many.union(self._taken(number), self._frontier(other)))

    def copy(self, new: int, number: int) -> bool:
        return self._keep(new, self._many.copy(self._frontier(number)))

    def touches(self, number: int, first: int, rows: int) -> bool:
        """Whether a frontier has one of the `rows` entities from `first` on."""
        begin, end = max(first - self._first, 0), min(first + rows - self._first, self._entities)
        return begin < end and self._many.touches(self._frontier(number), begin, end - begin)

    def collect(self, number: int) -> Piece:
        """A frontier as one piece."""
        return cut_frontier(self._frontier(number), np.array([0, self._entities]))[0]

    def drop(self, numbers: Iterable[int]) -> None:
        """Forget some frontiers."""
        for number in numbers:
            self._frontiers.pop(number, None)
            self._own.pop(number, None)

    def _frontier(self, number: int) -> Frontier:
        if number not in self._frontiers:
            raise PartLost(f"part {self._number} started again")
        return self._frontiers[number]

    def _taken(self, number: int) -> Frontier:
        """A frontier whose memory is used for the next."""
        frontier = self._frontier(number)
        del self._frontiers[number]
        return frontier

    def _keep(self, new: int, frontier: Frontier) -> bool:
        self._frontiers[new] = frontier
        return self._many.is_empty(frontier)

    # triples ----------------------------------------------------------------------------------------------------

    def leaving(self, step: Step, frontier: Ints) -> tuple[Ints, Ints, Ints]:
        """Start, number and end of the permitted triples that leave sorted entities of this part."""
        steps = self._views(step).leaving(frontier)
        return steps.start, steps.triple, steps.end

    def row_sizes(self, step: Step, frontier: Ints) -> Ints:
        """The number of triples in the rows of sorted entities of this part, both ways."""
        return self._views(step).row_sizes(frontier)

    def triples_at(self, numbers: Ints) -> tuple[Ints, Ints, Ints]:
        """Subject, relation and object of triples that leave entities of this part."""
        return self._graph.triples_at(numbers)

    def degree(self) -> Any:
        """How many triples touch each entity of this part."""
        return self._graph.degrees(self._plan.first, self._plan.last)


def _size(piece: Piece | None) -> int:
    """Bytes of a piece."""
    if isinstance(piece, SeedLists):
        return piece.starts.nbytes + piece.flat.nbytes
    return 0 if piece is None else piece.nbytes
