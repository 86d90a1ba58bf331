"""Statements as tables: their columns and types on disk, and which of them are identical."""

from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.graph.staging import ASSERTION_TYPES, QUALIFIER_PREFIX

__all__ = ["ENCODED", "assertion_type", "decoded", "distinct_statements", "statement_columns", "stored_statements"]

Ints = NDArray[np.integer]
ENCODED = pa.dictionary(pa.int32(), pa.string())


def assertion_type(column: str) -> pa.DataType | None:
    """The type in which a column of assertions stands on disk: strings by dictionary; None for an unknown column."""
    wanted = pa.string() if column.startswith(QUALIFIER_PREFIX) else ASSERTION_TYPES.get(column)
    return ENCODED if wanted == pa.string() else wanted


def decoded(table: pa.Table) -> pa.Table:
    """A table without dictionaries."""
    columns = {
        name: _one_chunk(column).dictionary_decode() if pa.types.is_dictionary(column.type) else column
        for name, column in zip(table.column_names, table.columns, strict=True)
    }
    return pa.table(columns)


def statement_columns(table: pa.Table) -> pa.Table:
    """The columns of staged rows that belong to statements."""
    return table.select([n for n in table.column_names if n in ASSERTION_TYPES or n.startswith(QUALIFIER_PREFIX)])


def stored_statements(table: pa.Table, rows: Ints) -> pa.Table:
    """Some rows of statements in the types in which they stand on disk, without columns that say nothing."""
    columns: dict[str, pa.Array] = {}
    for name in table.column_names:
        column = table[name]
        if column.null_count == table.num_rows:
            continue
        array, wanted = column.combine_chunks(), assertion_type(name)
        if wanted == ENCODED:
            array = _dictionary(array)
        elif array.type != wanted:
            array = array.cast(wanted)
        columns[name] = array.take(pa.array(rows))
    if not columns:  # a table without columns has no rows: keep the count
        columns["negated"] = pa.nulls(len(rows), pa.bool_())
    return pa.table(columns)


def distinct_statements(table: pa.Table, rows: Ints, offsets: Ints) -> Ints:
    """Positions in `rows` that stay when identical statements of the same triple, one span of offsets, collapse."""
    sizes = np.diff(offsets)
    crowded = np.flatnonzero(np.repeat(sizes > 1, sizes))
    if len(crowded) == 0:
        return np.arange(len(rows))
    group = np.repeat(np.arange(len(sizes)), sizes)[crowded]
    taken = pa.array(rows[crowded])
    for name in table.column_names:
        column = _comparable(table[name].combine_chunks().take(taken))
        codes = column.indices.fill_null(len(column.dictionary)).to_numpy(zero_copy_only=False).astype(np.int64)
        group = np.unique(group * (len(column.dictionary) + 1) + codes, return_inverse=True)[1]
    _, first = np.unique(group, return_index=True)
    stays = np.ones(len(rows), bool)
    stays[crowded] = False
    stays[crowded[first]] = True
    return np.flatnonzero(stays)


def _comparable(column: pa.Array) -> pa.DictionaryArray:
    """A column by dictionary, values alike where statements are: no list is an empty one, no flag a false one."""
    import pyarrow.compute as pc

    if pa.types.is_boolean(column.type):
        column = column.fill_null(False)
    elif pa.types.is_list(column.type):
        items = pc.list_flatten(column).dictionary_encode().indices.fill_null(-1).cast(pa.string())
        lengths = pc.list_value_length(column).fill_null(0).to_numpy()
        offsets = pa.array(np.concatenate(([0], np.cumsum(lengths))).astype(np.int32))
        column = pc.binary_join(pa.ListArray.from_arrays(offsets, items), ",")  # numbers of items: no text to confuse
    return column if pa.types.is_dictionary(column.type) else column.dictionary_encode()


def _dictionary(array: pa.Array) -> pa.DictionaryArray:
    if not pa.types.is_dictionary(array.type):
        array = array.cast(pa.string()).dictionary_encode()
    return array.cast(pa.dictionary(pa.int32(), pa.string()))


def _one_chunk(column: pa.ChunkedArray) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()
