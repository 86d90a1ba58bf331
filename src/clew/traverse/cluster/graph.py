"""A graph whose rows are held by actors: entities, names and assertions are mapped here as in any graph."""

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph.partitions.graph import PartitionedGraph
from clew.traverse.cluster.actors import Actors, persist
from clew.traverse.deadline import NEVER

__all__ = ["ClusterGraph"]

Ints = NDArray[np.integer]


class ClusterGraph(PartitionedGraph):
    """A snapshot of a graph directory; what needs rows is asked of the actors."""

    actors: Actors

    def __init__(self, path: str | Path, *, snapshot: str | None = None, verify: bool = False) -> None:
        super().__init__(path, snapshot=snapshot, verify=verify, cache=None)

    def ask(self, method: str, arguments: list[tuple[Any, ...] | None]) -> list[Any]:
        """What the parts answer that have arguments, in their order; asked again where an actor was lost."""

        def work() -> list[Any]:
            asked = enumerate(arguments)
            return self.actors.get([self.actors.call(at, method, *each) for at, each in asked if each is not None])

        return persist(self.actors, work, NEVER)

    @cached_property
    def degree(self) -> NDArray[np.int64]:
        """How many distinct triples touch each entity, as subject or as object."""
        return np.concatenate(self.ask("degree", [()] * len(self.actors.placement.plans)))

    def triples_at(self, numbers: Ints | None) -> tuple[Ints, Ints, Ints]:
        """Subject, relation and object of some triples, or of all."""
        wanted = np.arange(self.triple_count) if numbers is None else numbers
        placement = self.actors.placement
        part = np.searchsorted(placement.first_triples, wanted, side="right") - 1
        chosen = [np.flatnonzero(part == at) for at in range(len(placement.plans))]
        found = self.ask("triples_at", [(wanted[each],) if len(each) else None for each in chosen])
        widths = self.manifest.widths
        columns = [np.empty(len(wanted), width) for width in (widths.entity, widths.relation, widths.entity)]
        for each, parts in zip((each for each in chosen if len(each)), found, strict=True):
            for column, values in zip(columns, parts, strict=True):
                column[each] = values
        subject, relation, object_ = columns
        return subject, relation, object_

    def relation_of(self, triples: Ints) -> Ints:
        """The relation of each of some triples."""
        return self.triples_at(triples)[1]
