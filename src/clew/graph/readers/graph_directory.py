"""A graph that Clew built, as a source of another: its entities, assertions, relation flags and sources."""

import os
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.graph.manifest import MANIFEST
from clew.graph.model import Graph
from clew.graph.staging import Origin, Problems, Relation, Staged
from clew.progress import Progress, silent

__all__ = ["is_graph", "read"]

TEXT = pa.string()


def is_graph(path: Path) -> bool:
    """Whether a directory is a graph: it has a manifest."""
    return (path / MANIFEST).is_file()


def read(source: str | os.PathLike[str], *, problems: Problems, progress: Progress = silent) -> Staged:
    """Read a graph directory, after comparing its checksums; a row of `triples` is one assertion."""
    path = Path(source)
    progress(f"reading {path.name}", 0, 1)
    graph = Graph(path, verify=True)
    triples = np.repeat(np.arange(graph.triple_count), np.diff(graph.assertions.offsets))  # (assertions,)
    names = pa.array([relation.name for relation in graph.schema.relations], TEXT)
    ids = graph.entities["id"].combine_chunks().cast(TEXT)
    columns = {
        "subject": _encoded(graph.subject_of(triples), ids),
        "relation": _encoded(graph.forward.relation[triples], names),
        "object": _encoded(graph.forward.end[triples], ids),
    }
    stated = graph.assertions.table
    columns |= dict(zip(stated.column_names, stated.columns, strict=True))
    relations = [Relation(r.name, r.negated, r.symmetric, r.transitive, r.inverse) for r in graph.schema.relations]
    origin = Origin(files=(str(path),))
    return Staged(pa.table(columns), _entities(graph), relations, graph.manifest.sources, origin, origin)


def _encoded(numbers: NDArray[np.integer], values: pa.Array) -> pa.DictionaryArray:
    return pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32()), values)


def _entities(graph: Graph) -> pa.Table:
    """Id, name, type and every further column, in the order of the entities' numbers."""
    further = graph.details(np.arange(graph.entity_count)).drop_columns(["id"])
    columns = {name: graph.entities[name].cast(TEXT) for name in graph.entities.column_names}
    return pa.table(columns | dict(zip(further.column_names, further.columns, strict=True)))
