"""JSON Lines to tables, block by block: one object a line, one part a block.

The fast way is pyarrow's parser. A block in which it finds trouble, or values that do not fit one column type, is read
again line by line.
"""

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.json

from clew.graph.readers.parts import Part
from clew.graph.readers.source_files import open_bytes, read_line, reading
from clew.graph.staging import Problems

__all__ = ["read"]

BLOCK = 16 << 20  # bytes
TEXT = pa.string()


def read(path: Path, required: Sequence[str], problems: Problems) -> Iterator[Part]:
    """The objects of a file as tables with a column for each key; a `required` key is text and always has its column.

    Lines that are no JSON object are reported and left out.
    """
    texts: dict[str, pa.DataType] = {}  # columns that pyarrow would parse as times
    first = 1  # line
    empty = True
    with reading(path, "JSON Lines"), open_bytes(path) as stream:
        while block := stream.read(BLOCK) + read_line(stream, path):
            try:
                part = _read_fast(path, block, first, texts, required)
            except (pa.ArrowException, ValueError):
                part = _read_carefully(path, block, first, required, problems)
            yield part
            first += block.count(b"\n")
            empty = False
    if empty:
        yield Part(str(path), pa.table({name: pa.array([], TEXT) for name in required}), lambda row: row + 1)


def _read_fast(path: Path, block: bytes, first: int, texts: dict[str, pa.DataType], required: Sequence[str]) -> Part:
    block.decode()  # pyarrow does not look whether text is UTF-8
    table = _parse(block, texts)
    times = {column.name: _as_text(column.type) for column in table.schema if _as_text(column.type) != column.type}
    if times:
        texts.update(times)
        table = _parse(block, texts)
    if table.num_rows != block.count(b"\n") + (not block.endswith(b"\n")):
        raise ValueError("not one object a line")
    for name in required:
        if name not in table.column_names:
            table = table.append_column(name, pa.nulls(table.num_rows, TEXT))
        elif pa.types.is_nested(table.schema.field(name).type):
            raise ValueError(f"{name} is no text")
    return Part(str(path), table, lambda row: first + row)


def _parse(block: bytes, texts: Mapping[str, pa.DataType]) -> pa.Table:
    return pyarrow.json.read_json(
        pa.BufferReader(block),
        read_options=pyarrow.json.ReadOptions(block_size=len(block) + 1),
        parse_options=pyarrow.json.ParseOptions(explicit_schema=pa.schema(list(texts.items()))) if texts else None,
    )


def _as_text(kind: pa.DataType) -> pa.DataType:
    """The type to ask for where pyarrow took text for a time."""
    if pa.types.is_timestamp(kind):
        return TEXT
    return pa.list_(TEXT) if pa.types.is_list(kind) and pa.types.is_timestamp(kind.value_type) else kind


def _read_carefully(path: Path, block: bytes, first: int, required: Sequence[str], problems: Problems) -> Part:
    lines = array("q")
    objects: list[dict[str, Any]] = []
    for line, text in enumerate(block.split(b"\n"), first):
        if not text.strip():
            continue
        try:
            objects.append(_parse_line(text, required))
            lines.append(line)
        except ValueError as error:
            problems.add("malformed row", f"{path}:{line}", str(error))
    names = dict.fromkeys((*required, *(name for each in objects for name in each)))
    columns = {name: _column([each.get(name) for each in objects]) for name in names}
    return Part(str(path), pa.table(columns), lines.__getitem__)


def _parse_line(line: bytes, required: Sequence[str]) -> dict[str, Any]:
    try:
        found = json.loads(line.decode("utf-8-sig"))
        json.dumps(found, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise ValueError(f"not JSON: {error.msg} at character {error.pos + 1}") from error
    except UnicodeDecodeError as error:
        raise ValueError("bytes that are not UTF-8") from error
    except UnicodeEncodeError as error:
        raise ValueError("half of a surrogate pair") from error
    except RecursionError as error:
        raise ValueError("JSON that is nested too deep") from error
    if not isinstance(found, dict):
        raise ValueError(f"a JSON {type(found).__name__}, expected an object")
    for name in required:
        if isinstance(found.get(name), dict | list):
            raise ValueError(f"{name} is a {type(found[name]).__name__}, expected text")
    return found


def _column(values: list[Any]) -> pa.Array:
    """The values as one array; values of different types become text, or lists of text if one is a list."""
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError):
        if any(isinstance(value, list) for value in values):
            lists = [None if value is None else value if isinstance(value, list) else [value] for value in values]
            return pa.array([each and [_text(item) for item in each] for each in lists], pa.list_(TEXT))
        return pa.array([_text(value) for value in values], TEXT)


def _text(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value, ensure_ascii=False)
