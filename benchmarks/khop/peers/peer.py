"""What every peer offers, and the way it is timed."""

import time
from collections.abc import Collection, Sequence
from typing import ClassVar

import numpy as np

__all__ = ["Ids", "Peer", "as_array", "compressed_rows"]

Ids = np.ndarray | Collection[int]  # whatever the library gives by itself: a peer never pays for a conversion


class Peer:
    """One library holding one graph; `exact` and `batch` are what is measured."""

    name: ClassVar[str]
    wants_triples: ClassVar[bool] = False  # prepared on every triple, parallel ones included, not on distinct pairs

    def prepare(self, n: int, subject: np.ndarray, object: np.ndarray, *, tuning: Sequence[np.ndarray] = ()) -> None:
        """Take in a graph of n entities; `tuning` are queries on which choices may be made, never timed ones."""
        raise NotImplementedError

    def exact(self, seeds: np.ndarray, k: int) -> Ids:
        """Ends of walks of exactly k steps from the seeds, each once, in any order."""
        raise NotImplementedError

    def batch(self, queries: Sequence[np.ndarray], k: int) -> list[Ids]:
        """`exact` for many queries; a library with a batched form of its own overrides it."""
        return [self.exact(seeds, k) for seeds in queries]

    def timed(self, seeds: np.ndarray, k: int) -> tuple[float, Ids]:
        """Seconds that `exact` took, and what it gave."""
        start = time.perf_counter()
        ids = self.exact(seeds, k)
        return time.perf_counter() - start, ids

    def timed_batch(self, queries: Sequence[np.ndarray], k: int) -> tuple[float, list[Ids]]:
        """Seconds that `batch` took, and what it gave."""
        start = time.perf_counter()
        many = self.batch(queries, k)
        return time.perf_counter() - start, many

    def close(self) -> None:
        """Let go of what the process does not free by itself."""


def as_array(ids: Ids) -> np.ndarray:
    """The ids of any peer as a sorted array."""
    array = ids if isinstance(ids, np.ndarray) else np.fromiter(ids, np.int64, len(ids))
    return np.sort(array.astype(np.int64))


def compressed_rows(n: int, subject: np.ndarray, object: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Row offsets (n + 1,) and the objects of each row in order, both int32."""
    order = np.lexsort((object, subject))
    offsets = np.zeros(n + 1, np.int32)
    np.cumsum(np.bincount(subject, minlength=n), out=offsets[1:])
    return offsets, object[order].astype(np.int32)
