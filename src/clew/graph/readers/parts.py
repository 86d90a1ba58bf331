"""What was read from one file (or block of a file): a table whose rows still know their lines.

Parts are checked one by one with `check_triples` and `check_entities`, which convert their columns to the types of
`staging`, report bad rows and leave them out; `join` then makes one table and its Origin of them.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import InputError
from clew.graph.readers.conversion import EXPECTED, LIST_SEPARATOR, convert, to_text
from clew.graph.staging import ASSERTION_TYPES, EXAMPLES_KEPT, QUALIFIER_PREFIX, Origin, Problems

__all__ = ["DESCRIPTIONS", "TRIPLE", "Part", "check_entities", "check_triples", "join"]

TRIPLE = ("subject", "relation", "object")
CONFIDENCE = "confidence"
DESCRIPTIONS = ("subject_name", "subject_type", "object_name", "object_type")
ENTITY_TYPES: dict[str, pa.DataType] = {
    "id": pa.string(),
    "name": pa.string(),
    "type": pa.string(),
    "synonyms": pa.list_(pa.string()),
    "xrefs": pa.list_(pa.string()),
}
Mask = np.ndarray[Any, np.dtype[np.bool_]]


@dataclass(frozen=True, slots=True)
class Part:
    """Rows read from `name`; `line(i)` is the line of row i in that file (or its row number, from 1)."""

    name: str
    table: pa.Table
    line: Callable[[int], int]

    def report(self, problems: Problems, kind: str, rows: Sequence[int], what: Callable[[int], str]) -> None:
        """Note bad rows; lines are looked up only for those that will be kept as examples."""
        shown = max(1, EXAMPLES_KEPT - problems.counts[kind])
        for row in rows[: shown - 1]:
            problems.add(kind, f"{self.name}:{self.line(row)}", what(row))
        if len(rows) >= shown:
            row = rows[shown - 1]
            problems.add(kind, f"{self.name}:{self.line(row)}", what(row), count=len(rows) - shown + 1)

    def without(self, bad: Mask) -> "Part":
        """The part without the rows marked bad."""
        if not bad.any():
            return self
        kept = np.flatnonzero(~bad)
        line = self.line
        return Part(self.name, self.table.filter(pa.array(~bad)), lambda row: line(int(kept[row])))


def check_triples(part: Part, problems: Problems, *, separator: str = LIST_SEPARATOR) -> Part:
    """Convert the columns of a part with our names; report and leave out rows that are no triple or do not parse.

    `separator` separates the items of lists that are text.
    """
    types = {name: _triple_type(name) for name in part.table.column_names}
    return _check(part, types, TRIPLE, problems, separator)


def check_entities(
    part: Part,
    problems: Problems,
    *,
    further: Mapping[str, pa.DataType] | None = None,
    separator: str = LIST_SEPARATOR,
) -> Part:
    """Convert id, name, type, synonyms, xrefs and `further` columns; report and leave out rows without an id.

    Other columns are kept as they are.
    """
    known = ENTITY_TYPES | dict(further or {})
    types = {name: known.get(name) for name in part.table.column_names}
    return _check(part, types, ("id",), problems, separator)


def _triple_type(name: str) -> pa.DataType:
    return ASSERTION_TYPES.get(name, pa.string())


def _check(
    part: Part, types: dict[str, pa.DataType | None], required: Sequence[str], problems: Problems, separator: str
) -> Part:
    table = part.table
    bad: Mask = np.zeros(table.num_rows, dtype=bool)
    columns: dict[str, pa.ChunkedArray] = {}
    unread: dict[str, Mask] = {}
    for name, target in types.items():
        if target is None:
            columns[name] = table.column(name)
            continue
        try:
            columns[name], mask = convert(table.column(name), target, separator=separator)
        except InputError as error:
            raise InputError(f"{part.name}: column {name!r}: {error}") from error
        if name == CONFIDENCE and target is ASSERTION_TYPES[CONFIDENCE]:
            mask = _joint(mask, _no_confidence(columns[name]))
        if mask is not None:
            unread[name] = mask
    for name in required:
        if columns[name].null_count:
            missing = _mask(columns[name].is_null()) & ~bad
            part.report(problems, "malformed row", _rows(missing), partial(_explain_absence, name))
            bad |= missing
    for name, mask in unread.items():
        new = mask & ~bad
        part.report(problems, "malformed value", _rows(new), partial(_explain, name, table.column(name)))
        bad |= mask
    return Part(part.name, pa.table(columns), part.line).without(bad)


def _no_confidence(values: pa.ChunkedArray) -> Mask | None:
    """Numbers that are no confidence: below 0, above 1, or none at all."""
    numbers = values.to_numpy()
    outside = ~np.isnan(numbers) & ~((numbers >= 0) & (numbers <= 1))
    return outside if outside.any() else None


def _joint(one: Mask | None, other: Mask | None) -> Mask | None:
    return one if other is None else other if one is None else one | other


def _mask(values: pa.ChunkedArray) -> Mask:
    return np.asarray(values.to_numpy(), dtype=bool)


def _rows(mask: Mask) -> Sequence[int]:
    rows: list[int] = np.flatnonzero(mask).tolist()
    return rows


def _explain_absence(name: str, row: int) -> str:
    return f"no {name}"


def _explain(name: str, given: pa.ChunkedArray, row: int) -> str:
    expected = "a number from 0 to 1" if name == CONFIDENCE else EXPECTED[str(_triple_type(name))]
    return f"{name} is {given[row].as_py()!r}, expected {expected}"


def join(parts: Sequence[Part], *, encode: Callable[[str], bool]) -> tuple[pa.Table, Origin]:
    """One table of all parts, a column missing from some filled with nulls.

    String columns for which `encode(name)` holds come out dictionary-encoded, in one chunk.
    """
    parts = [part for part in parts if part.table.num_rows] or list(parts[:1])
    names = sorted(dict.fromkeys(name for part in parts for name in part.table.column_names), key=_column_order)
    joined = pa.table({name: _join_column(name, parts, encode=encode(name)) for name in names})
    starts = np.cumsum([0] + [part.table.num_rows for part in parts[:-1]]).tolist()
    return joined, Origin(
        files=tuple(part.name for part in parts), starts=tuple(starts), lines=tuple(part.line for part in parts)
    )


def _column_order(name: str) -> tuple[int, str]:
    fixed = (*TRIPLE, *ENTITY_TYPES, *DESCRIPTIONS, *ASSERTION_TYPES)
    if name in fixed:
        return fixed.index(name), ""
    return len(fixed), name if name.startswith(QUALIFIER_PREFIX) else ""


def _join_column(name: str, parts: Sequence[Part], *, encode: bool) -> pa.ChunkedArray:
    present = [part.table.column(name) for part in parts if name in part.table.column_names]
    common = _common_type([column.type for column in present])
    chunks: list[pa.Array] = []
    for part in parts:
        if name not in part.table.column_names:
            chunks.append(pa.nulls(part.table.num_rows, common))
            continue
        column = part.table.column(name)
        if column.type != common and common == pa.string():
            column = to_text(column)
        chunks.extend(column.cast(common).chunks)
    joined = pa.chunked_array(chunks, common)
    return _with_one_dictionary(joined) if encode and _is_text(common) else joined


def _is_text(kind: pa.DataType) -> bool:
    return bool((kind.value_type if pa.types.is_dictionary(kind) else kind) == pa.string())


def _with_one_dictionary(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """The column in one chunk with a dictionary of exactly the values that occur."""
    given = pa.types.is_dictionary(column.type)
    encoded = column.unify_dictionaries() if given else column.dictionary_encode()
    if not encoded.num_chunks:
        return pa.chunked_array([pa.array([], pa.string()).dictionary_encode()])
    indices = pa.concat_arrays([chunk.indices for chunk in encoded.chunks])
    dictionary = encoded.chunk(0).dictionary  # the same in every chunk
    if given:  # it may hold values that only left-out rows had
        used = indices.unique().drop_null()
        if len(used) < len(dictionary):
            indices, dictionary = pc.index_in(indices, value_set=used), dictionary.take(used)
    return pa.chunked_array([pa.DictionaryArray.from_arrays(indices, dictionary)])


def _common_type(types: Sequence[pa.DataType]) -> pa.DataType:
    """The type that columns of these types can be joined in: text where nothing else will do."""
    if any(each != types[0] for each in types):
        plain = [each.value_type if pa.types.is_dictionary(each) else each for each in types]
        try:
            schemas = [pa.schema([("column", each)]) for each in plain]
            types = [pa.unify_schemas(schemas, promote_options="permissive").field(0).type]
        except pa.ArrowException:
            return pa.string()
    if pa.types.is_list(types[0]) and pa.types.is_null(types[0].value_type):
        return pa.list_(pa.string())
    return pa.string() if pa.types.is_null(types[0]) else types[0]
