"""numpy: gather the rows of the frontier from compressed rows, then drop repeats."""

from collections.abc import Sequence

import numpy as np

from benchmarks.khop.peers.peer import Ids, Peer, compressed_rows

__all__ = ["NumPy"]

# Measured on the heavy-tailed graph, ms at hops 1-5, interleaved on two busy cores. Repeats dropped by a fresh
# array of marks 0.097 / 0.32 / 2.0 / 15 / 43, by `np.unique` below 3,000 and marks above 0.030 / 0.26 / 1.9, by
# an in-place int32 sort below 3,000 0.010 / 0.23 / 2.0 / 14 / 39, below 10,000 0.012 / 0.07 / 1.6 / 17 / 43,
# below 30,000 the same but for hop 3, a fifth faster (kept). Pulling over in-rows with `logical_or.reduceat`
# from 150,000 on gains a fifth at hop 5 (kept); from 100,000 on, or peeling off the first in-neighbour before,
# loses.
SORT_BELOW = 30_000  # gathered ids: fewer are sorted, more are marked
PULL_ABOVE = 150_000  # entities in the frontier: more and every in-row is asked instead


class NumPy(Peer):
    """Push by a gather and a sort or marks; pull over in-rows when the frontier is dense."""

    name = "numpy"

    def prepare(self, n: int, subject: np.ndarray, object: np.ndarray, *, tuning: Sequence[np.ndarray] = ()) -> None:
        self._n = n
        offsets, self._objects = compressed_rows(n, subject, object)
        self._starts, self._degrees = offsets[:-1].astype(np.int64), np.diff(offsets).astype(np.int64)
        offsets, self._subjects = compressed_rows(n, object, subject)
        self._reached = np.flatnonzero(np.diff(offsets))  # entities with an in-row at all
        self._row_starts = offsets[self._reached]
        self._positions = np.arange(max(len(subject), 1))

    def exact(self, seeds: np.ndarray, k: int) -> Ids:
        frontier = seeds
        for _ in range(k):
            frontier = self._pull(frontier) if len(frontier) > PULL_ABOVE else self._push(frontier)
        return frontier

    def batch(self, queries: Sequence[np.ndarray], k: int) -> list[Ids]:
        # hops 1 / 2 / 3, 150 queries: all at once 0.9 / 36 / 1075 ms, one by one 1.8 / 34 / 470
        if k == 1 and len(queries) * self._n < 2**31:
            return self._all_at_once(queries)
        return super().batch(queries, k)

    def _push(self, frontier: np.ndarray) -> np.ndarray:
        gathered, _ = self._gather(frontier)
        if len(gathered) < SORT_BELOW:
            return _distinct(gathered)
        marks = np.zeros(self._n, bool)
        marks[gathered] = True
        return marks.nonzero()[0]

    def _pull(self, frontier: np.ndarray) -> np.ndarray:
        marks = np.zeros(self._n, bool)
        marks[frontier] = True
        return self._reached[np.logical_or.reduceat(marks[self._subjects], self._row_starts)]

    def _gather(self, frontier: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        counts = self._degrees[frontier]
        ends = counts.cumsum()
        places = (self._starts[frontier] - ends + counts).repeat(counts)
        places += self._positions[: len(places)] if len(places) <= len(self._positions) else np.arange(len(places))
        return self._objects[places], counts

    def _all_at_once(self, queries: Sequence[np.ndarray]) -> list[Ids]:
        width = np.int32(self._n)
        owner = np.arange(len(queries), dtype=np.int32).repeat([len(seeds) for seeds in queries])
        keys, counts = self._gather(np.concatenate(queries))
        keys += (owner * width).repeat(counts)
        owner, ids = np.divmod(_distinct(keys), width)
        return np.split(ids, np.searchsorted(owner, np.arange(1, len(queries))))


def _distinct(ids: np.ndarray) -> np.ndarray:
    """Each id once, ascending; sorts in place."""
    ids.sort()
    first = np.empty(len(ids), bool)
    first[:1] = True
    np.not_equal(ids[1:], ids[:-1], out=first[1:])
    return ids[first]
