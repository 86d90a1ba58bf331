"""A graph that Clew built, as a source of another: its entities, assertions, relation flags and sources."""

import os
from pathlib import Path

import pyarrow as pa

from clew.graph.contents import GraphContents, read_entities, read_triples
from clew.graph.model import Graph
from clew.graph.reading import GraphReader
from clew.graph.staging import Origin, Problems, Relation, Staged
from clew.graph.storage.snapshots import CURRENT
from clew.progress import Progress, silent

__all__ = ["is_graph", "read"]

TEXT = pa.string()


def is_graph(path: Path) -> bool:
    """Whether a directory is a graph: it names a snapshot."""
    return (path / CURRENT).is_file()


def read(source: str | os.PathLike[str] | GraphContents, *, problems: Problems, progress: Progress = silent) -> Staged:
    """Read a graph, given by its directory or opened, after comparing its checksums; one row per assertion."""
    contents = GraphReader(Graph(Path(source))) if isinstance(source, str | os.PathLike) else source
    progress(f"reading {contents.snapshot}", 0, 1)
    contents.verify()
    entities = read_entities(contents)
    entities = pa.table(
        {name: column.cast(TEXT) if name in ("id", "name", "type") else column for name, column in _columns(entities)}
    )
    relations = contents.schema.relations
    ids, names = entities["id"].combine_chunks(), pa.array([relation.name for relation in relations], TEXT)
    stated = dict(_columns(read_triples(contents, assertions=True).drop_columns(["number"])))
    for name, values in (("subject", ids), ("relation", names), ("object", ids)):
        numbers = stated[name].combine_chunks().cast(pa.int32())
        stated[name] = pa.DictionaryArray.from_arrays(numbers, values)
    flags = [Relation(each.name, each.negated, each.symmetric, each.transitive, each.inverse) for each in relations]
    origin = Origin(files=(str(contents.snapshot),))
    return Staged(pa.table(stated), entities, flags, contents.snapshot.sources, origin, origin)


def _columns(table: pa.Table) -> list[tuple[str, pa.ChunkedArray]]:
    return list(zip(table.column_names, table.columns, strict=True))
