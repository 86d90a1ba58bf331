"""The rows of a table of rankings: the ranker, and simpler scores that show what it adds."""

from collections.abc import Callable, Mapping
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.answer.diagnosis.profiles import Profiles
from clew.answer.diagnosis.ranking import Ranker
from clew.evaluate.diagnosis.patients import Patient

__all__ = ["ROWS", "Rankings"]

Floats = NDArray[np.float64]


class Rankings:
    """Scores every diagnosis for a patient in several ways."""

    def __init__(self, profiles: Profiles) -> None:
        self.profiles = profiles
        self.ranker = Ranker(profiles)

    def rank(self, row: str, patient: Patient) -> float:
        """The rank of the patient's diagnosis, from 1; of equal scores the mean rank."""
        scores = ROWS[row](self, patient)
        own = scores[patient.gold]
        return float(1 + (scores > own).sum() + ((scores == own).sum() - 1) / 2)

    @cached_property
    def _rarity(self) -> Floats:
        """(t,) log of all diagnoses over those with exactly this term."""
        counts = np.bincount(self.profiles.term, minlength=len(self.profiles.terms))
        return np.asarray(np.log(len(self.profiles.diagnoses) / np.maximum(counts, 1)))

    @cached_property
    def _length(self) -> Floats:
        """(n,) The length of each profile as a vector of rarities."""
        return np.asarray(np.sqrt(self._sum(self._rarity**2)))

    def _sum(self, weights: Floats) -> Floats:
        """(n,) The sum over each profile of a weight of its terms."""
        return np.asarray(np.add.reduceat(weights[self.profiles.term], self.profiles.starts[:-1]))

    def by_likelihood(self, patient: Patient) -> Floats:
        """The ranker of `clew diagnose`."""
        return self.ranker.score(patient.present, patient.absent)

    def at_random(self, patient: Patient) -> Floats:
        """Any order."""
        return np.random.default_rng([patient.gold, *patient.present]).random(len(self.profiles.diagnoses))

    def by_overlap(self, patient: Patient) -> Floats:
        """The number of findings that the profile has, exactly."""
        return self._sum(_weights(len(self.profiles.terms), patient, 1.0))

    def by_cosine(self, patient: Patient) -> Floats:
        """The cosine of findings and profile, both weighted by rarity (TF-IDF)."""
        shared = self._sum(_weights(len(self.profiles.terms), patient, 1.0) * self._rarity**2)
        return shared / np.maximum(self._length, 1e-12)

    def by_best_match(self, patient: Patient) -> Floats:
        """The mean over findings of the best Lin similarity with the profile."""
        return self.ranker.similarity(patient.present)


def _weights(count: int, patient: Patient, weight: float) -> Floats:
    weights = np.zeros(count)
    weights[list(patient.present)] = weight
    return weights


ROWS: Mapping[str, Callable[[Rankings, Patient], Floats]] = {
    "ranker": Rankings.by_likelihood,
    "random": Rankings.at_random,
    "overlap": Rankings.by_overlap,
    "cosine": Rankings.by_cosine,
    "best-match": Rankings.by_best_match,
}
