"""A predictor of stated precision and recall: it shows what the two rounds add, whatever a model knows.

It names the right diagnosis with a probability of `recall`, and as many wrong ones as give `precision` over many
patients: some plausible (they share a finding with the patient), the others drawn from all diagnoses. It selects by the
same rates.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clew.answer.diagnosis.predictors import Case, Named
from clew.answer.diagnosis.profiles import Profiles
from clew.errors import InputError

__all__ = ["PredictorSettings", "SimulatedPredictor"]

PREDICTING, SELECTING = 1, 2  # parts of the seed


@dataclass(frozen=True, slots=True)
class PredictorSettings:
    """The rates of a simulated predictor; `plausible` is the share of wrong diagnoses that share a finding."""

    precision: float = 0.3
    recall: float = 0.5
    plausible: float = 0.5
    seed: int = 0

    def __post_init__(self) -> None:
        if not (0 < self.precision <= 1 and 0 <= self.recall <= 1 and 0 <= self.plausible <= 1):
            raise InputError(f"precision is above 0 and up to 1, recall and plausible from 0 to 1, not {self}")

    @property
    def wrong(self) -> float:
        """The mean number of wrong diagnoses."""
        return self.recall * (1 - self.precision) / self.precision


class SimulatedPredictor:
    """Predicts and selects with stated rates; the same case always gives the same result."""

    def __init__(self, profiles: Profiles, gold: Mapping[str, int], settings: PredictorSettings) -> None:
        self._profiles, self._gold, self._settings = profiles, gold, settings  # gold: case → entity
        self._owner = np.repeat(np.arange(len(profiles.diagnoses)), np.diff(profiles.starts))
        self.identity = f"simulated:{settings}"

    def predict(self, case: Case) -> list[Named]:
        random, gold = self._random(case, PREDICTING, 0), self._gold[case.id]
        named = [gold] if random.random() < self._settings.recall else []
        for _ in range(random.poisson(self._settings.wrong)):
            drawn = self._plausible(case, random) if random.random() < self._settings.plausible else None
            entity = int(random.choice(self._profiles.diagnoses)) if drawn is None else drawn
            if entity != gold and entity not in named:
                named.append(entity)
        order = random.permutation(len(named))
        return [Named(str(named[at]), named[at]) for at in order]

    def select(self, case: Case, candidates: Sequence[Named]) -> list[int]:
        random, gold = self._random(case, SELECTING, len(candidates)), self._gold[case.id]
        wrong = [at for at, each in enumerate(candidates) if each.entity != gold]
        rate = min(1.0, self._settings.wrong / max(1, len(wrong)))
        chosen = [at for at in wrong if random.random() < rate]
        right = [at for at, each in enumerate(candidates) if each.entity == gold]
        return sorted(chosen + [at for at in right if random.random() < self._settings.recall])

    def _plausible(self, case: Case, random: np.random.Generator) -> int | None:
        """A diagnosis with a finding of the case."""
        entity, _ = case.present[int(random.integers(len(case.present)))]
        (term,) = self._profiles.find_terms(np.array([entity]))
        rows = np.flatnonzero(self._profiles.term == term)
        return int(self._profiles.diagnoses[self._owner[random.choice(rows)]]) if len(rows) else None

    def _random(self, case: Case, part: int, more: int) -> np.random.Generator:
        return np.random.default_rng(
            [self._settings.seed, part, more, self._gold[case.id], *(e for e, _ in case.present)]
        )
