"""The arrays in the folder of a segment: their names, how they are written, and how they are read and proved.

A segment holds the rows of a range of entities: triples `out` and `in` of them, and distinct neighbours `forward` and
`backward`. Row numbers are local, neighbours and triple numbers global.
"""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from clew.errors import DamagedGraph
from clew.graph.adjacency import Rows, TripleRows
from clew.graph.storage.arrays import Proof, array_length, prove_ids, prove_offsets, write_array
from clew.graph.storage.manifest import Manifest, Segment

__all__ = ["ENDS", "NEIGHBOURS", "TRIPLES", "SegmentArrays", "Side", "segments_of_sizes", "write_rows", "write_triples"]

Ints = NDArray[np.integer]
Side = Literal["out", "in", "forward", "backward"]  # one direction of a segment: triples, or distinct neighbours
Get = Callable[[str, str, int, Proof], Ints]  # name, type, length, proof → the array
TRIPLES: tuple[Side, Side] = ("out", "in")
NEIGHBOURS: tuple[Side, Side] = ("forward", "backward")
ENDS = {"out": "object", "in": "subject"}


def segments_of_sizes(sizes: Sequence[int]) -> tuple[Segment, ...]:
    """Consecutive segments of some numbers of entities; empty ones are left out, unless there is no other."""
    filled = [size for size in sizes if size] or [0]
    starts = np.cumsum([0, *filled]).tolist()
    return tuple(Segment(f"segments/{at:04}", starts[at], size) for at, size in enumerate(filled))


def write_triples(folder: Path, side: Side, rows: TripleRows) -> None:
    """Write the triples of a segment in one direction."""
    write_array(folder / f"{side}_offsets.npy", rows.offsets)
    write_array(folder / f"{side}_{ENDS[side]}.npy", rows.end)
    write_array(folder / f"{side}_relation.npy", rows.relation)
    if rows.triple is not None:
        write_array(folder / f"{side}_triple.npy", rows.triple)


def write_rows(folder: Path, side: Side, rows: Rows) -> None:
    """Write the distinct neighbours of a segment in one direction."""
    for part in ("offsets", "neighbour", "first"):
        write_array(folder / f"{side}_{part}.npy", getattr(rows, part))


class SegmentArrays:
    """Reads the segments of the base of a snapshot through `get`, which finds an array and proves it safe."""

    def __init__(self, manifest: Manifest, folder: Path) -> None:
        self._manifest = manifest
        self._folder = folder

    def __len__(self) -> int:
        return len(self._manifest.segments)

    @cached_property
    def first_triples(self) -> NDArray[np.int64]:
        """The number of the first triple that leaves each segment, and the number of all triples."""
        sizes = [self._length(segment, "out_relation") for segment in self._manifest.segments]
        first = np.cumsum([0, *sizes])
        if first[-1] != self._manifest.base["triples"]:
            raise DamagedGraph(f"the segments of {self._folder} do not fit the manifest: build the graph again")
        return first

    def triples(self, number: int, side: Side, get: Get) -> TripleRows:
        """The triples of a segment in one direction."""
        manifest, segment, widths = self._manifest, self._manifest.segments[number], self._manifest.widths
        length, name = self._length(segment, f"{side}_relation"), f"{segment.folder}/{side}_"
        return TripleRows(
            get(f"{name}offsets", widths.offset, segment.entities + 1, prove_offsets(length)),
            get(f"{name}{ENDS[side]}", widths.entity, length, prove_ids(manifest.base["entities"])),
            get(f"{name}relation", widths.relation, length, prove_ids(manifest.counts["relations"])),
            get(f"{name}triple", widths.triple, length, prove_ids(manifest.base["triples"])) if side == "in" else None,
            int(self.first_triples[number]) if side == "out" else 0,
        )

    def neighbours(self, number: int, side: Side, get: Get, *, first: bool) -> Rows:
        """The distinct neighbours of a segment in one direction; `first` of each row apart, or not read."""
        segment, widths, n = self._manifest.segments[number], self._manifest.widths, self._manifest.base["entities"]
        length, name = self._length(segment, f"{side}_neighbour"), f"{segment.folder}/{side}_"
        neighbour = get(f"{name}neighbour", widths.entity, length, prove_ids(n))
        return Rows(
            get(f"{name}offsets", widths.offset, segment.entities + 1, prove_offsets(length)),
            neighbour,
            get(f"{name}first", widths.entity, segment.entities, prove_ids(n + 1)) if first else neighbour[:0],
        )

    def bytes_of(self, number: int, side: Side) -> int:
        """How much is read for one direction of a segment."""
        folder = self._manifest.segments[number].folder
        parts = ("offsets", "neighbour") if side in NEIGHBOURS else ("offsets", ENDS[side], "relation")
        return sum(self._size(f"{folder}/{side}_{part}") for part in (*parts, *(("triple",) if side == "in" else ())))

    def largest(self, *sides: Side) -> int:
        """The most that is read for one direction of a segment, of some or of all."""
        chosen = sides or TRIPLES + NEIGHBOURS
        return max(self.bytes_of(number, side) for number in range(len(self)) for side in chosen)

    def _length(self, segment: Segment, array: str) -> int:
        widths = self._manifest.widths
        name = f"{segment.folder}/{array}"
        length = array_length(self._size(name), widths.relation if array.endswith("relation") else widths.entity)
        if length is None:
            raise DamagedGraph(f"{self._folder / name}.npy does not fit the manifest: build the graph again")
        return length

    def _size(self, name: str) -> int:
        record = self._manifest.files.get(f"{name}.npy")
        if record is None:
            raise DamagedGraph(
                f"{self._folder / name}.npy is missing from the manifest: restore it or build the graph again"
            )
        return record.size
