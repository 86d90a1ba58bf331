"""Hops as array gathers: nothing to compile, so it answers at once; for the small hop of a command line."""

import numpy as np

from clew.graph.adjacency import Adjacency, Rows, gather
from clew.traverse.backends.entity_set import EntitySet, EntitySets, members

__all__ = ["NumpyBackend"]

SORT_SHARE = 32  # fewer than n / 32 neighbour entries are sorted; more are marked


class NumpyBackend(EntitySets):
    """Gathers the rows of the frontier, then sorts or marks the entities they hold."""

    def prepare(self, rows: Adjacency, first: int, entities: int) -> tuple[Rows, int]:
        return rows.forward, first

    def step(self, prepared: tuple[Rows, int], frontier: EntitySet, into: EntitySet | None) -> EntitySet:
        rows, first = prepared
        position, _ = gather(rows.offsets, members(frontier, rows, first))
        ends = rows.neighbour[position]
        if len(ends) * SORT_SHARE < frontier.entities:
            found = EntitySet(np.unique(ends), frontier.entities)
        else:
            marks = np.zeros(frontier.entities, bool)
            marks[ends] = True
            found = EntitySet(np.flatnonzero(marks).astype(frontier.dtype, copy=False), frontier.entities)
        return self.join(found, into)
