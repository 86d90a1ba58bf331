"""Results of a traversal: entities and triples, as arrays, Arrow tables, data frames or NetworkX graphs.

A result holds numbers, its request and a `Reader` that looks up names; never the engine.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import MissingDependency
from clew.graph import Assertion
from clew.graph.contents import Reader, TripleColumns
from clew.graph.snapshot import Snapshot
from clew.graph.storage.arrays import arrow_of, texts_as_arrow
from clew.traverse.request import HopRequest
from clew.traverse.walk import Walk

__all__ = ["HopResult", "Triple", "Triples", "to_pandas"]

Ints = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Triple:
    """One triple with ids and names."""

    number: int  # in this snapshot
    subject: str
    relation: str
    object: str
    subject_name: str
    object_name: str

    def __str__(self) -> str:
        return f"{self.subject_name} —{self.relation}→ {self.object_name}"


class Triples:
    """Some triples of a graph, by number, ascending."""

    def __init__(self, reader: Reader, numbers: NDArray[np.int64]) -> None:
        self._reader = reader
        self.numbers = numbers  # (t,) int64

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Triple]:
        for start in range(0, len(self), 1024):
            part = Triples(self._reader, self.numbers[start : start + 1024])
            for row in part.table.to_pylist():
                yield Triple(**row)

    def __repr__(self) -> str:
        return f"Triples({len(self)})"

    @property
    def snapshot(self) -> Snapshot:
        """The snapshot that the triple numbers refer to."""
        return self._reader.snapshot

    @cached_property
    def _columns(self) -> TripleColumns:
        return self._reader.triple_columns(self.numbers)

    @property
    def subject(self) -> Ints:
        return self._columns.subject

    @property
    def relation(self) -> Ints:
        return self._columns.relation

    @property
    def object(self) -> Ints:
        return self._columns.object

    @property
    def table(self) -> pa.Table:
        """Arrow: number, subject, relation, object, subject_name, object_name; strings are dictionary-encoded."""
        names = texts_as_arrow([relation.name for relation in self._reader.schema.relations]).cast(pa.string())
        relations = pa.DictionaryArray.from_arrays(arrow_of(self.relation.astype(np.int32)), names)
        subject, object_ = self._reader.describe(self.subject), self._reader.describe(self.object)
        return pa.table(
            {
                "number": arrow_of(self.numbers),
                "subject": subject["id"],
                "relation": relations,
                "object": object_["id"],
                "subject_name": subject["name"],
                "object_name": object_["name"],
            }
        )

    def assertions(self, number: int) -> list[Assertion]:
        """The assertions of one of these triples."""
        return self._reader.assertions(number)

    def to_pandas(self) -> Any:
        return to_pandas(self.table)

    def to_networkx(self) -> Any:
        """A MultiDiGraph of entity ids with names and types; each edge has its relation as key and as attribute."""
        networkx = _import("networkx", "networkx")
        made = networkx.MultiDiGraph()
        for row in self._reader.describe(np.union1d(self.subject, self.object)).to_pylist():
            made.add_node(row["id"], name=row["name"], type=row["type"])
        for triple in self:
            made.add_edge(
                triple.subject, triple.object, key=triple.relation, relation=triple.relation, number=triple.number
            )
        return made


class HopResult:
    """The entities reached by a hop. `ids` are internal numbers, ascending; everything else is computed on demand."""

    __slots__ = ("_given", "_reader", "ids", "walk")

    def __init__(self, reader: Reader, seeds: Ints, walk: Walk, ids: Ints) -> None:
        self._reader = reader
        self._given = seeds
        self.walk = walk
        self.ids = ids

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        """The ids (CURIEs) of the entities."""
        for value in self.entities["id"]:
            yield value.as_py()

    def __repr__(self) -> str:
        return f"HopResult(k={self.walk.k}, mode={self.walk.mode!r}, entities={len(self.ids)})"

    @property
    def snapshot(self) -> Snapshot:
        """The graph that was traversed."""
        return self._reader.snapshot

    @property
    def seeds(self) -> Ints:
        """The seeds, sorted and distinct."""
        return np.unique(self._given) if len(self._given) > 1 else self._given

    @property
    def request(self) -> HopRequest:
        """The request."""
        return HopRequest(self.snapshot.id, tuple(self.seeds.tolist()), self.walk)

    @property
    def entities(self) -> pa.Table:
        """Arrow: id, name, type, dictionary-encoded over the graph's own columns."""
        return self._reader.describe(self.ids)

    @property
    def details(self) -> pa.Table:
        """Arrow: id and all other columns (synonyms, xrefs, properties)."""
        return self._reader.details(self.ids)

    def to_pandas(self) -> Any:
        return to_pandas(self.entities)


def _import(module: str, extra: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise MissingDependency(f"this needs the library {module!r}: pip install 'clew[{extra}]'") from error


def to_pandas(table: pa.Table) -> Any:
    """An Arrow table as a data frame of plain values."""
    _import("pandas", "pandas")
    plain = pa.table(
        {
            n: c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c
            for n, c in zip(table.column_names, table.columns, strict=True)
        }
    )
    return plain.to_pandas()
