"""What is to be withdrawn: statements of triples and of documents, and entities with all that is stated of them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import UnknownName
from clew.graph.adjacency import spans
from clew.graph.model import Graph
from clew.graph.staging import Problems, Staged
from clew.graph.storage.statements import statement_columns
from clew.graph.updates.additions import read_triples

__all__ = ["Retractions", "read_retractions"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class Retractions:
    """Statements and entities that go."""

    gone: Mask  # (assertions,)
    entities: Ints  # ascending


def read_retractions(
    graph: Graph,
    staged: Staged | None = None,
    *,
    documents: Sequence[str] = (),
    entities: Sequence[str] = (),
    problems: Problems,
) -> Retractions:
    """Statements to withdraw: those that rows describe, those of documents, and those of entities.

    A row withdraws the statements of its triple that say everything it says: all of them if it names the triple alone.
    What the graph does not have is noted, so that the same retraction may be repeated.
    """
    gone = np.zeros(len(graph.assertions), bool)
    for document in documents:
        gone |= _of_document(graph, document, problems)
    if staged is not None:
        _mark_rows(graph, staged, gone, problems)
    removed = _removed(graph, entities, problems)
    if len(removed):
        gone[_statements_of(graph, _triples_of(graph, removed))] = True
    return Retractions(gone, removed)


def _of_document(graph: Graph, document: str, problems: Problems) -> Mask:
    """A scan of four bytes a statement: documents are numbered in their column."""
    codes = graph.assertions.column("document") if "document" in graph.assertions.column_names else None
    number = -1 if codes is None else codes.dictionary.index(pa.scalar(document, pa.string())).as_py()
    if codes is None or number < 0:
        problems.note("unknown document", document, "no statement of this graph cites it")
        return np.zeros(len(graph.assertions), bool)
    return np.asarray(codes.indices.fill_null(-1).to_numpy(zero_copy_only=False) == number)


def _mark_rows(graph: Graph, staged: Staged, gone: Mask, problems: Problems) -> None:
    numbers, rows = read_triples(graph, staged, problems)
    said = statement_columns(staged.triples)
    conditions = [{k: v for k, v in each.items() if v not in (None, [])} for each in said.to_pylist()]
    for number, row in zip(numbers.tolist(), rows.tolist(), strict=True):
        condition = conditions[row] if conditions else {}
        first, last = (int(graph.assertions.offsets[number + step]) for step in (0, 1)) if number >= 0 else (0, 0)
        meeting = np.ones(last - first, bool)
        if condition:
            meeting[:] = [_says(each, condition) for each in graph.assertions.rows(np.arange(first, last)).to_pylist()]
        gone[first:last] |= meeting
        if not meeting.any():
            what = "this graph has no such triple" if number < 0 else "no statement of this triple says so"
            problems.note("nothing to retract", staged.triple_origin(row), what)


def _says(statement: dict[str, object], condition: dict[str, object]) -> bool:
    told = {**statement, "negated": bool(statement.get("negated"))}
    return all(told.get(name) == value for name, value in condition.items())


def _removed(graph: Graph, entities: Sequence[str], problems: Problems) -> Ints:
    numbers = graph.names.lookup(list(entities))
    for at in np.flatnonzero(numbers < 0).tolist():
        if graph.names.by_name(entities[at]):
            raise UnknownName(f"no entity has the id {entities[at]!r}, which is a name: retract an entity by its id")
        problems.note("unknown entity", entities[at], "this graph has no such id")
    return np.unique(numbers[numbers >= 0])


def _triples_of(graph: Graph, entities: Ints) -> Ints:
    """The triples that touch some entities."""
    found = []
    for rows in (graph.forward, graph.backward):
        begin = rows.offsets[entities].astype(np.int64)
        found.append(rows.numbers(spans(begin, rows.offsets[entities + 1] - begin)))
    return np.unique(np.concatenate(found))


def _statements_of(graph: Graph, triples: Ints) -> Ints:
    offsets = graph.assertions.offsets
    begin = offsets[triples].astype(np.int64)
    return spans(begin, offsets[triples + 1] - begin)
