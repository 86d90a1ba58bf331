"""A graph as a stream of tables: what every writer writes, one block at a time, so that memory stays bounded."""

from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from clew.graph.contents import GraphContents
from clew.graph.storage.arrays import numbers_of

__all__ = ["BLOCK_ROWS", "assertion_blocks", "entity_blocks"]

BLOCK_ROWS = 1 << 16
TEXT = pa.string()


def entity_blocks(contents: GraphContents) -> Iterator[pa.Table]:
    """Entities in the order of their numbers: id, name, type and every further column; at least one block."""
    for block in contents.scan_entities(rows=BLOCK_ROWS):
        columns = dict(zip(block.schema.names, block.columns, strict=True))
        yield pa.table(columns | {name: columns[name].cast(TEXT) for name in ("id", "name", "type")})


def assertion_blocks(contents: GraphContents) -> Iterator[pa.Table]:
    """One row per assertion, in triple order: subject, relation, object, both names, and the assertion's columns.

    There is at least one block, so that an empty graph has its columns too.
    """
    relations = pa.array([relation.name for relation in contents.schema.relations], TEXT)
    for block in contents.scan_triples(assertions=True, rows=BLOCK_ROWS):
        subject, object_ = (contents.describe(numbers_of(block[end])) for end in ("subject", "object"))
        columns: dict[str, Any] = {
            "subject": subject["id"].cast(TEXT),
            "relation": relations.take(block["relation"]),
            "object": object_["id"].cast(TEXT),
            "subject_name": subject["name"].cast(TEXT),
            "object_name": object_["name"].cast(TEXT),
        }
        for name, column in zip(block.schema.names[4:], block.columns[4:], strict=True):
            columns[name] = column.cast(TEXT) if pa.types.is_dictionary(column.type) else column
        yield pa.table(columns)
