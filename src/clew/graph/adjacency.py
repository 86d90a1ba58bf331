"""Rows of a graph: who leads where, each pair once, which is the form in which it is walked; and triples by entity.

LogosKG writes a hop as q·SUB·OBJ with one row of SUB and OBJ per triple. SUB is `offsets`, OBJ is `neighbour`, and the
product is a gather; repeats between parallel triples are dropped beforehand, since a set of ends does not need them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Adjacency",
    "Rows",
    "TripleEntries",
    "TripleRows",
    "adjacency_from_pairs",
    "entries_of",
    "first_of_rows",
    "gather",
    "join_rows",
    "join_triples",
    "rows_from_sorted",
    "spans",
    "transpose",
]

Ints = NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """For each entity its distinct neighbours one way, ascending; `first` holds the first of each row apart.

    Ids go hubs first, so the first neighbour is the likeliest to be in a frontier and often answers alone.
    """

    offsets: Ints  # (n + 1,)
    neighbour: Ints  # (m,) ascending within a row
    first: Ints  # (n,) n where the row is empty

    @property
    def entities(self) -> int:
        return len(self.offsets) - 1

    def part(self, first: int, count: int) -> "Rows":
        """The rows of `count` entities from `first` on."""
        begin, end = int(self.offsets[first]), int(self.offsets[first + count])
        offsets = self.offsets[first : first + count + 1] - self.offsets[first]
        return Rows(offsets, self.neighbour[begin:end], self.first[first : first + count])


@dataclass(frozen=True, slots=True, eq=False)
class TripleRows:
    """Triples listed under one of their ends: for each entity the other end, the relation and the triple's number.

    `triple` is None where numbers follow each other from `first_triple` on, as they do in the forward order.
    """

    offsets: Ints  # (n + 1,)
    end: Ints  # (t,)
    relation: Ints  # (t,)
    triple: Ints | None
    first_triple: int = 0

    def numbers(self, positions: Ints) -> NDArray[np.int64]:
        """The numbers of the triples at some positions."""
        if self.triple is None:
            return positions.astype(np.int64, copy=False) + self.first_triple
        return self.triple[positions].astype(np.int64, copy=False)

    def part(self, first: int, count: int) -> "TripleRows":
        """The rows of `count` entities from `first` on."""
        begin, end = int(self.offsets[first]), int(self.offsets[first + count])
        return TripleRows(
            self.offsets[first : first + count + 1] - self.offsets[first],
            self.end[begin:end],
            self.relation[begin:end],
            None if self.triple is None else self.triple[begin:end],
            self.first_triple + begin,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Adjacency:
    """Rows forward, and the same pairs backward where these are the rows of every entity."""

    forward: Rows
    backward: Rows | None

    @property
    def pairs(self) -> int:
        return len(self.forward.neighbour)

    @property
    def nbytes(self) -> int:
        both = (self.forward,) if self.backward is None else (self.forward, self.backward)
        return sum(array.nbytes for rows in both for array in (rows.offsets, rows.neighbour, rows.first))


def join_rows(parts: Sequence[Rows]) -> Rows:
    """The rows of consecutive segments, one after another."""
    if len(parts) == 1:
        return parts[0]
    neighbour, first = (np.concatenate([getattr(part, name) for part in parts]) for name in ("neighbour", "first"))
    return Rows(_join_offsets([part.offsets for part in parts]), _frozen(neighbour), _frozen(first))


def join_triples(parts: Sequence[TripleRows]) -> TripleRows:
    """The triples of consecutive segments, one after another."""
    if len(parts) == 1:
        return parts[0]
    numbers = [part.triple for part in parts if part.triple is not None]
    return TripleRows(
        _join_offsets([part.offsets for part in parts]),
        _frozen(np.concatenate([part.end for part in parts])),
        _frozen(np.concatenate([part.relation for part in parts])),
        _frozen(np.concatenate(numbers)) if numbers else None,
    )


def _join_offsets(parts: Sequence[Ints]) -> Ints:
    joined, base = [parts[0][:1]], 0
    for offsets in parts:
        joined.append(offsets[1:] + np.array(base, offsets.dtype))
        base += int(offsets[-1])
    return _frozen(np.concatenate(joined))


def spans(begin: Ints, length: Ints) -> NDArray[np.int64]:
    """begin[0], begin[0] + 1, … for length[0] numbers, then those of the next."""
    total = int(length.sum())
    if total == len(length) and (not total or int(length.min()) == 1):  # one each
        return begin.astype(np.int64, copy=False)
    before = np.cumsum(length) - length
    return np.asarray(np.arange(total) + np.repeat(begin - before, length))


def gather(offsets: Ints, rows: Ints) -> tuple[Ints, Ints]:
    """Positions of all entries of some rows, and for each position which of the rows it belongs to."""
    begin = offsets[rows].astype(np.int64)
    length = offsets[rows + 1] - begin
    owner = np.repeat(np.arange(len(rows)), length)
    before = np.cumsum(length) - length
    return np.arange(len(owner)) + (begin - before)[owner], owner


@dataclass(frozen=True, slots=True, eq=False)
class TripleEntries:
    """Triples listed under an end each: `owner` has the place of that entity among those that were asked for."""

    owner: Ints
    end: Ints
    relation: Ints
    triple: Ints


def entries_of(rows: TripleRows, entities: Ints) -> TripleEntries:
    """The triples in the rows of some entities."""
    position, owner = gather(rows.offsets, entities)
    return TripleEntries(owner, rows.end[position], rows.relation[position], rows.numbers(position))


def rows_from_sorted(entities: int, start: Ints, end: Ints, *, offset_type: str) -> Rows:
    """Rows from pairs sorted by (start, end), repeats dropped."""
    if len(start):
        fresh = np.empty(len(start), bool)
        fresh[0] = True
        np.not_equal(start[1:], start[:-1], out=fresh[1:])
        fresh[1:] |= end[1:] != end[:-1]
        if not fresh.all():
            start, end = start[fresh], end[fresh]
    offsets = np.zeros(entities + 1, offset_type)
    np.cumsum(np.bincount(start, minlength=entities), out=offsets[1:])
    return Rows(offsets, _frozen(end), first_of_rows(entities, offsets, end))


def transpose(rows: Rows) -> Rows:
    """The same pairs, listed under their other end."""
    from scipy.sparse import csr_array  # a counting sort in C; only needed when rows are made

    entities = rows.entities
    marks = np.ones(len(rows.neighbour), bool)
    turned = csr_array((marks, rows.neighbour, rows.offsets), shape=(entities, entities)).tocsc()
    offsets = turned.indptr.astype(rows.offsets.dtype, copy=False)
    neighbour = turned.indices.astype(rows.neighbour.dtype, copy=False)
    return Rows(_frozen(offsets), _frozen(neighbour), first_of_rows(entities, offsets, neighbour))


def adjacency_from_pairs(
    rows: int, start: Ints, end: Ints, *, entities: int, offset_type: str, sorted_: bool = False
) -> Adjacency:
    """Rows from any pairs of a row and an entity; both ways where there is a row for every entity."""
    if not sorted_:
        packed = start.astype(np.int64) * entities + end if entities < 2**31 else None
        order = np.lexsort((end, start)) if packed is None else np.argsort(packed)
        start, end = start[order], end[order]
    forward = rows_from_sorted(rows, start, end, offset_type=offset_type)
    return Adjacency(forward, transpose(forward) if rows == entities else None)


def first_of_rows(entities: int, offsets: Ints, neighbour: Ints) -> Ints:
    first = np.full(entities, entities, neighbour.dtype)
    filled = offsets[1:] > offsets[:-1]
    first[filled] = neighbour[offsets[:-1][filled]]
    return _frozen(first)


def _frozen(array: Ints) -> Ints:
    array = np.ascontiguousarray(array)
    array.setflags(write=False)
    return array
