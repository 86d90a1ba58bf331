"""The embedded store: a Ladybug database beside the graph, built once and opened read-only.

`build_embedded` loads a graph into typed tables, one for each label and relationship name, and seals the directory;
`EmbeddedStore` runs queries on it. Several processes can open it.
"""

import errno
import logging
import os
import shutil
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from importlib import metadata
from pathlib import Path
from typing import Any

import pyarrow as pa

from clew.closing import Closing
from clew.errors import ClewError, DamagedDerived, DerivedError, GraphError, QueryError, StoreError
from clew.graph import GraphContents
from clew.progress import Progress, silent
from clew.sealed import Seal, building, new_sealed, open_seal
from clew.store.columns import entity_tables, relationship_tables
from clew.store.cypher import Statement, quote, quote_text
from clew.store.deadline import Deadline
from clew.store.layout import LAYOUT_VERSION, Property, StoreSchema, lay_out
from clew.store.packing import pack, unpack
from clew.store.prepare import DEFAULT_LIMIT, DEFAULT_TIMEOUT, prepare
from clew.store.process.pool import Pool
from clew.store.process.process import Process, QueryFailed
from clew.store.values import EntityValue, PathValue, RelationshipValue, Rows, Triples, Value

__all__ = ["EmbeddedStore", "build_embedded", "embedded_path", "open_or_build_embedded"]

log = logging.getLogger(__name__)
FILE = "store.lbug"
PENDING = (f"{FILE}.wal", f"{FILE}.shadow", f"{FILE}.checkpoint")  # changes that Ladybug would apply
ROWS_AT_ONCE = 4_000_000  # rows of one COPY: bounds the memory used to load a large relation
MEMORY = 2 << 30  # bytes for one query
ROWS_BETWEEN_CHECKS = 256  # of the deadline
WHAT = "the embedded Cypher store of {graph}"
COLUMN_TYPES = {
    "string": "STRING", "integer": "INT64", "float": "DOUBLE", "boolean": "BOOL",
    "strings": "STRING[]", "integers": "INT64[]", "floats": "DOUBLE[]", "booleans": "BOOL[]",
}  # fmt: skip
PACKED_TYPES = COLUMN_TYPES | {"strings": "STRING"}
Connect = Callable[[], Any]  # opens a Ladybug connection
DISK_FULL = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)
LEAST_FREE = 1 << 20  # bytes; a disk with less is full
Ends = Mapping[int, tuple[str, str]]  # ids of subject and object by triple number
OWN_COLUMNS = ("_ID", "_LABEL", "_SRC", "_DST")


def embedded_path(contents: GraphContents, path: Path | None = None, *, new: bool = False) -> Path:
    """The directory of the embedded store of a graph, or where to write it."""
    return contents.snapshot.derived("ladybug", new=new) if path is None else Path(path)


# building ---------------------------------------------------------------------------------------------------------


def build_embedded(contents: GraphContents, *, path: Path | None = None, progress: Progress = silent) -> Path:
    """Load a graph into an embedded store; an existing store is replaced atomically at the end."""
    own, path = path is None, embedded_path(contents, path, new=True)
    contents.verify()  # what is derived from a graph is trusted
    schema = lay_out(contents)
    begun = time.monotonic()
    with new_sealed(path, _identity(contents), what=WHAT.format(graph=contents.snapshot), own=own) as directory:
        try:
            with _new_database(directory / FILE) as connect:
                _load_entities(contents, schema, connect, progress)
                _load_relationships(contents, schema, connect, progress)
        except (RuntimeError, OSError) as error:
            if isinstance(error, ClewError):
                raise
            raise _not_loaded(contents, path, error) from error
    log.info("loaded %s into %s in %.1f s", contents.snapshot, path, time.monotonic() - begun)
    return path


def open_or_build_embedded(
    contents: GraphContents, *, path: Path | None = None, progress: Progress = silent
) -> "EmbeddedStore":
    """Open the embedded store; it is built first if it is missing or damaged, or belongs to another snapshot."""
    try:
        return EmbeddedStore(contents, path=path)
    except DerivedError as reason:
        log.info("%s", reason)
    with building(embedded_path(contents, path, new=True)):
        try:
            return EmbeddedStore(contents, path=path)  # another program has built it meanwhile
        except DerivedError as reason:
            try:
                build_embedded(contents, path=path, progress=progress)
            except GraphError as error:
                raise DerivedError(f"{reason}; building it failed: {error}") from error
    return EmbeddedStore(contents, path=path)


