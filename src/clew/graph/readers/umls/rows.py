"""RRF files: fields that end in |, without a header, any number of lines; read in blocks."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv

from clew.graph.readers.source_files import open_bytes, read_line, reading
from clew.graph.staging import Problems

__all__ = ["COLUMNS", "Block", "blocks"]

COLUMNS = {  # file → its fields, in order
    name: tuple(fields.split())
    for name, fields in {
        "MRCONSO": "CUI LAT TS LUI STT SUI ISPREF AUI SAUI SCUI SDUI SAB TTY CODE STR SRL SUPPRESS CVF",
        "MRREL": "CUI1 AUI1 STYPE1 REL CUI2 AUI2 STYPE2 RELA RUI SRUI SAB SL RG DIR SUPPRESS CVF",
        "MRSTY": "CUI TUI STN STY ATUI CVF",
    }.items()
}
BYTES = 16 << 20
Block = tuple[pa.Table, "np.ndarray[tuple[int], np.dtype[np.int64]]"]


def blocks(path: Path, kind: str, wanted: Sequence[str], problems: Problems) -> Iterator[Block]:
    """Some fields of a file, block by block, with the line of each row; lines of another width are reported."""
    fields = COLUMNS[kind]
    number = 1
    with reading(path, "RRF"), open_bytes(path) as stream:
        while block := stream.read(BYTES) + read_line(stream, path):
            count = block.count(b"\n") + (not block.endswith(b"\n"))
            bad: list[int] = []
            table = _parse(block, fields, wanted, bad)
            lines = np.delete(np.arange(number, number + count, dtype=np.int64), bad)
            for row in bad:
                problems.add("malformed row", f"{path.name}:{number + row}", f"not the {len(fields)} fields of {kind}")
            yield table, lines
            number += count


def _parse(block: bytes, fields: Sequence[str], wanted: Sequence[str], bad: list[int]) -> pa.Table:
    """The block as a table; numbers of rows that do not fit are added to `bad`."""
    lines = block.removesuffix(b"\n").split(b"\n")
    bad.extend(row for row, line in enumerate(lines) if line.count(b"|") != len(fields) or not _is_text(line))
    if bad:
        dropped = set(bad)
        block = b"\n".join(line for row, line in enumerate(lines) if row not in dropped)
    names = [*fields, "END"]  # after the last |
    if not block.strip():
        return pa.table({name: pa.array([], pa.string()) for name in wanted})
    return pyarrow.csv.read_csv(
        pa.BufferReader(block),
        read_options=pyarrow.csv.ReadOptions(column_names=names, block_size=len(block) + 1),
        parse_options=pyarrow.csv.ParseOptions(delimiter="|", quote_char=False),
        convert_options=pyarrow.csv.ConvertOptions(
            include_columns=list(wanted), column_types=dict.fromkeys(wanted, pa.string()), strings_can_be_null=True,
            null_values=[""],
        ),
    )  # fmt: skip


def _is_text(line: bytes) -> bool:
    if line.isascii():
        return True
    try:
        line.decode()
    except UnicodeDecodeError:
        return False
    return True
