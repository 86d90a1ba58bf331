"""A graph as a stream of tables: what every writer writes, one block at a time, so that memory stays bounded."""

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from clew.graph.model import Graph

__all__ = ["BLOCK_ROWS", "assertion_blocks", "entity_blocks"]

BLOCK_ROWS = 1 << 16
TEXT = pa.string()


def entity_blocks(graph: Graph) -> Iterator[pa.Table]:
    """Entities in the order of their numbers: id, name, type and every further column; at least one block."""
    for start in range(0, max(graph.entity_count, 1), BLOCK_ROWS):
        numbers = np.arange(start, min(start + BLOCK_ROWS, graph.entity_count))
        table = graph.entities.slice(start, len(numbers))
        columns = {name: table[name].cast(TEXT) for name in table.column_names}
        further = graph.details(numbers).drop_columns(["id"])
        yield pa.table(columns | dict(zip(further.column_names, further.columns, strict=True)))


def assertion_blocks(graph: Graph) -> Iterator[pa.Table]:
    """One row per assertion, in triple order: subject, relation, object, both names, and what the assertion says.

    There is at least one block, so that an empty graph has its columns too.
    """
    assertions = graph.assertions
    relations = pa.array([relation.name for relation in graph.schema.relations], TEXT)
    for start in range(0, max(len(assertions), 1), BLOCK_ROWS):
        rows = np.arange(start, min(start + BLOCK_ROWS, len(assertions)))
        triples = np.searchsorted(assertions.offsets, rows, side="right") - 1
        subject = graph.describe(graph.subject_of(triples))
        object_ = graph.describe(np.asarray(graph.forward.end[triples]))
        said = assertions.table.slice(start, len(rows))
        columns = {
            "subject": subject["id"].cast(TEXT),
            "relation": relations.take(pa.array(graph.forward.relation[triples])),
            "object": object_["id"].cast(TEXT),
            "subject_name": subject["name"].cast(TEXT),
            "object_name": object_["name"].cast(TEXT),
        }
        for name, column in zip(said.column_names, said.columns, strict=True):
            columns[name] = column.cast(TEXT) if pa.types.is_dictionary(column.type) else column
        yield pa.table(columns)