def _not_loaded(contents: GraphContents, path: Path, error: Exception) -> StoreError:
    """The error for a load that failed, in particular for a full disk, which Ladybug reports in many ways."""
    said = str(error)
    reasons = [os.strerror(code) for code in DISK_FULL if os.strerror(code) in said]
    if "Cannot write to file" in said:
        reasons.append("a write was incomplete")
    with suppress(OSError):
        if shutil.disk_usage(path.parent).free < LEAST_FREE:
            reasons.append(os.strerror(errno.ENOSPC))
    if reasons:
        remedy = f"free disk space, then run `{_remedy(contents)}`"
        return StoreError(f"{path} cannot be written ({reasons[0]}): {remedy}")
    return StoreError(f"{contents.snapshot} could not be loaded into Ladybug: {_first_line(error)}")


@contextmanager
def _new_database(file: Path) -> Iterator[Connect]:
    """Create a database; yields a function that opens a connection."""
    with suppress(ImportError):
        # On its own, Ladybug's library exports its symbols globally, and llama.cpp's library, loaded later, then
        # crashes. Importing the extension module first keeps its symbols local.
        import ladybug._lbug
    import ladybug

    database = ladybug.Database(file)
    try:
        yield partial(ladybug.Connection, database)
    except BaseException:
        with suppress(RuntimeError):  # the first error is raised
            database.close()
        raise
    database.close()


def _identity(contents: GraphContents) -> dict[str, str | int | float | bool]:
    return {
        "snapshot": contents.snapshot.id,
        "ladybug": metadata.version("ladybug"),
        "layout": LAYOUT_VERSION,
    }


def _load_entities(contents: GraphContents, schema: StoreSchema, connect: Connect, progress: Progress) -> None:
    """One table for each label. A connection keeps its tables in memory, so each label gets a new connection."""
    task, done = "loading entities", 0
    progress(task, done, schema.entity_count)
    columns = ["id STRING PRIMARY KEY", "name STRING", *(_column(each, COLUMN_TYPES) for each in schema.properties)]
    for label in schema.labels:
        with connect() as connection:
            connection.execute(f"CREATE NODE TABLE {quote(label.name)}({', '.join(columns)})")
            for table in entity_tables(contents, schema, label, rows=ROWS_AT_ONCE):
                connection.execute(f"COPY {quote(label.name)} FROM $rows", {"rows": table})
                done += table.num_rows
                progress(task, done, schema.entity_count)


def _load_relationships(contents: GraphContents, schema: StoreSchema, connect: Connect, progress: Progress) -> None:
    """One table for each name, with all the pairs of labels it connects."""
    task, done = "loading relationships", 0
    progress(task, done, schema.relationship_count)
    for each in schema.relationships:
        pairs = [f"FROM {quote(ends.subject)} TO {quote(ends.object)}" for ends in each.ends]
        columns = [_column(property, PACKED_TYPES) for property in each.properties]
        with connect() as connection:
            listed = ", ".join([*pairs, "triple INT64", *columns])
            connection.execute(f"CREATE REL TABLE {quote(each.name)}({listed})")
            for ends, table in relationship_tables(contents, schema, each, rows=ROWS_AT_ONCE):
                pair = f"from={quote_text(ends.subject)}, to={quote_text(ends.object)}"
                connection.execute(f"COPY {quote(each.name)} FROM $rows ({pair})", {"rows": _packed(table)})
                done += table.num_rows
                progress(task, done, schema.relationship_count)


def _column(property: Property, types: Mapping[str, str]) -> str:
    return f"{quote(property.name)} {types[property.kind]}"


def _packed(table: pa.Table) -> pa.Table:
    """Relationships with their lists of strings packed into strings."""
    columns = {name: table[name].combine_chunks() for name in table.column_names}
    return pa.table(
        {name: pack(each) if each.type == pa.list_(pa.string()) else each for name, each in columns.items()}
    )


# querying ---------------------------------------------------------------------------------------------------------


