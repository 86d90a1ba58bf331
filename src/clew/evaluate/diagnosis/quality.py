"""Quality of a summary of diagnoses by the nine attributes of PDSQI-9, from any judge, which is calibrated first.

A judge scores one attribute of one summary. Calibration shows it summaries and the same with that attribute spoilt; its
threshold is set on one half of them, and its balanced accuracy on the other half says whether it may be believed. An
attribute for which it may not has no figure.
"""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.answer import Resources
from clew.answer.diagnosis.diagnose import Diagnoses, diagnose_with, ranker_of
from clew.answer.diagnosis.relations import ProfileRelations
from clew.errors import InputError
from clew.evaluate.diagnosis.patients import PatientSettings, simulate_patients
from clew.evaluate.extraction.judge.calibration import ENOUGH, balanced_accuracy
from clew.evaluate.journal import Journal
from clew.evaluate.statistics import Interval, bootstrap_classes, bootstrap_mean
from clew.lm import LanguageModel, Message, Request, load_prompt
from clew.progress import Progress, silent

__all__ = [
    "ATTRIBUTES",
    "Calibrated",
    "ModelQualityJudge",
    "QualityJudge",
    "RuleJudge",
    "Summary",
    "calibrate_quality",
    "evaluate_quality",
    "measure_quality",
    "spoil",
    "summarise",
]

ATTRIBUTES: Mapping[str, str] = {  # attribute → what a model is asked; stigmatizing is turned round
    "cited": "Does every diagnosis of the summary cite a source?",
    "accurate": "Does the patient have every finding that the summary names?",
    "thorough": "Does the summary name every finding of the patient?",
    "useful": "Does the summary say which diseases are likely?",
    "organized": "Are the diagnoses of the summary in order?",
    "comprehensible": "Is the summary written in sentences that can be understood?",
    "succinct": "Is the summary free of repetition?",
    "synthesized": "Does the summary connect each diagnosis with findings?",
    "unbiased": "Is the summary free of words that blame the patient?",
}
BLAMING = ("claims", "difficult", "non-compliant", "alleges", "complains")
Floats = NDArray[np.float64]
SHOWN = 3  # diagnoses of a summary
MOST_CITED = 2  # documents of a finding


@dataclass(frozen=True, slots=True)
class Summary:
    """The findings of a patient, and the lines of a text about their diagnoses."""

    findings: tuple[str, ...]
    lines: tuple[str, ...]

    @property
    def text(self) -> str:
        return "\n".join(self.lines)


def summarise(found: Diagnoses, *, most: int = SHOWN) -> Summary:
    """The best diagnoses, one a line, with the findings that match and what states them."""
    present = tuple(each.name for each in found.findings if each.present)
    lines = [f"Findings: {', '.join(present)}."]
    for at, diagnosis in enumerate(found.items[:most], 1):
        said = []
        for match in diagnosis.matches:
            if match.finding.present and match.statement is not None and match.weight > 0:
                cited = [each for row in match.statement.assertions for each in row.evidence][:MOST_CITED]
                sources = cited or [row.source or "" for row in match.statement.assertions[:1]]
                said.append(f"{match.finding.name} [{', '.join(sources)}]")
        lines.append(f"{at}. {diagnosis.name}: {'; '.join(said) or 'no finding matches'}.")
    return Summary(present, tuple(lines))


# judges -------------------------------------------------------------------------------------------------------------


class QualityJudge(Protocol):
    """Anything that scores an attribute of a summary; None where it cannot."""

    @property
    def name(self) -> str:
        """What people call it."""

    def score(self, summary: Summary, attribute: str) -> float | None:
        """How far the attribute holds; only the order of scores counts."""


@dataclass(frozen=True, slots=True)
class ModelQualityJudge:
    """A language model: how much likelier it finds yes than no."""

    model: LanguageModel

    @property
    def name(self) -> str:
        return self.model.name

    def score(self, summary: Summary, attribute: str) -> float | None:
        prompt = load_prompt("clew.evaluate.diagnosis", "quality.txt").format(
            findings=", ".join(summary.findings), summary=summary.text, question=ATTRIBUTES[attribute]
        )
        yes, no = self.model.score(Request([Message("user", prompt)]), ("Yes", "No"))
        return yes.logprob - no.logprob


