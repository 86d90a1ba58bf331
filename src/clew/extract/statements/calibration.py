"""Scores to probabilities, and from which probability on a pair counts as stated, by held-out documents.

Each corpus has two numbers: its scores are multiplied by one, and the other is added to that of "not stated".
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Calibration", "Scored", "calibrate", "f1_of", "probabilities"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Calibration:
    """How the scores of a corpus become probabilities, and the least probability of a stated relation."""

    scale: float = 1.0
    shift: float = 0.0
    threshold: float = 0.5


@dataclass(frozen=True, slots=True)
class Scored:
    """The scores (pairs, 1 + relations) of a document, their labels, and the gold relations that no pair can reach."""

    scores: NDArray[np.float32]
    labels: NDArray[np.int64]
    missed: int = 0


def probabilities(scores: NDArray[np.floating], calibration: Calibration) -> Floats:
    """Of "not stated" and of each relation; rows sum to 1."""
    scaled = scores.astype(np.float64) * calibration.scale
    scaled[:, 0] += calibration.shift
    raised = np.exp(scaled - scaled.max(1, keepdims=True))
    return np.asarray(raised / raised.sum(1, keepdims=True))


def calibrate(documents: Sequence[Scored]) -> Calibration:
    """Scale and shift of the greatest likelihood, then the threshold of the greatest F1.

    Documents in which nothing is stated, or none at all, leave scores as they are.
    """
    from scipy.optimize import minimize

    if not any((each.labels > 0).any() for each in documents):
        return Calibration()
    scores = np.concatenate([each.scores for each in documents])
    labels = np.concatenate([each.labels for each in documents])
    missed = sum(each.missed for each in documents)

    def loss(numbers: Floats) -> float:
        shares = probabilities(scores, Calibration(float(np.exp(numbers[0])), float(numbers[1])))
        return float(-np.log(shares[np.arange(len(labels)), labels] + 1e-12).mean())

    found = minimize(loss, np.zeros(2), method="Nelder-Mead", bounds=[(-3, 3), (-5, 5)])
    fitted = Calibration(float(np.exp(found.x[0])), float(found.x[1]))
    threshold = _best_threshold(probabilities(scores, fitted), labels, missed)
    return Calibration(fitted.scale, fitted.shift, threshold)


def f1_of(documents: Sequence[Scored], calibration: Calibration) -> Mapping[str, float]:
    """Precision, recall and F1 over all relations; a pair says its likeliest relation, if that is likely enough."""
    hits = predicted = gold = 0
    for each in documents:
        shares = probabilities(each.scores, calibration)[:, 1:] if len(each.labels) else np.zeros((0, 1))
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