class EmbeddedStore(Closing):
    """A store opened read-only in child processes. `memory` is the limit for one query, in bytes."""

    name = "embedded"
    dialect = "ladybug"

    def __init__(self, contents: GraphContents, *, path: Path | None = None, memory: int = MEMORY) -> None:
        self.path = embedded_path(contents, path)
        self._seal = _open_seal(contents, self.path)
        prove = partial(_prove, self._seal)
        self._pool = Pool(partial(Process, self.path / FILE, memory=memory, remedy=_remedy(contents), prove=prove))
        self._end = weakref.finalize(self, self._pool.close)
        self.schema = lay_out(contents)
        self._triples = Triples(contents)

    def run(
        self,
        query: str | Statement,
        parameters: Mapping[str, Any] | None = None,
        *,
        timeout: float = DEFAULT_TIMEOUT,
        limit: int = DEFAULT_LIMIT,
    ) -> Rows:
        """Run one read-only query."""
        deadline = Deadline.after(timeout)
        ready = prepare(query, parameters, schema=self.schema, dialect=self.dialect, deadline=deadline, limit=limit)
        try:
            with self._pool.lend(deadline) as process:
                answer = process.ask(ready.text, ready.parameters, limit=limit, deadline=deadline)
        except QueryFailed as error:
            raise _translated(error, deadline) from error
        rows: list[tuple[Value, ...]] = []
        for start in range(0, len(answer.rows), ROWS_BETWEEN_CHECKS):
            deadline.check()
            some = answer.rows[start : start + ROWS_BETWEEN_CHECKS]
            ends = self._triples.ends_of(_triple_numbers(some))
            rows += [tuple([self._value(value, ends) for value in row]) for row in some]
        return Rows(ready.columns or answer.columns, rows, answer.more, timeout - deadline.left)

    def _value(self, value: Any, ends: Ends) -> Value:
        if isinstance(value, list):
            return [self._value(each, ends) for each in value]
        if not isinstance(value, dict):
            return value
        if "_NODES" in value and "_RELS" in value:
            entities, relationships = (self._value(value[each], ends) for each in ("_NODES", "_RELS"))
            return PathValue(tuple(entities), tuple(relationships))
        if "_SRC" in value:
            return self._relationship(value, ends)
        if "_LABEL" in value and "_ID" in value:
            return self._entity(value)
        return {name: self._value(each, ends) for name, each in value.items()}

    def _entity(self, value: dict[str, Any]) -> EntityValue:
        properties = {k: v for k, v in value.items() if v is not None and k not in (*OWN_COLUMNS, "id", "name")}
        return EntityValue(value["id"], value["name"], self.schema.type_of(value["_LABEL"]), properties)

    def _relationship(self, value: dict[str, Any], ends: Ends) -> RelationshipValue:
        meaning = self.schema.relationship(value["_LABEL"])
        triple = value["triple"]
        subject, object_ = ends[triple]
        properties = {k: v for k, v in value.items() if v is not None and k not in (*OWN_COLUMNS, "triple")}
        properties |= {k: unpack(v) for k, v in properties.items() if isinstance(v, str)}
        return RelationshipValue(meaning.relation, subject, object_, triple, meaning.negated_only, properties)

    def close(self) -> None:
        """Close the store and end its processes."""
        self._end()


def _triple_numbers(rows: list[list[Any]]) -> Iterator[object]:
    """The numbers of all relationships in some rows."""
    stack: list[Any] = [rows]
    while stack:
        value = stack.pop()
        if isinstance(value, list):
            stack += [each for each in value if isinstance(each, list | dict)]
        elif "_SRC" in value:
            yield value["triple"]
        elif "_ID" not in value:  # a path or a map
            stack += [each for each in value.values() if isinstance(each, list | dict)]


def _open_seal(contents: GraphContents, path: Path) -> Seal:
    what = WHAT.format(graph=contents.snapshot)
    return open_seal(path, _identity(contents), what=what, remedy=_remedy(contents))


def _prove(seal: Seal) -> None:
    """Prove the database before a process opens it: Ladybug does not validate what it reads."""
    for each in seal.path.iterdir():
        if each.name.startswith(PENDING):
            raise DamagedDerived(f"{each} is not part of the store: run `{seal.remedy}`")
    seal.open(FILE).close()


def _remedy(contents: GraphContents) -> str:
    return f"clew cypher {contents.snapshot} --load"


def _first_line(error: Exception) -> str:
    return " ".join((str(error).strip() or type(error).__name__).splitlines()[0].split())


def _translated(error: QueryFailed, deadline: Deadline) -> Exception:
    """A Ladybug error as a Clew error."""
    said = _first_line(error)
    if said.startswith("Interrupted"):
        return deadline.passed()
    kind, _, rest = said.partition(" exception: ")
    if rest and kind in ("Binder", "Parser", "Catalog", "Conversion", "Runtime", "Overflow", "Function"):
        return QueryError(f"the embedded store cannot run this query: {rest}")
    return StoreError(f"the embedded store failed: {said}")