@dataclass(frozen=True, slots=True)
class RuleJudge:
    """Counts what can be counted: the baseline that a model has to beat. It reads no meaning."""

    name: str = "rules"

    def score(self, summary: Summary, attribute: str) -> float | None:
        rule = RULES.get(attribute)
        return None if rule is None else rule(summary)


def _diagnoses(summary: Summary) -> list[str]:
    return [line for line in summary.lines if line[:1].isdigit()]


def _share(lines: Sequence[str], holds: Callable[[str], bool]) -> float:
    return sum(map(holds, lines)) / len(lines) if lines else 0.0


def _named(summary: Summary) -> list[str]:
    """The findings that the lines of diagnoses name."""
    parts = [part.split(" [")[0].strip(" .") for line in _diagnoses(summary) for part in _matched(line).split(";")]
    return [part for part in parts if part and part != "no finding matches"]


def _matched(line: str) -> str:
    return line.partition(": ")[2]


def _known(summary: Summary) -> float:
    named = _named(summary)
    return sum(each in summary.findings for each in named) / len(named) if named else 0.0


def _whole(summary: Summary) -> float:
    return sum(each in summary.text for each in summary.findings) / len(summary.findings)


def _ordered(summary: Summary) -> float:
    starts = [line.split(".")[0] for line in _diagnoses(summary)]
    return float(starts == sorted(starts))


RULES: Mapping[str, Callable[[Summary], float]] = {
    "cited": lambda summary: _share([line for line in _diagnoses(summary) if _matched(line)], lambda line: "[" in line),
    "accurate": _known,
    "thorough": _whole,
    "useful": lambda summary: float(len(_diagnoses(summary))),
    "organized": _ordered,
    "succinct": lambda summary: len(set(summary.lines)) / len(summary.lines),
    "synthesized": lambda summary: _share(_diagnoses(summary), lambda line: bool(_matched(line))),
    "unbiased": lambda summary: -float(sum(word in summary.text for word in BLAMING)),
}


class RememberingJudge:
    """A judge whose scores are kept in a journal: nothing that it says is asked twice."""

    def __init__(self, judge: QualityJudge, journal: Journal) -> None:
        self.name, self._judge, self._journal = judge.name, judge, journal
        self._known: dict[tuple[str, str], float | None] = {
            (each["attribute"], each["summary"]): each["score"] for each in journal.records
        }

    def score(self, summary: Summary, attribute: str) -> float | None:
        key = (attribute, hashlib.sha256("\n".join((*summary.findings, "", *summary.lines)).encode()).hexdigest()[:24])
        if key not in self._known:
            self._known[key] = self._judge.score(summary, attribute)
            self._journal.append({"attribute": key[0], "summary": key[1], "score": self._known[key]})
        return self._known[key]


# calibration --------------------------------------------------------------------------------------------------------


def spoil(summary: Summary, attribute: str, others: Sequence[str], random: Random) -> Summary:
    """The same summary with one attribute spoilt; `others` are findings that the patient does not have."""
    head, *rest = summary.lines
    match attribute:
        case "cited":
            lines = [head, *(_without_citations(line) for line in rest)]
        case "accurate":
            false = [random.choice(others) for _ in rest]
            lines = [head, *(f"{line[:-1]}; {each} [1]." for line, each in zip(rest, false, strict=True))]
        case "thorough":
            kept = summary.findings[0]
            lines = [f"Findings: {kept}.", *(f"{line.partition(': ')[0]}: {kept}." for line in rest)]
        case "useful":
            lines = [head]
        case "organized":
            lines = [head, *reversed(rest)]
        case "comprehensible":
            lines = [" ".join(random.sample(line.split(), len(line.split()))) for line in summary.lines]
        case "succinct":
            lines = [line for line in summary.lines for _ in range(3)]
        case "synthesized":
            lines = [head, *(f"{line.partition(': ')[0]}." for line in rest)]
        case "unbiased":
            lines = [head, f"The patient is difficult and {random.choice(('claims', 'alleges'))} all this.", *rest]
        case _:
            raise InputError(f"no attribute is called {attribute!r}: known: {', '.join(ATTRIBUTES)}")
    return Summary(summary.findings, tuple(lines))


def _without_citations(line: str) -> str:
    kept = [part.split(" [")[0].rstrip(".") for part in line.split(";")]
    return f"{';'.join(kept)}."


