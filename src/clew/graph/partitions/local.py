"""A partitioning that keeps neighbours together: linear deterministic greedy, restreamed.

An entity goes to the partition where most of its neighbours are, the fuller the partition the less (Stanton and Kliot
2012); every further pass knows where all neighbours were before (Nishimura and Ugander 2013).
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from clew.graph.partitions.strategy import GraphShape

__all__ = ["local"]

Ints = NDArray[np.integer]
PASSES = 5
SLACK = 1.05  # a partition may be this much larger than the mean


def local(shape: GraphShape, partitions: int) -> NDArray[np.int64]:
    """The partition of each entity: neighbours together, sizes within 5 % of each other.

    >>> pairs = GraphShape(4, np.array([0, 1]), np.array([2, 3]))
    >>> chosen = local(pairs, 2)
    >>> bool(chosen[0] == chosen[2] != chosen[1] == chosen[3])
    True
    """
    weights = shape.weights()
    offsets, neighbour = _both_directions(shape)
    capacity = max(SLACK * weights.sum() / partitions, float(weights.max(initial=1)))
    chosen = np.full(shape.entities, -1, np.int32)
    for _ in range(PASSES):
        _restream(offsets, neighbour, weights, capacity, partitions, chosen)
    return chosen.astype(np.int64)


def _both_directions(shape: GraphShape) -> tuple[Ints, Ints]:
    """The neighbours of each entity, over triples in either direction."""
    if len(shape.subject) and (np.diff(shape.subject) < 0).any():
        order = np.argsort(shape.subject, kind="stable")
        shape = GraphShape(shape.entities, shape.subject[order], shape.object[order])
    offsets = np.zeros(shape.entities + 1, np.int64)
    np.cumsum(shape.weights() - 1, out=offsets[1:])
    out = np.bincount(shape.subject, minlength=shape.entities)
    neighbour: Ints = np.empty(int(offsets[-1]), np.int32 if shape.entities < 2**31 else np.int64)
    first_out = np.zeros(shape.entities, np.int64)
    np.cumsum(out[:-1], out=first_out[1:])
    place = np.arange(len(shape.subject)) - first_out[shape.subject]
    neighbour[offsets[shape.subject] + place] = shape.object
    into = np.argsort(shape.object, kind="stable")
    owner = shape.object[into]
    first_in = np.searchsorted(owner, np.arange(shape.entities))
    neighbour[offsets[owner] + out[owner] + np.arange(len(into)) - first_in[owner]] = shape.subject[into]
    return offsets, neighbour


@njit(cache=True, nogil=True)  # type: ignore[untyped-decorator]
def _restream(
    offsets: Ints, neighbour: Ints, weights: Ints, capacity: float, partitions: int, chosen: NDArray[np.int32]
) -> None:
    """One pass over all entities; every one leaves its partition's load and chooses again."""
    load = np.zeros(partitions, np.float64)
    known = np.zeros(partitions, np.int64)
    for entity in range(len(chosen)):
        known[:] = 0
        for at in range(offsets[entity], offsets[entity + 1]):
            partition = chosen[neighbour[at]]
            if partition >= 0 and neighbour[at] != entity:
                known[partition] += 1
        best, best_score, least = -1, 0.0, 0
        for partition in range(partitions):
            if load[partition] < load[least]:
                least = partition
            score = known[partition] * (1.0 - load[partition] / capacity)
            if load[partition] + weights[entity] <= capacity and score > best_score:
                best, best_score = partition, score
        chosen[entity] = best if best >= 0 else least
        load[chosen[entity]] += weights[entity]
