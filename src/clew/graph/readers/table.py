"""Tables of triples, and of entities, from CSV, TSV, Parquet and Arrow files or from tables in memory.

Columns are found by name: `subject`, `relation`, `object` (or a synonym, see SYNONYMS), any of ASSERTION_TYPES and
`qualifier:NAME`; for entities `id`, `name`, `type`, `synonyms`, `xrefs`. `columns` says where they differ.
"""

import logging
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet

from clew.errors import InputError
from clew.graph.readers.columnar_sizes import check_arrow, check_columns, check_rows, stored_by_dictionary
from clew.graph.readers.conversion import LIST_SEPARATOR
from clew.graph.readers.delimited import DELIMITED, Delimited, delimiter_of
from clew.graph.readers.parts import DESCRIPTIONS, TRIPLE, Part, check_entities, check_triples, join
from clew.graph.readers.source_files import check_file, plain_suffix, reading, unreadable
from clew.graph.staging import ASSERTION_TYPES, QUALIFIER_PREFIX, Origin, Problems, Relation, Source, Staged
from clew.progress import Progress, silent, track

__all__ = ["SYNONYMS", "entity_blocks", "read", "triple_blocks"]

log = logging.getLogger(__name__)

# What else a column may be called, first match wins; upper and lower case are alike. `source` and `target` are taken
# for subject and object only when a table has both of them and nothing else that is called subject or object.
SYNONYMS = {
    "subject": ("head",),
    "relation": ("predicate",),
    "object": ("tail",),
    "id": ("curie", "identifier"),
    "name": ("label",),
    "type": ("category",),
    "synonyms": ("synonym",),
    "xrefs": ("xref",),
}
ENTITY = ("id", "name", "type", "synonyms", "xrefs")
ARROW = (".arrow", ".feather", ".ipc")
NAMES_SHOWN = 20


