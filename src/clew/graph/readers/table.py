"""Tables of triples, and of entities, from CSV, TSV, Parquet and Arrow files or from tables in memory.

Columns are found by name (`header.py`): of triples, all that is no part of the triple or its provenance is a qualifier;
of entities, all that is no id, name, type, synonym or cross-reference is a property.
"""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet

from clew.errors import InputError
from clew.graph.readers.columnar_sizes import check_arrow, check_columns, check_rows, stored_by_dictionary
from clew.graph.readers.conversion import LIST_SEPARATOR, Mask, convert
from clew.graph.readers.delimited import DELIMITED, Delimited, delimiter_of
from clew.graph.readers.header import Header, check_names, entity_columns_of, triple_columns_of
from clew.graph.readers.parts import CONFIDENCE, TRIPLE, Part, check_entities, check_triples, join
from clew.graph.readers.source_files import check_file, plain_suffix, reading, unreadable
from clew.graph.staging import ASSERTION_TYPES, QUALIFIER_PREFIX, Origin, Problems, Relation, Source, Staged
from clew.progress import Progress, silent, track

__all__ = ["entity_blocks", "read", "triple_blocks"]

ARROW = (".arrow", ".feather", ".ipc")


def read(
    triples: Any,
    *,
    entities: Any = None,
    columns: Mapping[str, str] | None = None,
    drop_columns: Sequence[str] = (),
    entity_columns: Mapping[str, str] | None = None,
    delimiter: str | None = None,
    list_separator: str = LIST_SEPARATOR,
    relations: Sequence[Relation] = (),
    sources: Sequence[Source] = (),
    problems: Problems,
    progress: Progress = silent,
) -> Staged:
    """Read triples, and entities if given; each is a path, a table (anything Arrow or pandas), or a list of these.

    `columns` and `entity_columns` map our names to the table's: `{"subject": "h", "qualifier:frequency": "freq"}`.
    Other columns of a table of triples are kept as qualifiers of statements under their own names, except
    `drop_columns`, and so is a column confidence that has words in it instead of numbers; those of a table of entities
    are kept as properties. Text in the columns synonyms, xrefs and evidence is split at `list_separator`.
    """
    if not list_separator:
        raise InputError("list_separator= is empty, expected what separates the items of a list, such as |")
    check_names(columns or {})
    triple_parts = _parts(
        triples,
        "triples",
        lambda header: triple_columns_of(header, columns or {}, drop_columns),
        delimiter,
        problems,
        progress,
    )
    staged, origin = join(
        [check_triples(part, problems, separator=list_separator) for part in triple_parts], encode=lambda name: True
    )
    described, entity_origin = None, Origin()
    if entities is not None:
        entity_parts = _parts(
            entities,
            "entities",
            lambda header: entity_columns_of(header, entity_columns or {}),
            delimiter,
            problems,
            progress,
        )
        described, entity_origin = join(
            [check_entities(part, problems, separator=list_separator) for part in entity_parts],
            encode=lambda name: name == "type",
        )
    return Staged(staged, described, relations, sources, origin, entity_origin)


def triple_blocks(
    triples: Any,
    *,
    columns: Mapping[str, str],
    drop_columns: Sequence[str] = (),
    delimiter: str | None,
    separator: str,
    rows: int,
    problems: Problems,
) -> Iterator[Part]:
    """What `read` reads as triples, in blocks of at most about `rows` rows."""
    check_names(columns)
    found = _blocks(
        triples,
        "triples",
        lambda header: triple_columns_of(header, columns, drop_columns),
        delimiter,
        rows,
        problems,
    )
    return (check_triples(part, problems, separator=separator) for part in found)


def entity_blocks(
    entities: Any, *, columns: Mapping[str, str], delimiter: str | None, separator: str, rows: int, problems: Problems
) -> Iterator[Part]:
    """What `read` reads as entities, in blocks of at most about `rows` rows."""
    found = _blocks(entities, "entities", lambda header: entity_columns_of(header, columns), delimiter, rows, problems)
    return (check_entities(part, problems, separator=separator) for part in found)


# ---- reading


@dataclass(frozen=True, slots=True)
class _Table:
    """A table that has been opened, not yet read: its columns, and how to read some of them, or in blocks."""

    header: Header
    load: Callable[[Sequence[str]], Part]
    blocks: Callable[[Sequence[str], int], Iterator[Part]]


def _parts(
    given: Any,
    what: str,
    find_columns: Callable[[Header], dict[str, str]],
    delimiter: str | None,
    problems: Problems,
    progress: Progress,
) -> Iterator[Part]:
    """Each file or table that was given, with the columns that are used under our names."""
    items = _items(given, what)
    for item in track(items, f"reading {what}", progress, total=len(items)):
        table = _open(item, delimiter, problems)
        found = find_columns(table.header)
        yield _renamed(table.load(list(dict.fromkeys(found.values()))), found)


def _blocks(
    given: Any,
    what: str,
    find_columns: Callable[[Header], dict[str, str]],
    delimiter: str | None,
    rows: int,
    problems: Problems,
) -> Iterator[Part]:
    """Each file or table that was given, block by block, with the columns that are used under our names."""
    for item in _items(given, what):
        table = _open(item, delimiter, problems)
        found = find_columns(table.header)
        for part in table.blocks(list(dict.fromkeys(found.values())), rows):
            yield _renamed(part, found)


def _items(given: Any, what: str) -> list[Any]:
    items = list(given) if isinstance(given, list | tuple) else [given]
    if not items:
        raise InputError(f"{what}= is an empty list, expected at least one file or table")
    return items


