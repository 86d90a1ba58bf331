"""Batch traversal: in blocks, with as many queries at once as the backend supports if that is faster."""

import numpy as np

from clew.traverse.blocks import Block, ListedBlock, SeedLists
from clew.traverse.deadline import Deadline
from clew.traverse.local.query import Query
from clew.traverse.local.walking import MANY, Walking

__all__ = ["WalkedBlocks"]


class WalkedBlocks:
    """The blocks of a batch, computed on demand."""

    def __init__(self, walking: Walking, seeds: SeedLists, query: Query, deadline: Deadline) -> None:
        self._walking = walking
        self._seeds = seeds
        self._query = query
        self._deadline = deadline
        width = walking.batch_width(query, len(seeds))
        self._together = width is not None
        self.width = MANY if width is None else width

    def block(self, number: int) -> Block:
        """The results of queries number * width and following."""
        self._deadline.check()
        seeds = self._seeds.part(number * self.width, min((number + 1) * self.width, len(self._seeds)))
        walking, query = self._walking, self._query
        if self._together:
            return walking.block(seeds.distinct(), query, self._deadline)
        each = None if self._deadline.watched else walking.exact_each(seeds, query)
        if each is not None:
            return each
        found = [walking.ends(np.unique(seeds.of(at)), query, self._deadline) for at in range(len(seeds))]
        return ListedBlock(np.concatenate(found), np.cumsum([0, *map(len, found)]))
