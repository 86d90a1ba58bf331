"""How high rankings place the diagnosis of simulated patients; every rank is kept in a journal, so that runs resume."""

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from time import perf_counter
from typing import Any

import numpy as np

from clew.answer import Resources
from clew.answer.diagnosis.diagnose import ranker_of
from clew.answer.diagnosis.profiles import Profiles
from clew.answer.diagnosis.relations import ProfileRelations
from clew.errors import InputError
from clew.evaluate.diagnosis.patients import PatientSettings, simulate_patients
from clew.evaluate.diagnosis.rows import ROWS, Rankings
from clew.evaluate.journal import Journal
from clew.evaluate.row_names import known_rows
from clew.evaluate.statistics import bootstrap_mean
from clew.progress import Progress, silent

__all__ = ["held_out", "run_rankings"]

TOP = (1, 10)


def run_rankings(
    resources: Resources,
    relations: ProfileRelations,
    *,
    count: int,
    seed: int,
    settings: PatientSettings | None = None,
    hidden: float = 0.0,
    rows: Sequence[str] = tuple(ROWS),
    out: Path | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Rank the diagnoses for every patient by every row; `hidden` is the share of profile rows that no row sees."""
    settings = settings or PatientSettings()
    rows = known_rows(rows, ROWS)
    ranker = ranker_of(resources, relations)
    patients = simulate_patients(ranker.profiles, count=count, seed=seed, settings=settings)
    described = {
        "snapshot": resources.engine.snapshot.id,
        "relations": asdict(relations),
        "count": count,
        "seed": seed,
        "patients": asdict(settings),
        "hidden": hidden,
        "ranker": asdict(ranker.settings),
    }
    journal = Journal(out, described, what="rankings of simulated patients")
    known = {(each["row"], each["id"]): each for each in journal.records}
    rankings = Rankings(held_out(ranker.profiles, hidden, seed=seed))
    done = 0
    for row in rows:
        for patient in patients:
            if (row, patient.id) not in known:
                begun = perf_counter()
                rank = rankings.rank(row, patient)
                seconds = round(perf_counter() - begun, 5)
                known[row, patient.id] = {"row": row, "id": patient.id, "rank": rank, "seconds": seconds}
                journal.append(known[row, patient.id])
            done += 1
            progress(f"ranking by {row}", done, len(rows) * len(patients))
    table = [_summary(row, [known[row, each.id] for each in patients]) for row in rows]
    return {"settings": described, "diagnoses": len(ranker.profiles.diagnoses), "rows": table}


def held_out(profiles: Profiles, share: float, *, seed: int) -> Profiles:
    """Profiles without a random share of their rows."""
    if not 0 <= share < 1:
        raise InputError(f"the share of profile rows to hide is from 0 to below 1, not {share:g}")
    if not share:
        return profiles
    return profiles.without(np.random.default_rng((seed, len(profiles.term))).random(len(profiles.term)) < share)


def _summary(row: str, records: Sequence[dict[str, Any]]) -> dict[str, Any]:
    ranks = np.array([each["rank"] for each in records])
    summary: dict[str, Any] = {"row": row, "n": len(ranks)}
    for top in TOP:
        interval = bootstrap_mean((ranks <= top).astype(float))
        summary[f"top_{top}"] = {name: round(getattr(interval, name), 4) for name in ("mean", "low", "high")}
    summary["mean_reciprocal_rank"] = round(float((1 / ranks).mean()), 4)
    summary["median_rank"] = float(np.median(ranks))
    summary["milliseconds"] = round(1000 * float(np.median([each["seconds"] for each in records])), 2)
    return summary
