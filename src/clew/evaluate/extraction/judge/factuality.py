"""FActScore* and ValidityScore of triples: shares of yes, no and maybe, each beside how far its judge can be trusted.

FActScore* asks whether the text supports a triple (context), or the text or what is generally known (truth), of all
triples and of those a validity check leaves. ValidityScore asks whether a triple is well formed; its row without a
judge asks the seed graph's signatures.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from clew.errors import InputError
from clew.evaluate.extraction.judge.calibration import Calibration
from clew.evaluate.extraction.judge.model_judge import ANSWERS, Judge, Verdict, judge_all
from clew.evaluate.extraction.judge.wordings import Question, Statement
from clew.evaluate.statistics import Interval, bootstrap_mean
from clew.extract.seed.signatures import Signatures
from clew.progress import Progress, silent

__all__ = ["Factuality", "TypedTriple", "judge_triples", "validity_by_signature"]

TITLES: dict[Question, str] = {
    "context": "FActScore*, context only",
    "truth": "FActScore*, context and general truth",
    "validity": "ValidityScore",
}
UNJUDGED = "signatures and types, no judge"


@dataclass(frozen=True, slots=True)
class Factuality:
    """One row: the share of yes with its interval, the other shares, and who says so."""

    name: str
    judge: str
    trust: str
    triples: int
    yes: Interval
    no: float
    maybe: float
    missing: float

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


@dataclass(frozen=True, slots=True)
class TypedTriple:
    """A triple by the types of its ends; None where nothing was linked."""

    subject: str | None
    relation: str
    object: str | None


def judge_triples(
    statements: Sequence[Statement],
    judges: dict[Question, tuple[Judge, Calibration]],
    *,
    progress: Progress = silent,
) -> list[Factuality]:
    """Rows for every question that has a judge; with one for validity, FActScore* also of what it calls valid."""
    if not statements:
        raise InputError("there are no triples to judge")
    rows, valid = [], None
    if "validity" in judges:
        judge, trust = judges["validity"]
        bare = [Statement(each.subject, each.relation, each.object) for each in statements]
        verdicts = judge_all(judge, bare, "validity", progress=progress)
        rows.append(_row(TITLES["validity"], trust, verdicts))
        valid = np.array([each.answer == "yes" for each in verdicts])
    for question, (judge, trust) in judges.items():
        if question == "validity":
            continue
        verdicts = judge_all(judge, statements, question, progress=progress)
        rows.append(_row(TITLES[question], trust, verdicts))
        if valid is not None and valid.any():
            kept = [verdicts[at] for at in np.flatnonzero(valid).tolist()]
            rows.append(_row(f"{TITLES[question]}, after the validity check", trust, kept))
    return rows


def _row(name: str, trust: Calibration, verdicts: Sequence[Verdict]) -> Factuality:
    answers: list[str] = [each.answer for each in verdicts]
    yes = bootstrap_mean([answer == "yes" for answer in answers])
    no, maybe = (answers.count(answer) / len(answers) for answer in ANSWERS[1:])
    missing = answers.count("missing") / len(answers)
    return Factuality(name, trust.judge, trust.title, len(answers), yes, no, maybe, missing)


def validity_by_signature(triples: Sequence[TypedTriple], signatures: Signatures) -> Factuality:
    """Yes: the seed has triples of these types. Maybe: an end has no type, and the other fits. No: the rest."""
    if not triples:
        raise InputError("there are no triples to check")
    fits = [signatures.fits(each.subject, each.relation, each.object) for each in triples]
    typed = [each.subject is not None and each.object is not None for each in triples]
    yes = bootstrap_mean([fit and whole for fit, whole in zip(fits, typed, strict=True)])
    maybe = float(np.mean([fit and not whole for fit, whole in zip(fits, typed, strict=True)]))
    no = 1 - float(np.mean(fits))
    return Factuality(TITLES["validity"], UNJUDGED, "not a judge", len(triples), yes, no, maybe, 0.0)
