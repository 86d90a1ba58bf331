"""Two rounds for simulated patients: precision, recall and F1 by k and round, refinement by similarity, distances.

Every prediction and selection is kept in a journal as soon as it is made: a killed run resumes, and no predictor is
asked twice.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from clew.answer import Resources
from clew.answer.diagnosis.connections import MOST_HOPS, connected, offer, reach_of, refine
from clew.answer.diagnosis.diagnose import ranker_of
from clew.answer.diagnosis.predictors import Case, ModelPredictor, Named, Predictor
from clew.answer.diagnosis.profiles import Profiles
from clew.answer.diagnosis.ranking import Ranker
from clew.answer.diagnosis.relations import ProfileRelations
from clew.answer.diagnosis.two_rounds import similarities
from clew.errors import InputError
from clew.evaluate.diagnosis.measures import Outcome, pooled
from clew.evaluate.diagnosis.patients import Patient, PatientSettings, simulate_patients
from clew.evaluate.diagnosis.simulated import PredictorSettings, SimulatedPredictor
from clew.evaluate.journal import Journal
from clew.progress import Progress, silent

__all__ = ["GRID_THRESHOLDS", "GRID_TOPS", "RoundsRun", "case_of", "run_rounds"]

GRID_THRESHOLDS = (None, 0.5, 0.6, 0.7, 0.8, 0.9)
GRID_TOPS = (None, 1, 3, 5, 10, 15, 20, 25, 30)
RANKED = (1, 3, 5)  # how many diagnoses the ranker alone names


@dataclass(frozen=True, slots=True)
class RoundsRun:
    """What is run: patients, the values of k, the candidates of Round 2, and a predictor with stated rates."""

    count: int = 200
    seed: int = 0
    ks: tuple[int, ...] = tuple(range(1, MOST_HOPS + 1))
    candidates: int = 20
    predictor: PredictorSettings = field(default_factory=PredictorSettings)
    patients: PatientSettings = field(default_factory=PatientSettings)

    def __post_init__(self) -> None:
        if not self.ks or any(not 1 <= k <= MOST_HOPS for k in self.ks):
            raise InputError(f"k is one or several numbers of hops from 1 to {MOST_HOPS}, not {self.ks}")
        if self.candidates < 0:
            raise InputError(f"expected 0 or more candidates, not {self.candidates}")


def run_rounds(
    resources: Resources,
    relations: ProfileRelations,
    run: RoundsRun,
    *,
    out: Path | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Run both rounds for every patient and k; by the model of the resources, or by the simulated predictor."""
    ranker = ranker_of(resources, relations)
    patients = simulate_patients(ranker.profiles, count=run.count, seed=run.seed, settings=run.patients)
    gold = {each.id: int(ranker.profiles.diagnoses[each.gold]) for each in patients}
    predictor: Predictor = SimulatedPredictor(ranker.profiles, gold, run.predictor)
    if resources.model is not None:
        predictor = ModelPredictor(resources.model, resources.linker, relations.diagnosis_type)
    described = {
        "snapshot": resources.engine.snapshot.id,
        "relations": asdict(relations),
        **asdict(run),
        "predictor": predictor.identity,
        "ranker": asdict(ranker.settings),
    }
    rounds = _Rounds(resources, ranker, predictor, run, Journal(out, described, what="two rounds of diagnoses"))
    records = []
    for done, patient in enumerate(patients, start=1):
        records.append(rounds.of_patient(patient))
        progress("two rounds", done, len(patients))
    return {
        "settings": described,
        "baseline": pooled([Outcome(len(each.predicted), each.gold in each.known) for each in records]),
        "rounds": _by_round(records, run.ks),
        "ranker": [{"top": top, **pooled([Outcome(top, each.rank <= top) for each in records])} for top in RANKED],
        "grid": _grid(records, run.ks),
        "hops": _hops(records),
    }


@dataclass(frozen=True, slots=True)
class _Record:
    """What came of one patient; diagnoses as entities, names that the graph does not have as None."""

    gold: int
    rank: int  # of the gold by the ranker alone
    predicted: list[int | None]
    kept: dict[int, list[int]]  # by k
    candidates: dict[int, list[int]]
    selected: dict[int, list[int]]
    similarity: dict[int, float]
    drawn_hops: list[int | None]  # from each finding of the profile to the gold
    random_hops: list[int | None]  # from each random finding

    @property
    def known(self) -> list[int]:
        return [each for each in self.predicted if each is not None]


