"""The entities and relationships of a graph as Arrow tables, with values that every store can hold.

Missing values in the lists of a relationship are "" or -1, so that the lists of one triple stay parallel.
"""

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.graph import GraphContents, Where, read_triples
from clew.graph.storage.arrays import numbers_of
from clew.store.layout import Label, LabelPair, Property, Relationship, StoreSchema

__all__ = ["entity_tables", "relationship_tables"]

Ints = NDArray[np.integer]
EVIDENCE_SEPARATOR = "|"
ARROW = {"string": pa.string(), "integer": pa.int64(), "float": pa.float64(), "boolean": pa.bool_()}


def entity_tables(contents: GraphContents, schema: StoreSchema, label: Label, *, rows: int) -> Iterator[pa.Table]:
    """Entities of a label in blocks: id, name and every property."""
    of_type = np.flatnonzero(contents.types_of() == contents.schema.type_number(label.type))
    for start in range(0, len(of_type), rows):
        some = of_type[start : start + rows]
        described = contents.describe(some)
        columns = {name: described[name].cast(pa.string()) for name in ("id", "name")}
        details = contents.details(some)
        for each in schema.properties:
            columns[each.name] = _as_kind(details[each.column], each.kind)
        yield pa.table(columns)


def relationship_tables(
    contents: GraphContents, schema: StoreSchema, relationship: Relationship, *, rows: int
) -> Iterator[tuple[LabelPair, pa.Table]]:
    """Relationships of a name in blocks, by the labels they connect: from, to, triple and provenance."""
    types = contents.types_of()
    numbers = {label.name: at for at, label in enumerate(schema.labels)}
    found = _triples(contents, relationship)
    triples, subjects, objects = (_numbers(found[name]) for name in ("number", "subject", "object"))
    pairs = types[subjects].astype(np.int64) * len(numbers) + types[objects]
    for ends in relationship.ends:
        chosen = np.flatnonzero(pairs == numbers[ends.subject] * len(numbers) + numbers[ends.object])
        for start in range(0, len(chosen), rows):
            some = chosen[start : start + rows]
            table = {
                "from": contents.describe(subjects[some])["id"].cast(pa.string()),
                "to": contents.describe(objects[some])["id"].cast(pa.string()),
                "triple": pa.array(triples[some]),
            }
            yield ends, pa.table(table | _provenance(contents, triples[some], relationship.properties))


def _triples(contents: GraphContents, relationship: Relationship) -> pa.Table:
    """A relationship's triples, in order: the affirmed ones, or those that are only negated."""
    stated = read_triples(contents, relations=[relationship.relation], where=Where())
    if not relationship.negated_only:
        return stated
    every = read_triples(contents, relations=[relationship.relation])
    return every.filter(pa.array(~np.isin(_numbers(every["number"]), _numbers(stated["number"]))))


def _numbers(column: pa.ChunkedArray) -> Ints:
    return numbers_of(column.combine_chunks())


def _provenance(contents: GraphContents, triples: Ints, properties: tuple[Property, ...]) -> dict[str, pa.Array]:
    """One list for each property, with an element for each assertion of a triple."""
    said = contents.assertion_table(triples)
    bounds = pa.array(np.searchsorted(_numbers(said["number"]), np.append(triples, triples[-1:] + 1)).astype(np.int32))
    return {each.name: pa.ListArray.from_arrays(bounds, _filled(said[each.column], each.kind)) for each in properties}


def _filled(column: pa.ChunkedArray, kind: str) -> pa.Array:
    """The values of some assertions, with a placeholder for missing ones."""
    import pyarrow.compute as pc

    values = column.combine_chunks()
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
