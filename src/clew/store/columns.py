"""The entities and relationships of a graph as Arrow tables, with values that every store can hold.

Missing values in the lists of a relationship are "" or -1, so that the lists of one triple stay parallel.
"""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.graph import Graph
from clew.store.layout import Label, LabelPair, Property, Relationship, StoreSchema

__all__ = ["entity_tables", "relationship_tables"]

Ints = NDArray[np.integer]
EVIDENCE_SEPARATOR = "|"
ARROW = {"string": pa.string(), "integer": pa.int64(), "float": pa.float64(), "boolean": pa.bool_()}


def entity_tables(graph: Graph, schema: StoreSchema, label: Label, *, rows: int) -> Iterator[pa.Table]:
    """Entities of a label in blocks: id, name and every property."""
    import pyarrow.compute as pc

    of_type = np.flatnonzero(graph.entity_types == list(graph.schema.types).index(label.type))
    for start in range(0, len(of_type), rows):
        some = of_type[start : start + rows]
        plain = graph.entities.select(["id", "name"]).take(pa.array(some)).combine_chunks()
        columns = {name: pc.cast(plain[name], pa.string()) for name in ("id", "name")}
        details = graph.details(some)
        for each in schema.properties:
            columns[each.name] = _as_kind(details[each.column], each.kind)
        yield pa.table(columns)


def relationship_tables(
    graph: Graph, schema: StoreSchema, relationship: Relationship, *, rows: int
) -> Iterator[tuple[LabelPair, pa.Table]]:
    """Relationships of a name in blocks, by the labels they connect: from, to, triple and provenance."""
    ids = graph.entities["id"].combine_chunks()
    end, types = graph.forward.end, graph.entity_types
    numbers = {label.name: at for at, label in enumerate(schema.labels)}
    triples = _triples(graph, relationship)
    subjects = graph.subject_of(triples)
    pairs = types[subjects].astype(np.int64) * len(numbers) + types[end[triples]]
    for ends in relationship.ends:
        chosen = np.flatnonzero(pairs == numbers[ends.subject] * len(numbers) + numbers[ends.object])
        for start in range(0, len(chosen), rows):
            some = chosen[start : start + rows]
            table = {
                "from": ids.take(pa.array(subjects[some])).cast(pa.string()),
                "to": ids.take(pa.array(end[triples[some]])).cast(pa.string()),
                "triple": pa.array(triples[some].astype(np.int64)),
            }
            yield ends, pa.table(table | _provenance(graph, triples[some], relationship.properties))


def _triples(graph: Graph, relationship: Relationship) -> NDArray[np.int64]:
    """The numbers of a relationship's triples, in order."""
    from clew.graph import Where

    chosen = graph.forward.relation == relationship.number
    affirmed = graph.assertions.passing(Where())
    return np.flatnonzero(chosen & ~affirmed if relationship.negated_only else chosen & affirmed)


def _provenance(graph: Graph, triples: Ints, properties: tuple[Property, ...]) -> dict[str, pa.Array]:
    """One list for each property, with an element for each assertion of a triple."""
    offsets = graph.assertions.offsets
    begin = offsets[triples].astype(np.int64)
    counts = offsets[triples + 1].astype(np.int64) - begin
    list_offsets = np.zeros(len(triples) + 1, np.int64)
    np.cumsum(counts, out=list_offsets[1:])
    rows = np.repeat(begin - list_offsets[:-1], counts) + np.arange(list_offsets[-1])
    bounds = pa.array(list_offsets.astype(np.int32))
    return {
        each.name: pa.ListArray.from_arrays(bounds, _filled(graph.assertions.table[each.column], rows, each.kind))
        for each in properties
    }


def _filled(column: pa.ChunkedArray, rows: Ints, kind: str) -> pa.Array:
    """The values of some assertions, with a placeholder for missing ones."""
    import pyarrow.compute as pc

    values = column.combine_chunks().take(pa.array(rows))
    if kind == "floats":
        return values.cast(pa.float64()).fill_null(-1.0)
    if kind == "booleans":
        return values.fill_null(False)
    if pa.types.is_list(values.type):
        return pc.binary_join(values, EVIDENCE_SEPARATOR).fill_null("")
    if pa.types.is_dictionary(values.type):
        return values.dictionary.take(values.indices).cast(pa.string()).fill_null("")
    return values.cast(pa.string()).fill_null("")  # a date becomes its ISO form


def _as_kind(column: pa.ChunkedArray, kind: str) -> pa.Array:
    """Cast a column to the kind of its property; values that Arrow cannot cast to text become JSON."""
    wanted = pa.list_(ARROW[kind.removesuffix("s")]) if kind.endswith("s") else ARROW[kind]
    array: Any = column.combine_chunks()
    if kind.endswith("s"):
        if array.values.null_count:  # a list in a store has no nulls
            array = pa.array(
                [None if each is None else [v for v in each if v is not None] for each in array.to_pylist()]
            )
        return array.cast(wanted)
    try:
        return array.cast(wanted)
    except pa.ArrowException:
        texts = (
            None if each is None else json.dumps(each, ensure_ascii=False, default=str) for each in array.to_pylist()
        )
        return pa.array(texts, pa.string())
