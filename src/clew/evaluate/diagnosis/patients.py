"""Simulated patients: findings drawn from the profile of a diagnosis, with omissions, imprecision and noise.

The same graph, seed and settings always give the same patients, whatever their number: each has its own generator.
"""

from dataclasses import dataclass

import numpy as np

from clew.answer.diagnosis.profiles import Profiles
from clew.errors import InputError

__all__ = ["Patient", "PatientSettings", "simulate_patients"]

TRIES = 50


@dataclass(frozen=True, slots=True)
class PatientSettings:
    """How patients are drawn; a diagnosis with fewer findings than are drawn has no patients."""

    findings: int = 5  # drawn from the profile, the frequent ones more often; the others are omitted
    noise: int = 2  # findings drawn from all terms that some diagnosis has
    imprecision: float = 0.3  # chance of a drawn finding to be given as a parent in the hierarchy
    absent: int = 0  # findings looked for and not seen: frequent in the graph, and not seen in this patient

    def __post_init__(self) -> None:
        if self.findings < 1 or self.noise < 0 or self.absent < 0 or not 0 <= self.imprecision <= 1:
            raise InputError(
                f"a patient has 1 or more findings, 0 or more others, and an imprecision from 0 to 1, not {self}"
            )


@dataclass(frozen=True, slots=True)
class Patient:
    """Findings as numbers of terms, and the diagnosis they were drawn from as its number in the profiles."""

    id: str
    gold: int
    present: tuple[int, ...]
    absent: tuple[int, ...] = ()
    random: tuple[int, ...] = ()  # those of `present` that were added as noise


def simulate_patients(
    profiles: Profiles, *, count: int, seed: int, settings: PatientSettings | None = None
) -> list[Patient]:
    """Patients of diagnoses drawn uniformly from those with enough findings."""
    settings = settings or PatientSettings()
    if count < 1:
        raise InputError(f"{count} patients were asked for: expected 1 or more")
    eligible = np.flatnonzero(np.diff(profiles.starts) >= settings.findings)
    if not len(eligible):
        raise InputError(f"no diagnosis of this graph has {settings.findings} findings: draw fewer")
    return [
        _simulate(profiles, eligible, f"p{at + 1}", np.random.default_rng((seed, at)), settings) for at in range(count)
    ]


def _simulate(
    profiles: Profiles, eligible: np.ndarray, id: str, random: np.random.Generator, settings: PatientSettings
) -> Patient:
    gold = int(random.choice(eligible))
    rows = profiles.rows_of(gold)
    weight = profiles.frequency[rows]
    drawn = random.choice(profiles.term[rows], settings.findings, replace=False, p=weight / weight.sum())
    present = [_blurred(profiles, int(term), random, settings.imprecision) for term in drawn]
    known = np.flatnonzero(profiles.annotated)
    added: list[int] = [
        term for term in random.choice(known, settings.noise, replace=False).tolist() if term not in present
    ]
    present += added
    absent: list[int] = []
    for _ in range(TRIES * settings.absent):
        row = int(random.integers(len(profiles.term)))
        term = int(profiles.term[row])
        if len(absent) < settings.absent and _is_absent(profiles, gold, term, present, random) and term not in absent:
            absent.append(term)
    shuffled = random.permutation(list(dict.fromkeys(present)))
    return Patient(id, gold, tuple(shuffled.tolist()), tuple(absent), tuple(added))


def _blurred(profiles: Profiles, term: int, random: np.random.Generator, imprecision: float) -> int:
    parents = profiles.hierarchy.parents[term]
    return int(random.choice(parents)) if random.random() < imprecision and len(parents) else term


def _is_absent(profiles: Profiles, gold: int, term: int, present: list[int], random: np.random.Generator) -> bool:
    """Whether a patient lacks a term: never if a finding implies it, else as often as the profile leaves it out."""
    if any(term in profiles.hierarchy.ancestors[each] for each in present):
        return False
    rows = profiles.rows_of(gold)
    under = np.isin(profiles.term[rows], profiles.hierarchy.descendants[term])
    return bool(random.random() < np.prod(1 - profiles.frequency[rows][under]))
