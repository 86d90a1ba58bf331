"""Tables as tab-separated text, block by block: a header line, one line a row, an absent value as an empty field.

Nothing is quoted, until a value holds a tab or a line break: then the file is begun again with everything in "…".
"""

import json
import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["write_tab_separated"]

log = logging.getLogger(__name__)
TEXT = pa.large_string()
SEPARATOR, INSTEAD = "|", "%7C"  # between the items of a list, and what is written for one inside an item
NEEDS_QUOTES = "[\t\r\n]"


class _NeedsQuotes(Exception):
    """A value cannot be written without quotes."""


@dataclass(slots=True)
class _Sheet:
    """An open file of lines."""

    file: BinaryIO
    quoted: bool
    replaced: int = 0  # separators inside items

    def add(self, cells: list[pa.Array]) -> None:
        """Append a line for each row of some columns of text."""
        if not self.quoted and any(_any(pc.match_substring_regex(column, NEEDS_QUOTES)) for column in cells):
            raise _NeedsQuotes
        if self.quoted:
            doubled = [pc.replace_substring(column, '"', '""') for column in cells]
            cells = [_joined(_text('"'), column, _text('"'), between="") for column in doubled]
        filled = [column.fill_null("") for column in cells]
        lines = _joined(_joined(*filled, between="\t"), _text(""), between="\n")  # all lines lie in one piece
        end = int(np.frombuffer(lines.buffers()[1], np.int64)[len(lines)]) if len(lines) else 0
        self.file.write(memoryview(lines.buffers()[2])[:end] if end else b"")

    def cells(self, column: pa.Array) -> pa.Array:
        """A column as text."""
        kind = column.type
        if pa.types.is_list(kind) or pa.types.is_large_list(kind):
            return self._lists(column)
        if pa.types.is_nested(kind) or pa.types.is_binary(kind):
            return _by_json(column)
        return column.cast(TEXT)

    def _lists(self, lists: pa.Array) -> pa.Array:
        """Lists as text; absent items and empty lists are left out."""
        if pa.types.is_nested(lists.type.value_type):
            return _by_json(lists)
        items = pc.list_flatten(lists).cast(TEXT)
        present = items.is_valid()
        owner = pc.list_parent_indices(lists).filter(present).to_numpy()
        items = items.filter(present)
        self.replaced += pc.sum(pc.count_substring(items, SEPARATOR)).as_py() or 0
        offsets = np.concatenate(([0], np.cumsum(np.bincount(owner, minlength=len(lists)))))
        whole = pa.LargeListArray.from_arrays(pa.array(offsets), pc.replace_substring(items, SEPARATOR, INSTEAD))
        return pc.binary_join(whole, _text(SEPARATOR))


def write_tab_separated(path: Path, blocks: Callable[[], Iterator[pa.Table]]) -> None:
    """Write the tables that `blocks` yields, all with the same columns; it is called again if quotes are needed."""
    try:
        _write(path, blocks(), quoted=False)
    except _NeedsQuotes:
        _write(path, blocks(), quoted=True)


def _write(path: Path, blocks: Iterator[pa.Table], *, quoted: bool) -> None:
    with open(path, "wb") as file:
        sheet = _Sheet(file, quoted)
        for number, block in enumerate(blocks):
            if number == 0:
                sheet.add([pa.array([name], TEXT) for name in block.column_names])
            sheet.add([sheet.cells(column.combine_chunks()) for column in block.columns])
    if sheet.replaced:
        log.warning("%s: %d times a | inside an item of a list was written as %s", path.name, sheet.replaced, INSTEAD)


def _text(text: str) -> pa.Scalar:
    return pa.scalar(text, TEXT)


def _joined(*columns: pa.Array | pa.Scalar, between: str) -> pa.Array:
    return pc.binary_join_element_wise(*columns, _text(between))


def _any(mask: pa.Array) -> bool:
    return bool(pc.any(mask).as_py())


def _by_json(column: pa.Array) -> pa.Array:
    values = column.to_pylist()
    return pa.array(
        [None if value is None else json.dumps(value, ensure_ascii=False, default=str) for value in values], TEXT
    )
