"""A running Neo4j, or another server that speaks Bolt, as a graph: all nodes and relationships, read in blocks.

Only two statements are sent, both reading. The property `id` of a node is its id; of several labels the rarest is the
type. Properties of relationships are columns of assertions where they are called so, else qualifiers.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import pyarrow as pa

from clew.bolt.address import PASSWORD_FILE_VARIABLE, PASSWORD_VARIABLE, read_address
from clew.bolt.connection import Bolt
from clew.errors import InputError
from clew.graph.readers.parts import Part, check_entities, check_triples
from clew.graph.readers.property_graphs.columns import as_column, attribute_names, entity_column, statement_column
from clew.graph.staging import Origin, Problems, Staged
from clew.progress import Progress, silent

__all__ = ["read"]

NODES, RELATIONSHIPS = "MATCH (n) RETURN n", "MATCH ()-[r]->() RETURN r"
COUNTS = ("MATCH (n) RETURN count(n)", "MATCH ()-[r]->() RETURN count(r)")
BLOCK = 10_000  # rows
SECONDS = 300.0  # for one block
TEXT = pa.string()
ID = "id"
OWN = "\0"  # begins the names of our own columns; no property can be called so


@dataclass(slots=True)
class _Columns:
    """Rows with properties, kept as Arrow columns block by block."""

    blocks: list[dict[str, pa.Array]] = field(default_factory=list)
    rows: int = 0

    def add(self, fixed: Mapping[str, pa.Array], rows: Sequence[Mapping[str, Any]]) -> None:
        names = attribute_names(rows)
        self.blocks.append({**fixed, **{name: as_column([row.get(name) for row in rows]) for name in names}})
        self.rows += len(rows)

    def names(self) -> list[str]:
        return list(dict.fromkeys(name for block in self.blocks for name in block))

    def column(self, name: str) -> pa.ChunkedArray:
        """A property over all blocks, as text where blocks have it in different types."""
        kinds = {block[name].type for block in self.blocks if name in block and not pa.types.is_null(block[name].type)}
        kind = kinds.pop() if len(kinds) == 1 else TEXT
        lengths = [len(next(iter(block.values()))) for block in self.blocks]
        parts = [
            _cast(block[name], kind) if name in block else pa.nulls(length, kind)
            for block, length in zip(self.blocks, lengths, strict=True)
        ]
        return pa.chunked_array(parts, kind)


def read(
    source: str,
    *,
    entity_columns: Mapping[str, str] | None = None,
    problems: Problems,
    progress: Progress = silent,
) -> Staged:
    """Stage a database, given as bolt://user@host:port/database; `entity_columns` renames properties of nodes."""
    if "@" in source and ":" in source.rpartition("@")[0].partition("://")[2]:
        raise InputError(
            "a password in an address can be seen by everyone on this machine: leave it out, and set "
            f"{PASSWORD_VARIABLE}, or {PASSWORD_FILE_VARIABLE} to the name of a file with it"
        )
    renamed = {theirs: ours for ours, theirs in (entity_columns or {}).items()}
    bolt = Bolt(read_address(source))
    try:
        nodes, relationships = (bolt.pull(each, {}, timeout=SECONDS, limit=1).rows[0][0] for each in COUNTS)
        identifier = next((theirs for theirs, ours in renamed.items() if ours == ID), ID)
        ids, entities = _nodes(_reports(bolt, NODES, "reading nodes", nodes, progress), identifier, problems)
        triples = _relationships(_reports(bolt, RELATIONSHIPS, "reading relationships", relationships, progress), ids)
    finally:
        bolt.close()
    if (entities.rows, triples.rows) != (nodes, relationships):
        found = f"{entities.rows:,} nodes and {triples.rows:,} relationships of {nodes:,} and {relationships:,}"
        problems.note("database changed", str(bolt.address), f"{found} were read: run this again when nobody writes")
    described = check_entities(Part(f"{bolt.address}, node", _entity_table(entities, renamed), _place), problems)
    stated = check_triples(Part(f"{bolt.address}, relationship", _triple_table(triples), _place), problems)
    origins = (Origin((part.name,), (0,), (part.line,)) for part in (stated, described))
    return Staged(stated.table, described.table, [], [], *origins)


