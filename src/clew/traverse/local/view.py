"""The triples of a graph that one `Step` may use, scanned row by row or compiled into an adjacency.

A filter that is used once is cheapest to scan; one that is used again is cheapest to compile. `View` scans until it has
read as many entries as compiling would, then compiles: at most twice the cost of the best choice.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph import Graph
from clew.graph.adjacency import Adjacency, TripleRows, adjacency_from_pairs, gather
from clew.graph.segment import Segment
from clew.graph.storage.manifest import Widths
from clew.graph.storage.segments import Side
from clew.traverse.local.query import Step

__all__ = ["Steps", "View", "Views"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
CACHE_BYTES = 1 << 30
OTHER_WAY = {"out": "in", "in": "out", "both": "both"}


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Triples in the direction of traversal: from `start` over `triple` to `end`."""

    start: Ints
    triple: NDArray[np.int64]
    end: Ints


class Rules:
    """The triples of a graph that a step may use."""

    def __init__(self, graph: Graph, step: Step) -> None:
        self._graph = graph
        self._step = step

    @cached_property
    def allowed(self) -> Mask:
        """The relations that may be used; a negated one only if it is named, or if negated assertions are included."""
        relations = self._graph.schema.relations
        if self._step.relations is not None:
            return np.array([r.number in self._step.relations for r in relations], bool)
        return np.array([not r.negated or self._step.where.negated for r in relations], bool)

    @cached_property
    def symmetric(self) -> Mask:
        """The relations that are traversed both ways, whatever the direction."""
        mirrored: Mask = self.allowed & np.array([r.symmetric for r in self._graph.schema.relations], bool)
        return mirrored

    @cached_property
    def passing(self) -> Mask | None:
        """The triples that pass the conditions on assertions; None if all do."""
        mask = self._graph.assertions.passing(self._step.where)
        return None if mask.all() else mask

    @cached_property
    def sides(self) -> list[tuple[Side, Mask, bool]]:
        """The rows to scan, with the relations allowed there, and whether self-loops count there."""
        direction = self._step.direction
        found: list[tuple[Side, Mask, bool]] = []
        if direction != "in":
            found.append(("out", self.allowed, True))
        if direction != "out":
            found.append(("in", self.allowed, direction == "in"))
        if direction != "both" and self.symmetric.any():  # the other half of symmetric triples
            found.append(("in" if direction == "out" else "out", self.symmetric, False))
        return found


class SegmentView:
    """The triples that a step may use from the entities of one segment."""

    def __init__(self, segment: Segment, step: Step, rules: Rules) -> None:
        self.segment = segment
        self._step = step
        self._rules = rules

    def leaving(self, frontier: Ints) -> list[Steps]:
        """The permitted triples that leave a sorted frontier here, once for each direction they can be traversed in."""
        here = self.segment.members(frontier)
        return [
            self._scan(self.segment.triples(side), here, allowed, loops=loops)
            for side, allowed, loops in self._rules.sides
        ]

    def _scan(self, rows: TripleRows, frontier: Ints, allowed: Mask, *, loops: bool) -> Steps:
        local = frontier if self.segment.first == 0 else frontier - np.array(self.segment.first, frontier.dtype)
        position, owner = gather(rows.offsets, local)
        keep = allowed[rows.relation[position]]
        triple = rows.numbers(position)
        if self._rules.passing is not None:
            keep &= self._rules.passing[triple]
        start, end = frontier[owner], rows.end[position]
        if not loops:
            keep &= start != end
        return Steps(start[keep], triple[keep], end[keep])

    def row_sizes(self, frontier: Ints) -> NDArray[np.int64]:
        """The number of triples in the rows of some entities here, both ways."""
        local = self.segment.members(frontier) - self.segment.first
        out, into = self.segment.triples("out").offsets, self.segment.triples("in").offsets
        return np.asarray(out[local + 1] - out[local].astype(np.int64) + into[local + 1] - into[local])

    def compile(self) -> Adjacency:
        """The permitted pairs as separate rows."""
        graph, segment = self.segment.graph, self.segment
        local = np.arange(segment.rows, dtype=graph.manifest.widths.entity)
        starts, ends = [], []
        for side, allowed, _ in self._rules.sides:
            rows = segment.triples(side)
            keep = allowed[rows.relation]
            if self._rules.passing is not None:
                keep &= self._rules.passing[slice(None) if rows.triple is None and segment.whole else _all(rows)]
            starts.append(np.repeat(local, np.diff(rows.offsets))[keep])
            ends.append(rows.end[keep])
        return adjacency_from_pairs(
            segment.rows,
            np.concatenate(starts),
            np.concatenate(ends),
            entities=graph.entity_count,
            offset_type=graph.manifest.widths.offset,
            sorted_=len(starts) == 1,
        )


