"""Predicted (document, chemical, disease) scored by gold: precision, recall and F1, with intervals over documents.

Counts are summed over documents; a resample draws whole documents, since the pairs of one are not independent.
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.abstracts import Abstract
from clew.evaluate.statistics import RESAMPLES, Interval, bootstrap_sums

__all__ = ["PairScore", "more_general", "score_pairs"]

Pair = tuple[str, str]
Counts = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class PairScore:
    """How well predicted pairs fit the gold; `precision` of nothing predicted is 0."""

    precision: Interval
    recall: Interval
    f1: Interval
    hits: int
    predicted: int
    gold: int


def score_pairs(
    abstracts: Sequence[Abstract],
    predicted: Mapping[str, Collection[Pair]],
    *,
    seed: int = 0,
    resamples: int = RESAMPLES,
) -> PairScore:
    """Score predictions by document; a document without predictions may be left out, an unknown one is an error."""
    known = {each.document for each in abstracts}
    if unknown := [document for document in predicted if document not in known]:
        raise InputError(f"pairs were predicted for {unknown[0]!r}, which is none of the {len(known):,} documents")
    counts = np.array(
        [_counts(set(predicted.get(each.document, ())), each.induces) for each in abstracts], float
    )  # (n, 3): hits, predicted, gold
    if not len(counts):
        raise InputError("there are no documents to score")
    precision, recall, f1 = bootstrap_sums(counts, _measures, seed=seed, resamples=resamples)
    hits, count, gold = map(int, counts.sum(axis=0))
    return PairScore(precision, recall, f1, hits, count, gold)


def _counts(predicted: set[Pair], gold: frozenset[Pair]) -> tuple[int, int, int]:
    return len(predicted & gold), len(predicted), len(gold)


def _measures(sums: Counts) -> Counts:
    hits, predicted, gold = sums.T
    return np.column_stack(
        [
            np.divide(hits, predicted, out=np.zeros_like(hits), where=predicted > 0),
            np.divide(hits, gold, out=np.zeros_like(hits), where=gold > 0),
            np.divide(2 * hits, predicted + gold, out=np.zeros_like(hits), where=predicted + gold > 0),
        ]
    )


def more_general(ids: Iterable[str], ancestors: Mapping[str, Collection[str]]) -> frozenset[str]:
    """Those of the ids that are ancestors of another one.

    >>> sorted(more_general(["seizures", "epilepsy", "pain"], {"epilepsy": {"seizures", "brain diseases"}}))
    ['seizures']
    """
    given = set(ids)
    return frozenset(above for each in given for above in ancestors.get(each, ()) if above in given and above != each)
