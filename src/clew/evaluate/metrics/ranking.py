"""A ranked list of ids scored by a set of gold ids: precision, recall, F1, Hits, MRR, MAP and nDCG, each within 0..1.

An id that stands twice counts once, and its repeats hold places. Where the gold is empty, only an empty list is
right: every measure is then 1, and 0 otherwise.
"""

from collections.abc import Sequence, Set
from math import log2

from clew.errors import InputError

__all__ = [
    "CUTS",
    "MEASURES",
    "average_precision",
    "capped_recall_at",
    "count_hits",
    "f1_at",
    "hits_at",
    "measure",
    "ndcg_at",
    "precision_at",
    "recall_at",
    "reciprocal_rank",
]

CUTS = (1, 5, 10)


def _marks(ranked: Sequence[str], gold: Set[str]) -> list[bool]:
    """For each place, whether it holds something of the gold that no earlier place holds."""
    seen: set[str] = set()
    marks = []
    for each in ranked:
        marks.append(each in gold and each not in seen)
        seen.add(each)
    return marks


def _first(ranked: Sequence[str], k: int | None) -> Sequence[str]:
    if k is not None and k < 1:
        raise InputError(f"cannot look at the first {k} places: k must be 1 or more")
    return ranked[:k]


def _when_empty(ranked: Sequence[str]) -> float:
    return float(not ranked)


def _harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def count_hits(ranked: Sequence[str], gold: Set[str], k: int | None = None) -> int:
    """How much of the gold stands in the first k places, or anywhere."""
    return sum(_marks(_first(ranked, k), gold))


def precision_at(ranked: Sequence[str], gold: Set[str], k: int) -> float:
    """Hits by places: a list shorter than k leaves places empty, and they count."""
    return count_hits(ranked, gold, k) / k if gold else _when_empty(ranked)


def recall_at(ranked: Sequence[str], gold: Set[str], k: int) -> float:
    """Hits by the size of the gold, which may be more than k places can hold."""
    return count_hits(ranked, gold, k) / len(gold) if gold else _when_empty(ranked)


def capped_recall_at(ranked: Sequence[str], gold: Set[str], k: int) -> float:
    """Hits by what k places can hold of the gold."""
    return count_hits(ranked, gold, k) / min(k, len(gold)) if gold else _when_empty(ranked)


def f1_at(ranked: Sequence[str], gold: Set[str], k: int) -> float:
    """Harmonic mean of precision and recall at k."""
    return _harmonic(precision_at(ranked, gold, k), recall_at(ranked, gold, k))


def hits_at(ranked: Sequence[str], gold: Set[str], k: int) -> float:
    """1 if anything of the gold stands in the first k places."""
    return float(count_hits(ranked, gold, k) > 0) if gold else _when_empty(ranked)


def ndcg_at(ranked: Sequence[str], gold: Set[str], k: int) -> float:
    """Discounted gain of the first k places by the best there could be; a hit gains 1."""
    if not gold:
        return _when_empty(ranked)
    gain = sum(1 / log2(place + 2) for place, hit in enumerate(_marks(_first(ranked, k), gold)) if hit)
    return gain / sum(1 / log2(place + 2) for place in range(min(k, len(gold))))


def reciprocal_rank(ranked: Sequence[str], gold: Set[str]) -> float:
    """One by the place of the first hit; its mean is MRR."""
    if not gold:
        return _when_empty(ranked)
    return next((1 / place for place, hit in enumerate(_marks(ranked, gold), 1) if hit), 0.0)


def average_precision(ranked: Sequence[str], gold: Set[str]) -> float:
    """Precision at the place of each hit, by the size of the gold; its mean is MAP."""
    if not gold:
        return _when_empty(ranked)
    places = [place for place, hit in enumerate(_marks(ranked, gold), 1) if hit]
    return sum(hits / place for hits, place in enumerate(places, 1)) / len(gold)


def measure(ranked: Sequence[str], gold: Set[str]) -> dict[str, float]:
    """Every measure of a ranking; those without a cut look at the whole list."""
    hits = count_hits(ranked, gold)
    precision = hits / len(ranked) if ranked else float(not gold)
    recall = hits / len(gold) if gold else _when_empty(ranked)
    found = {"precision": precision, "recall": recall, "f1": _harmonic(precision, recall)}
    found |= {"reciprocal_rank": reciprocal_rank(ranked, gold), "average_precision": average_precision(ranked, gold)}
    for k in CUTS:
        found[f"precision@{k}"] = precision_at(ranked, gold, k)
        found[f"recall@{k}"] = recall_at(ranked, gold, k)
        found[f"capped_recall@{k}"] = capped_recall_at(ranked, gold, k)
        found[f"f1@{k}"] = f1_at(ranked, gold, k)
        found[f"hits@{k}"] = hits_at(ranked, gold, k)
        found[f"ndcg@{k}"] = ndcg_at(ranked, gold, k)
    return found


MEASURES = tuple(measure((), {"anything"}))
