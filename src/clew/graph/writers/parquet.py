"""Parquet: a graph as a directory of tables, from which `clew build` makes the same graph again.

entities.parquet has id, name, type and every further column; triples.parquet one row per assertion; relations.parquet
and sources.parquet the fields of `Relation` and `Source`.
"""

from collections.abc import Iterator
from dataclasses import asdict
from itertools import chain
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from clew.files import new_directory
from clew.graph.contents import GraphContents
from clew.graph.readers.own.parquet_export import ENTITIES, RELATIONS, SOURCES, TRIPLES
from clew.graph.writers.blocks import BLOCK_ROWS, assertion_blocks, entity_blocks
from clew.progress import Progress, silent, track

__all__ = ["write"]

RELATION_FIELDS = pa.schema(
    [
        ("name", pa.string()),
        ("negated", pa.bool_()),
        ("symmetric", pa.bool_()),
        ("transitive", pa.bool_()),
        ("inverse", pa.string()),
    ]
)
SOURCE_FIELDS = pa.schema(
    [(name, pa.string()) for name in ("name", "version", "license", "url", "attribution")] + [("curated", pa.bool_())]
)


def write(contents: GraphContents, out: Path, *, overwrite: bool = False, progress: Progress = silent) -> list[Path]:
    """Write entities.parquet, triples.parquet, relations.parquet and sources.parquet into the new directory `out`."""
    contents.verify()
    relations = [
        {name: getattr(relation, name) for name in RELATION_FIELDS.names} for relation in contents.schema.relations
    ]
    sources = [asdict(source) for source in contents.snapshot.sources]
    with new_directory(out, overwrite=overwrite, marker=TRIPLES) as directory:
        _write_blocks(directory / ENTITIES, entity_blocks(contents), contents.counts["entities"], progress)
        _write_blocks(directory / TRIPLES, assertion_blocks(contents), contents.counts["assertions"], progress)
        for name, rows, schema in ((RELATIONS, relations, RELATION_FIELDS), (SOURCES, sources, SOURCE_FIELDS)):
            pq.write_table(pa.Table.from_pylist(rows, schema=schema), directory / name)
        names = sorted(file.name for file in directory.iterdir())
    return [Path(out) / name for name in names]


def _write_blocks(path: Path, blocks: Iterator[pa.Table], rows: int, progress: Progress) -> None:
    """One row group a block."""
    first = next(blocks)
    total = max(1, -(-rows // BLOCK_ROWS))
    with pq.ParquetWriter(path, first.schema, compression="zstd", write_page_checksum=True) as writer:
        for block in track(chain((first,), blocks), f"writing {path.name}", progress, total=total):
            writer.write_table(block)
