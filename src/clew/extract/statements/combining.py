"""One probability of a relation from two readings of a pair: in its whole document, and in its own sentences."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["HARM", "HELP", "NEITHER", "READ", "Combination", "fit_combination", "pair_features"]

NEITHER, HELP, HARM = range(3)  # what the sentences of a chemical and a disease say
READ = 3
LEAST = 1e-4
Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Combination:
    """A logistic model of `pair_features`, fitted on documents that neither reading was trained on."""

    weights: tuple[float, ...]
    bias: float

    def probability(self, features: Floats) -> Floats:
        """(pairs,)"""
        return np.asarray(1 / (1 + np.exp(-(features @ np.array(self.weights) + self.bias))))


def pair_features(shares: Floats, read: Floats, apart: NDArray[np.bool_]) -> Floats:
    """(pairs, numbers) from the probabilities of a corpus in the document (pairs, 1 + relations), of help and harm in
    the sentences (pairs, 3), and whether the two ends share no sentence."""
    log = np.log(np.clip(shares, LEAST, 1 - LEAST))
    odds = log - np.log(np.clip(1 - shares, LEAST, 1 - LEAST))
    return np.concatenate(
        [odds[:, 1:], log[:, :1], np.log(np.clip(read, LEAST, 1)), apart[:, None].astype(np.float64)], axis=1
    )


def fit_combination(features: Floats, holds: NDArray[np.bool_], *, penalty: float = 10.0) -> Combination:
    """The most likely model under a penalty on its weights, each in units of the spread of its feature."""
    from scipy.optimize import minimize

    middle, spread = features.mean(0), features.std(0) + 1e-6
    given = np.concatenate([(features - middle) / spread, np.ones((len(features), 1))], axis=1)
    sign = np.where(holds, 1.0, -1.0)

    def loss(weights: Floats) -> tuple[float, Floats]:
        margin = sign * (given @ weights)
        free = np.append(weights[:-1], 0.0)
        slope = -(sign / (1 + np.exp(np.clip(margin, -40, 40)))) @ given
        return float(np.logaddexp(0, -margin).sum() + penalty / 2 * free @ free), slope + penalty * free

    found = minimize(loss, np.zeros(given.shape[1]), jac=True, method="L-BFGS-B").x
    weights = found[:-1] / spread
    return Combination(_rounded(weights), round(float(found[-1] - weights @ middle), 6))


def _rounded(weights: Sequence[float] | Floats) -> tuple[float, ...]:
    return tuple(round(float(each), 6) for each in weights)
