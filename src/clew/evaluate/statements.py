"""How well a statement model judges the pairs of gold documents: by corpus, by relation, and help against harm.

Gold mentions are given. Intervals draw whole documents, since the pairs of one are not independent.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.evaluate.statistics import bootstrap_sums
from clew.extract.statements.calibration import probabilities
from clew.extract.statements.combining import HARM, HELP
from clew.extract.statements.config import OUTPUTS, columns_of
from clew.extract.statements.examples import MarkedDocument
from clew.extract.statements.gold import GoldDocument
from clew.extract.statements.prediction import StatementModel
from clew.extract.statements.relations import STATED
from clew.progress import Progress, silent, track

__all__ = ["evaluate_statements"]

BINS = 10
HARMS, HELPS = "positive_correlation", "negative_correlation"  # of a chemical and a disease, in BioRED
INDUCES, TREATS = (next(each for each in STATED if each.name == name) for name in ("induces", "treats"))
Counts = NDArray[np.float64]  # (documents, 3): hits, predicted, gold


@dataclass(frozen=True, slots=True)
class _Judged:
    """The probabilities (pairs, 1 + relations) of a document by a model, and its labels."""

    shares: NDArray[np.float64]
    labels: NDArray[np.int64]
    missed: int


def evaluate_statements(
    model: StatementModel, documents: Sequence[GoldDocument], *, progress: Progress = silent
) -> dict[str, Any]:
    """Figures by corpus; co-occurrence is the rule that every candidate pair is stated."""
    if not documents:
        raise InputError("there are no documents to evaluate")
    judged: dict[str, list[_Judged]] = {corpus: [] for corpus in OUTPUTS}
    signs: list[_Signs] = []
    for document in track(documents, "documents", progress, total=len(documents)):
        example = model.marker.mark_gold(document)
        marked = example.marked
        if document.corpus == INDUCES.corpus:
            ((_, stated),) = model.shares(document.text, document.mentions, marked, [INDUCES])
            shares = np.stack([1 - stated, stated], axis=1)
        else:
            scores = model.score(marked)[:, columns_of(document.corpus)]
            shares = probabilities(scores, model.calibration[document.corpus], marked.apart)
            signs.append(_signs(model, document, marked, shares, example.labels))
        judged[document.corpus].append(_Judged(shares, example.labels, example.missed))
    least = {INDUCES.corpus: model.thresholds[INDUCES.name].threshold}
    report: dict[str, Any] = {
        corpus: _corpus_report(corpus, each, least.get(corpus, model.calibration[corpus].threshold))
        for corpus, each in judged.items()
        if each
    }
    if signs:
        report["help_or_harm"] = _help_or_harm(signs)
    return report


def _corpus_report(corpus: str, documents: Sequence[_Judged], least: float) -> dict[str, Any]:
    said = [_said(each, least) for each in documents]
    together = {
        "documents": len(documents),
        **_figures(_counts(documents, said)),
        "co_occurrence": _figures(
            _counts(documents, [np.where(each.labels > 0, each.labels, -1) for each in documents])
        ),
        "calibration_error": _calibration_error(documents),
    }
    by_relation = {
        name: {
            **_figures(
                np.array(
                    [_count(each.labels == number, mine == number) for each, mine in zip(documents, said, strict=True)]
                )
            ),
            "co_occurrence_f1": _co_occurrence_f1(documents, number),
        }
        for number, name in enumerate(OUTPUTS[corpus], start=1)
    }
    return {**together, "relations": by_relation}


def _co_occurrence_f1(documents: Sequence[_Judged], relation: int) -> float:
    """F1 of the rule that every candidate pair has this relation."""
    gold, pairs = (
        sum(int((each.labels == relation).sum()) for each in documents),
        sum(len(each.labels) for each in documents),
    )
    return round(2 * gold / max(1, gold + pairs), 4)


def _said(document: _Judged, least: float) -> NDArray[np.int64]:
    """The relation of each pair, 0 if none is likely enough."""
    shares = document.shares[:, 1:]
    return np.where(shares.max(1, initial=0) >= least, shares.argmax(1) + 1, 0).astype(np.int64)


def _counts(documents: Sequence[_Judged], said: Sequence[NDArray[np.int64]]) -> Counts:
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
    (f1,) = bootstrap_sums(counts, lambda sums: 2 * sums[:, :1] / np.maximum(1, sums[:, 1:2] + sums[:, 2:]))
    return {
        "precision": round(hits / max(1, predicted), 4),
        "recall": round(hits / max(1, gold), 4),
        "f1": round(f1.mean, 4),
        "f1_interval": [round(f1.low, 4), round(f1.high, 4)],
        "hits": int(hits),
        "predicted": int(predicted),
        "gold": int(gold),
    }


def _calibration_error(documents: Sequence[_Judged]) -> float:
    """Mean distance of the probability that something is stated from how often it is, over ten bins."""
    stated = np.concatenate([1 - each.shares[:, 0] for each in documents])
    true = np.concatenate([each.labels > 0 for each in documents])
    bins = np.minimum((stated * BINS).astype(int), BINS - 1)
    gaps = [abs(stated[bins == each].mean() - true[bins == each].mean()) * (bins == each).mean() for each in set(bins)]
    return round(float(sum(gaps)), 4)


@dataclass(frozen=True, slots=True)
class _Signs:
    """The chemical-disease pairs of a document: 1 for help, 2 for harm, 0 for neither."""

    gold: NDArray[np.int64]
    forced: NDArray[np.int64]  # help or harm, whichever is likelier
    said: NDArray[np.int64]  # what the model states at its thresholds


def _signs(
    model: StatementModel,
    document: GoldDocument,
    marked: MarkedDocument,
    shares: NDArray[np.float64],
    labels: NDArray[np.int64],
) -> _Signs:
    (rows, treats), (_, induces) = model.shares(document.text, document.mentions, marked, [TREATS, INDUCES])
    help_, harm = (OUTPUTS["biored"].index(name) + 1 for name in (HELPS, HARMS))
    if model.reads_pairs:
        read = model.read_pairs(document.text, document.mentions, marked, rows)[rows]
        likelier = np.where(read[:, HELP] > read[:, HARM], 1, 2)
    else:
        likelier = np.where(shares[rows, help_] > shares[rows, harm], 1, 2)
    above = np.stack(
        [each - model.thresholds[name.name].threshold for each, name in ((treats, TREATS), (induces, INDUCES))]
    )
    said = np.where(above.max(0, initial=-1) >= 0, above.argmax(0) + 1, 0)
    gold = np.select([labels[rows] == help_, labels[rows] == harm], [1, 2], 0)
    return _Signs(gold, likelier, said)


def _help_or_harm(documents: Sequence[_Signs]) -> dict[str, Any]:
    """Of chemical-disease pairs: which of the two related ones are, and F1 of none, help and harm over all."""
    gold, forced, said = (
        np.concatenate([getattr(each, name) for each in documents]) for name in ("gold", "forced", "said")
    )
    related = gold > 0
    kinds = {"help": 1, "harm": 2}
    right = forced == gold
    return {
        "related_pairs": int(related.sum()),
        "accuracy": round(float(right[related].mean()), 4) if related.any() else None,
        "majority": round(float(max((gold == 1).sum(), (gold == 2).sum()) / max(1, related.sum())), 4),
        "recall": {
            name: round(float(right[gold == number].mean()), 4) if (gold == number).any() else None
            for name, number in kinds.items()
        },
        "f1": {name: _pooled_f1(gold == number, said == number) for name, number in {**kinds, "none": 0}.items()},
    }


def _pooled_f1(gold: NDArray[np.bool_], said: NDArray[np.bool_]) -> float:
    return round(float(2 * (gold & said).sum() / max(1, gold.sum() + said.sum())), 4)
