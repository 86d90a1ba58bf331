"""Runs of path questions, which resume: the rows asked, their table, and paired differences from ToG."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from clew.answer import Resources
from clew.evaluate.journal import Journal
from clew.evaluate.paths.absence import measure_absence
from clew.evaluate.paths.generate import PathQuestion, generate_paths
from clew.evaluate.paths.rows import TOG, WITH_MODEL, Searcher
from clew.evaluate.statistics import bootstrap_mean, permutation_test
from clew.progress import Progress, silent

__all__ = ["MEASURES", "run_paths"]

Answers = dict[tuple[str, str], dict[str, Any]]
MEASURES = ("strict", "lenient", "containment", "read")


def run_paths(
    resources: Resources,
    *,
    rows: Sequence[str],
    count: int,
    seed: int,
    part: str,
    sample: int = 100,
    absence: bool = False,
    out: Path | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Ask every row every question, rows with a model the first `sample`; returns the table."""
    engine, encoder, model = resources.engine, resources.encoder, resources.model
    settings = {
        "snapshot": engine.snapshot.id,
        "count": count,
        "seed": seed,
        "part": part,
        "encoder": None if encoder is None else encoder.identity,
        "model": None if model is None else model.identity,
    }
    journal = Journal(out, settings, what="path questions")
    known: Answers = {(each["row"], each["id"]): each for each in journal.records}
    questions = generate_paths(engine, count=count, seed=seed, part=part)
    searcher = Searcher(engine, encoder, model)
    own = {row: questions[:sample] if row in WITH_MODEL else questions for row in rows}
    done, total = 0, sum(map(len, own.values()))
    for row in rows:
        for question in own[row]:
            if (row, question.id) not in known:
                known[row, question.id] = {"row": row, "id": question.id, **asdict(searcher.ask(row, question))}
                journal.append(known[row, question.id])
            done += 1
            progress(f"asking {row}", done, total)
    report = {
        "settings": settings,
        "questions": len(questions),
        "rows": [_row(row, own[row], known) for row in rows],
        "paired": _paired(own, known),
    }
    return report | ({"absence": measure_absence(engine, questions, progress=progress)} if absence else {})


def _values(row: str, measure: str, questions: Sequence[PathQuestion], known: Answers) -> list[float]:
    return [float(known[row, each.id][measure]) for each in questions]


def _row(row: str, questions: Sequence[PathQuestion], known: Answers) -> dict[str, Any]:
    found: dict[str, Any] = {"row": row, "n": len(questions)}
    for measure in MEASURES:
        interval = bootstrap_mean(_values(row, measure, questions, known))
        found[measure] = {name: round(getattr(interval, name), 4) for name in ("mean", "low", "high")}
    for kind in sorted({each.kind for each in questions}):
        own = [each for each in questions if each.kind == kind]
        found[kind] = {measure: round(float(np.mean(_values(row, measure, own, known))), 4) for measure in MEASURES}
    found["no answer"] = round(float(np.mean([known[row, each.id]["answered"] == 0 for each in questions])), 4)
    for cost in ("triples", "calls", "tokens", "seconds"):
        found[cost] = round(float(np.mean(_values(row, cost, questions, known))), 3)
    found["median triples"] = float(np.median(_values(row, "triples", questions, known)))
    return found


def _paired(own: Mapping[str, Sequence[PathQuestion]], known: Answers) -> list[dict[str, Any]]:
    """Every row against ToG, on the same questions; and the share of ToG's misses that it removes."""
    if TOG not in own:
        return []
    found = []
    for row, questions in own.items():
        for measure in MEASURES if row != TOG else ():
            first, second = (_values(each, measure, questions, known) for each in (TOG, row))
            gain = bootstrap_mean(np.subtract(second, first))
            misses = len(first) - sum(first)
            found.append(
                {
                    "row": row,
                    "measure": measure,
                    "gain": round(gain.mean, 4),
                    "low": round(gain.low, 4),
                    "high": round(gain.high, 4),
                    "p": permutation_test(first, second).p,
                    "misses removed": round((sum(second) - sum(first)) / misses, 4) if misses else 0.0,
                }
            )
    return found
