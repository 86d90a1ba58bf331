"""Loading a graph into a server: constraints, indexes, then batches that may be sent again without changing anything.

A load that broke off is simply started again; what is there already is found and left as it is.
"""

import logging
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from clew.errors import StoreError
from clew.graph import Graph
from clew.progress import Progress, silent
from clew.store.address import read_address
from clew.store.bolt import Bolt
from clew.store.columns import entity_tables, relationship_tables
from clew.store.cypher import quote
from clew.store.layout import StoreSchema, lay_out
from clew.store.server_check import count_contents

__all__ = ["LoadReport", "load_server"]

log = logging.getLogger(__name__)
BATCH = 5_000  # rows in one transaction
TABLE_ROWS = 100_000  # made into Python values at once
BATCH_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a database holds after a load, and how long the load took."""

    address: str
    entities: int
    relationships: int
    new_entities: int
    new_relationships: int
    seconds: float


def load_server(graph: Graph, url: str, *, progress: Progress = silent) -> LoadReport:
    """Load a graph into a database; loading it again changes nothing."""
    begun = time.monotonic()
    schema = lay_out(graph)
    bolt = Bolt(read_address(url))
    try:
        before = count_contents(bolt)
        _declare(schema, bolt)
        _send(bolt, _entities(graph, schema), "loading entities", schema.entity_count, progress)
        linked = _relationships(graph, schema, again=before[1] > 0)
        _send(bolt, linked, "loading relationships", schema.relationship_count, progress)
        after = count_contents(bolt)
    finally:
        bolt.close()
    if after != (schema.entity_count, schema.relationship_count):
        raise StoreError(
            f"{bolt.address} now holds {after[0]:,} entities and {after[1]:,} relationships where {graph.path} has "
            f"{schema.entity_count:,} and {schema.relationship_count:,}: something else is in it; load into an empty "
            "database"
        )
    seconds = time.monotonic() - begun
    log.info("loaded %s into %s in %.1f s", graph.path, bolt.address, seconds)
    return LoadReport(str(bolt.address), *after, after[0] - before[0], after[1] - before[1], seconds)


def _declare(schema: StoreSchema, bolt: Bolt) -> None:
    """Ids are unique within a label, and names are found by an index."""
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
        done = min(total, done + len(rows))  # a second look at the same rows does not count
        progress(task, done, total)


def _entities(graph: Graph, schema: StoreSchema) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    for label in schema.labels:
        text = f"UNWIND $rows AS row MERGE (n:{quote(label.name)} {{id: row.id}}) SET n += row.properties"
        for table in entity_tables(graph, schema, label, rows=TABLE_ROWS):
            yield from ((text, rows) for rows in _batches(table, ("id",)))


def _relationships(graph: Graph, schema: StoreSchema, *, again: bool) -> Iterator[tuple[str, list[dict[str, Any]]]]:
    """Made where it is not there; `again` first brings those up to date that are.

    One MERGE would do both, but ArcadeDB takes every other batch of MERGE within one label for a conflict.
    """
    for relationship in schema.relationships:
        for ends, table in relationship_tables(graph, schema, relationship, rows=TABLE_ROWS):
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
    """Rows with their keys, and all else that is not missing under `properties`."""
    for batch in table.to_batches(max_chunksize=BATCH):
        yield [
            {key: row.pop(key) for key in keys} | {"properties": {k: v for k, v in row.items() if v is not None}}
            for row in batch.to_pylist()
        ]
