"""Columns of neo4j-admin's CSV files: `personId:ID(Person)`, `:LABEL`, `born:int`, `aliases:string[]`."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import InputError
from clew.graph.readers.parts import Part
from clew.graph.staging import Problems

__all__ = ["ROLES", "Column", "parse_header", "typed"]

ROLES = {"ID": "id", "LABEL": "type", "START_ID": "subject", "END_ID": "object", "TYPE": "relation", "IGNORE": ""}
FIELD = re.compile(
    r"(?P<name>.*?)(?::(?P<kind>[A-Za-z_]+)(?P<array>\[\])?(?:\((?P<space>[^)]*)\))?(?P<options>\{[^}]*\})?)?"
)
LABEL = re.compile(r"label:\s*([^,}]+)")
TEXTS = ("string", "char", "point", "localtime", "time", "localdatetime", "datetime", "duration")
TYPES = {
    **dict.fromkeys(TEXTS, pa.string()),
    **dict.fromkeys(("int", "long", "short", "byte"), pa.int64()),
    **dict.fromkeys(("float", "double"), pa.float64()),
    "boolean": pa.bool_(),
    "date": pa.date32(),
}


@dataclass(frozen=True, slots=True)
class Column:
    """One field of a header: its text, the property it names, its role ("" for a property), type and id space."""

    header: str
    name: str
    role: str
    type: pa.DataType
    array: bool
    space: str
    label: str | None  # that all nodes of the file have, `id:ID{label:Person}`


def parse_header(path: Path, header: Sequence[str]) -> list[Column]:
    """The fields of a header line.

    >>> [column] = parse_header(Path("a.csv"), ["personId:ID(Person)"])
    >>> column.name, column.role, column.space
    ('personId', 'ID', 'Person')
    """
    columns = []
    for field in header:
        found = FIELD.fullmatch(field.strip())
        kind = (found["kind"] or "string") if found else "string"
        role = kind.upper() if kind.upper() in ROLES else ""
        if found is None or (not role and kind.lower() not in TYPES):
            raise InputError(
                f"{path}: the header field {field!r} has no type of neo4j-admin; types are {', '.join(TYPES)}"
            )
        label = LABEL.search(found["options"] or "")
        columns.append(
            Column(
                field,
                found["name"],
                role,
                TYPES.get(kind.lower(), pa.string()),
                bool(found["array"]),
                found["space"] or "",
                label[1].strip() if label else None,
            )
        )
    return columns


def typed(part: Part, column: Column, separator: str, problems: Problems) -> pa.ChunkedArray:
    """The values of a property as its type; what cannot be read becomes absent and is reported."""
    values = part.table.column(column.header)
    if column.array:
        lists = pc.split_pattern(values, separator)
        if column.type == pa.string():
            return lists
        try:
            return lists.cast(pa.list_(column.type))
        except pa.ArrowInvalid as error:
            raise InputError(f"{part.name}: column {column.header!r}: {str(error).splitlines()[0]}") from error
    if column.type == pa.string():
        return values
    try:
        return values.cast(column.type)
    except pa.ArrowInvalid:
        return _one_by_one(part, column, values, problems)


def _one_by_one(part: Part, column: Column, values: pa.ChunkedArray, problems: Problems) -> pa.ChunkedArray:
    encoded = values.combine_chunks().dictionary_encode()
    converted, bad = [], []
    for text in encoded.dictionary.to_pylist():
        try:
            converted.append(pa.scalar(text, pa.string()).cast(column.type).as_py())
            bad.append(False)
        except pa.ArrowInvalid:
            converted.append(None)
            bad.append(True)
    marked = np.array(bad, bool)[encoded.indices.fill_null(0).to_numpy()] & values.is_valid().to_numpy()
    rows: list[int] = np.flatnonzero(marked).tolist()
    part.report(problems, "malformed value", rows, partial(_explain, column, values))
    return pa.chunked_array([pa.array(converted, column.type).take(encoded.indices)])


def _explain(column: Column, values: pa.ChunkedArray, row: int) -> str:
    return f"{column.header} is {values[row].as_py()!r}, expected {column.type}"
