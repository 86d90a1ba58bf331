"""Delimited text (CSV, TSV) to a table of strings whose rows know their lines; an empty field is null.

The fast way is pyarrow's parser. It cannot tell a stray quote from a quoted line break, nor the line of a bad row, so a
file in which it, or a look at the quotes beforehand, finds trouble is read once more, record by record, with `csv`.
"""

import csv
import io
import logging
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from io import StringIO
from itertools import islice
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pyarrow as pa
import pyarrow.csv

from clew.errors import InputError
from clew.graph.readers.parts import Part
from clew.graph.readers.source_files import LONGEST_LINE, open_bytes, plain_suffix, read_line, reading
from clew.graph.staging import Problems

__all__ = ["DELIMITED", "Delimited", "delimiter_of"]

log = logging.getLogger(__name__)
BLOCK = 8 << 20  # bytes handed to a parser at a time
ROWS = 1 << 16  # rows turned into a chunk at a time on the careful way
LONGEST_FIELD = 2**31 - 1
MARK = b"\xef\xbb\xbf"  # the byte order mark with which some programs begin UTF-8
QUOTE, LINE_FEED, RETURN = b'"'[0], b"\n"[0], b"\r"[0]
DELIMITED = {".csv": ",", ".tsv": "\t", ".txt": "\t"}  # suffix → the delimiter expected there
CANDIDATES = ",;\t|"
NAMED = {"tab": "\t", "\\t": "\t", "comma": ",", "semicolon": ";", "pipe": "|"}
SAMPLE = 1 << 16  # bytes
RECORDS = 50


@dataclass(frozen=True, slots=True)
class Delimited:
    """A file with a header line; `quoted` says whether "…" may hold delimiters, line breaks and doubled quotes.

    `names` are the columns of a file that has no header line itself.
    """

    path: Path
    delimiter: str
    quoted: bool = True
    names: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        if len(self.delimiter) != 1 or not self.delimiter.isascii() or self.delimiter in '"\r\n':
            raise InputError(f"a delimiter is one character such as ',' or '\\t', not {self.delimiter!r}")

    def header(self) -> list[str]:
        """The column names."""
        with reading(self.path, "text"):
            with open_bytes(self.path) as stream:
                if stream.read(2) in (b"\xff\xfe", b"\xfe\xff"):
                    raise InputError(f"{self.path} is UTF-16 text, expected UTF-8: save it as UTF-8")
            for _, fields in _records(self, self._refuse_header):
                return fields
        raise InputError(f"{self.path} is empty, expected a first line that names its columns")

    def read(self, columns: Sequence[str], problems: Problems) -> Part:
        """The named columns; rows with a wrong number of fields or broken text are reported and left out."""
        with reading(self.path, "text"):
            quotes = _survey_quotes(self) if self.quoted else _Quotes()
            if quotes.regular:
                try:
                    table = self._read_fast(columns, quotes.around_line_breaks)
                    return Part(str(self.path), table, _LineFinder(self))
                except (pa.ArrowInvalid, KeyError) as error:
                    log.info("%s: reading record by record, since %s", self.path, error)
            return self._read_carefully(columns, problems)

    def blocks(self, columns: Sequence[str], problems: Problems) -> Iterator[Part]:
        """What `read` gives, in blocks; from the first trouble on, record by record."""
        done = 0
        with reading(self.path, "text"):
            quotes = _survey_quotes(self) if self.quoted else _Quotes()
            if quotes.regular:
                try:
                    finder = _LineFinder(self)
                    for batch in self._stream_fast(columns, quotes.around_line_breaks):
                        yield Part(str(self.path), pa.Table.from_batches([batch]), partial(_after, finder, done))
                        done += batch.num_rows
                    return
                except (pa.ArrowInvalid, KeyError) as error:
                    log.info("%s: reading record by record, since %s", self.path, error)
            for batch, lines in self._carefully(columns, problems):
                first = min(done, batch.num_rows)  # rows that were given out already
                done -= first
                yield Part(str(self.path), pa.Table.from_batches([batch.slice(first)]), lines[first:].__getitem__)

    def _refuse_header(self, line: int, what: str) -> None:
        raise InputError(f"{self.path}:{line}: the first line should name the columns, but has {what}")

    def _read_fast(self, columns: Sequence[str], line_breaks: bool) -> pa.Table:
        with open_bytes(self.path) as stream:
            return pyarrow.csv.read_csv(stream, **self._options(columns, line_breaks))

    def _stream_fast(self, columns: Sequence[str], line_breaks: bool) -> Iterator[pa.RecordBatch]:
        with (
            open_bytes(self.path) as stream,
            pyarrow.csv.open_csv(stream, **self._options(columns, line_breaks)) as file,
        ):
            yield from file

    def _options(self, columns: Sequence[str], line_breaks: bool) -> dict[str, Any]:
        read = pyarrow.csv.ReadOptions(block_size=BLOCK, column_names=self.names)
        parse = pyarrow.csv.ParseOptions(
            delimiter=self.delimiter, quote_char='"' if self.quoted else False, newlines_in_values=line_breaks
        )
        convert = pyarrow.csv.ConvertOptions(
            include_columns=list(columns),
            column_types=dict.fromkeys(columns, pa.string()),
            null_values=[""],
            strings_can_be_null=True,
        )
        return {"read_options": read, "parse_options": parse, "convert_options": convert}

    def _read_carefully(self, columns: Sequence[str], problems: Problems) -> Part:
        chunks: list[pa.RecordBatch] = []
        lines = array("q")
        for batch, places in self._carefully(columns, problems):
            chunks.append(batch)
            lines.extend(places)
        return Part(str(self.path), pa.Table.from_batches(chunks), lines.__getitem__)

    def _carefully(self, columns: Sequence[str], problems: Problems) -> Iterator[tuple[pa.RecordBatch, "array[int]"]]:
        """Blocks of rows with their lines."""

        def refuse(line: int, what: str) -> None:
            problems.add("malformed row", f"{self.path}:{line}", what)

        records = _records(self, refuse)
        header = list(self.names) if self.names is not None else next(records)[1]
        places = [header.index(name) for name in columns]
        rows: list[list[str]] = []
        lines = array("q")
        for line, fields in records:
            if len(fields) != len(header):
                refuse(line, f"{len(fields)} fields, expected {len(header)}")
                continue
            row = [fields[place] for place in places]
            if not _is_unicode(row):
                refuse(line, "bytes that are not UTF-8")
                continue
            rows.append(row)
            lines.append(line)
            if len(rows) == ROWS:
                yield _batch(columns, rows), lines
                rows, lines = [], array("q")
        yield _batch(columns, rows), lines


