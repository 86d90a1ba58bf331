"""Tables with a column `text` (and, where there, id, title, source, license): CSV, TSV and Parquet."""

import csv
import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from clew.errors import InputError
from clew.extract.corpus.document import Document
from clew.extract.corpus.readers.fields import from_fields
from clew.extract.corpus.source_files import LONGEST, SourceFile
from clew.graph.staging import Problems

__all__ = ["read_csv", "read_parquet", "read_tsv"]

COLUMNS = ("id", "title", "text", "source", "license")
Row = Mapping[str, Any]
ROWS = 256  # of a Parquet file held at once


def read_csv(file: SourceFile, problems: Problems) -> Iterator[Document]:
    """A document for each row, fields between commas, quoted where they hold commas or line breaks."""
    yield from _read_delimited(file, ",", problems)


def read_tsv(file: SourceFile, problems: Problems) -> Iterator[Document]:
    """A document for each row, fields between tabs."""
    yield from _read_delimited(file, "\t", problems)


def read_parquet(file: SourceFile, problems: Problems) -> Iterator[Document]:
    """A document for each row."""
    try:
        with pq.ParquetFile(file.path) as table:
            found = table.schema_arrow.names
            _check_columns(found)
            batches = table.iter_batches(ROWS, columns=[name for name in COLUMNS if name in found])
            rows = (fields for batch in batches for fields in batch.to_pylist())
            yield from _documents(enumerate(rows, start=1), file, problems)
    except (pa.ArrowException, UnicodeDecodeError) as error:
        problems.add("unreadable file", str(file.path), str(error).split("\n")[0])


def _read_delimited(file: SourceFile, delimiter: str, problems: Problems) -> Iterator[Document]:
    csv.field_size_limit(LONGEST)
    with file.open() as stream, io.TextIOWrapper(stream, "utf-8", newline="") as text:
        rows = csv.DictReader(text, delimiter=delimiter, strict=True)
        try:
            _check_columns(rows.fieldnames or [])
            yield from _documents(((rows.line_num, fields) for fields in rows), file, problems)
        except UnicodeDecodeError:
            problems.add("not UTF-8", f"{file.name}:{rows.line_num + 1}", "the rest of the table is left out")
        except csv.Error as error:
            problems.add("broken table", f"{file.name}:{rows.line_num}", f"{error}; the rest is left out")


def _documents(rows: Iterable[tuple[int, Row]], file: SourceFile, problems: Problems) -> Iterator[Document]:
    for number, fields in rows:
        try:
            document = from_fields(fields, file, number)
        except ValueError as error:
            problems.add("malformed record", f"{file.name}:{number}", str(error))
        else:
            yield document


def _check_columns(found: Sequence[str]) -> None:
    if "text" not in found:
        raise InputError(f"a table without a column 'text': it has {', '.join(found) or 'none'}")
