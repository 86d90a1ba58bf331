"""The graph as one `Step` sees it: which triples it may use, scanned row by row or compiled into an adjacency.

A filter that is used once is cheapest scanned; one that is used again is cheapest compiled. `View` scans until it has
looked at as many entries as compiling would, then compiles: never more than twice the best choice.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph import Graph
from clew.graph.adjacency import Adjacency, adjacency_from_pairs
from clew.graph.model import TripleRows
from clew.traverse.query import Step

__all__ = ["Steps", "View", "Views", "gather"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
CACHE_BYTES = 1 << 30


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Triples as they are walked: from `start` over `triple` to `end`."""

    start: Ints
    triple: NDArray[np.int64]
    end: Ints


def gather(offsets: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Positions of all entries of some rows, and for each position which of the rows it belongs to."""
    begin = offsets[rows].astype(np.int64)
    length = offsets[rows + 1] - begin
    owner = np.repeat(np.arange(len(rows)), length)
    before = np.cumsum(length) - length
    return np.arange(len(owner)) + (begin - before)[owner], owner


class View:
    """The triples one step may use. Shared by threads; compiled at most once."""

    def __init__(self, graph: Graph, step: Step) -> None:
        self.graph = graph
        self.step = step
        self.prepared: dict[str, Any] = {}  # what each backend made of the adjacency
        self._scanned = 0
        self._adjacency: Adjacency | None = None
        self._lock = threading.Lock()

    @cached_property
    def allowed(self) -> Mask:
        """Which relations may be used. A negated one may if it is named, or if negated statements are asked for."""
        relations = self.graph.schema.relations
        if self.step.relations is not None:
            return np.array([r.number in self.step.relations for r in relations], bool)
        return np.array([not r.negated or self.step.where.negated for r in relations], bool)

    @cached_property
    def _symmetric(self) -> Mask:
        mirrored: Mask = self.allowed & np.array([r.symmetric for r in self.graph.schema.relations], bool)
        return mirrored

    @cached_property
    def _passing(self) -> Mask | None:
        """Which triples pass the conditions on assertions; None when every one does."""
        mask = self.graph.assertions.passing(self.step.where)
        return None if mask.all() else mask

    @property
    def is_base(self) -> bool:
        """Whether this is the graph as it lies on disk."""
        return self.step.relations is None and self.step.where.is_default and self.step.direction != "both"

    @property
    def is_whole(self) -> bool:
        """Whether every triple may be walked, both ways."""
        return self.step.direction == "both" and bool(self.allowed.all()) and self._passing is None

    @property
    def compiled(self) -> bool:
        return self._adjacency is not None

    @property
    def adjacency(self) -> Adjacency:
        """Distinct neighbours over the permitted triples, in the direction of the step."""
        if self._adjacency is None:
            with self._lock:
                if self._adjacency is None:
                    self._adjacency = self._base() if self.is_base else self._compile()
        return self._adjacency

    def worth_scanning(self) -> bool:
        """Whether the next hop is better scanned than compiled for."""
        return self._adjacency is None and not self.is_base and self._scanned <= self.graph.triple_count

    def expand(self, frontier: Ints) -> Ints:
        """Neighbours of a frontier, found by scanning its rows: sorted, distinct."""
        steps = self.leaving(frontier)
        self._scanned += (
            int(np.sum(self.graph.forward.offsets[frontier + 1] - self.graph.forward.offsets[frontier])) + 1
        )
        return np.unique(steps.end)

    def leaving(self, frontier: Ints) -> Steps:
        """Every permitted triple that leaves a frontier, each once for each end it can be walked from."""
        forward, backward, direction = self.graph.forward, self.graph.backward, self.step.direction
        parts = []
        if direction != "in":
            parts.append(self._scan(forward, frontier, self.allowed, loops=True))
        if direction != "out":
            parts.append(self._scan(backward, frontier, self.allowed, loops=direction == "in"))
        if direction != "both" and self._symmetric.any():  # the other half of symmetric triples
            other = backward if direction == "out" else forward
            parts.append(self._scan(other, frontier, self._symmetric, loops=False))
        if len(parts) == 1:
            return parts[0]
        start, triple, end = (np.concatenate([getattr(p, name) for p in parts]) for name in ("start", "triple", "end"))
        return Steps(start, triple, end)

    def _scan(self, rows: TripleRows, frontier: Ints, allowed: Mask, *, loops: bool) -> Steps:
        position, owner = gather(rows.offsets, frontier)
        keep = allowed[rows.relation[position]]
        triple = (position if rows.triple is None else rows.triple[position]).astype(np.int64, copy=False)
        if self._passing is not None:
            keep &= self._passing[triple]
        start, end = frontier[owner], rows.end[position]
        if not loops:
            keep &= start != end
        return Steps(start[keep], triple[keep], end[keep])

    def _base(self) -> Adjacency:
        return self.graph.adjacency if self.step.direction == "out" else self.graph.adjacency.reversed()

    def _compile(self) -> Adjacency:
        """Pairs of all permitted triples, mirrored where they may be walked both ways."""
        graph = self.graph
        keep = self.allowed[graph.forward.relation]
        if self._passing is not None:
            keep &= self._passing
        lengths = np.diff(graph.forward.offsets)
        start = np.repeat(np.arange(graph.entity_count, dtype=graph.forward.end.dtype), lengths)[keep]
        end = graph.forward.end[keep]
        mirrored: Mask | slice | None = None
        if self.step.direction == "both":
            mirrored = slice(None)
        elif self._symmetric.any():
            mirrored = self._symmetric[graph.forward.relation[keep]]
        if mirrored is not None:
            start, end = np.concatenate((start, end[mirrored])), np.concatenate((end, start[mirrored]))
        made = adjacency_from_pairs(
            graph.entity_count,
            start,
            end,
            offset_type=graph.manifest.widths.offset,
            sorted_=mirrored is None,
        )
        return made.reversed() if self.step.direction == "in" else made


class Views:
    """The views of one graph, the least recently used dropped when their adjacencies take too much memory."""

    def __init__(
        self, graph: Graph, *, cache_bytes: int = CACHE_BYTES, on_drop: Callable[[], None] = lambda: None
    ) -> None:
        self._graph = graph
        self._on_drop = on_drop
        self._cache_bytes = cache_bytes
        self._views: OrderedDict[Step, View] = OrderedDict()
        self._lock = threading.Lock()

    def __call__(self, step: Step) -> View:
        with self._lock:
            view = self._views.get(step)
            if view is None:
                view = self._views[step] = View(self._graph, step)
                self._shrink()
            else:
                self._views.move_to_end(step)
            return view

    def _shrink(self) -> None:
        def held() -> int:
            return sum(v.adjacency.nbytes for v in self._views.values() if v.compiled and not v.is_base)

        while len(self._views) > 64 or (len(self._views) > 1 and held() > self._cache_bytes):
            self._views.popitem(last=False)
            self._on_drop()
