"""The rows of segments, written bucket by bucket: triples out and in, distinct neighbours, and statements in order."""

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.graph.schema import Joins, count_joins, sum_joins
from clew.graph.staging import Relation
from clew.graph.storage.manifest import Segment, Widths
from clew.graph.storage.statements import ENCODED, assertion_type, distinct_statements
from clew.graph.streaming.numbering import Bounds, bucket_bounds, row_dtype
from clew.graph.streaming.rows import statement_chunks
from clew.graph.streaming.scratch import ArrayFile, NumberBuckets, Scratch, TableBuckets, read_numbers, read_tables
from clew.graph.triples import distinct_starts, sort_order

__all__ = ["SegmentBuild"]

Ints = NDArray[np.integer]
NOTHING = "clew:none"  # the column of a table without statements


@dataclass(frozen=True, slots=True)
class SegmentBuild:
    """Everything that the rows of segments are made from."""

    scratch: Scratch
    snapshot: Path
    segments: Sequence[Segment]
    relations: Sequence[Relation]
    widths: Widths
    entities: int
    columns: Sequence[str]  # of statements
    bucket_rows: int

    @property
    def _entity(self) -> np.dtype[Any]:
        return np.dtype(np.int32 if self.entities < 2**31 else np.int64)

    @property
    def _in_dtype(self) -> np.dtype[Any]:
        return np.dtype([*row_dtype(self._entity).descr, ("triple", np.int64), ("positive", np.bool_)])

    def bounds(self) -> Bounds:
        """The buckets: ranges of entities, each inside one segment."""
        weight = read_numbers(self.scratch.folder / "numbers" / "weight", np.int64)
        starts = np.array([segment.first_entity for segment in self.segments], np.int64)
        return bucket_bounds(weight, self.bucket_rows, also=starts)

    def distribute(self, relation: Ints, chunks: int) -> dict[str, Any]:
        """All rows and their statements in final numbers, to the buckets of their subjects."""
        folder, bounds, width = self.scratch.folder, self.bounds(), self._entity
        rank = np.array(read_numbers(folder / "numbers" / "rank", width))
        subject, object_ = (read_numbers(folder / "rows" / end, width) for end in ("subject", "object"))
        stated = read_numbers(folder / "rows" / "relation", np.int32)
        rows = NumberBuckets(self.scratch.fresh("buckets"), len(bounds) - 1, row_dtype(width))
        said: TableBuckets | None = None
        first = 0
        for table in statement_chunks(folder, chunks):
            part = slice(first, first + table.num_rows)
            first += table.num_rows
            block = np.empty(table.num_rows, row_dtype(width))
            block["subject"], block["object"] = rank[subject[part]], rank[object_[part]]
            block["relation"] = relation[stated[part]]
            bucket = np.searchsorted(bounds, block["subject"], side="right") - 1
            rows.append(block, bucket)
            statements = _with_columns(table, self.columns)
            if said is None:
                said = TableBuckets(folder / "buckets", len(bounds) - 1, statements.schema)
            said.append(statements, bucket)
        rows.close()
        if said is not None:
            said.close()
        return {}

    def write_out(self, kinds: Ints, types: int) -> dict[str, Any]:
        """Triples under their subjects, statements in their order; triples go on to the buckets of their objects."""
        bounds, widths, triples, statements = self.bounds(), self.widths, 0, 0
        joins: list[Joins] = []
        into = NumberBuckets(self.scratch.fresh("in"), len(bounds) - 1, self._in_dtype)
        self.scratch.fresh("out")
        self.scratch.fresh("said")
        with ArrayFile(self.snapshot / "assertion_offsets.npy", widths.offset) as offsets:
            offsets.append(np.zeros(1))
            for segment in self.segments:
                with _Rows(self.snapshot / segment.folder, "out", self._columns("out")) as file:
                    for at, first, last in _within(bounds, segment):
                        rows, found, counts, positive = self._bucket(at)
                        numbers = np.arange(triples, triples + len(rows))
                        file.append(rows["subject"] - first, last - first, rows["object"], rows["relation"])
                        offsets.append(statements + np.cumsum(counts))
                        triples, statements = triples + len(rows), statements + int(counts.sum())
                        self._keep(at, rows, found, numbers, positive, bounds, into)
                        joins.append(count_joins(rows["subject"], rows["relation"], rows["object"], kinds, types))
                        joins = [sum_joins(joins)]
        into.close()
        return {"triples": triples, "assertions": statements, "joins": sum_joins(joins).tolist()}

    def write_in(self) -> dict[str, Any]:
        """Triples under their objects, and distinct neighbours in both directions."""
        bounds, pairs, n = self.bounds(), 0, self.entities
        symmetric = np.array([each.symmetric for each in self.relations], bool)
        for segment in self.segments:
            folder = self.snapshot / segment.folder
            with ExitStack() as stack:
                into = stack.enter_context(_Rows(folder, "in", self._columns("in")))
                forward, backward = (
                    stack.enter_context(_Rows(folder, side, self._columns(side))) for side in ("forward", "backward")
                )
                for at, first, last in _within(bounds, segment):
                    rows = read_numbers(self.scratch.folder / "in" / f"{at:05}", self._in_dtype)
                    rows = rows[np.argsort(rows["object"], kind="stable")]
                    into.append(rows["object"] - first, last - first, rows["subject"], rows["relation"], rows["triple"])
                    ahead = read_numbers(self.scratch.folder / "out" / f"{at:05}", row_dtype(self._entity))
                    back = rows[rows["positive"]]
                    pairs += forward.append_pairs(
                        _pairs(ahead, "subject", "object", back, symmetric, n), first, last, n
                    )
                    backward.append_pairs(_pairs(back, "object", "subject", ahead, symmetric, n), first, last, n)
        return {"pairs": pairs}

    def _bucket(self, at: int) -> tuple[NDArray[Any], pa.Table, Ints, NDArray[np.bool_]]:
        """The distinct triples of a bucket, their statements, how many each has, and which are not negated."""
        rows = read_numbers(self.scratch.folder / "buckets" / f"{at:05}", row_dtype(self._entity))
        wide = [rows[name].astype(np.int64) for name in ("subject", "object", "relation")]
        order = sort_order(wide[0], wide[1], wide[2], self.entities, len(self.relations))
        fresh = distinct_starts(*(each[order] for each in wide))
        spans = np.append(fresh, len(order))
        path = self.scratch.folder / "buckets" / f"{at:05}.arrows"
        table = read_tables(path) if path.exists() else pa.table({NOTHING: pa.nulls(0)})
        kept = distinct_statements(table.select(list(self.columns)), order, spans)
        owner = np.repeat(np.arange(len(fresh)), np.diff(spans))[kept]
        found = table.take(pa.array(order[kept]))
        distinct = rows[order[fresh]]
        counts = np.bincount(owner, minlength=len(fresh))
        positive = ~np.array([each.negated for each in self.relations], bool)[distinct["relation"]]
        if "negated" in self.columns and len(fresh):
            said = ~found["negated"].combine_chunks().fill_null(False).to_numpy(zero_copy_only=False)
            positive &= np.logical_or.reduceat(said, np.cumsum(counts) - counts)
        return distinct, found, counts, positive

    def _keep(
        self, at: int, rows: NDArray[Any], found: pa.Table, numbers: Ints, positive: NDArray[np.bool_], bounds: Bounds,
        into: NumberBuckets,
    ) -> None:  # fmt: skip
        """Keep what the next pass needs: statements, pairs, and triples by their objects."""
        path = str(self.scratch.folder / "said" / f"{at:05}.arrows")
        with pa.OSFile(path, "wb") as sink, pa.ipc.new_stream(sink, found.schema) as writer:
            writer.write_table(found.combine_chunks())
        rows[positive].tofile(self.scratch.folder / "out" / f"{at:05}")
        entering = np.empty(len(rows), self._in_dtype)
        for name in ("subject", "object", "relation"):
            entering[name] = rows[name]
        entering["triple"], entering["positive"] = numbers, positive
        into.append(entering, np.searchsorted(bounds, rows["object"], side="right") - 1)

    def _columns(self, side: str) -> dict[str, str]:
        widths = self.widths
        offsets = {"offsets": widths.offset}
        if side == "out":
            return offsets | {"object": widths.entity, "relation": widths.relation}
        if side == "in":
            return offsets | {"subject": widths.entity, "relation": widths.relation, "triple": widths.triple}
        return offsets | {"neighbour": widths.entity, "first": widths.entity}


