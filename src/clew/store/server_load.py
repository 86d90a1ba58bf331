"""Load a graph into a server: constraints, indexes, then idempotent batches.

An interrupted load can be started again; existing entities and relationships are kept.
"""

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from clew.bolt.address import read_address
from clew.bolt.connection import Bolt
from clew.errors import StoreError
from clew.graph import GraphContents
from clew.progress import Progress, silent
from clew.store.columns import entity_tables, relationship_tables
from clew.store.cypher import quote
from clew.store.layout import StoreSchema, lay_out
from clew.store.server_check import count_contents

__all__ = ["LoadReport", "load_server"]

log = logging.getLogger(__name__)
BATCH = 5_000  # rows in one transaction
TABLE_ROWS = 100_000  # converted to Python values at a time
BATCH_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class LoadReport:
    """The contents of a database after a load, and the duration."""

    address: str
    entities: int
    relationships: int
    new_entities: int
    new_relationships: int
    seconds: float


def load_server(contents: GraphContents, url: str, *, progress: Progress = silent) -> LoadReport:
    """Load a graph into a database; loading it again changes nothing."""
    begun = time.monotonic()
    schema = lay_out(contents)
    bolt = Bolt(read_address(url))
    try:
        before = count_contents(bolt)
        _declare(schema, bolt)
        _send(bolt, _entities(contents, schema), "loading entities", schema.entity_count, progress)
        linked = _relationships(contents, schema, again=before[1] > 0)
        _send(bolt, linked, "loading relationships", schema.relationship_count, progress)
        after = count_contents(bolt)
    finally:
        bolt.close()
    if after != (schema.entity_count, schema.relationship_count):
        raise StoreError(
            f"{bolt.address} now holds {after[0]:,} entities and {after[1]:,} relationships where {contents.snapshot} "
            f"has {schema.entity_count:,} and {schema.relationship_count:,}: it contains other data; load "
            "into an empty database"
        )
    seconds = time.monotonic() - begun
    log.info("loaded %s into %s in %.1f s", contents.snapshot, bolt.address, seconds)
    return LoadReport(str(bolt.address), *after, after[0] - before[0], after[1] - before[1], seconds)


def _declare(schema: StoreSchema, bolt: Bolt) -> None:
    """A uniqueness constraint on ids within a label, and an index on names."""
    for label in schema.labels:
        name = quote(label.name)
        unique = f"CREATE CONSTRAINT IF NOT EXISTS FOR (n:{name}) REQUIRE n.id IS UNIQUE"
        indexed = f"CREATE INDEX IF NOT EXISTS FOR (n:{name}) ON (n.name)"
        for declaration in (unique, indexed):
            bolt.write(declaration, {}, timeout=BATCH_SECONDS)


def _send(
    bolt: Bolt, batches: Iterator[tuple[str, list[dict[str, Any]]]], task: str, total: int, progress: Progress
) -> None:
    done = 0
    progress(task, 0, total)
    for text, rows in batches:
        bolt.write(text, {"rows": rows}, timeout=BATCH_SECONDS)
        done = min(total, done + len(rows))  # rows sent twice count once
        progress(task, done, total)


def _entities(contents: GraphContents, schema: StoreSchema) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for label in schema.labels:
        text = f"UNWIND $rows AS row MERGE (n:{quote(label.name)} {{id: row.id}}) SET n += row.properties"
        for table in entity_tables(contents, schema, label, rows=TABLE_ROWS):
            yield from ((text, rows) for rows in _batches(table, ("id",)))


def _relationships(
    contents: GraphContents, schema: StoreSchema, *, again: bool
) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Create missing relationships; with `again`, update existing ones first.

    One MERGE would do both, but ArcadeDB reports a conflict for every other batch of MERGE within one label.
    """
    for relationship in schema.relationships:
        for ends, table in relationship_tables(contents, schema, relationship, rows=TABLE_ROWS):
            found = (
                f"UNWIND $rows AS row MATCH (s:{quote(ends.subject)} {{id: row.from}}) "
                f"MATCH (o:{quote(ends.object)} {{id: row.to}}) "
            )
            name = quote(relationship.name)
            make = (
                f"{found}OPTIONAL MATCH (s)-[known:{name}]->(o) WITH row, s, o, known WHERE known IS NULL "
                f"CREATE (s)-[r:{name}]->(o) SET r += row.properties"
            )
            refresh = f"{found}MATCH (s)-[r:{name}]->(o) SET r += row.properties"
            for rows in _batches(table, ("from", "to")):
                if again:
                    yield refresh, rows
                yield make, rows


def _batches(table: pa.Table, keys: tuple[str, ...]) -> Iterator[list[dict[str, Any]]]:
    """Rows as their keys, and all other values that are not null under `properties`."""
    for batch in table.to_batches(max_chunksize=BATCH):
        yield [
            {key: row.pop(key) for key in keys} | {"properties": {k: v for k, v in row.items() if v is not None}}
            for row in batch.to_pylist()
        ]
