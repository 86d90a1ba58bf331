"""How well a statement model judges the pairs of gold documents: by corpus, by relation, and help against harm.

Gold mentions are given. Intervals draw whole documents, since the pairs of one are not independent.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.statements.calibration import Scored, probabilities
from clew.extract.statements.config import OUTPUTS, columns_of
from clew.extract.statements.gold import GoldDocument
from clew.extract.statements.prediction import StatementModel
from clew.progress import Progress, silent, track

__all__ = ["evaluate_statements"]

RESAMPLES = 10_000
BINS = 10
HARM, HELP = "positive_correlation", "negative_correlation"  # of a chemical and a disease, in BioRED
Counts = NDArray[np.float64]  # (documents, 3): hits, predicted, gold


def evaluate_statements(
    model: StatementModel, documents: Sequence[GoldDocument], *, progress: Progress = silent
) -> dict[str, Any]:
    """Figures by corpus; co-occurrence is the rule that every candidate pair is stated."""
    if not documents:
        raise InputError("there are no documents to evaluate")
    report: dict[str, Any] = {}
    scored: dict[str, list[Scored]] = {corpus: [] for corpus in OUTPUTS}
    chemical: list[NDArray[np.bool_]] = []  # of BioRED's pairs: whether they are of a chemical and a disease
    for document in track(documents, "documents", progress, total=len(documents)):
        example = model.marker.mark_gold(document)
        marked = example.marked
        scores = model.score(marked)[:, columns_of(document.corpus)]
        scored[document.corpus].append(Scored(scores, example.labels, marked.apart, example.missed))
        if document.corpus == "biored":
            ends = [(marked.types[one], marked.types[other]) for one, other in marked.pairs]
            chemical.append(np.array([each == ("chemical", "disease") for each in ends], bool))
    for corpus, each in scored.items():
        if each:
            report[corpus] = _corpus_report(model, corpus, each)
    if scored["biored"]:
        report["help_or_harm"] = _help_or_harm(model, scored["biored"], chemical)
    return report


def _corpus_report(model: StatementModel, corpus: str, documents: Sequence[Scored]) -> dict[str, Any]:
    said = [_said(model, corpus, each) for each in documents]
    together = {
        "documents": len(documents),
        **_figures(_counts(documents, said)),
        "co_occurrence": _figures(
            _counts(documents, [np.where(each.labels > 0, each.labels, -1) for each in documents])
        ),
        "calibration_error": _calibration_error(model, corpus, documents),
    }
    by_relation = {
        name: _figures(
            np.array(
                [_count(each.labels == number, mine == number) for each, mine in zip(documents, said, strict=True)]
            )
        )
        for number, name in enumerate(OUTPUTS[corpus], start=1)
    }
    return {**together, "relations": by_relation}


def _said(model: StatementModel, corpus: str, document: Scored) -> NDArray[np.int64]:
    """The relation of each pair, 0 if none is likely enough."""
    calibration = model.calibration[corpus]
    shares = probabilities(document.scores, calibration, document.apart)[:, 1:]
    return np.where(shares.max(1, initial=0) >= calibration.threshold, shares.argmax(1) + 1, 0).astype(np.int64)


def _counts(documents: Sequence[Scored], said: Sequence[NDArray[np.int64]]) -> Counts:
    return np.array(
        [
            (
                int(((mine == each.labels) & (each.labels > 0)).sum()),
                int((mine != 0).sum()),
                int((each.labels > 0).sum()) + each.missed,
            )
            for each, mine in zip(documents, said, strict=True)
        ],
        float,
    )


def _count(gold: NDArray[np.bool_], said: NDArray[np.bool_]) -> tuple[int, int, int]:
    return int((gold & said).sum()), int(said.sum()), int(gold.sum())


def _figures(counts: Counts) -> dict[str, Any]:
    """Precision, recall and F1 with the 95 % interval of F1."""
    counts = counts.astype(float)
    hits, predicted, gold = counts.sum(0)
    random = np.random.default_rng(0)
    drawn = random.multinomial(len(counts), np.full(len(counts), 1 / len(counts)), size=RESAMPLES) @ counts
    spread = 2 * drawn[:, 0] / np.maximum(1, drawn[:, 1] + drawn[:, 2])
    low, high = np.percentile(spread, (2.5, 97.5))
    return {
        "precision": round(hits / max(1, predicted), 4),
        "recall": round(hits / max(1, gold), 4),
        "f1": round(2 * hits / max(1, predicted + gold), 4),
        "f1_interval": [round(float(low), 4), round(float(high), 4)],
        "hits": int(hits),
        "predicted": int(predicted),
        "gold": int(gold),
    }


def _calibration_error(model: StatementModel, corpus: str, documents: Sequence[Scored]) -> float:
    """Mean distance of the probability that something is stated from how often it is, over ten bins."""
    stated = np.concatenate(
        [1 - probabilities(each.scores, model.calibration[corpus], each.apart)[:, 0] for each in documents]
    )
    true = np.concatenate([each.labels > 0 for each in documents])
    bins = np.minimum((stated * BINS).astype(int), BINS - 1)
    gaps = [abs(stated[bins == each].mean() - true[bins == each].mean()) * (bins == each).mean() for each in set(bins)]
    return round(float(sum(gaps)), 4)


def _help_or_harm(
    model: StatementModel, documents: Sequence[Scored], chemical: Sequence[NDArray[np.bool_]]
) -> dict[str, Any]:
    """Of chemical-disease pairs: which of the two related ones are, and F1 of none, help and harm over all."""
    calibration = model.calibration["biored"]
    shares = np.concatenate(
        [
            probabilities(each.scores, calibration, each.apart)[mine]
            for each, mine in zip(documents, chemical, strict=True)
        ]
    )
    labels = np.concatenate([each.labels[mine] for each, mine in zip(documents, chemical, strict=True)])
    harm, help_ = (OUTPUTS["biored"].index(name) + 1 for name in (HARM, HELP))
    related = (labels == harm) | (labels == help_)
    chosen = np.where(shares[:, harm] >= shares[:, help_], harm, help_)
    right = (chosen == labels)[related]
    best = shares[:, 1:].argmax(1) + 1
    said = np.where(shares[:, 1:].max(1, initial=0) >= calibration.threshold, best, 0)
    kinds = {"help": help_, "harm": harm}
    f1 = {name: _pooled_f1(labels == number, said == number) for name, number in kinds.items()}
    f1["none"] = _pooled_f1(~np.isin(labels, (harm, help_)), ~np.isin(said, (harm, help_)))
    return {
        "related_pairs": int(related.sum()),
        "accuracy": round(float(right.mean()), 4) if related.any() else None,
        "majority": round(float(max((labels == harm).sum(), (labels == help_).sum()) / max(1, related.sum())), 4),
        "recall": {
            name: round(float((chosen == labels)[labels == number].mean()), 4) if (labels == number).any() else None
            for name, number in kinds.items()
        },
        "f1": f1,
    }


def _pooled_f1(gold: NDArray[np.bool_], said: NDArray[np.bool_]) -> float:
    return round(float(2 * (gold & said).sum() / max(1, gold.sum() + said.sum())), 4)
