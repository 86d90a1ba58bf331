"""Rank all diagnoses by findings, without a model: likelihood ratios from information content over the hierarchy.

A finding q that is present speaks for a diagnosis D by the ratio of P(q | D) to its share of all diagnoses,

    ratio(q, D) = max over findings p of D:  frequency(p) * mentioned(D) * exp(IC(a)) * (1 if a = q else RELATED)

where a is the most informative common ancestor of q and p (Resnik), exp(-IC(a)) is the share of diagnoses that have a,
and mentioned(D) = n / (n + expected findings of D) for n present findings: of a long profile only a part is mentioned,
and something in it matches by accident. The score of D is the sum of log(NOISE + ratio) over the findings that are
present, plus log(1 - frequency) for each finding that is absent.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.answer.diagnosis.profiles import Profiles

__all__ = ["Match", "RankSettings", "Ranker"]

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RankSettings:
    """The constants of the score; chosen on patients simulated with a development seed (docs/diagnosis.md)."""

    related: float = 0.05  # weight of a match that is no subclass of the finding, but shares an ancestor
    noise: float = 0.1  # ratio of a finding that the diagnosis does not explain
    lacked: float = 0.02  # ratio of a finding that the diagnosis is stated to lack
    missed: float = 0.1  # share of findings that are recorded as absent though they are there


@dataclass(frozen=True, slots=True)
class Match:
    """How one finding bears on a diagnosis: numbers of terms, -1 where there is none, and the row of the profile."""

    finding: int
    term: int  # of the diagnosis
    ancestor: int  # what both have in common
    row: int  # of the profiles
    weight: float  # the part of the score that it adds
    kind: str  # same, more specific, more general, related, unexplained, lacked, expected or absent


class Ranker:
    """Scores every diagnosis of some profiles; one object serves many threads."""

    def __init__(self, profiles: Profiles, settings: RankSettings | None = None) -> None:
        self.profiles = profiles
        self.settings = settings or RankSettings()
        self._expected = np.add.reduceat(profiles.frequency, profiles.starts[:-1])  # (n,) findings of a case
        self._lacking = np.repeat(np.arange(len(profiles.diagnoses)), np.diff(profiles.lacked.starts))  # who lacks what
        self._term = profiles.term.astype(np.int32)  # (m,) these two are read for every finding: half the bytes
        self._frequency = profiles.frequency.astype(np.float32)

    def score(self, present: Sequence[int], absent: Sequence[int] = ()) -> Floats:
        """(n,) The score of every diagnosis, for findings given as numbers of terms."""
        settings, profiles = self.settings, self.profiles
        total = np.zeros(len(profiles.diagnoses))
        mentioned = self._mentioned(len(present))
        for term in present:
            rows = self._ratios(term).astype(np.float32)[self._term]
            rows *= self._frequency
            ratio = settings.noise + mentioned * np.maximum.reduceat(rows, profiles.starts[:-1])
            ratio[self._lacking[self._mask(profiles.hierarchy.ancestors[term])[profiles.lacked.values]]] = (
                settings.lacked
            )
            total += np.log(ratio)
        for term in absent:
            rows = self._frequency * self._mask(profiles.hierarchy.descendants[term])[self._term]
            total += np.log1p(-(1 - settings.missed) * np.maximum.reduceat(rows, profiles.starts[:-1]))
        return total

    def similarity(self, present: Sequence[int], diagnoses: Sequence[int] | None = None) -> Floats:
        """The mean over findings of the best Lin similarity, from 0 to 1: for thresholds that do not depend on size."""
        profiles = self.profiles
        chosen = np.arange(len(profiles.diagnoses)) if diagnoses is None else np.asarray(diagnoses, np.int64)
        if not len(chosen) or not len(present):
            return np.zeros(len(chosen))
        lengths = profiles.starts[chosen + 1] - profiles.starts[chosen]
        begins = np.cumsum(lengths) - lengths
        rows = np.arange(lengths.sum()) + np.repeat(profiles.starts[chosen] - begins, lengths)
        terms = profiles.term[rows]
        total = np.zeros(len(chosen))
        for term in present:
            shared = self._shared(term)[terms]
            both = profiles.information[term] + profiles.information[terms]
            total += np.maximum.reduceat(np.where(both > 0, 2 * shared / np.maximum(both, 1e-12), 0), begins)
        return total / len(present)

    def matches(
        self, diagnoses: Sequence[int], present: Sequence[int], absent: Sequence[int] = ()
    ) -> list[list[Match]]:
        """How each finding bears on each of some diagnoses, in the order given."""
        found: list[list[Match]] = [[] for _ in diagnoses]
        mentioned = self._mentioned(len(present))
        for finding in present:
            ratios = self._ratios(finding)
            for own, each in zip(found, diagnoses, strict=True):
                own.append(self._present(each, finding, ratios, float(mentioned[each])))
        for finding in absent:
            for own, each in zip(found, diagnoses, strict=True):
                own.append(self._absent(each, finding))
        return found

    def _shared(self, term: int) -> Floats:
        """(t,) The information content of the most informative ancestor that each term shares with this one."""
        profiles = self.profiles
        shared = np.zeros(len(profiles.terms))
        above = profiles.hierarchy.ancestors[term]
        for ancestor in above[np.argsort(profiles.information[above], kind="stable")].tolist():
            shared[profiles.hierarchy.descendants[ancestor]] = profiles.information[ancestor]
        return shared

    def _ratios(self, term: int) -> Floats:
        """(t,) The likelihood ratio of this finding for a profile that has each term in every case."""
        ratios = self.settings.related * np.exp(self._shared(term))
        below = self.profiles.hierarchy.descendants[term]
        ratios[below] = np.exp(self.profiles.information[term])
        return ratios

    def _mask(self, terms: NDArray[np.int64]) -> NDArray[np.bool_]:
        mask = np.zeros(len(self.profiles.terms), bool)
        mask[terms] = True
        return mask

    def _mentioned(self, count: int) -> Floats:
        """(n,) The share of its findings that a case of each diagnosis mentions if it mentions `count`."""
        return np.asarray(count / (count + self._expected))

    def _present(self, diagnosis: int, finding: int, by_term: Floats, mentioned: float) -> Match:
        profiles = self.profiles
        above = profiles.hierarchy.ancestors[finding]
        if len(denied := np.intersect1d(profiles.lacked[diagnosis], above)):
            return Match(finding, int(denied[0]), int(denied[0]), -1, float(np.log(self.settings.lacked)), "lacked")
        rows = profiles.rows_of(diagnosis)
        ratios = mentioned * by_term[profiles.term[rows]] * profiles.frequency[rows]
        best = int(np.argmax(ratios))
        weight = float(np.log(self.settings.noise + ratios[best]))
        term = int(profiles.term[rows][best])
        common = np.intersect1d(above, profiles.hierarchy.ancestors[term])
        if finding in common:
            ancestor = finding
        elif not len(common) or not profiles.information[common].max() > 0:
            return Match(finding, -1, -1, -1, weight, "unexplained")
        else:
            ancestor = term if term in common else int(common[np.argmax(profiles.information[common])])
        kind = {(True, True): "same", (True, False): "more specific", (False, True): "more general"}.get(
            (ancestor == finding, ancestor == term), "related"
        )
        return Match(finding, term, ancestor, rows.start + best, weight, kind)

    def _absent(self, diagnosis: int, finding: int) -> Match:
        profiles = self.profiles
        rows = profiles.rows_of(diagnosis)
        under = np.isin(profiles.term[rows], profiles.hierarchy.descendants[finding])
        frequency = np.where(under, profiles.frequency[rows], 0.0)
        best = int(np.argmax(frequency))
        weight = float(np.log1p(-(1 - self.settings.missed) * frequency[best])) + 0.0  # no -0.0
        if not under.any():
            return Match(finding, -1, -1, -1, weight, "absent")
        return Match(finding, int(profiles.term[rows][best]), finding, rows.start + best, weight, "expected")