@dataclass(frozen=True, slots=True)
class Calibrated:
    """How well a judge tells whole summaries from spoilt ones, and from which score on an attribute holds."""

    attribute: str
    accuracy: Interval | None  # balanced, on the half that the threshold was not set on; None: it cannot judge this
    threshold: float

    @property
    def trusted(self) -> bool:
        return self.accuracy is not None and self.accuracy.low >= 0.5 and self.accuracy.mean >= ENOUGH


def calibrate_quality(
    judge: QualityJudge, summaries: Sequence[Summary], *, seed: int = 0, progress: Progress = silent
) -> list[Calibrated]:
    """Calibrate every attribute on summaries and their spoilt versions."""
    if len(summaries) < 4:
        raise InputError(f"{len(summaries)} summaries cannot calibrate a judge: give 4 or more")
    random, made = Random(seed), []
    every = sorted({finding for each in summaries for finding in each.findings})
    for done, attribute in enumerate(ATTRIBUTES):
        progress("calibrating", done, len(ATTRIBUTES))
        pairs = []
        for summary in summaries:
            others = [each for each in every if each not in summary.findings] or ["an unknown finding"]
            worse = spoil(summary, attribute, others, random)
            pairs.append((judge.score(summary, attribute), judge.score(worse, attribute)))
        scores = np.array([[np.nan if each is None else each for each in pair] for pair in pairs])  # (n, 2)
        made.append(_calibrated(attribute, scores))
    progress("calibrating", len(ATTRIBUTES), len(ATTRIBUTES))
    return made


def _calibrated(attribute: str, scores: Floats) -> Calibrated:
    if np.isnan(scores).any():
        return Calibrated(attribute, None, 0.0)
    set_on, held = scores[::2], scores[1::2]
    threshold = _threshold(set_on.ravel(), np.tile([True, False], len(set_on)))
    return Calibrated(attribute, bootstrap_classes((held[:, 0] >= threshold, held[:, 1] < threshold)), threshold)


def _threshold(scores: Floats, holds: NDArray[np.bool_]) -> float:
    """The score between two others that tells whole from spoilt best."""
    values = np.unique(scores)
    between = [*((values[1:] + values[:-1]) / 2).tolist(), float(values[0])]
    return float(max(between, key=lambda each: balanced_accuracy(scores >= each, holds)))


def measure_quality(
    judge: QualityJudge, calibrated: Sequence[Calibrated], summaries: Sequence[Summary]
) -> list[dict[str, Any]]:
    """The share of summaries for which each attribute holds; None for those that the judge may not be believed on."""
    rows = []
    for each in calibrated:
        row: dict[str, Any] = {**asdict(each), "trusted": each.trusted, "holds": None}
        if each.trusted:
            scores = [judge.score(summary, each.attribute) for summary in summaries]
            row["holds"] = asdict(bootstrap_mean([score is not None and score >= each.threshold for score in scores]))
        rows.append(row)
    return rows


def evaluate_quality(
    resources: Resources,
    relations: ProfileRelations,
    judge: QualityJudge,
    *,
    count: int,
    seed: int = 0,
    settings: PatientSettings | None = None,
    out: Path | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Calibrate a judge on summaries of simulated patients, then judge those of as many others; resumes from `out`."""
    run = {
        "snapshot": resources.engine.snapshot.id,
        "relations": asdict(relations),
        "judge": judge.name if resources.model is None else resources.model.identity,
        "count": count,
        "seed": seed,
        "patients": asdict(settings or PatientSettings()),
    }
    judge = RememberingJudge(judge, Journal(out, run, what="judged summaries"))
    ranker = ranker_of(resources, relations)
    summaries = []
    for done, patient in enumerate(simulate_patients(ranker.profiles, count=2 * count, seed=seed, settings=settings)):
        progress("diagnosing", done, 2 * count)
        described = resources.engine.describe(ranker.profiles.terms[list(patient.present)].tolist())
        found = diagnose_with(resources, described["id"].to_pylist(), limit=SHOWN, relations=relations)
        summaries.append(summarise(found))
    calibrated = calibrate_quality(judge, summaries[:count], seed=seed, progress=progress)
    return {"judge": judge.name, "patients": count, "rows": measure_quality(judge, calibrated, summaries[count:])}
