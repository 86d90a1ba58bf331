"""Tab-separated files with a header line, read into columns that remember the line of every row.

For sources whose files are known in advance (HPO, Hetionet): comment lines starting with # may come first, .gz is
unpacked, nothing is quoted, an empty field is an absent value. Rows of the wrong width go to `Problems`.
"""

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from clew.errors import BuildError, InputError
from clew.graph.readers.source_files import open_bytes
from clew.graph.staging import Origin, Problems

__all__ = ["TEXT", "TabSeparated", "constant", "line_origin", "map_values", "read_tab_separated"]

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
TEXT = pa.dictionary(pa.int32(), pa.string())  # the type of every column read here


@dataclass(frozen=True, slots=True)
class TabSeparated:
    """The rows of a file: `table` has dictionary-encoded strings in one chunk, `lines` the line number of each row."""

    file: str
    table: pa.Table
    lines: Ints  # (rows,) from 1
    comments: tuple[str, ...] = ()  # leading lines that start with #, as they stand

    def column(self, name: str) -> pa.DictionaryArray:
        """A column as one array; an optional column that the file does not have is all absent."""
        if name not in self.table.column_names:
            return pa.nulls(self.table.num_rows, TEXT)
        return self.table[name].combine_chunks()

    def test(self, name: str, passes: Callable[[str | None], bool]) -> Mask:
        """Which rows have a value that passes; asked once per distinct value."""
        column = self.column(name)
        answers = np.array([*map(passes, column.dictionary.to_pylist()), passes(None)], bool)
        mask: Mask = answers[column.indices.fill_null(len(answers) - 1).to_numpy(zero_copy_only=False)]
        return mask

    def keep(self, mask: Mask) -> "TabSeparated":
        """The rows where `mask` holds."""
        if mask.all():
            return self
        return TabSeparated(self.file, self.table.filter(pa.array(mask)), self.lines[mask], self.comments)

    def refuse(
        self, name: str, passes: Callable[[str | None], bool], expected: str, problems: Problems
    ) -> "TabSeparated":
        """Report rows whose value in column `name` does not pass, and return the others."""
        good = self.test(name, passes)
        column = self.column(name)
        for row in np.flatnonzero(~good).tolist():
            what = f"{name} is {column[row].as_py() or ''!r}, expected {expected}"
            problems.add("malformed row", f"{self.file}:{self.lines[row]}", what)
        return self.keep(good)


def read_tab_separated(
    path: Path, *, required: Sequence[str], optional: Sequence[str] = (), problems: Problems
) -> TabSeparated:
    """Read the named columns of a file; a missing required column is an error that names it."""
    comments, header = _head(path)
    missing = [name for name in required if name not in header]
    if missing:
        raise BuildError(f"{path} has no column {', '.join(missing)}; its columns are {', '.join(header)}")
    wanted = [name for name in (*required, *optional) if name in header]
    bad: list[int] = []

    def refuse(row: "pyarrow.csv.InvalidRow") -> str:
        fields = f"{row.actual_columns} fields, expected {row.expected_columns}"
        problems.add("malformed row", f"{path.name}:{row.number}", fields)
        bad.append(row.number)
        return "skip"

    read = pyarrow.csv.ReadOptions(skip_rows=len(comments), use_threads=False)  # threads lose line numbers
    parse = pyarrow.csv.ParseOptions(
        delimiter="\t", quote_char=False, ignore_empty_lines=False, invalid_row_handler=refuse
    )
    convert = pyarrow.csv.ConvertOptions(
        include_columns=wanted,
        column_types=dict.fromkeys(wanted, TEXT),
        null_values=[""],
        strings_can_be_null=True,
    )
    try:
        with open_bytes(path) as stream:
            table = pyarrow.csv.read_csv(stream, read_options=read, parse_options=parse, convert_options=convert)
    except (pa.ArrowInvalid, OSError, EOFError, zlib.error) as error:
        raise BuildError(f"cannot read {path} as tab-separated UTF-8 text: {error}") from error
    table = table.unify_dictionaries().combine_chunks()
    first = len(comments) + 2  # the line after the header
    lines = np.arange(first, first + table.num_rows + len(bad), dtype=np.int64)
    sheet = TabSeparated(path.name, table, np.delete(lines, np.array(bad, np.int64) - first), comments)
    blank = np.logical_and.reduce([sheet.test(name, lambda value: value is None) for name in wanted])
    return sheet.keep(~blank)  # an empty line is no row


def map_values(column: pa.DictionaryArray, change: Callable[[str], str | None]) -> pa.DictionaryArray:
    """Change the values of a column, calling once per distinct value; None makes the value absent.

    >>> map_values(pa.array(["a", "b", "a"]).dictionary_encode(), str.upper).to_pylist()
    ['A', 'B', 'A']
    """
    used = np.zeros(len(column.dictionary), bool)  # rows may have been left out since the values were collected
    used[column.indices.drop_null().to_numpy(zero_copy_only=False)] = True
    values = zip(column.dictionary.to_pylist(), used.tolist(), strict=True)
    changed = pa.array([change(value) if wanted else None for value, wanted in values], pa.string()).dictionary_encode()
    return pa.DictionaryArray.from_arrays(changed.indices.take(column.indices), changed.dictionary)


def constant(value: str | None, rows: int) -> pa.DictionaryArray:
    """A column that says the same in every row.

    >>> constant("HPO", 2).to_pylist()
    ['HPO', 'HPO']
    """
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([value], pa.string()))


def line_origin(parts: Sequence[tuple[str, Ints]]) -> Origin:
    """Where each row of a table came from that was put together from (file, line numbers) parts.

    >>> line_origin([("a.tsv", np.array([2, 3])), ("b.tsv", np.array([7]))])(2)
    'b.tsv:7'
    """
    starts = tuple(accumulate((len(lines) for _, lines in parts[:-1]), initial=0))
    return Origin(tuple(file for file, _ in parts), starts, tuple(_line_lookup(lines) for _, lines in parts))


def _line_lookup(lines: Ints) -> Callable[[int], int]:
    return lambda row: int(lines[row])


def _head(path: Path) -> tuple[tuple[str, ...], list[str]]:
    """The leading comment lines and the column names."""
    comments: list[str] = []
    try:
        with open_bytes(path) as stream:
            start = stream.read(1 << 16)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"cannot read {path}: {error}") from error
    for line in start.decode("utf-8-sig", "replace").split("\n"):
        if not line.startswith("#"):
            return tuple(comments), line.rstrip("\r").split("\t")
        comments.append(line.rstrip("\r"))
    raise BuildError(f"{path} has no header line with column names")
