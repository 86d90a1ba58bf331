"""What a walk returns: entities and triples, as arrays, Arrow tables, data frames or NetworkX graphs."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import MissingDependency
from clew.graph import Assertion, Graph
from clew.traverse.query import Query

if TYPE_CHECKING:
    from clew.traverse.engine import Engine

__all__ = ["HopResult", "Triple", "Triples"]

Ints = NDArray[np.integer]


@dataclass(frozen=True, slots=True)
class Triple:
    """One triple in words."""

    number: int  # inside this snapshot
    subject: str
    relation: str
    object: str
    subject_name: str
    object_name: str

    def __str__(self) -> str:
        return f"{self.subject_name} —{self.relation}→ {self.object_name}"


class Triples:
    """Some triples of a graph, by number, ascending."""

    def __init__(self, graph: Graph, numbers: NDArray[np.int64]) -> None:
        self._graph = graph
        self.numbers = numbers  # (t,) int64

    def __len__(self) -> int:
        return len(self.numbers)

    def __iter__(self) -> Iterator[Triple]:
        for start in range(0, len(self), 1024):
            part = Triples(self._graph, self.numbers[start : start + 1024])
            for row in part.table.to_pylist():
                yield Triple(**row)

    def __repr__(self) -> str:
        return f"Triples({len(self)})"

    @cached_property
    def subject(self) -> Ints:
        return self._graph.subject_of(self.numbers)

    @cached_property
    def object(self) -> Ints:
        return np.asarray(self._graph.forward.end[self.numbers])

    @cached_property
    def relation(self) -> Ints:
        return np.asarray(self._graph.forward.relation[self.numbers])

    @property
    def table(self) -> pa.Table:
        """Arrow: number, subject, relation, object, subject_name, object_name; strings are dictionary-encoded."""
        relations = pa.array([relation.name for relation in self._graph.schema.relations], pa.string())
        subject, object_ = self._graph.describe(self.subject), self._graph.describe(self.object)
        return pa.table(
            {
                "number": pa.array(self.numbers),
                "subject": subject["id"],
                "relation": pa.DictionaryArray.from_arrays(pa.array(self.relation.astype(np.int32)), relations),
                "object": object_["id"],
                "subject_name": subject["name"],
                "object_name": object_["name"],
            }
        )

    def assertions(self, number: int) -> list[Assertion]:
        """Every source's statement of one of these triples."""
        return self._graph.assertions.of(number)

    def to_pandas(self) -> Any:
        return _to_pandas(self.table)

    def to_networkx(self) -> Any:
        """A MultiDiGraph keyed by entity ids, with names and types, relations as edge keys."""
        networkx = _import("networkx", "networkx")
        made = networkx.MultiDiGraph()
        for row in self._graph.describe(np.union1d(self.subject, self.object)).to_pylist():
            made.add_node(row["id"], name=row["name"], type=row["type"])
        for triple in self:
            made.add_edge(triple.subject, triple.object, key=triple.relation, number=triple.number)
        return made


class HopResult:
    """The entities a hop reached. `ids` are internal numbers, ascending; everything else is made when asked for."""

    __slots__ = ("_engine", "_given", "_sets", "ids", "query")

    def __init__(self, engine: "Engine", seeds: Ints, query: Query, ids: Ints) -> None:
        self._engine = engine
        self._sets: list[Ints] | None = None
        self._given = seeds
        self.query = query
        self.ids = ids

    def __len__(self) -> int:
        return len(self.ids)

    def __iter__(self) -> Iterator[str]:
        """The ids (CURIEs) of the entities."""
        for value in self.entities["id"]:
            yield value.as_py()

    def __repr__(self) -> str:
        return f"HopResult(k={self.query.k}, mode={self.query.mode!r}, entities={len(self.ids)})"

    @property
    def seeds(self) -> Ints:
        """Where the walk began: sorted, distinct."""
        return np.unique(self._given)

    @property
    def entities(self) -> pa.Table:
        """Arrow: id, name, type, dictionary-encoded over the graph's own columns."""
        return self._engine.graph.describe(self.ids)

    def triples(self, hop: int, *, leading_to_result: bool = False) -> Triples:
        """Permitted triples that leave the set of hop - 1; `leading_to_result` keeps those on a way to the result."""
        return self._engine.hop_triples(self, hop, leading_to_result=leading_to_result)

    def to_pandas(self) -> Any:
        return _to_pandas(self.entities)

    def to_networkx(self) -> Any:
        """Seeds, result and every triple on a way between them."""
        numbers = [self.triples(hop, leading_to_result=True).numbers for hop in range(1, self.query.k + 1)]
        chosen = np.unique(np.concatenate(numbers)) if numbers else np.empty(0, np.int64)
        made = Triples(self._engine.graph, chosen).to_networkx()
        for row in self._engine.graph.describe(np.union1d(self.seeds, self.ids)).to_pylist():
            made.add_node(row["id"], name=row["name"], type=row["type"])
        return made


def _import(module: str, extra: str) -> Any:
    from importlib import import_module

    try:
        return import_module(module)
    except ImportError as error:
        raise MissingDependency(f"this needs the library {module!r}: pip install 'clew[{extra}]'") from error


def _to_pandas(table: pa.Table) -> Any:
    _import("pandas", "pandas")
    plain = pa.table(
        {
            n: c.cast(c.type.value_type) if pa.types.is_dictionary(c.type) else c
            for n, c in zip(table.column_names, table.columns, strict=True)
        }
    )
    return plain.to_pandas()
