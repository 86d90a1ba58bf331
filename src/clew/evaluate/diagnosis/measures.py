"""Precision, recall and F1 of sets of diagnoses, pooled over patients with one right diagnosis each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.evaluate.statistics import bootstrap_sums

__all__ = ["Outcome", "pooled"]

RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many diagnoses a patient was given, and whether the right one is among them."""

    named: int
    right: bool


def pooled(outcomes: Sequence[Outcome], *, seed: int = 0) -> dict[str, Any]:
    """Precision, recall and F1 over all patients, F1 with its 95 % bootstrap interval."""
    n = len(outcomes)
    counts = np.array([(each.right, each.named) for each in outcomes], float)
    (f1,) = bootstrap_sums(counts, lambda sums: _f1(sums, n), seed=seed, resamples=RESAMPLES)
    hits, total = counts.sum(axis=0).tolist()
    return {
        "n": n,
        "precision": round(hits / total, 4) if total else 0.0,
        "recall": round(hits / n, 4),
        "f1": round(f1.mean, 4),
        "low": round(f1.low, 4),
        "high": round(f1.high, 4),
        "named": round(total / n, 2),
    }


def _f1(sums: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    return 2 * sums[:, :1] / (sums[:, 1:] + n)
