"""The aggregation and the threshold, selected on the train part alone.

Scores of train pairs come from models that did not see their document (`+train`), or no CID label at all (`distant`).
The aggregation with the best F1 over all of them is taken, with its threshold; how good that is, is estimated by
choosing both on four folds and scoring the fifth.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.aggregation import AGGREGATIONS, Aggregation, Candidates, aggregate

__all__ = ["Choice", "aggregate_all", "apply_choice", "best_threshold", "choose", "cross_validate"]

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
Pair = tuple[str, str]
Weighed = Mapping[Aggregation, Floats]


@dataclass(frozen=True, slots=True)
class Choice:
    """An aggregation, the least score of a predicted pair, and the F1 on what it was chosen on."""

    aggregation: Aggregation
    threshold: float
    f1: float


def aggregate_all(
    candidates: Candidates, scores: NDArray[np.float32], aggregations: Sequence[Aggregation] = AGGREGATIONS
) -> Weighed:
    """The scores of all pairs by each aggregation."""
    return {aggregation: aggregate(candidates, scores, aggregation) for aggregation in aggregations}


def choose(
    weighed: Weighed, gold: Bools, *, total: int, among: Bools | None = None, allowed: Bools | None = None
) -> Choice:
    """The aggregation and threshold of highest F1 on the pairs `among`, of which only `allowed` ones are predicted."""
    kept = np.ones(len(gold), bool) if among is None else among
    kept = kept if allowed is None else kept & allowed
    choices = []
    for aggregation, score in weighed.items():
        threshold, f1 = best_threshold(score[kept], gold[kept], total)
        choices.append(Choice(aggregation, threshold, f1))
    if not choices:
        raise InputError("there is no way to choose from")
    return max(choices, key=lambda each: each.f1)


def best_threshold(score: Floats, gold: Bools, total: int) -> tuple[float, float]:
    """The threshold with the highest F1: half way to the next lower score, so that rounding does not decide."""
    if not len(score):
        return np.inf, 0.0
    order = np.argsort(-score, kind="stable")
    ranked, hits = score[order], np.cumsum(gold[order])
    f1 = 2 * hits / (np.arange(1, len(order) + 1) + total)
    f1[:-1][ranked[:-1] == ranked[1:]] = -1.0  # equal scores are predicted together
    best = int(np.argmax(f1))
    below = ranked[best + 1] if best + 1 < len(ranked) else ranked[best] - 1.0
    return float((ranked[best] + below) / 2), float(f1[best])


def apply_choice(
    candidates: Candidates, weighed: Weighed, choice: Choice, *, among: Bools | None = None
) -> dict[str, set[Pair]]:
    """Predicted pairs by document."""
    chosen = weighed[choice.aggregation] >= choice.threshold
    chosen = chosen if among is None else chosen & among
    predicted: dict[str, set[Pair]] = {}
    for at in np.flatnonzero(chosen).tolist():
        document, chemical, disease = candidates.pairs[at]
        predicted.setdefault(document, set()).add((chemical, disease))
    return predicted


def cross_validate(
    candidates: Candidates, weighed: Weighed, induces: Mapping[str, frozenset[Pair]], *, allowed: Bools | None = None
) -> dict[str, set[Pair]]:
    """Pairs predicted for each fold with what was chosen on the others; `induces` is the gold by document."""
    gold = np.array([pair[1:] in induces[pair[0]] for pair in candidates.pairs])
    fold_of = {pair[0]: int(fold) for pair, fold in zip(candidates.pairs, candidates.pair_fold, strict=True)}
    predicted: dict[str, set[Pair]] = {}
    for fold in sorted(set(candidates.pair_fold.tolist())):
        others = candidates.pair_fold != fold
        total = sum(len(pairs) for document, pairs in induces.items() if fold_of.get(document) != fold)
        choice = choose(weighed, gold, total=total, among=others, allowed=allowed)
        kept = ~others if allowed is None else ~others & allowed
        predicted |= apply_choice(candidates, weighed, choice, among=kept)
    return predicted