def read(
    triples: Any,
    *,
    entities: Any = None,
    columns: Mapping[str, str] | None = None,
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
    Other columns of a table of triples are left out; those of a table of entities are kept as properties. Text in the
    columns synonyms, xrefs and evidence is split at `list_separator`.
    """
    if not list_separator:
        raise InputError("list_separator= is empty, expected what separates the items of a list, such as |")
    _check_names(columns or {})
    triple_parts = _parts(
        triples, "triples", lambda table: _triple_columns(table, columns or {}), delimiter, problems, progress
    )
    staged, origin = join(
        [check_triples(part, problems, separator=list_separator) for part in triple_parts], encode=lambda name: True
    )
    described, entity_origin = None, Origin()
    if entities is not None:
        entity_parts = _parts(
            entities,
            "entities",
            lambda table: _entity_columns(table, entity_columns or {}),
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
    triples: Any, *, columns: Mapping[str, str], delimiter: str | None, separator: str, rows: int, problems: Problems
) -> Iterator[Part]:
    """What `read` reads as triples, in blocks of at most about `rows` rows."""
    _check_names(columns)
    found = _blocks(triples, "triples", lambda table: _triple_columns(table, columns), delimiter, rows, problems)
    return (check_triples(part, problems, separator=separator) for part in found)


def entity_blocks(
    entities: Any, *, columns: Mapping[str, str], delimiter: str | None, separator: str, rows: int, problems: Problems
) -> Iterator[Part]:
    """What `read` reads as entities, in blocks of at most about `rows` rows."""
    found = _blocks(entities, "entities", lambda table: _entity_columns(table, columns), delimiter, rows, problems)
    return (check_entities(part, problems, separator=separator) for part in found)


# ---- finding columns


@dataclass(frozen=True, slots=True)
class _Table:
    """A table that has been opened, not yet read: its name, its columns, and how to read some of them, or in blocks."""

    name: str
    columns: Sequence[str]
    load: Callable[[Sequence[str]], Part]
    blocks: Callable[[Sequence[str], int], Iterator[Part]]


def _check_names(columns: Mapping[str, str]) -> None:
    known = (*TRIPLE, *ASSERTION_TYPES, *DESCRIPTIONS)
    for name in columns:
        if name not in known and not _is_qualifier(name):
            raise InputError(f"columns= maps {name!r}, which is none of {', '.join(known)}, qualifier:NAME")


def _is_qualifier(name: str) -> bool:
    return name.startswith(QUALIFIER_PREFIX) and name != QUALIFIER_PREFIX


def _triple_columns(table: _Table, columns: Mapping[str, str]) -> dict[str, str]:
    """Our name → the table's name, for every column that is used."""
    found = _find(table, (*TRIPLE, *ASSERTION_TYPES, *DESCRIPTIONS), columns, "columns")
    if "subject" not in found and "object" not in found:
        ends = _find(table, ("source", "target"), {}, "columns")
        if len(ends) == 2 and not set(ends.values()) & set(columns.values()):
            found |= {"subject": ends["source"], "object": ends["target"]}
            found.pop("source", None)
    taken = set(found.values())
    found |= {name: name for name in table.columns if _is_qualifier(name) and name not in taken}
    _require(table, found, TRIPLE, "columns")
    left_out = [name for name in table.columns if name not in found.values()]
    if left_out:
        keep = f"to keep one, map it: qualifier:{left_out[0]}={left_out[0]}"
        log.warning("%s: columns left out: %s (%s)", table.name, ", ".join(left_out), keep)
    return found


def _entity_columns(table: _Table, columns: Mapping[str, str]) -> dict[str, str]:
    found = _find(table, ENTITY, columns, "entity_columns")
    _require(table, found, ("id",), "entity_columns")
    taken = set(found.values())
    for name in table.columns:
        if name in found and name not in taken:
            log.info("%s: column %s left out, since %s is read as %s", table.name, name, found[name], name)
        elif name and name not in taken:
            found[name] = name
    return found


def _find(table: _Table, names: Iterable[str], columns: Mapping[str, str], option: str) -> dict[str, str]:
    """Where each of `names` is: as the caller says, else under its own name, else under a synonym."""
    absent = [name for name in columns.values() if name not in table.columns]
    if absent:
        raise InputError(f"{table.name} has no column {absent[0]!r}, which {option}= names; {_shown(table)}")
    found = dict(columns)
    free = [name for name in table.columns if name not in columns.values()]
    lowered = {name.lower(): name for name in reversed(free)}
    for name in names:
        if name in found:
            continue
        if name in free:
            found[name] = name
            continue
        match = next((lowered[each] for each in (name, *SYNONYMS.get(name, ())) if each in lowered), None)
        if match is not None:
            found[name] = match
    return found


def _require(table: _Table, found: Mapping[str, str], required: Sequence[str], option: str) -> None:
    missing = [name for name in required if name not in found]
    if missing:
        wanted = ", ".join(f"{name!r}: 'COLUMN'" for name in missing)
        raise InputError(
            f"{table.name} has no column for {', '.join(missing)}; {_shown(table)}; name them with "
            f"{option}={{{wanted}}} (a text file begins with a line of column names, separated by delimiter=)"
        )
    repeated = sorted({name for name in found.values() if table.columns.count(name) > 1})
    if repeated:
        raise InputError(f"{table.name} has the column {repeated[0]!r} more than once; rename all but one")


def _shown(table: _Table) -> str:
    names = [repr(name) for name in table.columns]
    more = f" and {len(names) - NAMES_SHOWN} more" if len(names) > NAMES_SHOWN else ""
    if any("\\udc" in name for name in names):
        more += " (it is not UTF-8: convert it first, for instance with iconv -f latin1 -t utf8)"
    return f"its columns are {', '.join(names[:NAMES_SHOWN])}{more}" if names else "it has no columns"


# ---- reading


def _parts(
    given: Any,
    what: str,
    find_columns: Callable[[_Table], dict[str, str]],
    delimiter: str | None,
    problems: Problems,
    progress: Progress,
) -> Iterator[Part]:
    """Each file or table that was given, with the columns that are used under our names."""
    items = _items(given, what)
    for item in track(items, f"reading {what}", progress, total=len(items)):
        table = _open(item, delimiter, problems)
        found = find_columns(table)
        yield _renamed(table.load(list(dict.fromkeys(found.values()))), found)


def _blocks(
    given: Any,
    what: str,
    find_columns: Callable[[_Table], dict[str, str]],
    delimiter: str | None,
    rows: int,
    problems: Problems,
) -> Iterator[Part]:
    """Each file or table that was given, block by block, with the columns that are used under our names."""
    for item in _items(given, what):
        table = _open(item, delimiter, problems)
        found = find_columns(table)
        for part in table.blocks(list(dict.fromkeys(found.values())), rows):
            yield _renamed(part, found)


def _items(given: Any, what: str) -> list[Any]:
    items = list(given) if isinstance(given, list | tuple) else [given]
    if not items:
        raise InputError(f"{what}= is an empty list, expected at least one file or table")
    return items


def _renamed(part: Part, found: Mapping[str, str]) -> Part:
    renamed = pa.table({ours: part.table.column(theirs) for ours, theirs in found.items()})
    _check_ids(part.name, renamed)
    return Part(part.name, renamed, part.line)


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
                str(path),
                file.header(),
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
        names = file.schema_arrow.names
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

    return _Table(str(path), names, load, blocks)


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
        name, table.column_names, lambda names: _validated(Part(name, table.select(list(names)), _next_number)), blocks
    )


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
