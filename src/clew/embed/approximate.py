"""Approximate nearest neighbours for large indexes: an HNSW graph searched by usearch, the hits rescored exactly.

The graph stores the vectors in 8 bits, which is enough to navigate; exact scores come from the index's own vectors.
benchmarks/linking/vectors.py measures its recall against exact search.
"""

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
from clew.sealed import Seal

__all__ = ["GRAPH", "HnswGraph", "load_usearch", "usearch_installed", "write_graph"]

GRAPH = "graph.usearch"
CONNECTIVITY = 16  # neighbours of each row
EXPANSION_BUILDING = 128  # candidates considered when a row is added
EXPANSION = 160  # candidates considered in a search: recall@10 was 0.995 on 300,000 real vectors
RESCORED = 4  # times k: hits that are rescored exactly
BLOCK = 8192

Rows = NDArray[np.int64]


class HnswGraph:
    """Opened and proved at the first search; searches among given rows use the heads and are exact."""

    def __init__(self, seal: Seal, heads: Heads, *, dimension: int) -> None:
        self._seal = seal
        self._heads = heads
        self._dimension = dimension
        self._complaint = f"{seal.what} cannot be searched ({{}}): run `{seal.remedy}`"
        self._search_lock = Lock()  # usearch would share one thread's buffers among Python threads

    def nearest(
        self, vectors: NDArray[np.floating], query: NDArray[np.float32], k: int, rows: Rows | None
    ) -> tuple[Rows, NDArray[np.float32]]:
        """The approximate k best of all rows, or the exact k best of `rows`, for one query, best first."""
        if rows is not None or RESCORED * k > EXPANSION:
            return self._heads.nearest(vectors, query, k, rows)
        with self._search_lock:
            found = np.asarray(self._graph.search(query, RESCORED * k, threads=1).keys).astype(np.int64)
        found = np.unique(found[(found >= 0) & (found < len(vectors))])
        return best(found, scores_of(vectors, found, query), k)

    @cached_property
    def _graph(self) -> Any:
        """The memory-mapped graph, proved first, because usearch does not validate the file."""
        usearch = load_usearch()
        try:
            self._seal.open(GRAPH).close()
            graph = usearch.Index.restore(str(self._seal.path / GRAPH), view=True)
        except (OSError, ValueError, RuntimeError) as error:
            if isinstance(error, DerivedError):
                raise
            raise DerivedError(self._complaint.format(error)) from error
        if graph is None or graph.ndim != self._dimension:
            raise DerivedError(self._complaint.format(f"{GRAPH} is not a graph of {self._dimension} dimensions"))
        graph.expansion_search = EXPANSION
        return graph


def write_graph(directory: Path, vectors: NDArray[np.floating], *, progress: Progress) -> None:
    """Build the HNSW graph of all rows and write it."""
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


def usearch_installed() -> bool:
    """Whether usearch is installed."""
    return find_spec("usearch") is not None


def load_usearch() -> Any:
    """Import usearch's index module."""
    try:
        import usearch.index
    except ImportError as error:
        raise MissingDependency(
            "an approximate index needs the library 'usearch': pip install 'clew[vectors]' or build an exact one"
        ) from error
    return usearch.index
