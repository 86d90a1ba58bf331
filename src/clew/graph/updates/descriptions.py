"""How entities are described after an update: what rows say replaces what was said before, all else stays."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.encode import UNTYPED
from clew.graph.model import Graph
from clew.graph.updates.additions import Additions
from clew.graph.updates.composition import names_of, one_chunk

__all__ = ["Described", "describe"]

Ints = NDArray[np.integer]
TEXT = pa.string()
PLAIN = ("id", "name", "type")


@dataclass(frozen=True, slots=True, eq=False)
class Described:
    """Entities that the new delta describes, and the types of all."""

    entity: Ints  # ascending; from `graph.entity_count` on they are new
    table: pa.Table  # id, name, type
    details: pa.Table | None
    types: list[str]  # those of the graph, then new ones
    kind: Ints  # (n + new,) the type number of every entity
    names: int  # names and synonyms of all entities that are left
    new: int
    changed: int


def describe(graph: Graph, additions: Additions, removed: Ints) -> Described:
    """Describe entities that are new or changed, and those that the delta before described."""
    count = graph.entity_count
    order = np.argsort(additions.entity, kind="stable")
    given = additions.described.take(pa.array(order))
    numbers = additions.entity[order]
    known = numbers < count
    before = _current(graph, numbers[known])
    columns, changed = _overlaid(graph, before, given, known)
    changes = numbers[known][changed]
    kept = np.setdiff1d(np.union1d(_described(graph), changes), removed)
    unchanged = np.setdiff1d(kept, changes)
    rows = np.concatenate((np.flatnonzero(known)[changed], np.flatnonzero(~known)))  # of the given table
    entity = np.concatenate((unchanged, numbers[rows]))
    place = np.argsort(entity, kind="stable")
    merged = _stacked(_current(graph, unchanged), columns, rows).take(pa.array(place))
    types, codes = _types(graph, merged)
    kind = np.concatenate((graph.entity_types.astype(np.int64), np.zeros(int((~known).sum()), np.int64)))
    kind[entity[place]] = codes
    text = graph.entities.schema.field("id").type
    table = pa.table(
        {
            "id": one_chunk(merged["id"]).cast(text),
            "name": one_chunk(merged["name"]).cast(text),
            "type": pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), pa.array(types, TEXT)),
        }
    )
    details = merged.drop_columns(list(PLAIN)) if merged.num_columns > len(PLAIN) else None
    gone = _current(graph, np.union1d(changes, removed))
    names = graph.manifest.counts["names"] - _names(gone) + _names(merged) - _names(_current(graph, unchanged))
    return Described(entity[place], table, details, types, kind, names, int((~known).sum()), len(changes))


def _described(graph: Graph) -> Ints:
    """The entities that the delta of the graph describes and that are left."""
    if graph.delta is None:
        return np.empty(0, np.int64)
    return np.flatnonzero(np.isin(graph.stored_entities, graph.delta.described))


def _current(graph: Graph, entities: Ints) -> pa.Table:
    """Entities as they are described now: id, name, type and every further column."""
    found = graph.entities.take(pa.array(entities))
    details = graph.details(entities).drop_columns(["id"])
    columns = {name: found[name].cast(TEXT) for name in PLAIN}
    return pa.table({**columns, **dict(zip(details.column_names, details.columns, strict=True))})


def _overlaid(
    graph: Graph, before: pa.Table, given: pa.Table, known: NDArray[np.bool_]
) -> tuple[dict[str, pa.Array], NDArray[np.bool_]]:
    """Every column of the given entities with what was said before where they say nothing, and which known changed."""
    columns: dict[str, pa.Array] = {}
    changed = np.zeros(before.num_rows, bool)
    place = np.full(given.num_rows, -1, np.int64)
    place[known] = np.arange(before.num_rows)
    old = pa.array(place, mask=place < 0)
    for name in dict.fromkeys((*before.column_names, *given.column_names)):
        if name not in given.column_names or pa.types.is_null(given[name].type):
            columns[name] = one_chunk(before[name].take(old))
            continue
        column = _plain(given[name])
        if name in before.column_names:
            wanted = before[name].type
            column = _cast(column, wanted, name)
            was = one_chunk(before[name].take(old))
        else:
            was = pa.nulls(given.num_rows, column.type)
        says = _says(column) & ~_placeholder(name, column, columns)
        differs = [a != b for a, b in zip(column.to_pylist(), was.to_pylist(), strict=True)]
        changed |= (says & np.array(differs, bool))[known]
        index = np.where(says, given.num_rows + np.arange(given.num_rows), np.arange(given.num_rows))
        columns[name] = pa.concat_arrays([was, column]).take(pa.array(index))
    columns["name"] = columns["name"].fill_null("")
    blank = [name or identifier for name, identifier in _pairs(columns["name"], columns["id"])]
    columns["name"] = pa.array(blank, TEXT)
    columns["type"] = columns["type"].fill_null(UNTYPED)
    return columns, changed


def _placeholder(name: str, column: pa.Array, columns: dict[str, pa.Array]) -> NDArray[np.bool_]:
    """Names that repeat the id and the type of untyped entities: other graphs give them where nothing was said."""
    if name == "name":
        return np.array([value == identifier for value, identifier in _pairs(column, columns["id"])], bool)
    if name == "type":
        return np.array([value == UNTYPED for value in column.to_pylist()], bool)
    return np.zeros(len(column), bool)


def _pairs(one: pa.Array, other: pa.Array) -> Any:
    return zip(one.to_pylist(), other.to_pylist(), strict=True)


def _plain(column: pa.ChunkedArray) -> pa.Array:
    array = one_chunk(column)
    array = array.dictionary_decode() if pa.types.is_dictionary(array.type) else array
    return array.cast(TEXT) if pa.types.is_large_string(array.type) else array


def _cast(column: pa.Array, wanted: pa.DataType, name: str) -> pa.Array:
    try:
        return column if column.type == wanted else column.cast(wanted)
    except pa.ArrowException:
        raise InputError(
            f"the property {name!r} is {wanted} in this graph and {column.type} in the rows: convert it"
        ) from None


def _says(column: pa.Array) -> NDArray[np.bool_]:
    """Which rows say something: an empty text or list does not."""
    return np.array([value is not None and value not in ("", []) for value in column.to_pylist()], bool)


def _stacked(before: pa.Table, columns: dict[str, pa.Array], rows: Ints) -> pa.Table:
    """Entities as they were, then some rows of the new columns."""
    new = pa.table({name: column.take(pa.array(rows)) for name, column in columns.items()})
    return pa.concat_tables([before, new], promote_options="default").combine_chunks()


def _types(graph: Graph, table: pa.Table) -> tuple[list[str], Ints]:
    known = list(graph.schema.types)
    given = one_chunk(table["type"]).to_pylist()
    types = [*known, *sorted(set(given) - set(known))]
    number = {name: at for at, name in enumerate(types)}
    return types, np.array([number[name] for name in given], np.int64)


def _names(table: pa.Table) -> int:
    return int(names_of(table, table, entity_type="int64").num_rows)
