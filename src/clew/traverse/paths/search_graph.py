"""The subgraph in which paths are searched: from sources, targets and views to a `SearchGraph`.

A *place* is an entity or, for a metapath, an entity at a hop. A bidirectional breadth-first search limits the subgraph
to entities between sources and targets.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clew.graph.seeds import distinct
from clew.traverse.local.view import Steps, View

__all__ = [
    "COST_UNITS",
    "EMPTY",
    "SearchGraph",
    "block_cuts",
    "metapath_search_graph",
    "uniform_search_graph",
]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
Check = Callable[[], None]
BLOCK = 1 << 18  # entries scanned between two checks of the deadline
COST_UNITS = 1 << 20  # per bit: log degrees are stored as integers, so that sums are exact and ties are real
SIDES: tuple[Literal["left"], Literal["right"]] = ("left", "right")


@dataclass(frozen=True, slots=True, eq=False)
class SearchGraph:
    """Every step that may be part of a path, listed by the place it leaves and by the place it enters.

    A path starts at one of `sources`, passes only `inner` places and ends at a `target`.
    """

    entity: Ints  # (p,)
    sources: Ints  # places, by ascending entity
    target: Mask  # (p,)
    inner: Mask  # (p,)
    weight: NDArray[np.int64]  # (p,) the cost of passing the place: the logarithm of its degree
    offsets: Ints  # (p + 1,)
    end: Ints  # (s,) places
    triple: Ints  # (s,)
    into_offsets: Ints  # (p + 1,)
    into_start: Ints  # (s,) places
    by_entity: Ints  # (p,) the places in the order of their entities

    @property
    def places(self) -> int:
        return len(self.entity)

    @property
    def steps(self) -> int:
        return len(self.end)

    def places_of(self, entities: Sequence[int]) -> Ints:
        """Every place of some entities."""
        wanted = np.array(entities, self.entity.dtype)  # the same width, or searchsorted would copy the array
        low, high = (np.searchsorted(self.entity, wanted, side, sorter=self.by_entity) for side in SIDES)
        spans = [self.by_entity[first:last] for first, last in zip(low, high, strict=True)]
        return np.concatenate(spans)


_NONE = np.empty(0, np.int64)
_ROWS = np.zeros(1, np.int64)
EMPTY = SearchGraph(_NONE, _NONE, _NONE > 0, _NONE > 0, _NONE, _ROWS, _NONE, _NONE, _ROWS, _NONE, _NONE)


def uniform_search_graph(
    view: View, sources: Ints, targets: Ints, k: int, inner: Mask, check: Check, *, loops: bool, meet_only: bool
) -> tuple[SearchGraph, int]:
    """The search graph for paths of at most k steps if every hop may use the same triples, and the maximum path length.

    With `meet_only` only the shortest paths are wanted: k becomes their length as soon as the two searches meet.
    """
    forward = _Reach(view, sources, inner, check)
    backward = _Reach(view.turned(), targets, inner, check)
    while forward.hops + backward.hops < k and len(forward.frontier) and len(backward.frontier):
        side, other = (forward, backward) if forward.cost <= backward.cost else (backward, forward)
        side.advance()
        if meet_only and other.meets(side.levels[-1]):
            k = forward.hops + backward.hops
    inside = _between(forward, backward, k)
    if len(inside) == 0:
        return EMPTY, 0
    member = np.zeros(view.entities, bool)
    member[inside] = True
    starting = np.zeros(view.entities, bool)
    starting[sources] = True
    parts = _collect(view, inside[(inner | starting)[inside]], member, check, loops=loops)
    local = _numbering(inside, view.entities)
    known = sources[member[sources]]
    target = np.isin(inside, targets)
    graph = _assemble(view, inside, local(known), target, inner[inside], [(parts, local, local)])
    return graph, k if loops else min(k, graph.places - 1)


def metapath_search_graph(
    views: Sequence[View], sources: Ints, targets: Ints, inner: Mask, check: Check, *, loops: bool
) -> SearchGraph:
    """SearchGraph where hop h may use the triples of views[h - 1]: each place is an entity at a hop."""
    first = views[0]
    reached = [sources]
    for hop, view in enumerate(views, start=1):
        frontier = reached[-1] if hop == 1 else reached[-1][inner[reached[-1]]]
        if len(frontier) == 0:
            break
        found = np.zeros(first.entities, bool)
        for steps in _scan(view, frontier, check):
            found[steps.end] = True
        reached.append(np.flatnonzero(found).astype(sources.dtype))
    kept = [np.intersect1d(reached[-1], targets)] if len(reached) > 1 else [_NONE]
    layers: list[list[Steps]] = []
    for hop in range(len(reached) - 1, 0, -1):  # backwards from the last hop, keeping entities that lead to a target
        before = reached[hop - 1]
        member = np.zeros(first.entities, bool)
        member[kept[0]] = True
        layers.insert(
            0, _collect(views[hop - 1], before if hop == 1 else before[inner[before]], member, check, loops=loops)
        )
        leading = np.unique(np.concatenate([steps.start for steps in layers[0]] or [_NONE]))
        kept.insert(0, leading if hop == 1 else np.union1d(leading, np.intersect1d(before, targets)))
    if len(kept[0]) == 0:
        return EMPTY
    base = np.cumsum([0, *(len(each) for each in kept)]).tolist()
    local = [_numbering(each, first.entities, base=begin) for each, begin in zip(kept, base, strict=False)]
    entity = np.concatenate(kept)
    later = np.arange(len(entity)) >= base[1]
    numbered = [(parts, local[hop], local[hop + 1]) for hop, parts in enumerate(layers)]
    return _assemble(
        first, entity, np.arange(base[1]), later & np.isin(entity, targets), later & inner[entity], numbered
    )


def block_cuts(sizes: Ints) -> Ints:
    """Where to split rows of these sizes into blocks of about BLOCK entries."""
    filled = np.cumsum(sizes)
    return np.unique(np.searchsorted(filled, np.arange(BLOCK, filled[-1] if len(filled) else 0, BLOCK)))


class _Reach:
    """A breadth-first search from one side: `levels[d]` are the entities d hops away."""

    def __init__(self, view: View, seeds: Ints, inner: Mask, check: Check) -> None:
        self._view, self._inner, self._check = view, inner, check
        self.seen = np.zeros(view.entities, bool)
        self.seen[seeds] = True
        self.levels = [seeds]
        self.frontier = seeds
        self.cost = int(view.row_sizes(seeds).sum())

    @property
    def hops(self) -> int:
        return len(self.levels) - 1

    def meets(self, level: Ints) -> bool:
        """Whether a path passes through, or ends at, an entity that the other side has just reached."""
        met = level[self.seen[level]]
        return bool(self._inner[met].any() or np.isin(met, self.levels[0]).any())

    def advance(self) -> None:
        scanned = _scan(self._view, self.frontier, self._check)
        fresh = np.concatenate([steps.end[~self.seen[steps.end]] for steps in scanned])
        level = distinct(fresh, below=len(self.seen)).astype(self.frontier.dtype, copy=False)
        self.seen[level] = True
        self.levels.append(level)
        self.frontier = level[self._inner[level]]
        self.cost = int(self._view.row_sizes(self.frontier).sum())


def _between(forward: _Reach, backward: _Reach, k: int) -> Ints:
    """A superset of the entities on paths of at most k steps."""
    if not backward.seen[np.concatenate(forward.levels)].any():
        return forward.levels[0][:0]
    if len(forward.frontier) == 0 and forward.hops + backward.hops < k:
        return np.sort(np.concatenate(forward.levels))  # nothing else is reachable
    if len(backward.frontier) == 0 and forward.hops + backward.hops < k:
        return np.sort(np.concatenate(backward.levels))
    # The entity at step i of a path is in the forward search up to `forward.hops`, and in the backward search after it.
    return np.unique(np.concatenate([*forward.levels[:-1], *backward.levels]))


def _scan(view: View, frontier: Ints, check: Check) -> Iterator[Steps]:
    """The steps leaving a frontier, block by block."""
    for block in np.split(frontier, block_cuts(view.row_sizes(frontier))):
        check()
        yield view.leaving(block)


def _collect(view: View, frontier: Ints, member: Mask, check: Check, *, loops: bool) -> list[Steps]:
    """The steps from a frontier to members, with the integer widths of the graph."""
    wide = view.widths
    parts = []
    for steps in _scan(view, frontier, check):
        keep = member[steps.end] if loops else member[steps.end] & (steps.end != steps.start)
        start, triple, end = steps.start[keep], steps.triple[keep].astype(wide.triple), steps.end[keep]
        parts.append(Steps(start, triple, end))
    return parts


Numbering = Callable[[Ints], Ints]


def _numbering(inside: Ints, entities: int, *, base: int = 0) -> Numbering:
    """A function from entities, all in the sorted `inside`, to their places."""
    if len(inside) * 64 < entities:
        return lambda chosen: (np.searchsorted(inside, chosen) + base).astype(np.int64)
    place: Ints = np.zeros(entities, np.int64 if len(inside) + base >= 2**31 else np.int32)
    place[inside] = np.arange(base, base + len(inside))
    return lambda chosen: np.asarray(place[chosen])


def _assemble(
    view: View,
    entity: Ints,
    sources: Ints,
    target: Mask,
    inner: Mask,
    layers: Sequence[tuple[list[Steps], Numbering, Numbering]],
) -> SearchGraph:
    """Number the places of all collected steps and index the steps by start and by end."""
    width = np.int32 if len(entity) < 2**31 else np.int64
    starts, ends, triples = [], [], []
    for parts, from_place, to_place in layers:
        for steps in parts:
            starts.append(from_place(steps.start).astype(width, copy=False))
            ends.append(to_place(steps.end).astype(width, copy=False))
            triples.append(steps.triple)
        parts.clear()  # free them: they are numbered now
    if not starts:
        return EMPTY
    start, end, triple = np.concatenate(starts), np.concatenate(ends), np.concatenate(triples)
    del starts, ends, triples
    offsets = np.concatenate(([0], np.cumsum(np.bincount(start, minlength=len(entity)))))
    if (start[1:] < start[:-1]).any():
        order = _order(start, len(entity))
        start, end, triple = start[order], end[order], triple[order]
        del order
    into_offsets = np.concatenate(([0], np.cumsum(np.bincount(end, minlength=len(entity)))))
    into_start = start[_order(end, len(entity))]
    bits = np.log2(np.maximum(view.degree(entity), 1))
    weight = np.rint(bits * COST_UNITS).astype(np.int64)
    return SearchGraph(
        entity,
        sources,
        target,
        inner,
        weight,
        offsets,
        end,
        triple,
        into_offsets,
        into_start,
        np.argsort(entity, kind="stable"),
    )


def _order(keys: Ints, groups: int) -> Ints:
    """The stable sort order of numbers below `groups`."""
    if len(keys) >= 2**31 or groups >= 2**31:
        return np.argsort(keys, kind="stable")
    packed = np.left_shift(keys, 32, dtype=np.int64) | np.arange(len(keys))  # NumPy sorts integers fastest
    packed.sort()
    return np.asarray(np.bitwise_and(packed, 2**32 - 1, out=packed))
