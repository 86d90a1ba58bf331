"""python-graphblas: any_pair products, pushing a sparse frontier or pulling for every entity when it is dense."""

import os
import time
from collections.abc import Callable, Sequence

import graphblas
import numpy as np
from graphblas import Matrix, Vector, semiring

from benchmarks.khop.peers.peer import Ids, Peer

__all__ = ["GraphBLAS"]

# Where pulling starts is swept on tuning queries at each hop, the best kept. Measured on the heavy-tailed
# graph, ms at hops 1-5, one / two threads: push only 0.12 / 0.46 / 5.8 / 19 / 36 with two; push and pull 0.08 /
# 0.37 / 7.6 / 14 / 18 and 0.07 / 0.36 / 4.3 / 7.7 / 9.8 (kept: two threads, seeds imported, result unpacked;
# `from_coo` and `to_coo` cost 0.05 ms more). Asking for a bitmap frontier or bitmap output changes nothing: the
# library chooses both by itself.
THREADS = min(2, os.cpu_count() or 1)
SWEEP = (1_000, 3_000, 10_000, 20_000, 40_000, 80_000, 1 << 62)  # entities in the frontier; the last never pulls
SHALLOWEST, DEEPEST = 2, 5  # the hops swept: a first step always pushes
ONE = np.ones(1, bool)


class GraphBLAS(Peer):
    """Vector times matrix per query, matrix times matrix for a batch where that was faster on the tuning queries."""

    name = "python-graphblas"

    def prepare(self, n: int, subject: np.ndarray, object: np.ndarray, *, tuning: Sequence[np.ndarray] = ()) -> None:
        graphblas.ss.config["nthreads"] = THREADS
        self._n = n
        self._out = Matrix.from_coo(subject, object, True, nrows=n, ncols=n, dtype=bool)
        self._in = self._out.T.new()
        self._step = semiring.any_pair[bool]
        self._pull_above = dict.fromkeys(range(1, DEEPEST + 1), 20_000)
        self._matrix_wins: dict[int, bool] = {}  # found out when a batch of that depth is first asked for
        self._tuning = tuning
        if tuning:
            self._tune(tuning)

    def exact(self, seeds: np.ndarray, k: int) -> Ids:
        return self._walk(seeds, k, self._pull_above.get(k, self._pull_above[DEEPEST]))

    def batch(self, queries: Sequence[np.ndarray], k: int) -> list[Ids]:
        if k not in self._matrix_wins:
            matrix, loop = (self._seconds(way, k) for way in (self._matrix_batch, super().batch))
            self._matrix_wins[k] = matrix < loop
        return self._matrix_batch(queries, k) if self._matrix_wins[k] else super().batch(queries, k)

    def _walk(self, seeds: np.ndarray, k: int, pull_above: int) -> np.ndarray:
        frontier = Vector.ss.import_sparse(
            size=self._n, nvals=len(seeds), indices=seeds.astype(np.uint64), values=ONE, is_iso=True, sorted_index=True
        )
        for _ in range(k):
            dense = frontier.nvals > pull_above
            frontier = self._step(self._in @ frontier if dense else frontier @ self._out).new()
        parts = frontier.ss.unpack()
        if parts["format"] == "sparse":
            return parts["indices"]
        return np.arange(self._n) if parts["format"] == "full" else parts["bitmap"].nonzero()[0]

    def _matrix_batch(self, queries: Sequence[np.ndarray], k: int) -> list[np.ndarray]:
        frontier = Matrix.ss.import_csr(
            nrows=len(queries),
            ncols=self._n,
            indptr=np.cumsum([0, *(len(seeds) for seeds in queries)]).astype(np.uint64),
            col_indices=np.concatenate(queries).astype(np.uint64),
            values=ONE,
            is_iso=True,
            sorted_cols=True,
        )
        for _ in range(k):
            frontier = self._step(frontier @ self._out).new()
        parts = frontier.ss.export("csr")
        return np.split(parts["col_indices"], parts["indptr"][1:-1].astype(np.int64))

    def _tune(self, tuning: Sequence[np.ndarray]) -> None:
        """Keep what is fastest at each hop on queries that are never timed."""
        for k in range(SHALLOWEST, DEEPEST + 1):
            medians = {limit: self._median(tuning, k, limit) for limit in SWEEP}
            self._pull_above[k] = min(medians, key=medians.__getitem__)

    def _seconds(self, way: Callable[[Sequence[np.ndarray], int], list[Ids]], k: int) -> float:
        """What the tuning queries take as a batch."""
        if not self._tuning:
            return 0.0
        start = time.perf_counter()
        way(self._tuning, k)
        return time.perf_counter() - start

    def _median(self, tuning: Sequence[np.ndarray], k: int, pull_above: int) -> float:
        spent = []
        for seeds in tuning:
            start = time.perf_counter()
            self._walk(seeds, k, pull_above)
            spent.append(time.perf_counter() - start)
        return float(np.median(spent))