class _Rounds:
    def __init__(
        self, resources: Resources, ranker: Ranker, predictor: Predictor, run: RoundsRun, journal: Journal
    ) -> None:
        self._engine, self._ranker, self._predictor, self._run = resources.engine, ranker, predictor, run
        self._journal = journal
        self._said = {(each["id"], each["k"]): each["diagnoses"] for each in journal.records}  # k = 0: predictions

    def of_patient(self, patient: Patient) -> _Record:
        profiles, engine = self._ranker.profiles, self._engine
        gold = int(profiles.diagnoses[patient.gold])
        case = case_of(patient, profiles, engine.describe(profiles.terms[[*patient.present, *patient.absent]])["name"])
        predicted = self._predictions(case)
        known = [each for each in predicted if each is not None]
        reach = reach_of(engine, [entity for entity, _ in case.present], k=max(self._run.ks))
        scores = self._ranker.score(patient.present, patient.absent)
        ks = self._run.ks
        candidates = {k: offer(reach, self._ranker, scores, k, most=self._run.candidates) for k in ks}
        back = reach_of(engine, [gold])
        return _Record(
            gold,
            int(1 + (scores > scores[patient.gold]).sum()),
            predicted,
            {k: connected(known, reach, k) for k in ks},
            candidates,
            {k: self._selections(case, k, candidates[k]) for k in ks},
            similarities(self._ranker, case, known),
            [back.hops(int(profiles.terms[each])) for each in patient.present if each not in patient.random],
            [back.hops(int(profiles.terms[each])) for each in patient.random],
        )

    def _predictions(self, case: Case) -> list[int | None]:
        if (case.id, 0) not in self._said:
            named = [[each.text, each.entity] for each in self._predictor.predict(case)]
            self._keep(case, 0, named)
        return [entity for _, entity in self._said[case.id, 0]]

    def _selections(self, case: Case, k: int, candidates: Sequence[int]) -> list[int]:
        if (case.id, k) not in self._said:
            names = self._engine.describe(list(candidates))["name"].to_pylist() if candidates else []
            listed = [Named(name, entity) for name, entity in zip(names, candidates, strict=True)]
            chosen = self._predictor.select(case, listed)
            self._keep(case, k, [[listed[at].text, listed[at].entity] for at in chosen])
        return [entity for _, entity in self._said[case.id, k]]

    def _keep(self, case: Case, k: int, diagnoses: list[list[Any]]) -> None:
        self._journal.append({"id": case.id, "k": k, "diagnoses": diagnoses})
        self._said[case.id, k] = diagnoses


def case_of(patient: Patient, profiles: Profiles, names: Any) -> Case:
    """A simulated patient as a predictor sees them; `names` are those of the present findings, then of the absent."""
    terms = profiles.terms[[*patient.present, *patient.absent]].tolist()
    pairs = list(zip(terms, np.asarray(names).tolist(), strict=True))
    return Case(patient.id, tuple(pairs[: len(patient.present)]), tuple(pairs[len(patient.present) :]))


def _by_round(records: Sequence[_Record], ks: Sequence[int]) -> list[dict[str, Any]]:
    rows = []
    for k in ks:
        final = [set(each.kept[k]) | set(each.selected[k]) for each in records]
        rows.append(
            {
                "k": k,
                "reached": round(sum(each.gold in each.candidates[k] for each in records) / len(records), 4),
                "round_1": pooled([Outcome(len(each.kept[k]), each.gold in each.kept[k]) for each in records]),
                "round_2": pooled(
                    [Outcome(len(both), each.gold in both) for each, both in zip(records, final, strict=True)]
                ),
            }
        )
    return rows


def _grid(records: Sequence[_Record], ks: Sequence[int]) -> list[dict[str, Any]]:
    """Round 1 refined by each threshold and each number of the most similar, for each k."""
    rows = []
    for k in ks:
        for threshold in GRID_THRESHOLDS:
            for top in GRID_TOPS:
                outcomes = []
                for each in records:
                    similar = [each.similarity[entity] for entity in each.kept[k]]
                    left = refine(each.kept[k], similar, threshold=threshold, top=top)
                    outcomes.append(Outcome(len(left), each.gold in left))
                rows.append({"k": k, "threshold": threshold, "top": top, **pooled(outcomes)})
    return rows


def _hops(records: Sequence[_Record]) -> dict[str, dict[str, float]]:
    """The share of pairs of a finding and the right diagnosis at each distance."""
    shares = {}
    for name in ("drawn", "random", "nearest"):
        found: list[int | None] = []
        for each in records:
            own = [*each.drawn_hops, *each.random_hops]
            nearest = [min((hops for hops in own if hops is not None), default=None)]
            found += {"drawn": each.drawn_hops, "random": each.random_hops, "nearest": nearest}[name]
        total = max(1, len(found))
        shares[name] = {
            **{str(k): round(sum(hops == k for hops in found) / total, 4) for k in range(1, MOST_HOPS + 1)},
            "beyond": round(sum(hops is None for hops in found) / total, 4),
        }
    return shares
