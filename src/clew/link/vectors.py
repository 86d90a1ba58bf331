"""Embeddings of the names of all entities, or of those of some types, stored beside the graph."""

import re
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.progress import Progress, silent

if TYPE_CHECKING:
    from clew.embed import Encoder, VectorIndex
    from clew.graph import Graph

__all__ = ["NameVectors", "build_vectors", "open_vectors", "vectors_path"]

ALL = "*"  # types, as written in the seal
SEPARATOR = "\n"


class NameVectors:
    """The names most similar to a text by embedding."""

    def __init__(self, index: "VectorIndex", entities: NDArray[np.int64] | None) -> None:
        self._index = index
        self._entities = entities  # (rows,) sorted: the entity of each row; None if rows are entities

    def __len__(self) -> int:
        return len(self._index)

    def rows_of(self, entities: NDArray[np.int64]) -> NDArray[np.int64]:
        """The rows of some entities; entities without an encoded name have none."""
        return entities if self._entities is None else np.flatnonzero(np.isin(self._entities, entities))

    def nearest(
        self, vector: NDArray[np.float32], *, count: int, rows: NDArray[np.int64] | None = None
    ) -> list[tuple[int, float]]:
        """Entities and their cosine similarity, highest first; only of some rows, if given."""
        if not len(self) or (rows is not None and not len(rows)):
            return []
        found = self._index.nearest(vector, k=count, rows=rows)
        near = found.rows[0][found.rows[0] >= 0]
        entities = near if self._entities is None else self._entities[near]
        return list(zip(entities.tolist(), found.scores[0][: len(near)].tolist(), strict=True))


def vectors_path(graph: "Graph", encoder: "Encoder") -> Path:
    """The directory of the vectors of one encoder; a graph can have vectors of several."""
    return graph.derived("vectors-" + re.sub(r"[^A-Za-z0-9.]+", "-", encoder.name).strip("-").lower()[-60:])


def open_vectors(graph: "Graph", encoder: "Encoder") -> NameVectors:
    """The vectors on disk; raises `DerivedError` if they are missing, damaged or belong to another graph or encoder."""
    from clew.embed import VectorIndex

    index = VectorIndex.open(
        vectors_path(graph, encoder),
        {"snapshot": graph.manifest.snapshot, "encoder": encoder.identity},
        what=f"the name vectors of {graph.path}",
        remedy=f"clew index {graph.path} --encoder {encoder.name}",
    )
    types = str(index.identity.get("types", ALL))
    return NameVectors(index, None if types == ALL else _entities(graph, types.split(SEPARATOR)))


def build_vectors(
    graph: "Graph", encoder: "Encoder", *, types: Iterable[str] | None = None, progress: Progress = silent
) -> NameVectors:
    """Encode the names of all entities, or of those of some types; an interrupted run resumes."""
    from clew.embed import build_index

    chosen = None if types is None else sorted(set(types))
    names = graph.entities["name"]
    if chosen is not None:
        import pyarrow as pa

        names = names.take(pa.array(_entities(graph, chosen)))
    identity = {"snapshot": graph.manifest.snapshot, "types": ALL if chosen is None else SEPARATOR.join(chosen)}
    path = vectors_path(graph, encoder)
    build_index(path, names.to_pylist(), encoder, identity=identity, what="name vectors", progress=progress)
    return open_vectors(graph, encoder)


def _entities(graph: "Graph", types: Iterable[str]) -> NDArray[np.int64]:
    numbers = [graph.schema.type_number(name) for name in types]
    return np.flatnonzero(np.isin(graph.entity_types, numbers))
