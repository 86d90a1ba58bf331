"""Approximate nearest rows for large indexes: a proximity graph walked by usearch, its finds scored again in full.

The graph holds the vectors in 8 bits, which is enough to walk by; true scores come from the index's own vectors.
benchmarks/linking/vectors.py measures recall against exact search, and why usearch.
"""

import hashlib
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.embed.exact import Heads, best, scores_of
from clew.errors import DerivedError, MissingDependency
from clew.progress import Progress

__all__ = ["GRAPH", "ProximityGraph", "at_hand", "load_usearch", "write_graph"]

GRAPH = "graph.usearch"
CHECKSUM = "graph.sha256"
CONNECTIVITY = 16  # neighbours of a row
EXPANSION_BUILDING = 128  # rows weighed when one is added
EXPANSION = 160  # rows weighed in a search: recall@10 was 0.995 at 300,000 real vectors
AGAIN = 4  # times k: finds that are scored in full
BLOCK = 8192

Rows = NDArray[np.int64]


class ProximityGraph:
    """Opened and checked at the first search; searches among given rows go through the heads, and are exact."""

    def __init__(self, directory: Path, heads: Heads, *, dimension: int, what: str, remedy: str) -> None:
        self._directory = directory
        self._heads = heads
        self._dimension = dimension
        self._complaint = f"{what} cannot be searched ({{}}): run `{remedy}`"
        self._one_at_a_time = Lock()  # usearch would share one thread's scratch between Python's threads

    def nearest(
        self, vectors: NDArray[np.floating], query: NDArray[np.float32], k: int, rows: Rows | None
    ) -> tuple[Rows, NDArray[np.float32]]:
        """About the k best of all rows, or exactly the k best of `rows`, for one query, best first."""
        if rows is not None or AGAIN * k > EXPANSION:
            return self._heads.nearest(vectors, query, k, rows)
        with self._one_at_a_time:
            found = np.asarray(self._graph.search(query, AGAIN * k, threads=1).keys).astype(np.int64)
        found = np.unique(found[(found >= 0) & (found < len(vectors))])
        return best(found, scores_of(vectors, found, query), k)

    @cached_property
    def _graph(self) -> Any:
        """The graph, mapped: read once before that, because usearch trusts what it maps."""
        usearch = load_usearch()
        try:
            with open(self._directory / GRAPH, "rb") as file:
                checksum = hashlib.file_digest(file, "sha256").hexdigest()
            if checksum != (self._directory / CHECKSUM).read_text("ascii").strip():
                raise DerivedError(self._complaint.format(f"{GRAPH} is damaged: its checksum differs"))
            graph = usearch.Index.restore(str(self._directory / GRAPH), view=True)
        except (OSError, ValueError, RuntimeError) as error:
            if isinstance(error, DerivedError):
                raise
            raise DerivedError(self._complaint.format(error)) from error
        if graph is None or graph.ndim != self._dimension:
            raise DerivedError(self._complaint.format(f"{GRAPH} is not a graph of {self._dimension} dimensions"))
        graph.expansion_search = EXPANSION
        return graph


def write_graph(directory: Path, vectors: NDArray[np.floating], *, progress: Progress) -> None:
    """Build the proximity graph of all rows and write it with its checksum."""
    graph = load_usearch().Index(
        ndim=vectors.shape[1],
        metric="cos",
        dtype="i8",
        connectivity=CONNECTIVITY,
        expansion_add=EXPANSION_BUILDING,
    )
    for start in range(0, len(vectors), BLOCK):
        part = vectors[start : start + BLOCK].astype(np.float32)
        graph.add(np.arange(start, start + len(part), dtype=np.uint64), part)
        progress("indexing", start + len(part), len(vectors))
    graph.save(str(directory / GRAPH))
    with open(directory / GRAPH, "rb") as file:
        checksum = hashlib.file_digest(file, "sha256").hexdigest()
    (directory / CHECKSUM).write_text(checksum + "\n", "ascii")


def at_hand() -> bool:
    """Whether usearch is installed."""
    return find_spec("usearch") is not None


def load_usearch() -> Any:
    """The module of usearch's index."""
    try:
        import usearch.index
    except ImportError as error:
        raise MissingDependency(
            "an approximate index needs the library 'usearch': pip install 'clew[vectors]' or build an exact one"
        ) from error
    return usearch.index
