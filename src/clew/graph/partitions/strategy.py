"""Partitioning strategies: which partition each entity belongs to, with its rows in both directions.

A strategy sees the ends of all distinct triples, entities numbered hubs first, and returns a partition for each entity.
It must be deterministic: the same graph is partitioned in the same way in every run.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.registry import Entry, Registry

__all__ = ["PARTITIONINGS", "GraphShape", "Partitioning", "choose_partitions"]

Ints = NDArray[np.integer]
MOST_PARTITIONS = 4096
COUNTED = 1 << 24  # ends that are counted at a time


@dataclass(frozen=True, slots=True, eq=False)
class GraphShape:
    """Who is connected to whom: the ends of all distinct triples, in any order."""

    entities: int
    subject: Ints  # (t,)
    object: Ints  # (t,)

    def weights(self) -> NDArray[np.int64]:
        """The size of each entity in a partition: its row, and its triples in both directions."""
        weights = np.ones(self.entities, np.int64)
        for ends in (self.subject, self.object):
            for first in range(0, len(ends), COUNTED):
                weights += np.bincount(ends[first : first + COUNTED], minlength=self.entities)
        return weights


Partitioning = Callable[[GraphShape, int], Ints]  # the shape and the number of partitions → a partition per entity

PARTITIONINGS = Registry(
    "partitioning",
    {
        "balanced": Entry("clew.graph.partitions.balanced:balanced", "equal sizes, hubs spread evenly (LogosKG)"),
        "local": Entry("clew.graph.partitions.local:local", "neighbours together (restreaming linear greedy)"),
    },
)


def choose_partitions(shape: GraphShape, partitions: int, partitioning: str) -> Ints:
    """The partition of each entity, by a named strategy."""
    if isinstance(partitions, bool) or not isinstance(partitions, int) or not 1 <= partitions <= MOST_PARTITIONS:
        raise InputError(f"partitions must be a number from 1 to {MOST_PARTITIONS:,}, not {partitions!r}")
    strategy: Partitioning = PARTITIONINGS.load(partitioning)
    if partitions == 1:
        return np.zeros(shape.entities, np.int64)
    return strategy(shape, partitions)
