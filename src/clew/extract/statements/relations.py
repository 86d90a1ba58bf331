"""The relations that a document is read for, made of what the corpora annotate, and the threshold of each."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

import numpy as np
from numpy.typing import NDArray

from clew.extract.statements.calibration import Calibration, Scored, probabilities
from clew.extract.statements.config import OUTPUTS
from clew.extract.statements.examples import MarkedDocument

__all__ = [
    "STATED",
    "StatedRelation",
    "Threshold",
    "best_threshold",
    "choose_thresholds",
    "pairs_of",
    "probabilities_of",
]

PRECISE = 0.75
FEWEST = 20  # pairs above a threshold that show its precision
LINKED = ("association", "positive_correlation", "negative_correlation")


@dataclass(frozen=True, slots=True)
class StatedRelation:
    """A relation of a subject and an object of some types: any of these outputs of a corpus."""

    name: str
    corpus: str
    subject: str
    object: str
    outputs: tuple[str, ...]
    symmetric: bool = False
    read_from: float = 0.05  # the probability by its document from which on a pair is read again in its sentences


STATED = (
    StatedRelation("induces", "bc5cdr", "chemical", "disease", ("induces",), read_from=0.1),
    StatedRelation("treats", "biored", "chemical", "disease", ("negative_correlation",)),
    StatedRelation("associated_with", "biored", "gene", "disease", LINKED, read_from=0.3),
    StatedRelation("affects", "biored", "chemical", "gene", (*LINKED, "binds"), read_from=0.3),
    StatedRelation("interacts_with", "biored", "gene", "gene", (*LINKED, "binds"), symmetric=True, read_from=0.3),
)


@dataclass(frozen=True, slots=True)
class Threshold:
    """The probability of the best F1 and how it did on the documents it was chosen by.

    From `default` on a relation counts as stated where both ends share a sentence: the least probability with a
    precision of `PRECISE` there, or 1 where none has it.
    """

    threshold: float = 0.5
    default: float = 0.5
    precision: float | None = None
    recall: float | None = None
    f1: float | None = None


def pairs_of(marked: MarkedDocument, relation: StatedRelation) -> NDArray[np.int64]:
    """The pairs of a document whose types the relation has."""
    wanted = relation.subject, relation.object
    return np.flatnonzero([(marked.types[one], marked.types[other]) == wanted for one, other in marked.pairs])


def probabilities_of(
    scores: NDArray[np.floating], relation: StatedRelation, calibration: Calibration, apart: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """How probable the relation is for pairs with these scores (pairs, columns of its corpus)."""
    columns = [1 + OUTPUTS[relation.corpus].index(name) for name in relation.outputs]
    return np.asarray(probabilities(scores, calibration, apart)[:, columns].sum(1))


def choose_thresholds(
    documents: Mapping[str, Sequence[tuple[MarkedDocument, Scored]]], calibration: Mapping[str, Calibration]
) -> dict[str, dict[str, float | None]]:
    """For each relation the threshold of the greatest F1 on the documents of its corpus."""
    found: dict[str, dict[str, float | None]] = {}
    for relation in STATED:
        columns = [1 + OUTPUTS[relation.corpus].index(name) for name in relation.outputs]
        shares: list[float] = []
        true: list[bool] = []
        apart: list[bool] = []
        for marked, scored in documents[relation.corpus]:
            rows = pairs_of(marked, relation)
            if len(rows):
                mine = calibration[relation.corpus]
                shares += probabilities_of(scored.scores[rows], relation, mine, scored.apart[rows]).tolist()
                true += np.isin(scored.labels[rows], columns).tolist()
                apart += scored.apart[rows].tolist()
        found[relation.name] = asdict(best_threshold(np.array(shares), np.array(true, bool), np.array(apart, bool)))
    return found


def best_threshold(shares: NDArray[np.float64], true: NDArray[np.bool_], apart: NDArray[np.bool_]) -> Threshold:
    """The threshold of the best F1 over pairs with these probabilities, and the default within sentences."""
    if not true.any():
        return Threshold()
    order = np.argsort(-shares, kind="stable")
    hits = np.cumsum(true[order])
    taken = np.arange(1, len(order) + 1)
    f1 = 2 * hits / (taken + true.sum())
    at = int(f1.argmax())
    figures = hits[at] / taken[at], hits[at] / true.sum(), f1[at]
    rounded = (round(float(each), 4) for each in figures)
    return Threshold(float(shares[order[at]]), _precise(shares[~apart], true[~apart]), *rounded)


def _precise(shares: NDArray[np.float64], true: NDArray[np.bool_]) -> float:
    """The least threshold above which at least `PRECISE` of at least `FEWEST` pairs hold; 1 where there is none."""
    order = np.argsort(-shares, kind="stable")
    precision = np.cumsum(true[order]) / np.arange(1, len(order) + 1)
    enough = np.flatnonzero((precision >= PRECISE) & (np.arange(1, len(order) + 1) >= FEWEST))
    return float(shares[order[enough[-1]]]) if len(enough) else 1.0
