"""Two rounds of a predictor and the graph: predictions that the graph connects, then candidates that it offers.

Round 1 keeps predicted diagnoses within k hops of a finding, refined by similarity. Round 2 lets the predictor select
among diagnoses that the graph has within k hops. Both are merged; each diagnosis has a fate, a reason and a path.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from clew.answer.answer import Cited
from clew.answer.diagnosis.connections import MOST_HOPS, Reach, connected, offer, reach_of, refine
from clew.answer.diagnosis.predictors import Case, Named, Predictor
from clew.answer.diagnosis.ranking import Ranker
from clew.answer.running.evidence import cite
from clew.errors import InputError
from clew.plurals import counted
from clew.traverse import GraphEngine

__all__ = ["DROPPED", "Fate", "RoundSettings", "TwoRounds", "similarities", "terms_of", "two_rounds"]

KEPT, DROPPED, ADDED = "kept", "dropped", "added"


@dataclass(frozen=True, slots=True)
class RoundSettings:
    """The reach of both rounds, the refinement of the first, and how many candidates the second offers."""

    k: int = 2
    threshold: float | None = None  # least similarity of a prediction to the findings, from 0 to 1
    top: int | None = None  # the most similar predictions that stay
    candidates: int = 20
    relations: tuple[str, ...] | None = None  # that are walked; None: all

    def __post_init__(self) -> None:
        if not 1 <= self.k <= MOST_HOPS:
            raise InputError(f"k= is a number of hops from 1 to {MOST_HOPS}, not {self.k}")
        if self.threshold is not None and not 0 <= self.threshold <= 1:
            raise InputError(f"a threshold of similarity is from 0 to 1, not {self.threshold:g}")
        if (self.top is not None and self.top < 1) or self.candidates < 0:
            raise InputError(f"expected 1 or more predictions to stay and 0 or more candidates, not {self}")


@dataclass(frozen=True, slots=True)
class Fate:
    """What became of a diagnosis, and why; the path leads from a finding to it and is empty where there is none."""

    name: str
    id: str | None  # None for a name that the graph does not have
    fate: str  # kept, dropped or added
    reason: str
    hops: int | None
    similarity: float | None
    path: tuple[Cited, ...]


@dataclass(frozen=True, slots=True)
class TwoRounds:
    """The diagnoses of both rounds by entity, and the fate of each that was predicted or added."""

    predicted: tuple[Named, ...]
    kept: tuple[int, ...]  # after Round 1
    candidates: tuple[int, ...]
    added: tuple[int, ...]  # by Round 2
    fates: tuple[Fate, ...]

    @property
    def final(self) -> tuple[int, ...]:
        """Both rounds merged, each diagnosis once."""
        return tuple(dict.fromkeys((*self.kept, *self.added)))


def two_rounds(
    case: Case, predictor: Predictor, ranker: Ranker, engine: GraphEngine, settings: RoundSettings | None = None
) -> TwoRounds:
    """Run both rounds for one patient."""
    settings = settings or RoundSettings()
    findings = [entity for entity, _ in case.present]
    reach = reach_of(engine, findings, k=settings.k, relations=settings.relations)
    predicted = predictor.predict(case)
    known = [each.entity for each in predicted if each.entity is not None]
    near = connected(known, reach, settings.k)
    similar = similarities(ranker, case, known)
    kept = refine(near, [similar[each] for each in near], threshold=settings.threshold, top=settings.top)
    terms = terms_of(ranker, case)
    candidates = offer(reach, ranker, ranker.score(*terms), settings.k, most=settings.candidates)
    names = dict(zip(candidates, engine.describe(candidates)["name"].to_pylist(), strict=True)) if candidates else {}
    listed = [Named(names[each], each) for each in candidates]
    selected = [candidates[at] for at in predictor.select(case, listed)]
    added = [each for each in selected if each not in kept]
    fates = _Fates(engine, reach, settings, findings, {**similar, **similarities(ranker, case, added)})
    return TwoRounds(
        tuple(predicted),
        tuple(kept),
        tuple(candidates),
        tuple(added),
        (*(fates.of_prediction(each, near, kept) for each in predicted), *(fates.of_candidate(each) for each in added)),
    )


def similarities(ranker: Ranker, case: Case, diagnoses: Sequence[int]) -> dict[int, float]:
    """The similarity of each diagnosis to the findings, 0 for one without a profile."""
    places = ranker.profiles.find_diagnoses(np.array(list(diagnoses), np.int64))
    known = [(each, int(at)) for each, at in zip(diagnoses, places, strict=True) if at >= 0]
    found = ranker.similarity(terms_of(ranker, case)[0], [at for _, at in known])
    return {
        **dict.fromkeys(diagnoses, 0.0),
        **{each: float(value) for (each, _), value in zip(known, found, strict=True)},
    }


def terms_of(ranker: Ranker, case: Case) -> tuple[list[int], list[int]]:
    """The findings as numbers of terms: present, absent."""
    found = [
        ranker.profiles.find_terms(np.array([entity for entity, _ in side], np.int64))
        for side in (case.present, case.absent)
    ]
    return found[0][found[0] >= 0].tolist(), found[1][found[1] >= 0].tolist()


class _Fates:
    """Says what became of each diagnosis of a case."""

    def __init__(
        self,
        engine: GraphEngine,
        reach: Reach,
        settings: RoundSettings,
        findings: Sequence[int],
        similarity: dict[int, float],
    ) -> None:
        self._engine, self._reach, self._settings = engine, reach, settings
        self._findings, self._similarity = list(findings), similarity

    def of_prediction(self, named: Named, near: Sequence[int], kept: Sequence[int]) -> Fate:
        entity, limit = named.entity, counted(self._settings.k, "hop")
        if entity is None:
            return Fate(named.text, None, DROPPED, "this graph has no such diagnosis", None, None, ())
        if entity not in near:
            return self._fate(entity, DROPPED, f"no path of up to {limit} from a finding")
        if entity not in kept:
            return self._fate(entity, DROPPED, self._refused(self._similarity[entity]))
        return self._fate(entity, KEPT, f"predicted, and within {limit} of a finding")

    def of_candidate(self, entity: int) -> Fate:
        return self._fate(entity, ADDED, f"selected among candidates within {counted(self._settings.k, 'hop')}")

    def _refused(self, similarity: float) -> str:
        threshold = self._settings.threshold
        if threshold is not None and similarity < threshold:
            return f"similarity {similarity:.2f} is below {threshold:g}"
        return f"not among the {self._settings.top} most similar"

    def _fate(self, entity: int, fate: str, reason: str) -> Fate:
        row = self._engine.describe([entity]).to_pylist()[0]
        hops = self._reach.hops(entity)
        return Fate(
            row["name"], row["id"], fate, reason, hops, round(self._similarity[entity], 4), self._path(entity, hops)
        )

    def _path(self, entity: int, hops: int | None) -> tuple[Cited, ...]:
        if not hops:
            return ()
        walked = None if self._settings.relations is None else frozenset(self._settings.relations)
        found = self._engine.paths(
            self._findings, [entity], hops, kind="shortest", direction="both", relations=walked, limit=1
        )
        by_number = {each.triple: each for path in found for each in cite(path.numbers, self._engine)}
        return tuple(by_number[number] for path in found for number in path.numbers)