def _reports(bolt: Bolt, text: str, task: str, total: int, progress: Progress) -> Iterator[list[Any]]:
    done = 0
    for block in bolt.stream(text, rows=BLOCK, timeout=SECONDS):
        progress(task, done, total)
        yield [row[0] for row in block]
        done += len(block)
    progress(task, done, total)


def _nodes(blocks: Iterator[list[Any]], identifier: str, problems: Problems) -> tuple[dict[str, str], _Columns]:
    """The id of every node by what the server calls it, and all nodes."""
    ids: dict[str, str] = {}
    found, labels = _Columns(), Counter[str]()
    for block in blocks:
        names, kinds, rows = [], [], []
        for node in block:
            properties = _plain(node)
            given = properties.pop(identifier, None)
            if given is None or str(given) == "":
                hint = f"it has no property {identifier!r}: name another with --entity-column id=PROPERTY"
                problems.note("node without an id", f"node {node.element_id}", hint)
            ids[node.element_id] = f"node:{node.element_id}" if given in (None, "") else str(given)
            labels.update(node.labels)
            names.append(ids[node.element_id])
            kinds.append(sorted(node.labels))
            rows.append(properties)
        found.add({OWN + "id": pa.array(names, TEXT), OWN + "labels": pa.array(kinds, pa.list_(TEXT))}, rows)
    for each in found.blocks:
        all_labels = each.pop(OWN + "labels").to_pylist()
        listed = [sorted(kinds, key=lambda label: (labels[label], label)) for kinds in all_labels]
        each[OWN + "type"] = pa.array([kinds[0] if kinds else None for kinds in listed], TEXT)
        each[OWN + "categories"] = pa.array([kinds if kinds[1:] else None for kinds in listed], pa.list_(TEXT))
    return ids, found


def _relationships(blocks: Iterator[list[Any]], ids: Mapping[str, str]) -> _Columns:
    """All relationships; an end that was not among the nodes is left to be reported as unknown."""
    found = _Columns()
    for block in blocks:
        ends = [[ids.get(node.element_id, f"node:{node.element_id}") for node in each.nodes] for each in block]
        fixed = {OWN + "subject": [end[0] for end in ends], OWN + "object": [end[1] for end in ends]}
        fixed[OWN + "relation"] = [each.type for each in block]
        found.add({name: pa.array(values, TEXT) for name, values in fixed.items()}, [_plain(each) for each in block])
    return found


def _entity_table(found: _Columns, renamed: Mapping[str, str]) -> pa.Table:
    names = [name for name in found.names() if not name.startswith(OWN)]
    columns = {"id": found.column(OWN + "id")} if found.blocks else {"id": pa.chunked_array([[]], TEXT)}
    for name in names:
        columns[renamed.get(name) or entity_column(name, names)] = found.column(name)
    if found.blocks and "type" not in renamed.values():
        if "type" in columns:
            columns["type_property"] = columns.pop("type")
        columns["type"] = found.column(OWN + "type")
        several = found.column(OWN + "categories")
        if several.null_count < len(several) and "categories" not in columns:
            columns["categories"] = several
    return pa.table(columns)


def _triple_table(found: _Columns) -> pa.Table:
    fixed = ("subject", "relation", "object")
    if not found.blocks:
        return pa.table({name: pa.array([], TEXT) for name in fixed})
    columns = {name: found.column(OWN + name) for name in fixed}
    columns |= {statement_column(name): found.column(name) for name in found.names() if not name.startswith(OWN)}
    return pa.table(columns)


def _plain(item: Any) -> dict[str, Any]:
    """The properties of a node or relationship; days, times and places as text."""
    return {name: _value(value) for name, value in item.items()}


def _value(value: Any) -> Any:
    if isinstance(value, list):
        return [_value(each) for each in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    written: Callable[[], str] | None = getattr(value, "iso_format", None)  # of the driver's days and times
    return str(value) if written is None else written()


def _cast(array: pa.Array, kind: pa.DataType) -> pa.Array:
    if array.type == kind or pa.types.is_null(array.type):
        return array.cast(kind)
    return pa.array([None if value is None else str(value) for value in array.to_pylist()], TEXT)


def _place(row: int) -> int:
    return row + 1
