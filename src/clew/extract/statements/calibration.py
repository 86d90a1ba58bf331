"""Scores to probabilities, and from which probability on a pair counts as stated, by held-out documents.

Each corpus has two numbers for pairs that share a sentence and two for those that do not: scores are multiplied by one,
and the other is added to that of "not stated".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

__all__ = ["Calibration", "Scored", "calibrate", "f1_of", "probabilities"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Calibration:
    """How the scores of a corpus become probabilities, and the least probability of a stated relation."""

    scale: float = 1.0
    shift: float = 0.0
    apart_scale: float = 1.0  # of pairs that share no sentence
    apart_shift: float = 0.0
    threshold: float = 0.5


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores (pairs, 1 + relations) of a document, their labels, and the gold relations that no pair can reach."""

    scores: NDArray[np.float32]
    labels: NDArray[np.int64]
    apart: NDArray[np.bool_]  # (pairs,) which share no sentence
    missed: int = 0


def probabilities(scores: NDArray[np.floating], calibration: Calibration, apart: NDArray[np.bool_]) -> Floats:
    """Of "not stated" and of each relation; rows sum to 1."""
    scaled = scores.astype(np.float64) * np.where(apart, calibration.apart_scale, calibration.scale)[:, None]
    scaled[:, 0] += np.where(apart, calibration.apart_shift, calibration.shift)
    raised = np.exp(scaled - scaled.max(1, keepdims=True))
    return np.asarray(raised / raised.sum(1, keepdims=True))


def calibrate(documents: Sequence[Scored]) -> Calibration:
    """Scale and shift of the greatest likelihood, then the threshold of the greatest F1.

    Documents in which nothing is stated, or none at all, leave scores as they are.
    """
    if not any((each.labels > 0).any() for each in documents):
        return Calibration()
    scores = np.concatenate([each.scores for each in documents])
    labels = np.concatenate([each.labels for each in documents])
    apart = np.concatenate([each.apart for each in documents])
    missed = sum(each.missed for each in documents)
    together, alone = _fit(scores[~apart], labels[~apart]), _fit(scores[apart], labels[apart])
    fitted = Calibration(*together, *alone)
    return replace(fitted, threshold=_best_threshold(probabilities(scores, fitted, apart), labels, missed))


def _fit(scores: NDArray[np.float32], labels: NDArray[np.int64]) -> tuple[float, float]:
    """Scale and shift of the greatest likelihood; those of no change where nothing is stated."""
    from scipy.optimize import minimize

    if not (labels > 0).any():
        return 1.0, 0.0
    here = np.zeros(len(labels), bool)

    def loss(numbers: Floats) -> float:
        shares = probabilities(scores, Calibration(float(np.exp(numbers[0])), float(numbers[1])), here)
        return float(-np.log(shares[np.arange(len(labels)), labels] + 1e-12).mean())

    found = minimize(loss, np.zeros(2), method="Nelder-Mead", bounds=[(-3, 3), (-5, 5)])
    return float(np.exp(found.x[0])), float(found.x[1])


def f1_of(documents: Sequence[Scored], calibration: Calibration) -> Mapping[str, float]:
    """Precision, recall and F1 over all relations; a pair says its likeliest relation, if that is likely enough."""
    hits = predicted = gold = 0
    for each in documents:
        shares = probabilities(each.scores, calibration, each.apart)[:, 1:] if len(each.labels) else np.zeros((0, 1))
        said = np.where(shares.max(1, initial=0) >= calibration.threshold, shares.argmax(1) + 1, 0)
        hits += int(((said == each.labels) & (said > 0)).sum())
        predicted += int((said > 0).sum())
        gold += int((each.labels > 0).sum()) + each.missed
    precision, recall = hits / max(1, predicted), hits / max(1, gold)
    return {
        "precision": precision,
        "recall": recall,
        "f1": 2 * hits / max(1, predicted + gold),
        "hits": hits,
        "predicted": predicted,
        "gold": gold,
    }


def _best_threshold(shares: Floats, labels: NDArray[np.int64], missed: int) -> float:
    """Halfway between the last pair that is taken and the first that is not, where F1 is highest."""
    best, said = shares[:, 1:].max(1), shares[:, 1:].argmax(1) + 1
    order = np.argsort(-best, kind="stable")
    hits = np.cumsum(said[order] == labels[order])
    gold = int((labels > 0).sum()) + missed
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + gold)
    last = int(f1.argmax())
    below = best[order[last + 1]] if last + 1 < len(order) else 0.0
    return float((best[order[last]] + below) / 2)
