"""The triples that one step may use, segment by segment: loaded, filtered, walked, and dropped or kept by the cache."""

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Rows, TripleRows
from clew.graph.partitions.segment import StoredSegment
from clew.graph.storage.segments import NEIGHBOURS, Side
from clew.traverse.local.view import SegmentView, Steps, View

__all__ = ["PartitionedView"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
Visit = tuple[StoredSegment, Side, Mask | None]  # the relations allowed there; None for distinct neighbours
ADJACENT: dict[str, tuple[Side, ...]] = {"out": ("forward",), "in": ("backward",), "both": NEIGHBOURS}


class PartitionedView(View):
    """A view that keeps no rows of its own; filters are applied to the rows of a segment at each visit."""

    @property
    def is_plain(self) -> bool:
        """Whether the stored neighbours of entities serve as they are."""
        return self.step.relations is None and self.step.where.is_default

    def worth_scanning(self) -> bool:
        """Whether to scan the triples of one query's frontier, not all triples of the segments it touches."""
        return not self.is_plain

    def visits(self, segments: Sequence[StoredSegment]) -> Iterator[tuple[StoredSegment, Rows]]:
        """The rows to walk in some segments, each loaded once: those in the cache first, the next one read ahead."""
        visits: list[Visit] = []
        for segment in segments:
            if self.is_plain:
                visits += [(segment, side, None) for side in ADJACENT[self.step.direction]]
            else:
                visits += [(segment, side, allowed) for side, allowed, _ in self._rules.sides]
        visits.sort(key=lambda visit: not visit[0].held(visit[1]))
        for at, (segment, side, allowed) in enumerate(visits):
            if allowed is None:
                rows = segment.neighbours(side)
            else:
                rows = _permitted(segment.triples(side), allowed, self._rules.passing)
            if at + 1 < len(visits):
                following, side, _ = visits[at + 1]
                following.read_ahead(side)
            yield segment, rows

    def expand(self, frontier: Ints) -> Ints:
        """Neighbours of a frontier, found by scanning its rows: sorted, distinct."""
        return np.unique(self.leaving(frontier).end)

    def leaving(self, frontier: Ints) -> Steps:
        """The permitted triples that leave a sorted frontier, once for each direction they can be traversed in."""
        entity = self.widths.entity
        found = [Steps(np.empty(0, entity), np.empty(0, np.int64), np.empty(0, entity))]
        touched = self._touched(frontier)
        for at, part in enumerate(touched):
            if at + 1 < len(touched):
                _stored(touched[at + 1]).read_ahead(self._rules.sides[0][0])
            found += part.leaving(frontier)
        start, triple, end = (np.concatenate([getattr(p, name) for p in found]) for name in ("start", "triple", "end"))
        return Steps(start, triple, end)

    def row_sizes(self, frontier: Ints) -> NDArray[np.int64]:
        """The number of triples in the rows of a sorted frontier, both ways."""
        return np.concatenate([np.empty(0, np.int64), *(part.row_sizes(frontier) for part in self._touched(frontier))])

    def _touched(self, frontier: Ints) -> list[SegmentView]:
        """The parts of a view that have a row of a sorted frontier."""
        return [part for part in self._parts if len(part.segment.members(frontier))]


def _stored(part: SegmentView) -> StoredSegment:
    assert isinstance(part.segment, StoredSegment)
    return part.segment


def _permitted(rows: TripleRows, allowed: Mask, passing: Mask | None) -> Rows:
    """The permitted triples as rows of neighbours, which may repeat."""
    keep = allowed[rows.relation]
    if passing is not None:
        first, count = rows.first_triple, len(rows.end)
        keep &= passing[first : first + count] if rows.triple is None else passing[rows.triple]
    if keep.all():
        return Rows(rows.offsets, rows.end, rows.end[:0])
    kept = np.zeros(len(keep) + 1, rows.offsets.dtype)
    np.cumsum(keep, out=kept[1:])
    offsets, end = kept[rows.offsets], rows.end[keep]
    for array in (offsets, end):
        array.setflags(write=False)
    return Rows(offsets, end, end[:0])
