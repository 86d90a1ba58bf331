"""Foreign columns to the column types of `staging`: text, lists of text, days, numbers, true or false.

A value that cannot be read becomes null and is marked; a column that could never be read raises an InputError.
"""

from collections.abc import Callable
from datetime import date, datetime
from math import isfinite
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import InputError

__all__ = ["EXPECTED", "LIST_SEPARATOR", "convert", "to_lists", "to_text"]

LIST_SEPARATOR = "|"
TEXT = pa.string()
ENCODED = pa.dictionary(pa.int32(), TEXT)
LISTS = pa.list_(TEXT)
EXPECTED = {  # how a problem names what was expected, by target type
    "string": "text",
    "list<item: string>": "values separated by |",
    "date32[day]": "a day such as 2024-01-31",
    "double": "a number",
    "bool": "true or false (or 1/0, yes/no)",
}
TRUTH = {"true": True, "1": True, "1.0": True, "yes": True, "false": False, "0": False, "0.0": False, "no": False}
Mask = np.ndarray[Any, np.dtype[np.bool_]]


def convert(
    column: pa.ChunkedArray, target: pa.DataType, *, separator: str = LIST_SEPARATOR
) -> tuple[pa.ChunkedArray, Mask | None]:
    """The column as `target`, with a mask of the values that could not be read (None when all could).

    Text becomes a list by being split at `separator`.

    >>> values, unread = convert(pa.chunked_array([["2024-01-31", "soon"]]), pa.date32())
    >>> values.to_pylist(), unread.tolist()
    ([datetime.date(2024, 1, 31), None], [False, True])
    """
    if target == TEXT:
        return to_text(column), None
    if target == LISTS:
        return to_lists(column, separator=separator), None
    if target == pa.date32():
        return _to_days(column)
    if target == pa.float64():
        return _to_numbers(column)
    if target == pa.bool_():
        return (column, None) if column.type == target else _parse(to_text(column), _truth, target)
    raise InputError(f"cannot convert to {target}")


def to_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column as strings (dictionary-encoded if it came so), the empty string as null, lists joined with |."""
    kind = column.type
    if kind == ENCODED and not any(_odd_dictionary(chunk.dictionary) for chunk in column.chunks):
        return column
    if pa.types.is_dictionary(kind):
        column = column.cast(kind.value_type)
    try:
        if _is_list(kind):
            lists = column.cast(pa.list_(TEXT))
            column = pc.binary_join(lists, LIST_SEPARATOR)
        elif pa.types.is_timestamp(kind):
            column = pc.strftime(column, format="%Y-%m-%dT%H:%M:%S")
        elif column.type != TEXT:
            column = column.cast(TEXT)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise InputError(f"it holds {kind} that cannot be read as UTF-8 text ({_first_line(error)})") from error
    empty = pc.equal(column, "")
    return pc.if_else(empty, pa.scalar(None, TEXT), column) if pc.any(empty).as_py() else column


def to_lists(column: pa.ChunkedArray, *, separator: str = LIST_SEPARATOR) -> pa.ChunkedArray:
    """The column as lists of strings: text split, items trimmed, empty items left out, no items as null."""
    try:
        if _is_list(column.type):
            lists = column.cast(LISTS)
        else:
            text = to_text(column)
            text = text.cast(TEXT) if text.type != TEXT else text
            lists = pc.split_pattern(text, separator)
    except pa.ArrowException as error:
        raise InputError(f"it holds {column.type}, which is no list of text ({_first_line(error)})") from error
    return pa.chunked_array([_clean(chunk) for chunk in lists.chunks], LISTS)


def _clean(lists: pa.ListArray) -> pa.ListArray:
    items = pc.utf8_trim_whitespace(lists.flatten())
    lengths = pc.fill_null(pc.list_value_length(lists), 0).to_numpy()
    bounds = np.concatenate([[0], np.cumsum(lengths)])  # (n + 1,) where each list begins in items
    kept = pc.fill_null(pc.not_equal(items, ""), False)
    before = np.concatenate([[0], np.cumsum(kept.to_numpy(zero_copy_only=False))])  # kept items before each item
    offsets = before[bounds].astype(np.int32)
    return pa.ListArray.from_arrays(
        pa.array(offsets), items.filter(kept), type=LISTS, mask=pa.array(np.diff(offsets) == 0)
    )


def _to_days(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, Mask | None]:
    if pa.types.is_date(column.type) or pa.types.is_timestamp(column.type):
        return column.cast(pa.date32(), safe=False), None
    return _parse(to_text(column), _day, pa.date32())


def _to_numbers(column: pa.ChunkedArray) -> tuple[pa.ChunkedArray, Mask | None]:
    try:
        numbers = column.cast(pa.float64()) if pa.types.is_floating(column.type) else _cast_text(column)
    except pa.ArrowInvalid:
        return _parse(to_text(column), _number, pa.float64())
    numbers = pc.if_else(pc.is_nan(numbers), pa.scalar(None, pa.float64()), numbers)
    infinite = pc.fill_null(pc.is_inf(numbers), False)
    if not pc.any(infinite).as_py():
        return numbers, None
    return pc.if_else(infinite, pa.scalar(None, pa.float64()), numbers), infinite.to_numpy()


def _cast_text(column: pa.ChunkedArray) -> pa.ChunkedArray:
    text = to_text(column)
    return (text.cast(TEXT) if text.type != TEXT else text).cast(pa.float64())


def _parse(
    text: pa.ChunkedArray, read: Callable[[str], Any], target: pa.DataType
) -> tuple[pa.ChunkedArray, Mask | None]:
    """Apply `read` to each distinct value once; a value for which it raises ValueError is marked."""
    encoded = text.unify_dictionaries() if pa.types.is_dictionary(text.type) else text.dictionary_encode()
    if not encoded.num_chunks:
        return pa.chunked_array([], target), None
    values, unread = [], []
    for value in encoded.chunk(0).dictionary.to_pylist():
        try:
            values.append(read(value.strip()))
            unread.append(False)
        except ValueError:
            values.append(None)
            unread.append(True)
    parsed, marks = pa.array(values, target), pa.array(unread, pa.bool_())
    columns = pa.chunked_array([parsed.take(chunk.indices) for chunk in encoded.chunks], target)
    if not any(unread):
        return columns, None
    marked = pa.chunked_array([pc.fill_null(marks.take(chunk.indices), False) for chunk in encoded.chunks])
    return columns, marked.to_numpy()


def _day(value: str) -> date:
    try:
        return date.fromisoformat(value)
    except ValueError:
        return datetime.fromisoformat(value).date()


def _number(value: str) -> float | None:
    number = float(value)
    if "_" in value or number in (float("inf"), float("-inf")):
        raise ValueError(value)
    return number if isfinite(number) else None


def _truth(value: str) -> bool:
    if value.lower() not in TRUTH:
        raise ValueError(value)
    return TRUTH[value.lower()]


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _odd_dictionary(dictionary: pa.Array) -> bool:
    """Whether a dictionary holds null or the empty string, which must become null rows."""
    return bool(dictionary.null_count or pc.any(pc.equal(dictionary, "")).as_py())


def _first_line(error: Exception) -> str:
    return str(error).split("\n")[0]
