"""Embeddings of the names of all entities, or of those of some types, stored beside the graph."""

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.embed import Encoder, VectorIndex, build_index
from clew.graph import GraphContents, read_entities
from clew.progress import Progress, silent
from clew.sealed import building

__all__ = ["NameVectors", "build_vectors", "chosen_types", "open_vectors", "vectors_path"]

ALL = "*"  # types, as written in the seal
SEPARATOR = "\n"


class NameVectors:
    """The names most similar to a text by embedding."""

    def __init__(self, index: VectorIndex, entities: NDArray[np.int64] | None) -> None:
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


def vectors_path(contents: GraphContents, encoder: Encoder, *, new: bool = False) -> Path:
    """The directory of the vectors of one encoder, or where to write it; a graph can have vectors of several."""
    name = re.sub(r"[^A-Za-z0-9.]+", "-", encoder.name).strip("-").lower()[-60:]
    return contents.snapshot.derived(f"vectors-{name}", new=new)


def open_vectors(contents: GraphContents, encoder: Encoder) -> NameVectors:
    """The vectors on disk; raises `DerivedError` if they are missing, damaged or belong to another graph or encoder."""
    index = VectorIndex.open(
        vectors_path(contents, encoder),
        {"snapshot": contents.snapshot.id, "encoder": encoder.identity},
        what=f"the name vectors of {contents.snapshot}",
        remedy=f"clew index {contents.snapshot} --encoder {encoder.name}",
    )
    types = chosen_types(index.identity)
    return NameVectors(index, None if types is None else _entities(contents, types))


def chosen_types(identity: Mapping[str, Any]) -> list[str] | None:
    """The types whose names were encoded, from the identity in a seal; None for all."""
    types = str(identity.get("types", ALL))
    return None if types == ALL else types.split(SEPARATOR)


def build_vectors(
    contents: GraphContents,
    encoder: Encoder,
    *,
    types: Iterable[str] | None = None,
    progress: Progress = silent,
) -> NameVectors:
    """Encode the names of all entities, or of those of some types; an interrupted run resumes."""
    contents.verify()  # what is derived from a graph is trusted
    chosen = None if types is None else sorted(set(types))
    names = read_entities(contents, ("name",))["name"]
    if chosen is not None:
        import pyarrow as pa

        names = names.take(pa.array(_entities(contents, chosen)))
    identity = {"snapshot": contents.snapshot.id, "types": ALL if chosen is None else SEPARATOR.join(chosen)}
    path = vectors_path(contents, encoder, new=True)
    texts = names.to_pylist()
    with building(path):
        build_index(path, texts, encoder, identity=identity, what="name vectors", own=True, progress=progress)
    return open_vectors(contents, encoder)


def _entities(contents: GraphContents, types: Iterable[str]) -> NDArray[np.int64]:
    numbers = [contents.schema.type_number(name) for name in types]
    return np.flatnonzero(np.isin(contents.types_of(), numbers))
