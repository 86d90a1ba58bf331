"""A vector index on disk: memory-mapped, so it opens in milliseconds.

A sealed directory: `vectors.npy` (float16, one row per text), the heads of exact search, and in a large index the
HNSW graph of approximate search.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clew.embed.exact import Heads, best, scores_of
from clew.errors import DerivedError, InputError
from clew.sealed import Seal, open_seal

__all__ = ["FORMAT", "Nearest", "VectorIndex"]

FORMAT = 2
FEW = 2048  # at most this many rows are scored directly instead of through the index

Rows = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Nearest:
    """The nearest rows of each query, best first; padded with row -1 and score -inf if there are fewer than k."""

    rows: Rows  # (m, k)
    scores: NDArray[np.float32]  # (m, k), cosines


class _Search(Protocol):
    def nearest(
        self, vectors: NDArray[np.floating], query: NDArray[np.float32], k: int, rows: Rows | None
    ) -> tuple[Rows, NDArray[np.float32]]: ...


class VectorIndex:
    """The vectors of a list of texts, searched by cosine similarity; `identity` records their origin and encoder."""

    def __init__(self, vectors: NDArray[np.float16], search: _Search, identity: Mapping[str, Any]) -> None:
        self.vectors = vectors  # (count, dimension), mapped, read-only
        self.identity = identity
        self._search = search

    @classmethod
    def open(cls, path: Path, identity: Mapping[str, Any], *, what: str, remedy: str) -> "VectorIndex":
        """Open the index at `path`; a missing, damaged or different index is an error that names the `remedy`."""
        seal = open_seal(Path(path), {"format": FORMAT, **identity}, what=what, remedy=remedy)
        found: Mapping[str, Any] = seal.identity
        try:
            vectors = _mapped(seal, "vectors.npy", (found["count"], found["dimension"]), np.float16)
            heads = _open_heads(seal)
            kind = found["kind"]
        except (OSError, ValueError, KeyError, TypeError) as error:
            if isinstance(error, DerivedError):
                raise
            raise DerivedError(f"{what} cannot be read ({error}): run `{remedy}`") from error
        if kind == "approximate":
            from clew.embed.approximate import HnswGraph

            return cls(vectors, HnswGraph(seal, heads, dimension=found["dimension"]), found)
        return cls(vectors, heads, found)

    def __len__(self) -> int:
        return int(self.vectors.shape[0])

    @property
    def dimension(self) -> int:
        """The dimension of the vectors."""
        return int(self.vectors.shape[1])

    def nearest(self, queries: ArrayLike, *, k: int = 10, rows: ArrayLike | None = None) -> Nearest:
        """The k nearest rows of one query (d,) or several (m, d), only among `rows` if they are given."""
        asked = self._queries(queries)
        if k < 1:
            raise InputError(f"k is {k}: ask for one row or more")
        among = None if rows is None else self._rows(rows)
        result = Nearest(np.full((len(asked), k), -1, np.int64), np.full((len(asked), k), -np.inf, np.float32))
        for at, query in enumerate(asked):
            if among is not None and len(among) <= max(FEW, 4 * k):
                found, scores = best(among, scores_of(self.vectors, among, query), k)
            else:
                found, scores = self._search.nearest(self.vectors, query, k, among)
            result.rows[at, : len(found)] = found
            result.scores[at, : len(found)] = scores
        return result

    def _queries(self, queries: ArrayLike) -> NDArray[np.float32]:
        asked = np.atleast_2d(np.asarray(queries, np.float32))
        if asked.ndim != 2 or asked.shape[1] != self.dimension:
            raise InputError(f"queries of shape {np.shape(queries)} were given: expected (m, {self.dimension})")
        lengths = np.linalg.norm(asked, axis=1, keepdims=True)
        if not np.isfinite(lengths).all():
            raise InputError("a query vector contains a number that is not finite")
        return (asked / np.where(lengths == 0, 1, lengths)).astype(np.float32)

    def _rows(self, rows: ArrayLike) -> Rows:
        among = np.unique(np.asarray(rows, np.int64))
        if len(among) and not (among[0] >= 0 and among[-1] < len(self)):
            raise InputError(f"rows {among[0]} to {among[-1]} were given: this index has rows 0 to {len(self) - 1}")
        return among


def _open_heads(seal: Seal) -> Heads:
    found: Mapping[str, Any] = seal.identity
    directions = _mapped(seal, "directions.npy", (found["dimension"], None), np.float32)
    columns = _mapped(seal, "heads.npy", (found["count"], directions.shape[1] + 1), np.float32)
    return Heads(directions, columns)


def _mapped(seal: Seal, name: str, shape: tuple[int, int | None], kind: type[np.generic]) -> NDArray[Any]:
    """A proved file as a memory-mapped array of the expected type and shape (None: any width)."""
    import pyarrow as pa

    content = seal.map(name)
    file = pa.BufferReader(content)
    np.lib.format.read_magic(file)
    found, by_column, dtype = np.lib.format.read_array_header_1_0(file)
    wanted = (shape[0], found[-1] if shape[1] is None else shape[1])
    if found != wanted or dtype != kind or by_column:
        raise ValueError(f"{name} is {dtype} {found}, not {np.dtype(kind)} {wanted}")
    return np.frombuffer(content, dtype, wanted[0] * wanted[1], file.tell()).reshape(wanted)
