"""How much memory a Parquet or Arrow file takes, before it is read: a value may be stored once for a billion rows.

The metadata of an Arrow record batch is a FlatBuffers table (Arrow's `Message.fbs`); only its list of buffers is read
here: compressed ones say to what size they unpack.
"""

import struct
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet

from clew.errors import InputError
from clew.unpacking import check_unpacked

__all__ = ["check_arrow", "check_columns", "check_rows", "stored_by_dictionary"]

LEAST_BYTES = 8  # memory of one value
DICTIONARY_BYTES = 4  # a Parquet column stored in fewer bytes a value than this is stored by dictionary
SMALL = 256 << 20  # bytes of a file whose texts are all read by dictionary: one long text may be meant a million times

MAGIC = b"ARROW1\0\0"
HEADER_TYPE, HEADER = 1, 2  # fields of a message
BUFFERS, COMPRESSION = 2, 3  # fields of a record batch
DATA = 0  # field of a dictionary batch: a record batch
DICTIONARY_BATCH, RECORD_BATCH = 2, 3
BUFFER = struct.Struct("<qq")  # offset, length
LENGTH = struct.Struct("<q")  # before every compressed buffer; -1 where it is not compressed


def check_rows(path: Path, file: pyarrow.parquet.ParquetFile) -> None:
    """Refuse a Parquet file with far more rows than bytes."""
    columns = max(1, file.metadata.num_columns)
    check_unpacked(path, file.metadata.num_rows * columns * LEAST_BYTES, path.stat().st_size)


def stored_by_dictionary(path: Path, file: pyarrow.parquet.ParquetFile) -> list[str]:
    """The string columns to read by dictionary: all of a small file, else those that are cheap to read so, judged by
    their size in the first row group."""
    text = {field.name for field in file.schema_arrow if pa.types.is_string(field.type)}
    if path.stat().st_size <= SMALL:
        return sorted(text)
    if not file.metadata.num_row_groups:
        return []
    group = file.metadata.row_group(0)
    stored = [group.column(at) for at in range(group.num_columns)]
    return [
        each.path_in_schema
        for each in stored
        if each.path_in_schema in text and each.total_uncompressed_size < DICTIONARY_BYTES * each.num_values
    ]


def check_columns(path: Path, table: pa.Table) -> None:
    """Refuse a table that would be far larger than its file if no value were shared."""
    check_unpacked(path, sum(map(_plain_size, table.columns)), path.stat().st_size)


def _plain_size(column: pa.ChunkedArray) -> int:
    if not pa.types.is_dictionary(column.type):
        return int(column.nbytes)
    total = 0
    for chunk in column.chunks:
        lengths = pc.fill_null(pc.binary_length(chunk.dictionary), 0).to_numpy(zero_copy_only=False)
        used = chunk.indices.drop_null().to_numpy(zero_copy_only=False)
        total += int(np.bincount(used, minlength=len(lengths)) @ lengths.astype(np.int64)) + 4 * len(chunk)
    return total


def check_arrow(path: Path) -> None:
    """Refuse an Arrow file whose buffers unpack to far more than its bytes."""
    try:
        check_unpacked(path, _unpacked_size(path), path.stat().st_size)
    except InputError:
        raise
    except ValueError as error:
        raise InputError(f"{path} cannot be read as Arrow: {str(error).splitlines()[0]}") from error


def _unpacked_size(path: Path) -> int:
    """The bytes of all buffers of an Arrow file or stream; raises `ArrowInvalid` or `ValueError` where it is none."""
    size = 0
    with pa.memory_map(str(path)) as file:
        if file.read(len(MAGIC)) != MAGIC:
            file.seek(0)
        for message in pa.ipc.MessageReader.open_stream(file):
            if message.type in ("record batch", "dictionary"):
                size += _size(bytes(message.metadata), memoryview(message.body))
    return size


def _size(metadata: bytes, body: memoryview) -> int:
    try:
        (root,) = struct.unpack_from("<I", metadata)
        header = _reference(metadata, _field(metadata, root, HEADER))
        if metadata[_field(metadata, root, HEADER_TYPE) or 0] == DICTIONARY_BATCH:
            header = _reference(metadata, _field(metadata, header, DATA))
        buffers = _field(metadata, header, BUFFERS)
        if buffers is None or _field(metadata, header, COMPRESSION) is None:
            return len(body)
        start = _reference(metadata, buffers)
        (count,) = struct.unpack_from("<I", metadata, start)
        total = 0
        for at in range(count):
            offset, length = BUFFER.unpack_from(metadata, start + 4 + at * BUFFER.size)
            stated = LENGTH.unpack_from(body, offset)[0] if length >= LENGTH.size else -1
            total += length if stated < 0 else stated
        return total
    except struct.error as error:
        raise ValueError(f"its metadata is damaged: {error}") from error


def _field(buffer: bytes, table: int, number: int) -> int | None:
    """Where a field of a FlatBuffers table is; None where it is not set."""
    (back,) = struct.unpack_from("<i", buffer, table)
    vtable = table - back
    (size,) = struct.unpack_from("<H", buffer, vtable)
    place = 4 + 2 * number
    offset = struct.unpack_from("<H", buffer, vtable + place)[0] if place < size else 0
    return table + offset if offset else None


def _reference(buffer: bytes, field: int | None) -> int:
    if field is None:
        raise ValueError("its metadata is incomplete")
    return field + int(struct.unpack_from("<I", buffer, field)[0])
