"""Injection (appendix D, "maximise score, then diversity"): the matched triple, if any, that each head receives.

Matches below the threshold are dropped; a triple that matches several sequences is kept in the most similar one. The
rest are bucketed by score and, within a score bucket, by relation frequency; each head takes its first row, so the
best score wins and, among equal scores, the rarest relation. In: matches. Out: injected rows.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.seed.selection import MATCHES, read_matches
from clew.extract.stage import Stage

__all__ = ["STAGE", "InjectionSettings", "inject", "prepare_injected", "read_injected"]

Ints = NDArray[np.integer]
STAGE = Stage("injected", "prepare", "the triple injected at each head", reads=("matches",), headline=("injected",))


@dataclass(frozen=True, slots=True)
class InjectionSettings:
    """The constants of appendix D.

    The threshold α is a `quantile` of the matched scores, since cosines of one encoder say nothing about another's;
    `threshold` sets it directly. `repeats` is the number of sequences that may hold the same triple, `alternatives` the
    number of triples per head, of which training draws one at a time (both 1 in the paper); `fewest` is the number of
    rows below which a relation is dropped.
    """

    quantile: float = 0.05
    threshold: float | None = None
    score_bucket: float = 0.01
    relation_bucket: int = 100
    repeats: int = 1
    alternatives: int = 1
    fewest: int = 1

    def __post_init__(self) -> None:
        if not 0 <= self.quantile <= 1:
            raise InputError(f"quantile must be between 0 and 1, not {self.quantile}")
        if self.score_bucket <= 0 or min(self.relation_bucket, self.repeats, self.alternatives, self.fewest) < 1:
            raise InputError(
                "score_bucket must be above 0; relation_bucket, repeats, alternatives and fewest must be at least 1"
            )


def inject(matches: pa.Table, settings: InjectionSettings | None = None) -> tuple[pa.Table, dict[str, Any]]:
    """The rows of `matches` to inject, in their original order, and a report on the rest."""
    settings = settings or InjectionSettings()
    score = matches["score"].to_numpy().astype(np.float64)
    threshold = settings.threshold
    if threshold is None:
        threshold = float(np.quantile(score, settings.quantile)) if len(score) else 0.0
    relation, relations = _numbered(matches["relation"])
    triple = _triples(matches, relation, len(relations))
    kept = np.flatnonzero(score >= threshold)
    single = _nearest_sequences(kept, triple, score, matches, settings.repeats)
    chosen = _first_of_each_head(single, relation, score, matches["head"].to_numpy(), settings)
    counted = np.bincount(relation[chosen], minlength=len(relations))
    final = chosen[counted[relation[chosen]] >= settings.fewest]
    table = matches.take(pa.array(final))
    report = {
        "alpha": threshold,
        "quantile": None if settings.threshold is not None else settings.quantile,
        "matches": len(score),
        "at or above alpha": len(kept),
        "after keeping the most similar sequences of each triple": len(single),
        "injected": len(final),
        "distinct triples injected": len(np.unique(triple[final])),
        "dropped because their relation is too rare": len(chosen) - len(final),
        "relations matched": _counts(relation, relations),
        "relations injected": _counts(relation[final], relations),
    }
    return table, report


def _nearest_sequences(kept: Ints, triple: Ints, score: NDArray[np.float64], matches: pa.Table, repeats: int) -> Ints:
    """The `repeats` best sequences of each triple, one row each; ties go to the first sequence and head."""
    sequence, head = matches["sequence"].to_numpy()[kept], matches["head"].to_numpy()[kept]
    order = kept[np.lexsort((head, sequence, -score[kept], triple[kept]))]
    # Two heads of one sequence have the same score for the same triple: the first one represents both.
    key = triple[order].astype(np.int64) * (int(sequence.max(initial=0)) + 1) + matches["sequence"].to_numpy()[order]
    order = order[np.sort(np.unique(key, return_index=True)[1])]
    place = np.arange(len(order)) - np.searchsorted(triple[order], triple[order])
    return np.sort(order[place < repeats])


def _first_of_each_head(
    rows: Ints, relation: Ints, score: NDArray[np.float64], head: Ints, settings: InjectionSettings
) -> Ints:
    """Algorithm 1: the first `alternatives` rows of each head, ordered by score bucket, relation bucket and score."""
    best = score[rows].max(initial=-np.inf)
    score_bucket = np.floor((best - score[rows]) / settings.score_bucket)
    frequency = np.bincount(relation[rows], minlength=1)
    relation_bucket = frequency[relation[rows]] // settings.relation_bucket
    order = rows[np.lexsort((rows, -score[rows], relation_bucket, score_bucket))]  # ties in the order of matches
    by_head = order[np.argsort(head[order], kind="stable")]
    place = np.arange(len(by_head)) - np.searchsorted(head[by_head], head[by_head])
    return np.sort(by_head[place < settings.alternatives])


def _numbered(column: pa.ChunkedArray) -> tuple[Ints, list[str]]:
    encoded = column.combine_chunks().dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    return encoded.indices.to_numpy(zero_copy_only=False).astype(np.int64), encoded.dictionary.to_pylist()


def _triples(matches: pa.Table, relation: Ints, relations: int) -> Ints:
    """A number for each distinct triple."""
    subject, _ = _numbered(matches["subject"])
    object_, objects = _numbered(matches["object"])
    key = (subject * max(relations, 1) + relation) * max(len(objects), 1) + object_
    return np.asarray(np.unique(key, return_inverse=True)[1], np.int64)


def _counts(relation: Ints, relations: list[str]) -> dict[str, int]:
    counted = dict(zip(relations, np.bincount(relation, minlength=len(relations)).tolist(), strict=True))
    return dict(sorted(counted.items(), key=lambda each: (-each[1], each[0])))


def prepare_injected(run: Path, *, settings: InjectionSettings | None = None) -> dict[str, Any]:
    """Inject the matches of a run, write run/injected and return the report."""
    settings = settings or InjectionSettings()
    work = STAGE.start(run, {"settings": settings})
    if work.finished is not None:
        return work.finished
    table, report = inject(read_matches(run).cast(MATCHES), settings)
    work.write({STAGE.name: table}, report)
    return report


def read_injected(run: Path) -> pa.Table:
    """The injected triples of a run."""
    return STAGE.read_table(run)
