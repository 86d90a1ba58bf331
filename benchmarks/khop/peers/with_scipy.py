"""scipy.sparse: a row of seeds times the adjacency matrix, and LogosKG's form, times two incidence matrices."""

from collections.abc import Sequence

import numpy as np
from scipy import sparse

from benchmarks.khop.peers.peer import Ids, Peer

__all__ = ["SciPyAdjacency", "SciPyIncidence", "SciPySortedIncidence"]

# Measured on the heavy-tailed graph, ms at hops 1-5, interleaved on two busy cores. q@A in bool 0.35 / 0.86 /
# 5.7 / 40 / 112, in float32 0.43 / 1.05 / 6.4 / 45 / 117, bool with a dense vector from 10,000 ids on 0.35 /
# 0.85 / 5.4 / 16 / 27 (kept), from 3,000 on 0.35 / 0.87 / 9.6 / 16 / 26. int8 looks faster and is wrong: a sum
# that wraps to 0 drops its entity. Incidence, triples as they came 3.0 / 7.3 / 70 / 643 / 1001, sorted by
# subject and object 2.7 / 6.1 / 23 / 127 / 363; float32 is no faster.
DENSE_ABOVE = 10_000  # entities in the frontier: more and a dense vector is cheaper than a sparse row
BATCHED_HOPS = 2  # 150 queries, hops 1-5: one product 1.4 / 63 / 940 ms, one by one 38 / 142 / 919 / 1964 / 4199


def _rows(queries: Sequence[np.ndarray], n: int) -> sparse.csr_array:
    """One boolean row per query."""
    ends = np.cumsum([0, *(len(seeds) for seeds in queries)], dtype=np.int32)
    ids = np.concatenate(queries).astype(np.int32)
    return sparse.csr_array((np.ones(len(ids), bool), ids, ends), shape=(len(queries), n))


class SciPyAdjacency(Peer):
    """q@A: sparse while the frontier is small, a dense vector once it is not."""

    name = "scipy q@A"

    def prepare(self, n: int, subject: np.ndarray, object: np.ndarray, *, tuning: Sequence[np.ndarray] = ()) -> None:
        self._n = n
        self._out = sparse.csr_array((np.ones(len(subject), bool), (subject, object)), shape=(n, n))
        self._in = self._out.T.tocsr()

    def exact(self, seeds: np.ndarray, k: int) -> Ids:
        row, hop = _rows([seeds], self._n), 0
        while hop < k and row.nnz <= DENSE_ABOVE:
            row = row @ self._out
            hop += 1
        if hop == k:
            return row.indices
        marks = np.zeros(self._n, bool)
        marks[row.indices] = True
        for _ in range(hop, k):
            marks = self._in @ marks
        return marks.nonzero()[0]

    def batch(self, queries: Sequence[np.ndarray], k: int) -> list[Ids]:
        if k > BATCHED_HOPS:
            return super().batch(queries, k)
        rows = _rows(queries, self._n)
        for _ in range(k):
            rows = rows @ self._out
        return np.split(rows.indices, rows.indptr[1:-1])


class SciPyIncidence(Peer):
    """q·SUB·OBJ as the LogosKG paper writes it: a hop is entities to triples, then triples to entities."""

    name = "scipy incidence"
    wants_triples = True

    def prepare(self, n: int, subject: np.ndarray, object: np.ndarray, *, tuning: Sequence[np.ndarray] = ()) -> None:
        self._n = n
        triples = len(subject)
        number, ones = np.arange(triples), np.ones(triples, bool)
        self._subject = sparse.csr_array((ones, (subject, number)), shape=(n, triples))
        self._object = sparse.csr_array((ones, (number, object)), shape=(triples, n))

    def exact(self, seeds: np.ndarray, k: int) -> Ids:
        row = _rows([seeds], self._n)
        for _ in range(k):
            row = row @ self._subject @ self._object
        return row.indices


class SciPySortedIncidence(SciPyIncidence):
    """The same, with the triples put in order first, which the paper does not do."""

    name = "scipy incidence, sorted"

    def prepare(self, n: int, subject: np.ndarray, object: np.ndarray, *, tuning: Sequence[np.ndarray] = ()) -> None:
        order = np.lexsort((object, subject))
        super().prepare(n, subject[order], object[order], tuning=tuning)
