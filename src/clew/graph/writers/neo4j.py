"""CSV files for neo4j-admin, version 4 and 5: nodes and relationships with typed headers in files of their own.

One relationship per assertion. Arrays are separated by the unit separator, which no name holds; import.txt has the
commands that say so. relations.json keeps flags of relations and sources, for reading back.
"""

import json
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv

from clew.files import new_directory
from clew.graph.contents import GraphContents
from clew.graph.readers.own.declarations import declarations
from clew.graph.readers.property_graphs.neo4j import DECLARED, OWN_SEPARATOR
from clew.graph.staging import QUALIFIER_PREFIX, Relation
from clew.graph.writers.blocks import BLOCK_ROWS, assertion_blocks, entity_blocks
from clew.progress import Progress, silent, track

__all__ = ["write"]

NODES, EDGES, COMMANDS = "nodes", "relationships", "import.txt"
TEXT = pa.string()
OPTIONS = "--multiline-fields=true --array-delimiter=U+001F"
FILES = f"--nodes={NODES}-header.csv,{NODES}.csv --relationships={EDGES}-header.csv,{EDGES}.csv"
IMPORT = f"""Neo4j 5: neo4j-admin database import full {OPTIONS} {FILES} neo4j
Neo4j 4: neo4j-admin import {OPTIONS} {FILES}
"""


def write(contents: GraphContents, out: Path, *, overwrite: bool = False, progress: Progress = silent) -> list[Path]:
    """Write headers, nodes.csv, relationships.csv and the commands that import them into the new directory `out`."""
    contents.verify()
    flags = [Relation(r.name, r.negated, r.symmetric, r.transitive, r.inverse) for r in contents.schema.relations]
    with new_directory(out, overwrite=overwrite, marker=f"{NODES}-header.csv") as directory:
        _write(directory, NODES, map(_nodes, entity_blocks(contents)), contents.counts["entities"], progress)
        _write(directory, EDGES, map(_edges, assertion_blocks(contents)), contents.counts["assertions"], progress)
        (directory / COMMANDS).write_text(IMPORT, "utf-8")
        (directory / DECLARED).write_text(declarations(flags, contents.snapshot.sources), "utf-8")
        names = sorted(file.name for file in directory.iterdir())
    return [Path(out) / name for name in names]


def _nodes(block: pa.Table) -> pa.Table:
    return block.rename_columns({"id": "id:ID", "type": ":LABEL"})


def _edges(block: pa.Table) -> pa.Table:
    ends = {"subject": ":START_ID", "relation": ":TYPE", "object": ":END_ID"}
    qualifiers = {
        name: name.removeprefix(QUALIFIER_PREFIX) for name in block.column_names if name.startswith(QUALIFIER_PREFIX)
    }
    return block.drop_columns(["subject_name", "object_name"]).rename_columns(ends | qualifiers)


def _write(directory: Path, name: str, blocks: Iterator[pa.Table], rows: int, progress: Progress) -> None:
    """The header as one file, the rows as another; the first block has all columns."""
    first = next(blocks)
    fields = [field.name if ":" in field.name else f"{field.name}:{_kind(field.type)}" for field in first.schema]
    quoted = ",".join('"' + field.replace('"', '""') + '"' for field in fields)
    (directory / f"{name}-header.csv").write_text(quoted + "\n", "utf-8")
    options = pyarrow.csv.WriteOptions(include_header=False, quoting_style="all_valid")
    schema = _texts(first).schema
    total = max(1, -(-rows // BLOCK_ROWS))
    with pyarrow.csv.CSVWriter(directory / f"{name}.csv", schema, write_options=options) as writer:
        for block in track(chain((first,), blocks), f"writing {name}.csv", progress, total=total):
            writer.write_table(_texts(block))


def _kind(kind: pa.DataType) -> str:
    """The type of a column in a header."""
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        return "string[]" if pa.types.is_nested(kind.value_type) else f"{_kind(kind.value_type)}[]"
    if pa.types.is_integer(kind):
        return "long"
    if pa.types.is_floating(kind):
        return "double"
    if pa.types.is_boolean(kind):
        return "boolean"
    return "date" if pa.types.is_date(kind) else "string"


def _texts(block: pa.Table) -> pa.Table:
    """All columns as text."""
    return pa.table([_text(column.combine_chunks()) for column in block.columns], block.column_names)


def _text(column: pa.Array) -> pa.Array:
    kind = column.type
    if pa.types.is_list(kind) or pa.types.is_large_list(kind):
        if pa.types.is_nested(kind.value_type):
            items = [
                each and [json.dumps(item, default=str) for item in each if item is not None]
                for each in column.to_pylist()
            ]
        else:
            texts = column.cast(pa.list_(TEXT)).to_pylist()
            items = [each and [item for item in each if item is not None] for each in texts]
        return pc.binary_join(pa.array(items, pa.list_(TEXT)), OWN_SEPARATOR)
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        return pa.array([None if each is None else json.dumps(each, default=str) for each in column.to_pylist()], TEXT)
    return column.cast(TEXT)
