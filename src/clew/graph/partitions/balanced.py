"""The balanced partitioning of the LogosKG paper (section 3.4): high-degree entities are spread evenly.

The largest entities go one by one to the partition with the least load so far (longest processing time first); the
rest, nearly equal, are dealt out in turns. Sizes are those of rows and triples in both directions.
"""

from heapq import heapreplace

import numpy as np
from numpy.typing import NDArray

from clew.graph.partitions.strategy import GraphShape

__all__ = ["balanced"]

LARGEST = 1 << 16  # entities that are assigned one by one


def balanced(shape: GraphShape, partitions: int) -> NDArray[np.int16]:
    """The partition of each entity: loads are equal up to about the size of one of the smaller entities.

    >>> star = GraphShape(5, np.array([1, 2, 3, 4]), np.array([0, 0, 0, 0]))
    >>> balanced(star, 2).tolist()
    [0, 1, 1, 1, 0]
    """
    weights = shape.weights()
    np.negative(weights, out=weights)
    order = np.argsort(weights, kind="stable")
    chosen = np.empty(shape.entities, np.int16)
    loads = [(0, partition) for partition in range(partitions)]  # a heap: equal loads fill the first partition first
    for entity in order[:LARGEST].tolist():
        load, partition = loads[0]
        chosen[entity] = partition
        heapreplace(loads, (load - int(weights[entity]), partition))
    rest = order[LARGEST:]
    turns = [partition for _, partition in sorted(loads)]
    there_and_back = np.array(turns + turns[::-1], np.int16)  # so that no partition always gets the larger one
    chosen[rest] = np.resize(there_and_back, len(rest))
    return chosen