def _all(rows: TripleRows) -> NDArray[np.int64]:
    return rows.numbers(np.arange(len(rows.end)))


class View:
    """The triples one step may use, over all segments. Shared by threads; compiled at most once."""

    def __init__(self, graph: Graph, segments: Sequence[Segment], step: Step) -> None:
        self.graph = graph
        self.step = step
        self.prepared: dict[str, Any] = {}  # each backend's prepared adjacencies
        self._rules = Rules(graph, step)
        self._parts = [SegmentView(segment, step, self._rules) for segment in segments]
        self._scanned = 0
        self._adjacencies: list[Adjacency] | None = None
        self._lock = threading.Lock()

    @property
    def entities(self) -> int:
        return self.graph.entity_count

    @property
    def widths(self) -> Widths:
        return self.graph.manifest.widths

    def degree(self, entities: Ints) -> NDArray[np.int64]:
        """The degree of some entities in the whole graph."""
        return self.graph.degree[entities]

    @property
    def segments(self) -> list[Segment]:
        return [part.segment for part in self._parts]

    @property
    def is_base(self) -> bool:
        """Whether this is the unfiltered graph in its stored direction."""
        return self.step.relations is None and self.step.where.is_default and self.step.direction != "both"

    @property
    def is_whole(self) -> bool:
        """Whether every triple may be traversed, both ways."""
        rules = self._rules
        return self.step.direction == "both" and bool(rules.allowed.all()) and rules.passing is None

    @property
    def compiled(self) -> bool:
        return self._adjacencies is not None

    @property
    def adjacencies(self) -> list[Adjacency]:
        """Distinct neighbours over the permitted triples, in the direction of the step, segment by segment."""
        if self._adjacencies is None:
            with self._lock:
                if self._adjacencies is None:
                    inwards = self.step.direction == "in"
                    self._adjacencies = [
                        part.segment.adjacency(inwards=inwards) if self.is_base else part.compile()
                        for part in self._parts
                    ]
        return self._adjacencies

    @property
    def nbytes(self) -> int:
        """The memory used by compiled adjacencies."""
        own = () if self.is_base or self._adjacencies is None else self._adjacencies
        return sum(each.nbytes for each in own)

    @property
    def pairs(self) -> int:
        return sum(each.pairs for each in self.adjacencies)

    def worth_scanning(self) -> bool:
        """Whether scanning is cheaper than compiling for the next hop."""
        return self._adjacencies is None and not self.is_base and self._scanned <= self.graph.triple_count

    def expand(self, frontier: Ints) -> Ints:
        """Neighbours of a frontier, found by scanning its rows: sorted, distinct."""
        steps = self.leaving(frontier)
        self._scanned += int(self.row_sizes(frontier).sum()) // (2 if self.step.direction == "both" else 1) + 1
        return np.unique(steps.end)

    def leaving(self, frontier: Ints) -> Steps:
        """The permitted triples that leave a sorted frontier, once for each direction they can be traversed in."""
        parts = [steps for part in self._parts for steps in part.leaving(frontier)]
        if len(parts) == 1:
            return parts[0]
        start, triple, end = (np.concatenate([getattr(p, name) for p in parts]) for name in ("start", "triple", "end"))
        return Steps(start, triple, end)

    def row_sizes(self, frontier: Ints) -> NDArray[np.int64]:
        """The number of triples in the rows of a sorted frontier, both ways."""
        sizes = [part.row_sizes(frontier) for part in self._parts]
        return sizes[0] if len(sizes) == 1 else np.concatenate(sizes)

    def turned(self) -> "View":
        """The same triples in the other direction."""
        way = OTHER_WAY[self.step.direction]
        if way == self.step.direction:
            return self
        return type(self)(self.graph, self.segments, replace(self.step, direction=way))


class Views:
    """The views of one graph; the least recently used are dropped when their adjacencies use too much memory."""

    def __init__(
        self,
        graph: Graph,
        segments: Sequence[Segment],
        *,
        kind: type[View] = View,
        cache_bytes: int = CACHE_BYTES,
    ) -> None:
        self._graph = graph
        self._segments = segments
        self._kind = kind
        self.on_drop: Callable[[], None] = lambda: None
        self._cache_bytes = cache_bytes
        self._views: OrderedDict[Step, View] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, step: Step) -> View:
        with self._lock:
            view = self._views.get(step)
            if view is None:
                view = self._views[step] = self._kind(self._graph, self._segments, step)
                self._shrink()
            else:
                self._views.move_to_end(step)
            return view

    def _shrink(self) -> None:
        while len(self._views) > 64 or (
            len(self._views) > 1 and sum(view.nbytes for view in self._views.values()) > self._cache_bytes
        ):
            self._views.popitem(last=False)
            self.on_drop()
