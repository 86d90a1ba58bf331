"""The contents of a graph directory: `GraphReader` is the local `GraphContents`, over mapped arrays and columns."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from clew.errors import InputError
from clew.graph.assertions import Assertion, Where
from clew.graph.contents import BLOCK_ROWS, Seeds, TripleColumns
from clew.graph.model import Graph
from clew.graph.names import Found
from clew.graph.schema import Schema
from clew.graph.seeds import resolve_seeds
from clew.graph.snapshot import Snapshot
from clew.graph.storage.arrays import arrow_of

__all__ = ["GraphReader"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
PLAIN = ("id", "name", "type")


class GraphReader:
    """Reads one opened graph; safe to use from many threads."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph
        self._snapshot = Snapshot.of(graph.manifest, graph.path)

    @property
    def snapshot(self) -> Snapshot:
        """Which graph this is."""
        return self._snapshot

    @property
    def schema(self) -> Schema:
        """Types with their counts and relations with their flags."""
        return self._graph.schema

    @property
    def counts(self) -> Mapping[str, int]:
        """How many entities, triples, assertions, … there are."""
        return self._snapshot.counts

    # entities ---------------------------------------------------------------------------------------------------

    def describe(self, ids: ArrayLike) -> pa.Table:
        """Id, name and type of entities given by number; names are references into the mapped columns."""
        return self._graph.describe(np.asarray(ids))

    def details(self, seeds: Seeds) -> pa.Table:
        """Synonyms, cross-references and properties of some entities."""
        return self._graph.details(self.resolve(seeds))

    def types_of(self, ids: ArrayLike | None = None) -> Ints:
        """The type number of some entities, or of all."""
        types = self._graph.entity_types
        return types if ids is None else types[np.asarray(ids)]

    def resolve(self, seeds: Seeds) -> Ints:
        """Numbers of seeds, in the order given; every one must name exactly one entity."""
        return resolve_seeds(self._graph, seeds)

    def lookup(self, ids: Sequence[str] | pa.Array | pa.ChunkedArray) -> Ints:
        """The entity with exactly each of these ids, -1 where there is none."""
        return self._graph.names.lookup(ids)

    def lookup_name(self, name: str) -> list[int]:
        """Every entity with exactly this name, ascending."""
        return self._graph.names.by_name(name)

    def find(self, text: str, *, limit: int = 10, whole: bool = False) -> list[Found]:
        """Entities that match a text, best first: exact, then, unless `whole`, prefix and misspelt."""
        return self._graph.names.search(text, limit=limit, whole=whole)

    def scan_entities(
        self, columns: Sequence[str] | None = None, *, rows: int = BLOCK_ROWS
    ) -> Iterator[pa.RecordBatch]:
        """Entities in the order of their numbers, in blocks: all columns, or some."""
        graph = self._graph
        plain = [name for name in PLAIN if columns is None or name in columns]
        wide = columns is None or any(name not in PLAIN for name in columns)
        for start in range(0, max(graph.entity_count, 1), rows):
            numbers = np.arange(start, min(start + rows, graph.entity_count))
            found = graph.entities.select(plain).slice(start, len(numbers))
            made = dict(zip(plain, found.columns, strict=True))
            if wide:
                details = graph.details(numbers).drop_columns(["id"])
                more = zip(details.column_names, details.columns, strict=True)
                made |= {name: column for name, column in more if columns is None or name in columns}
            yield _batch(made)

    # triples ----------------------------------------------------------------------------------------------------

    def triple_columns(self, numbers: ArrayLike | None = None) -> TripleColumns:
        """Subject, relation and object of some triples, or of all."""
        return TripleColumns(*self._graph.triples_at(None if numbers is None else self._checked(numbers)))

    def assertions(self, number: int) -> list[Assertion]:
        """Every source's statement of a triple, given by its number."""
        if not 0 <= number < self._graph.triple_count:
            raise InputError(f"no triple has the number {number}: this graph has {self._graph.triple_count}")
        return self._graph.assertions.of(number)

    def assertion_table(self, numbers: ArrayLike, *, where: Where | None = None) -> pa.Table:
        """The assertions of many triples, one row each, in the order given; all of them, or those that meet `where`."""
        wanted, offsets = self._checked(numbers), self._graph.assertions.offsets
        begin = offsets[wanted].astype(np.int64)
        count = offsets[wanted + 1] - begin
        before = np.cumsum(count) - count
        rows = np.arange(int(count.sum())) + np.repeat(begin - before, count)
        found = self._graph.assertions.table.take(arrow_of(rows))
        numbered = found.add_column(0, "number", arrow_of(np.repeat(wanted, count)))
        if where is None:
            return numbered
        return numbered.take(arrow_of(np.flatnonzero(self._graph.assertions.meeting(where, found))))

    def scan_triples(
        self,
        *,
        relations: Iterable[str] | None = None,
        where: Where | None = None,
        assertions: bool | Sequence[str] = False,
        rows: int = BLOCK_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """Triples, or their assertions, in the order of their numbers, in blocks; all of them, or those that pass."""
        graph = self._graph
        wanted = assertions if isinstance(assertions, bool) else bool(assertions)
        allowed = None if relations is None else self._relation_mask(relations)
        passing = None if where is None else graph.assertions.passing(where)
        total = len(graph.assertions) if wanted else graph.triple_count
        for start in range(0, max(total, 1), rows):
            row = np.arange(start, min(start + rows, total))
            number = np.searchsorted(graph.assertions.offsets, row, side="right") - 1 if wanted else row
            keep = np.ones(len(row), bool)
            if allowed is not None:
                keep &= allowed[graph.relation_of(number)]
            if passing is not None:
                keep &= passing[number]
            if start == 0 or keep.any():
                said = self._said(assertions, row, keep) if wanted else {}
                yield _batch(self._numbered(number if keep.all() else number[keep]) | said)

    def _said(self, assertions: bool | Sequence[str], row: Ints, keep: Mask) -> dict[str, pa.ChunkedArray]:
        """Columns of some assertions, given by row."""
        table = self._graph.assertions.table
        if not isinstance(assertions, bool):
            table = table.select([name for name in table.column_names if name in assertions])
        found = table.slice(int(row[0]) if len(row) else 0, len(row))
        found = found if keep.all() else found.filter(pa.array(keep))
        return dict(zip(found.column_names, found.columns, strict=True))

    def _numbered(self, number: Ints) -> dict[str, pa.ChunkedArray]:
        parts = self.triple_columns(number)
        columns = {"number": number, "subject": parts.subject, "relation": parts.relation, "object": parts.object}
        return {name: pa.chunked_array([arrow_of(column)]) for name, column in columns.items()}

    def _relation_mask(self, relations: Iterable[str]) -> Mask:
        mask = np.zeros(len(self.schema.relations), bool)
        for name in (relations,) if isinstance(relations, str) else relations:
            mask[self.schema.relation(name).number] = True
        return mask

    def _checked(self, numbers: ArrayLike) -> NDArray[np.int64]:
        wanted = np.atleast_1d(np.asarray(numbers, np.int64))
        if len(wanted) and not (wanted.min() >= 0 and wanted.max() < self._graph.triple_count):
            raise InputError(f"triples are numbered from 0 to {self._graph.triple_count - 1}")
        return wanted

    # the whole --------------------------------------------------------------------------------------------------

    def verify(self) -> None:
        """Raise `DamagedGraph` if any block of any file differs from its checksum; looks once."""
        self._graph.require_whole()

    def close(self) -> None:
        """Nothing to do: files are mapped, and closed with the last reference to their contents."""


def _batch(columns: Mapping[str, pa.ChunkedArray]) -> pa.RecordBatch:
    arrays = [column.chunk(0) if column.num_chunks == 1 else column.combine_chunks() for column in columns.values()]
    return pa.RecordBatch.from_arrays(arrays, list(columns))
