"""What a graph holds, wherever it is: the contract of everything that reads a graph without walking it.

`Reader` is the narrow part that results keep to put their numbers into words; `GraphContents` is all of it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from clew.graph.assertions import Assertion, Where
from clew.graph.names import Found
from clew.graph.schema import Schema
from clew.graph.snapshot import Snapshot

__all__ = ["BLOCK_ROWS", "GraphContents", "Reader", "Seeds", "TripleColumns", "read_entities", "read_triples"]

Ints = NDArray[np.integer]
Seeds = int | str | Iterable[int | str] | Ints
BLOCK_ROWS = 1 << 16


@dataclass(frozen=True, slots=True, eq=False)
class TripleColumns:
    """The parts of some triples: numbers of entities and of relations."""

    subject: Ints
    relation: Ints
    object: Ints


class Reader(Protocol):
    """Puts the numbers of a result into words."""

    @property
    def snapshot(self) -> Snapshot: ...

    @property
    def schema(self) -> Schema: ...

    def describe(self, ids: ArrayLike) -> pa.Table:
        """Id, name and type of entities given by number, dictionary-encoded."""

    def details(self, seeds: Seeds) -> pa.Table:
        """Id and every further column (synonyms, xrefs, properties) of entities given by number, id or name."""

    def triple_columns(self, numbers: ArrayLike | None = None) -> TripleColumns:
        """Subject, relation and object of triples given by number, or of all."""

    def assertions(self, number: int) -> list[Assertion]:
        """Every source's statement of a triple given by number."""

    def assertion_table(self, numbers: ArrayLike, *, where: Where | None = None) -> pa.Table:
        """The assertions of many triples, one row each, in the order given: `number` and the columns of assertions.

        `where` keeps those that meet it."""


class GraphContents(Reader, Protocol):
    """Entities, triples, assertions and names of one snapshot."""

    @property
    def counts(self) -> Mapping[str, int]:
        """How many entities, triples, assertions, … there are."""

    def types_of(self, ids: ArrayLike | None = None) -> Ints:
        """The type number (position in `schema.types`) of entities given by number, or of all."""

    def resolve(self, seeds: Seeds) -> Ints:
        """Numbers of seeds, in the order given; every one must name exactly one entity."""

    def lookup(self, ids: Sequence[str] | pa.Array | pa.ChunkedArray) -> Ints:
        """The entity with exactly each of these ids, -1 where there is none."""

    def lookup_name(self, name: str) -> list[int]:
        """Every entity with exactly this name, ascending."""

    def find(self, text: str, *, limit: int = 10, whole: bool = False) -> list[Found]:
        """Entities that match a text, best first: id, name or synonym, then, unless `whole`, prefix and misspelt."""

    def scan_entities(
        self, columns: Sequence[str] | None = None, *, rows: int = BLOCK_ROWS
    ) -> Iterator[pa.RecordBatch]:
        """All entities in the order of their numbers, in blocks: id, name, type and, if `columns` is None or names
        them, every further column. An unknown column is left out. At least one block, so that columns are known."""

    def scan_triples(
        self,
        *,
        relations: Iterable[str] | None = None,
        where: Where | None = None,
        assertions: bool | Sequence[str] = False,
        rows: int = BLOCK_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """Triples in the order of their numbers, in blocks: number, subject, relation, object, all as numbers.

        All triples, those that only negated assertions state included, or those of some relations, or those that pass
        `where`. With `assertions` one row for each assertion of each triple, with all or some of its columns. At least
        one block, so that columns are known.
        """

    def verify(self) -> None:
        """Raise `DamagedGraph` if any stored block differs from its checksum."""

    def close(self) -> None:
        """Close files and connections; the engine is not used afterwards."""


def read_entities(contents: GraphContents, columns: Sequence[str] | None = None) -> pa.Table:
    """Some columns of all entities as one table; of a local graph they are mapped, not copied."""
    return pa.Table.from_batches(contents.scan_entities(columns, rows=max(1, contents.counts["entities"])))


def read_triples(
    contents: GraphContents,
    *,
    relations: Iterable[str] | None = None,
    where: Where | None = None,
    assertions: bool | Sequence[str] = False,
) -> pa.Table:
    """`scan_triples` as one table."""
    rows = max(1, contents.counts["assertions" if assertions else "triples"])
    blocks = contents.scan_triples(relations=relations, where=where, assertions=assertions, rows=rows)
    return pa.Table.from_batches(blocks)