def _renamed(part: Part, found: Mapping[str, str]) -> Part:
    renamed = pa.table(
        {_meant(ours, part.table.column(theirs)): part.table.column(theirs) for ours, theirs in found.items()}
    )
    _check_ids(part.name, renamed)
    return Part(part.name, renamed, part.line)


def _meant(name: str, values: pa.ChunkedArray) -> str:
    """What a column is: one called confidence in which all is said in words ("probable") is a qualifier."""
    said = np.flatnonzero(values.is_valid().to_numpy()) if name == CONFIDENCE else np.zeros(0, np.int64)
    if not len(said) or _unread(values.slice(int(said[0]), 1)) is None:  # mostly, the first tells
        return name
    unread = _unread(values)
    return QUALIFIER_PREFIX + name if unread is not None and unread[said].all() else name


def _unread(values: pa.ChunkedArray) -> Mask | None:
    return convert(values, ASSERTION_TYPES[CONFIDENCE])[1]


def _check_ids(name: str, table: pa.Table) -> None:
    for column in (*TRIPLE, "id"):
        if column in table.column_names and pa.types.is_floating(table.schema.field(column).type):
            raise InputError(
                f"{name}: the {column} column holds numbers with fractions, expected text or whole numbers"
            )


def _open(item: Any, delimiter: str | None, problems: Problems) -> _Table:
    if isinstance(item, str | os.PathLike):
        path = check_file(item)
        suffix = plain_suffix(path)
        if suffix in DELIMITED:
            file = Delimited(path, delimiter_of(path, delimiter))
            return _Table(
                Header(str(path), file.header()),
                lambda names: file.read(names, problems),
                lambda names, rows: file.blocks(names, problems),
            )
        if path.suffix.lower() == ".parquet":
            return _open_parquet(path)
        if path.suffix.lower() in ARROW:
            return _from_memory(_open_arrow(path), str(path))
        raise unreadable(path, f"{', '.join((*DELIMITED, '.parquet', *ARROW))} (text also with .gz)")
    return _from_memory(_as_table(item), "table")


def _open_parquet(path: Path) -> _Table:
    with reading(path, "Parquet"), pyarrow.parquet.ParquetFile(path) as file:
        header = _header(str(path), file.schema_arrow)
        check_rows(path, file)

    def load(wanted: Sequence[str]) -> Part:
        with reading(path, "Parquet"):
            file = pyarrow.parquet.ParquetFile(path, memory_map=True)
            by_dictionary = stored_by_dictionary(path, file)
            with pyarrow.parquet.ParquetFile(path, memory_map=True, read_dictionary=by_dictionary) as file:
                part = _validated(Part(str(path), file.read(columns=list(wanted)), _next_number))
                check_columns(path, part.table)
                return part

    def blocks(wanted: Sequence[str], rows: int) -> Iterator[Part]:
        with reading(path, "Parquet"), pyarrow.parquet.ParquetFile(path) as file:
            first = 0
            for batch in file.iter_batches(batch_size=rows, columns=list(wanted)):
                yield _validated(Part(str(path), pa.Table.from_batches([batch]), partial(_next_number, first=first)))
                first += batch.num_rows

    return _Table(header, load, blocks)


def _open_arrow(path: Path) -> pa.Table:
    with reading(path, "Arrow"):
        check_arrow(path)
        try:
            table = pa.ipc.open_file(pa.memory_map(str(path))).read_all()
        except pa.ArrowInvalid:
            table = pa.ipc.open_stream(pa.memory_map(str(path))).read_all()
        table.validate(full=True)
        check_columns(path, table)
        return table


def _as_table(item: Any) -> pa.Table:
    try:
        if isinstance(item, pa.Table):
            return item
        if type(item).__module__.split(".")[0] == "pandas":
            return pa.Table.from_pandas(item, preserve_index=False)
        if hasattr(item, "__arrow_c_stream__") or hasattr(item, "__arrow_c_array__"):
            return pa.table(item)
    except (pa.ArrowException, TypeError, ValueError) as error:
        raise InputError(f"the {type(item).__name__} given cannot be read as a table: {error}") from error
    raise InputError(f"expected a path, an Arrow table or a data frame, got {type(item).__name__}")


def _from_memory(table: pa.Table, name: str) -> _Table:
    def blocks(names: Sequence[str], rows: int) -> Iterator[Part]:
        for first in range(0, max(1, table.num_rows), rows):
            part = table.select(list(names)).slice(first, rows)
            yield _validated(Part(name, part, partial(_next_number, first=first)))

    return _Table(
        _header(name, table.schema),
        lambda names: _validated(Part(name, table.select(list(names)), _next_number)),
        blocks,
    )


def _header(name: str, schema: pa.Schema) -> Header:
    return Header(name, schema.names, frozenset(each.name for each in schema if _is_no_text(each.type)))


def _is_no_text(kind: pa.DataType) -> bool:
    """Records, maps, lists of these, and bytes: nothing that one text can hold."""
    while pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_dictionary(kind):
        kind = kind.value_type
    binary = pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)
    return bool(binary or pa.types.is_nested(kind))


def _validated(part: Part) -> Part:
    """The part, once its text is known to be UTF-8: Parquet and Arrow do not look."""
    for name, column in zip(part.table.column_names, part.table.columns, strict=True):
        try:
            column.validate(full=True)
        except pa.ArrowInvalid as error:
            raise InputError(f"{part.name}: column {name!r} is damaged: {error}") from error
    return part


def _next_number(row: int, *, first: int = 0) -> int:
    return first + row + 1