def _after(finder: "_LineFinder", first: int, row: int) -> int:
    return finder(first + row)


def _batch(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> pa.RecordBatch:
    values = zip(*rows, strict=True) if rows else [()] * len(columns)
    arrays = [pa.array([value or None for value in column], pa.string()) for column in values]
    return pa.RecordBatch.from_arrays(arrays, list(columns))


def _is_unicode(values: Sequence[str]) -> bool:
    text = "".join(values)
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _records(file: Delimited, refuse: Callable[[int, str], None]) -> Iterator[tuple[int, list[str]]]:
    """Every record with the line it begins on; what cannot be parsed goes to `refuse` and costs only its first line."""
    csv.field_size_limit(max(LONGEST_FIELD, csv.field_size_limit()))
    quoting: Literal[0, 3] = csv.QUOTE_MINIMAL if file.quoted else csv.QUOTE_NONE
    with (
        open_bytes(file.path) as stream,
        io.TextIOWrapper(stream, encoding="utf-8-sig", errors="surrogateescape", newline="") as text,
    ):
        lines = _Lines(_bounded(text, file.path))
        records = csv.reader(lines, delimiter=file.delimiter, quoting=quoting, strict=True)
        while True:
            try:
                fields = next(records)
            except StopIteration:
                return
            except csv.Error as error:
                refuse(lines.settle(rewind=True), _reason(error))
                continue
            line = lines.settle()
            if fields:
                yield line, fields


def _bounded(text: io.TextIOWrapper, path: Path) -> Iterator[str]:
    """The lines of a text, each within bounds."""
    while line := text.readline(LONGEST_LINE):
        if len(line) == LONGEST_LINE:
            raise InputError(f"{path} has a line of more than {LONGEST_LINE:,} characters: it is no table of text")
        yield line


def _reason(error: csv.Error) -> str:
    if "end of data" in str(error):
        return "a quote that is never closed"
    if "expected after" in str(error):
        return "a quoted field with text after its closing quote"
    return str(error)


@dataclass(slots=True)
class _Lines:
    """An iterator that remembers the lines of the current record, so that a misread record can be read again."""

    source: Iterator[str]
    number: int = 0  # lines settled
    taken: list[str] = field(default_factory=list)
    returned: deque[str] = field(default_factory=deque)

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self.returned.popleft() if self.returned else next(self.source)
        self.taken.append(line)
        return line

    def settle(self, *, rewind: bool = False) -> int:
        """The line the record began on; with `rewind`, all lines after that one are given out again."""
        first = self.number + 1
        if rewind:
            self.returned.extendleft(reversed(self.taken[1:]))
            self.number += 1
        else:
            self.number += len(self.taken)
        self.taken.clear()
        return first


@dataclass(slots=True)
class _LineFinder:
    """From a row to the line it begins on, found by reading the records again as far as needed."""

    file: Delimited
    lines: "array[int]" = field(default_factory=lambda: array("q"))
    records: Iterator[tuple[int, list[str]]] | None = None

    def __call__(self, row: int) -> int:
        if self.records is None:
            self.records = _records(self.file, lambda line, what: None)
            if self.file.names is None:
                next(self.records)
        while len(self.lines) <= row:
            self.lines.append(next(self.records)[0])
        return self.lines[row]


@dataclass(frozen=True, slots=True)
class _Quotes:
    """What the quotes of a file are like."""

    regular: bool = True  # each opens at a field's start, closes at its end, or is one of a doubled pair
    around_line_breaks: bool = False


def _survey_quotes(file: Delimited) -> _Quotes:
    inside = False  # a quoted field is open
    around_line_breaks = False
    borders = np.array([ord(file.delimiter), LINE_FEED, RETURN, QUOTE], np.uint8)
    with open_bytes(file.path) as stream:
        first = stream.read(len(MARK))
        block = (b"" if first == MARK else first) + stream.read(BLOCK) + read_line(stream, file.path)
        while block:
            data = np.frombuffer(block, np.uint8)
            quotes = np.flatnonzero(data == QUOTE)
            opening, closing = quotes[inside::2], quotes[not inside :: 2]
            # Beyond either end of a block there is a line break or nothing: quotes there need no look at a neighbour.
            before = data[opening[opening > 0] - 1]
            after = data[closing[closing < len(data) - 1] + 1]
            if not (np.isin(before, borders).all() and np.isin(after, borders).all()):
                return _Quotes(regular=False)
            if not around_line_breaks and (inside or len(quotes)):
                breaks = np.flatnonzero((data == LINE_FEED) | (data == RETURN))
                around_line_breaks = bool(((np.searchsorted(quotes, breaks) + inside) % 2).any())
            inside = bool((len(quotes) + inside) % 2)
            block = stream.read(BLOCK) + read_line(stream, file.path)
    return _Quotes(regular=not inside, around_line_breaks=around_line_breaks)


def delimiter_of(path: Path, given: str | None = None) -> str:
    """The delimiter that was given, else the one that splits the file's first records into equally many fields.

    The delimiter that belongs to the suffix wins wherever it fits, so a `;` inside the fields of a CSV is harmless.
    """
    if given is not None:
        chosen = NAMED.get(given, given)
        if len(chosen) != 1 or not chosen.isascii() or chosen in '"\r\n':
            raise InputError(f"delimiter= takes one character, or tab, comma, semicolon or pipe, not {given!r}")
        return chosen
    with reading(path, "text"), open_bytes(path) as stream:
        sample = stream.read(SAMPLE)
    text = sample.decode("utf-8-sig", errors="replace")
    expected = DELIMITED[plain_suffix(path)]
    candidates = sorted(CANDIDATES, key=lambda each: each != expected)
    widths = {each: _widths(text, each, whole=len(sample) < SAMPLE) for each in candidates}
    regular = {each: found[0] for each, found in widths.items() if found and found[0] > 1 and len(set(found)) == 1}
    if expected in regular or not regular:
        return next((each for each in candidates if widths[each] and widths[each][0] > 1), expected)
    return max(regular, key=lambda each: regular[each])


def _widths(text: str, delimiter: str, *, whole: bool) -> list[int]:
    """The number of fields of each of the first records; a sample that ends inside a record leaves the last one out."""
    found: list[int] = []
    with suppress(csv.Error):
        records = islice(csv.reader(StringIO(text, newline=""), delimiter=delimiter), RECORDS)
        found.extend(len(record) for record in records if record)
    return found if whole or len(found) == RECORDS else found[:-1] or found
