"""Tables as JSON lines, block by block: one object a row, absent values left out.

JSON has no word for numbers that are infinite or none at all: those are left out too.
"""

import json
from collections.abc import Iterator
from math import isfinite
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["write_json_lines"]

TEXT = pa.large_string()


def write_json_lines(path: Path, blocks: Iterator[pa.Table]) -> None:
    """Write the rows of some tables."""
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        for block in blocks:
            members = [_members(field.name, column) for field, column in zip(block.schema, block.columns, strict=True)]
            lines = pc.binary_join_element_wise(*members, pa.scalar(", ", TEXT), null_handling="skip")
            for line in lines.to_pylist():
                file.write(f"{{{line}}}\n")


def _members(name: str, column: pa.ChunkedArray) -> pa.Array:
    """A column as `"name": value`, null where there is none; each distinct value is serialised once."""
    array = column.combine_chunks()
    if pa.types.is_nested(array.type):
        return pa.array([_member(name, value) for value in array.to_pylist()], TEXT)
    encoded = array if pa.types.is_dictionary(array.type) else array.dictionary_encode()
    words = pa.array([_member(name, value) for value in encoded.dictionary.to_pylist()], TEXT)
    return words.take(encoded.indices)


def _member(name: str, value: Any) -> str | None:
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return None
    return json.dumps({name: value}, ensure_ascii=False, default=str)[1:-1]
