"""Placement: which actor holds which partitions, by size.

An actor gets consecutive partitions, hence one range of entities: a frontier is cut for the actors as an array is cut,
and a result is joined by writing the parts one after another.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph.partitions.graph import PartitionedGraph
from clew.graph.storage.segments import NEIGHBOURS, TRIPLES

__all__ = ["PartPlan", "Placement", "place", "placement"]

Ints = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class PartPlan:
    """What one actor opens: a snapshot of a graph directory, and which of its partitions."""

    path: str
    snapshot: str
    first: int  # partition
    last: int  # the one after its last
    size: int  # bytes of rows that it keeps


@dataclass(frozen=True, slots=True, eq=False)
class Placement:
    """The parts of a graph: part p has entities bounds[p] to bounds[p + 1], triples first_triples[p] and following."""

    plans: tuple[PartPlan, ...]
    bounds: Ints  # (parts + 1,)
    first_triples: Ints  # (parts + 1,)

    def cut(self, entities: Ints) -> list[Ints]:
        """Sorted entities, part by part."""
        return np.split(entities, np.searchsorted(entities, self.bounds[1:-1]))

    def masks(self, allowed: NDArray[Any]) -> list[NDArray[Any]]:
        """A value for each entity, part by part."""
        return np.split(allowed, self.bounds[1:-1])


def placement(graph: PartitionedGraph, actors: int, *, cache: int | None = None) -> Placement:
    """The partitions of a graph on that many actors, or on one each if it has fewer partitions.

    An actor keeps the rows of its partitions in every direction, or as much as `cache` allows.
    """
    segments, path, snapshot = graph.segments, str(graph.path.absolute()), graph.manifest.snapshot
    sizes = [sum(segments.bytes_of(at, side) for side in TRIPLES + NEIGHBOURS) for at in range(len(segments))]
    cuts = place(sizes, min(actors, len(sizes)))
    held = [max(sum(sizes[first:last]), segments.largest()) for first, last in pairwise(cuts)]
    plans = tuple(
        PartPlan(path, snapshot, first, last, size if cache is None else min(cache, size))
        for (first, last), size in zip(pairwise(cuts), held, strict=True)
    )
    first_entities = np.array([*(each.first_entity for each in graph.manifest.segments), graph.entity_count])
    return Placement(plans, first_entities[cuts], graph.segments.first_triples[cuts])


def place(sizes: Sequence[int], parts: int) -> list[int]:
    """Where to cut a row of sizes into `parts` runs, none empty, so that the largest run is as small as possible.

    >>> place([5, 1, 1, 1, 4, 4], 3)
    [0, 1, 4, 6]
    """
    low, high = max(sizes), sum(sizes)
    while low < high:  # the smallest capacity that suffices
        middle = (low + high) // 2
        if len(_filled(sizes, middle)) <= parts:
            high = middle
        else:
            low = middle + 1
    cuts = _filled(sizes, low)
    while len(cuts) < parts:  # fewer runs than parts suffice: cut the runs of several partitions further
        spans = zip(cuts, [*cuts[1:], len(sizes)], strict=True)
        first, last = max((span for span in spans if span[1] - span[0] > 1), key=lambda span: sum(sizes[slice(*span)]))
        half = np.searchsorted(np.cumsum(sizes[first:last]), sum(sizes[first:last]) / 2)
        cuts = sorted([*cuts, min(max(first + int(half), first + 1), last - 1)])
    return [*cuts, len(sizes)]


def _filled(sizes: Sequence[int], capacity: int) -> list[int]:
    """Where runs begin if each takes as much as fits in its capacity."""
    cuts, held = [0], 0
    for at, size in enumerate(sizes):
        if held + size > capacity and held:
            cuts.append(at)
            held = 0
        held += size
    return cuts
