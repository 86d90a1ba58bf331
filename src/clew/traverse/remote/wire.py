"""What engines say to each other, as bytes: JSON for records and words, Arrow IPC for arrays and tables.

A message is the length of its JSON, the JSON, and one Arrow stream for each array or table that the JSON refers to.
"""

import json
from collections.abc import Callable
from dataclasses import asdict
from datetime import date
from typing import Any

import numpy as np
import pyarrow as pa

from clew import errors
from clew.errors import ClewError, InputError
from clew.graph import Assertion, Snapshot, TripleColumns, Where
from clew.graph.names import Found
from clew.graph.schema import Schema
from clew.traverse.paths.search import Found as FoundPath
from clew.traverse.walk import Walk

__all__ = ["pack", "pack_error", "unpack", "unpack_error"]

LENGTH = 8  # bytes in which a length is written
WIDE = 1 << 62  # a number beyond may be cut by other readers of JSON, and Python itself refuses very long ones
DATES = ("valid_from", "valid_to")


def pack(value: Any) -> bytes:
    """A value of the kinds that requests and results are made of, as bytes."""
    streams: list[bytes] = []
    body = json.dumps(_plain(value, streams)).encode()
    parts = [body, *streams]
    return b"".join(piece for part in parts for piece in (len(part).to_bytes(LENGTH, "little"), part))


def unpack(message: bytes) -> Any:
    """The reverse of `pack`."""
    parts, at = [], 0
    while at < len(message):
        size = int.from_bytes(message[at : at + LENGTH], "little")
        parts.append(message[at + LENGTH : at + LENGTH + size])
        at += LENGTH + size
    return _value(json.loads(parts[0]), parts[1:])


def pack_error(error: ClewError) -> dict[str, Any]:
    """An error as a record."""
    more = {name: list(getattr(error, name)) for name in ("close", "candidates") if hasattr(error, name)}
    return {"kind": type(error).__name__, "message": str(error), **more}


def unpack_error(record: dict[str, Any]) -> ClewError:
    """The reverse of `pack_error`."""
    kind = getattr(errors, record["kind"], ClewError)
    more = {name: tuple(record[name]) for name in ("close", "candidates") if name in record}
    made: ClewError = kind(record["message"], **more)
    return made


def _plain(value: Any, streams: list[bytes]) -> Any:
    """A value as JSON takes it: what JSON has no form for stands as {"$kind": …}."""
    match value:
        case None | bool() | float() | str():
            return value
        case int() | np.integer():
            return int(value) if abs(int(value)) < WIDE else {"$int": hex(int(value))}
        case np.ndarray():
            return {"$array": _stream(pa.table({"values": pa.array(value)}), streams)}
        case pa.Table() | pa.RecordBatch():
            return {"$table": _stream(value, streams)}
        case FoundPath():
            return {"$path": [_plain(list(part) if isinstance(part, tuple) else part, streams) for part in value]}
        case list() | tuple():
            return [_plain(each, streams) for each in value]
        case dict():
            return {name: _plain(each, streams) for name, each in value.items()}
    for kind, (write, _) in RECORDS.items():
        if isinstance(value, kind):
            return {f"${kind.__name__}": _plain(write(value), streams)}
    raise InputError(f"{type(value).__name__} is not among the kinds of things that engines send")


def _value(plain: Any, streams: list[bytes]) -> Any:
    if isinstance(plain, list):
        return [_value(each, streams) for each in plain]
    if not isinstance(plain, dict):
        return plain
    if len(plain) == 1:
        ((name, inner),) = plain.items()
        if name == "$int":
            return int(inner, 16)
        if name == "$array":
            return np.array(_table(streams[inner])["values"].combine_chunks().to_numpy(zero_copy_only=False))
        if name == "$table":
            return _table(streams[inner])
        if name == "$path":
            numbers, entities, cost = (_value(each, streams) for each in inner)
            return FoundPath(tuple(numbers), tuple(entities), cost)
        for kind, (_, read) in RECORDS.items():
            if name == f"${kind.__name__}":
                return read(_value(inner, streams))
    return {name: _value(each, streams) for name, each in plain.items()}


def _stream(table: pa.Table | pa.RecordBatch, streams: list[bytes]) -> int:
    """Add a table; a column that refers to a longer list of words takes only its own words along."""
    whole = pa.Table.from_batches([table]) if isinstance(table, pa.RecordBatch) else table
    columns = [_compact(column) for column in whole.columns]
    sink = pa.BufferOutputStream()
    made = pa.table(columns, names=whole.column_names)
    with pa.ipc.new_stream(sink, made.schema) as writer:
        writer.write_table(made)
    streams.append(sink.getvalue().to_pybytes())
    return len(streams) - 1


def _compact(column: pa.ChunkedArray) -> pa.ChunkedArray:
    if not pa.types.is_dictionary(column.type):
        return column
    whole = column.combine_chunks()
    array = whole.chunk(0) if isinstance(whole, pa.ChunkedArray) and whole.num_chunks == 1 else whole
    if isinstance(array, pa.ChunkedArray) or len(array.dictionary) <= len(array):
        return column.unify_dictionaries()
    plain = array.dictionary.take(array.indices)
    return pa.chunked_array([plain.dictionary_encode()])


def _table(stream: bytes) -> pa.Table:
    return pa.ipc.open_stream(stream).read_all()


def _assertion(record: dict[str, Any]) -> Assertion:
    days = {name: None if record[name] is None else date.fromisoformat(record[name]) for name in DATES}
    return Assertion(**{**record, **days, "evidence": tuple(record["evidence"])})


def _assertion_record(assertion: Assertion) -> dict[str, Any]:
    fields = {name: getattr(assertion, name) for name in Assertion.__slots__}
    days = {name: None if fields[name] is None else fields[name].isoformat() for name in DATES}
    qualifiers = None if assertion.qualifiers is None else dict(assertion.qualifiers)
    return {**fields, **days, "evidence": list(assertion.evidence), "qualifiers": qualifiers}


Codec = tuple[Callable[[Any], Any], Callable[[Any], Any]]
RECORDS: dict[type, Codec] = {
    Walk: (Walk.to_record, Walk.from_record),
    Where: (Where.to_record, Where.from_record),
    Snapshot: (Snapshot.to_record, Snapshot.from_record),
    Schema: (Schema.to_json, Schema.from_json),
    Assertion: (_assertion_record, _assertion),
    Found: (asdict, lambda record: Found(**record)),
    TripleColumns: (
        lambda columns: [columns.subject, columns.relation, columns.object],
        lambda columns: TripleColumns(*columns),
    ),
}
