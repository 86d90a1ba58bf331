"""Precision, recall and F1 of sets of diagnoses, pooled over patients with one right diagnosis each."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = ["Outcome", "pooled"]

RESAMPLES = 1_000


@dataclass(frozen=True, slots=True)
class Outcome:
    """How many diagnoses a patient was given, and whether the right one is among them."""

    named: int
    right: bool


def pooled(outcomes: Sequence[Outcome], *, seed: int = 0) -> dict[str, Any]:
    """Precision, recall and F1 over all patients, F1 with its 95 % bootstrap interval."""
    named = np.array([each.named for each in outcomes], float)
    right = np.array([each.right for each in outcomes], float)
    n = len(outcomes)
    drawn = np.random.default_rng(seed).multinomial(n, np.full(n, 1 / n), size=RESAMPLES)
    low, high = np.percentile(_f1(drawn @ right, drawn @ named, n), (2.5, 97.5))
    hits, total = right.sum(), named.sum()
    return {
        "n": n,
        "precision": round(float(hits / total), 4) if total else 0.0,
        "recall": round(float(hits / n), 4),
        "f1": round(float(_f1(hits, total, n)), 4),
        "low": round(float(low), 4),
        "high": round(float(high), 4),
        "named": round(float(total / n), 2),
    }


def _f1(hits: Any, named: Any, n: int) -> Any:
    return 2 * hits / (named + n)
