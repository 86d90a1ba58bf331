"""Exact nearest neighbours, reading about a third of the numbers.

Vectors are rotated to their principal components; most of a row's norm then lies in its leading numbers, its head. For
unit vectors q·x ≤ q_head·x_head + |q_tail|·|x_tail|, so one product over the heads, with the norm of the tail as an
extra column, is an upper bound on every score. Only rows whose bound reaches the k-th best score are scored in full.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Heads", "best", "make_heads", "scores_of"]

Vectors = NDArray[np.floating]
Rows = NDArray[np.int64]

ENERGY = 0.86  # share of the squared norm in the heads; less passes too many rows, more makes heads long
WIDTHS = (32, 64, 96, 128, 160, 192, 256)
SAMPLE = 20_000  # rows used to estimate the principal components
SLACK = 1e-5  # rounding error of float32 sums of some hundred terms is below this,
ROUNDING = 1e-6  # and of their differences below this; a tail must not be underestimated
FIRST = 4  # times k: rows scored in full to find the k-th best score
BLOCK = 8192


@dataclass(frozen=True, slots=True)
class Heads:
    """The leading principal components of every row, with the norm of the rest as last column."""

    directions: NDArray[np.float32]  # (dimension, width), orthonormal columns
    columns: NDArray[np.float32]  # (count, width + 1)

    def nearest(
        self, vectors: Vectors, query: NDArray[np.float32], k: int, rows: Rows | None
    ) -> tuple[Rows, NDArray[np.float32]]:
        """The k best of `rows` (all, if None) for one query, best first, ties by row."""
        head = query @ self.directions
        tail = np.sqrt(max(0.0, float(query @ query) - float(head @ head)) + ROUNDING)
        bounds = np.vecdot(self.columns, np.append(head, np.float32(tail)))  # (count,)
        if rows is not None:
            bounds = bounds[rows]
        if k < len(bounds):
            first = np.argpartition(bounds, len(bounds) - min(len(bounds), FIRST * k))[-FIRST * k :]
            reached = np.partition(scores_of(vectors, first if rows is None else rows[first], query), -k)[-k]
            chosen = np.flatnonzero(bounds >= reached - SLACK)
        else:
            chosen = np.arange(len(bounds))
        candidates = chosen if rows is None else rows[chosen]
        return best(candidates, scores_of(vectors, candidates, query), k)


def scores_of(vectors: Vectors, rows: Rows, query: NDArray[np.float32]) -> NDArray[np.float32]:
    """Inner products of some rows with a query.

    Row by row (vecdot), not as one matrix product: equal rows then get equal scores at any position, and BLAS starts no
    second thread, which on a busy machine took longer than the whole product.
    """
    scores = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), BLOCK):
        part = vectors[rows[start : start + BLOCK]].astype(np.float32)
        np.vecdot(part, query, out=scores[start : start + BLOCK])
    return scores


def best(rows: Rows, scores: NDArray[np.float32], k: int) -> tuple[Rows, NDArray[np.float32]]:
    """The k rows with the highest scores, best first, ties by row."""
    if k < len(rows):
        passed = np.flatnonzero(scores >= np.partition(scores, len(scores) - k)[len(scores) - k])
        rows, scores = rows[passed], scores[passed]
    order = np.lexsort((rows, -scores))[:k]
    return rows[order], scores[order]


def make_heads(vectors: Vectors) -> Heads:
    """The heads of all rows, wide enough to contain `ENERGY` of their squared norm."""
    count, dimension = vectors.shape
    step = max(1, count // SAMPLE)
    sample = vectors[::step].astype(np.float32)
    energies, directions = np.linalg.eigh(sample.T @ sample)  # ascending
    share = np.cumsum(energies[::-1]) / max(float(energies.sum()), 1e-9)
    enough = (width for width in WIDTHS if width < dimension and share[width - 1] >= ENERGY)
    width = next(enough, dimension)
    turned = np.ascontiguousarray(directions[:, ::-1][:, :width], np.float32)
    columns = np.empty((count, width + 1), np.float32)
    for start in range(0, count, BLOCK):
        part = vectors[start : start + BLOCK].astype(np.float32)
        head = part @ turned
        rest = np.einsum("ij,ij->i", part, part) - np.einsum("ij,ij->i", head, head)
        columns[start : start + BLOCK, :width] = head
        columns[start : start + BLOCK, width] = np.sqrt(np.maximum(rest, 0) + ROUNDING)
    return Heads(turned, columns)