class _Rows(ExitStack):
    """The arrays of one segment in one direction, appended bucket by bucket."""

    def __init__(self, folder: Path, side: str, columns: dict[str, str]) -> None:
        super().__init__()
        made = {name: ArrayFile(folder / f"{side}_{name}.npy", dtype) for name, dtype in columns.items()}
        self._files = {name: self.enter_context(file) for name, file in made.items()}
        self._filled = 0
        self._files["offsets"].append(np.zeros(1))

    def append(self, start: Ints, rows: int, *columns: Ints) -> None:
        """Add some rows: the row of each entry, and its columns."""
        self._files["offsets"].append(self._filled + np.cumsum(np.bincount(start, minlength=rows)))
        self._filled += len(start)
        names = [name for name in self._files if name not in ("offsets", "first")]
        for name, column in zip(names, columns, strict=True):
            self._files[name].append(column)

    def append_pairs(self, keys: Ints, first: int, last: int, entities: int) -> int:
        """Add the neighbours of entities `first` to `last`, given as keys; returns how many there are."""
        start, end = keys // max(1, entities) - first, keys % max(1, entities)
        self.append(start, last - first, end)
        likeliest = np.full(last - first, entities)
        likeliest[start[::-1]] = end[::-1]  # the first of each row is written last
        self._files["first"].append(likeliest)
        return len(keys)


def _pairs(
    mine: NDArray[Any], start: str, end: str, other: NDArray[Any], symmetric: NDArray[np.bool_], entities: int
) -> Ints:
    """Distinct pairs as keys, start times entities plus end; symmetric triples of the other direction are turned."""
    turned = other[symmetric[other["relation"]]]
    keys = mine[start].astype(np.int64) * entities + mine[end]
    return np.unique(np.concatenate((keys, turned[end].astype(np.int64) * entities + turned[start])))


def _within(bounds: Bounds, segment: Segment) -> list[tuple[int, int, int]]:
    """The buckets of a segment: number, first entity, and the entity after the last."""
    low, high = np.searchsorted(bounds, (segment.first_entity, segment.first_entity + segment.entities))
    listed = pairwise(bounds[low : high + 1].tolist())
    return [(at, first, last) for at, (first, last) in enumerate(listed, start=int(low))]


def _with_columns(table: pa.Table, columns: Sequence[str]) -> pa.Table:
    """Some columns of statements; those that a block did not have are empty."""
    if not columns:
        return pa.table({NOTHING: pa.nulls(table.num_rows)})
    made = {}
    for name in columns:
        wanted = pa.int32() if assertion_type(name) == ENCODED else assertion_type(name)
        made[name] = table[name] if name in table.column_names else pa.nulls(table.num_rows, wanted)
    return pa.table(made)
