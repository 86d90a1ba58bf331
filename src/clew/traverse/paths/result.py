"""Paths between entities in one total order: `Paths` is the result of a request for them.

The order is length, then rarest first (the sum of the log degrees of inner entities), then triple numbers, then entity
numbers. Paths are searched on demand up to a limit; their number is counted, not enumerated.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
import pyarrow as pa

from clew.graph.contents import Reader
from clew.graph.snapshot import Snapshot
from clew.traverse.paths.listing import Listing
from clew.traverse.paths.search import Found
from clew.traverse.paths.search_graph import COST_UNITS
from clew.traverse.request import PathRequest
from clew.traverse.result import Triple, Triples, to_pandas

__all__ = ["Path", "PathStep", "Paths"]

STEPS = pa.schema(
    [
        ("path", pa.int64()),
        ("step", pa.int64()),
        ("start", pa.string()),
        ("start_name", pa.string()),
        ("relation", pa.string()),
        ("forward", pa.bool_()),
        ("end", pa.string()),
        ("end_name", pa.string()),
        ("number", pa.int64()),
    ]
)


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of a path: from start to end over a triple, `forward` unless it is traversed against its direction."""

    start: str
    start_name: str
    triple: Triple
    forward: bool
    end: str
    end_name: str

    def __str__(self) -> str:
        arrow = f"—{self.triple.relation}→" if self.forward else f"←{self.triple.relation}—"
        return f"{self.start_name} {arrow} {self.end_name}"


@dataclass(frozen=True, slots=True)
class Path:
    """Triples from a source to a target, in path order. A symmetric triple points in the direction it is traversed."""

    triples: tuple[Triple, ...]
    entities: tuple[int, ...]  # internal numbers, one more than triples
    ids: tuple[str, ...]
    names: tuple[str, ...]
    forward: tuple[bool, ...]  # whether each triple is traversed from subject to object
    cost: float  # the sum of log2 degree of the inner entities: low is rare

    @property
    def numbers(self) -> tuple[int, ...]:
        """The triples' numbers in this snapshot."""
        return tuple(triple.number for triple in self.triples)

    @property
    def length(self) -> int:
        return len(self.triples)

    @property
    def steps(self) -> tuple[PathStep, ...]:
        """The path step by step, with ids and names."""
        ends = zip(self.ids[1:], self.names[1:], strict=True)
        starts = zip(self.ids, self.names, self.triples, self.forward, strict=False)
        return tuple(PathStep(*start, *end) for start, end in zip(starts, ends, strict=True))

    def __str__(self) -> str:
        arrows = (
            f" —{triple.relation}→ {name}" if forward else f" ←{triple.relation}— {name}"
            for triple, forward, name in zip(self.triples, self.forward, self.names[1:], strict=True)
        )
        return self.names[0] + "".join(arrows)


class Paths:
    """The first `limit` paths, searched on demand and kept; iterate as often as needed, from any thread.

    `count` is exact or an upper bound: see `count_kind`. The deadline of the call also applies to later searches; after
    a timeout or a cancellation the search restarts on the next request.
    """

    def __init__(self, reader: Reader, request: PathRequest, listing: Listing) -> None:
        self._reader = reader
        self._listing = listing
        self.request = request

    def __iter__(self) -> Iterator[Path]:
        return (_in_words(self._reader, found) for found in self._shown())

    def __bool__(self) -> bool:
        """Whether there is any path."""
        return self._listing.get(0) is not None

    def __len__(self) -> int:
        """The number of paths listed, at most `limit`; `count` is the number that exist."""
        return sum(1 for _ in self._shown())

    @overload
    def __getitem__(self, at: int) -> Path: ...

    @overload
    def __getitem__(self, at: slice) -> list[Path]: ...

    def __getitem__(self, at: int | slice) -> Path | list[Path]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        index = at + len(self) if at < 0 else at
        found = self._listing.get(index) if 0 <= index < self.limit else None
        if found is None:
            raise IndexError(f"path {at} of {len(self)}")
        return _in_words(self._reader, found)

    def __repr__(self) -> str:
        return f"Paths(kind={self.kind!r}, k={self.k}, limit={self.limit})"

    @property
    def k(self) -> int:
        return self.request.walk.k

    @property
    def kind(self) -> str:
        return self.request.kind

    @property
    def limit(self) -> int:
        return int(self.request.limit)

    @property
    def snapshot(self) -> Snapshot:
        """The graph that was searched."""
        return self._reader.snapshot

    @property
    def truncated(self) -> bool:
        """Whether there are, or may be, more paths than listed; `reason` says why."""
        return self.reason is not None

    @property
    def reason(self) -> str | None:
        """Why the list is incomplete; None if it is complete."""
        return self._listing.reason

    @property
    def count(self) -> int:
        """The number of paths, exact or an upper bound (`count_kind`). It may have thousands of digits."""
        return self._listing.counted[0]

    @property
    def count_kind(self) -> str:
        """Whether `count` is "exact" or an "upper_bound"."""
        return self._listing.counted[1]

    @property
    def triples(self) -> Triples:
        """The triples of the listed paths, ascending."""
        numbers = [number for found in self._shown() for number in found.numbers]
        return Triples(self._reader, np.unique(np.array(numbers, np.int64)))

    @property
    def table(self) -> pa.Table:
        """Arrow: one row per step: path, step, start, start_name, relation, forward, end, end_name, number."""
        rows = [
            {
                "path": at,
                "step": step,
                "start": each.start,
                "start_name": each.start_name,
                "relation": each.triple.relation,
                "forward": each.forward,
                "end": each.end,
                "end_name": each.end_name,
                "number": each.triple.number,
            }
            for at, path in enumerate(self)
            for step, each in enumerate(path.steps, start=1)
        ]
        return pa.Table.from_pylist(rows, schema=STEPS)

    def to_pandas(self) -> Any:
        """A data frame with one row for each step of each listed path."""
        return to_pandas(self.table)

    def to_networkx(self) -> Any:
        """The triples of the listed paths as a MultiDiGraph."""
        return self.triples.to_networkx()

    def _shown(self) -> Iterator[Found]:
        index = 0
        while index < self.limit and (found := self._listing.get(index)) is not None:
            yield found
            index += 1


def _in_words(reader: Reader, found: Found) -> Path:
    described = reader.describe(np.array(found.entities))
    ids, names = (tuple(described[column].to_pylist()) for column in ("id", "name"))
    parts = reader.triple_columns(np.array(found.numbers))
    triples, forward = [], []
    columns = zip(found.numbers, parts.subject.tolist(), parts.relation.tolist(), strict=True)
    for at, (number, subject, relation_number) in enumerate(columns):
        relation = reader.schema.relations[relation_number]
        along = subject == found.entities[at]
        first, last = (at, at + 1) if along else (at + 1, at)
        triples.append(Triple(number, ids[first], relation.name, ids[last], names[first], names[last]))
        forward.append(along or relation.symmetric)
    return Path(tuple(triples), found.entities, ids, names, tuple(forward), found.cost / COST_UNITS)
