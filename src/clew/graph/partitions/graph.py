"""A graph whose rows stay on disk: segments are loaded through a cache, one direction at a time.

Entities, names and assertions are mapped as in any graph.
"""

from collections.abc import Iterator
from functools import cached_property, partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.adjacency import TripleRows
from clew.graph.model import Graph
from clew.graph.partitions.cache import PartitionCache
from clew.graph.storage.snapshots import replaced_or

__all__ = ["PartitionedGraph"]

Ints = NDArray[np.integer]


class PartitionedGraph(Graph):
    """A snapshot of a graph directory, walked segment by segment in at most `cache` bytes of rows (None: one load)."""

    def __init__(
        self, path: str | Path, *, cache: int | None, snapshot: str | None = None, verify: bool = False
    ) -> None:
        super().__init__(path, snapshot=snapshot, verify=verify)
        if self.manifest.delta is not None:
            raise InputError(
                f"{path} was updated since it was built, and cache= and engine= need a graph without updates: open it "
                f"without them, or run `clew update {path} --compact`"
            )
        capacity = self.segments.largest() if cache is None else cache
        self.cache = PartitionCache(
            self.segments, self.folder, capacity, fault=partial(replaced_or, folder=self.folder)
        )

    @cached_property
    def degree(self) -> NDArray[np.int64]:
        """How many distinct triples touch each entity, as subject or as object: one pass over all segments."""
        return self.degrees(0, len(self.segments))

    def degrees(self, first: int, last: int) -> NDArray[np.int64]:
        """The degrees of the entities of segments `first` to `last` (excluded)."""
        found = []
        for number in range(first, last):
            segment, rows = self.manifest.segments[number], self.cache.triples(number, "out")
            sizes = np.diff(rows.offsets).astype(np.int64)
            owner = np.repeat(np.arange(segment.entities), sizes)
            sizes -= np.bincount(owner[rows.end == owner + segment.first_entity], minlength=segment.entities)
            found.append(sizes + np.diff(self.cache.triples(number, "in").offsets))
        return np.concatenate(found)

    def triples_at(self, numbers: Ints | None) -> tuple[Ints, Ints, Ints]:
        """Subject, relation and object of some triples, or of all; every segment that has some is loaded once."""
        wanted = np.arange(self.triple_count) if numbers is None else numbers
        widths = self.manifest.widths
        subject, object_ = (np.empty(len(wanted), widths.entity) for _ in range(2))
        relation = np.empty(len(wanted), widths.relation)
        for number, chosen, at, rows in self._by_segment(wanted):
            owner = np.searchsorted(rows.offsets, at, side="right") - 1
            subject[chosen] = owner + self.manifest.segments[number].first_entity
            relation[chosen], object_[chosen] = rows.relation[at], rows.end[at]
        return subject, relation, object_

    def relation_of(self, triples: Ints) -> Ints:
        """The relation of each of some triples."""
        relation = np.empty(len(triples), self.manifest.widths.relation)
        for _, chosen, at, rows in self._by_segment(triples):
            relation[chosen] = rows.relation[at]
        return relation

    def _by_segment(self, triples: Ints) -> Iterator[tuple[int, Ints, Ints, TripleRows]]:
        """The segments that some triples leave, which of the triples, and their positions in its rows."""
        segment = np.searchsorted(self.segments.first_triples, triples, side="right") - 1
        for number in np.unique(segment).tolist():
            chosen, rows = np.flatnonzero(segment == number), self.cache.triples(number, "out")
            yield number, chosen, triples[chosen] - rows.first_triple, rows
