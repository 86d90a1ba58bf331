"""A run: means with intervals and latency by level and pooled, and two runs compared question by question."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from clew.errors import InputError
from clew.evaluate.metrics.ranking import MEASURES
from clew.evaluate.metrics.score import MATCHES, ItemScore
from clew.evaluate.statistics import Interval, PairedTest, bootstrap_mean, bootstrap_means, mcnemar, permutation_test

__all__ = ["PHASES", "POOLED", "Latency", "LevelSummary", "Summary", "compare_runs", "summarise"]

POOLED = "all"  # the level that stands for all of them
PHASES = ("understanding", "execution", "text", "items", "total")  # items = understanding and execution


@dataclass(frozen=True, slots=True)
class Latency:
    """Seconds of one phase."""

    mean: float
    deviation: float  # of the sample
    median: float
    p95: float


@dataclass(frozen=True, slots=True)
class LevelSummary:
    """The questions of one level, or of all. Latency is over the questions that did not fail."""

    level: str
    n: int
    answered: int
    measures: Mapping[str, Interval]  # result_match, query_match and MEASURES
    selective_accuracy: Interval | None  # among those answered; None where none was
    abstention_rate: float
    failure_rate: float
    coverage: float | None
    latency: Mapping[str, Latency]  # PHASES


@dataclass(frozen=True, slots=True)
class Summary:
    """A run by level, in the order in which levels are met, and pooled."""

    levels: tuple[LevelSummary, ...]
    pooled: LevelSummary


def summarise(scores: Sequence[ItemScore], *, covered: Collection[str] | None = None, seed: int = 0) -> Summary:
    """Means with intervals; `covered` holds the ids of the questions whose gold is in the graph."""
    if not scores:
        raise InputError("there are no scores to summarise: run at least one question")
    levels = dict.fromkeys(each.level for each in scores)
    return Summary(
        tuple(_summarise([each for each in scores if each.level == level], level, covered, seed) for level in levels),
        _summarise(scores, POOLED, covered, seed),
    )


def _summarise(scores: Sequence[ItemScore], level: str, covered: Collection[str] | None, seed: int) -> LevelSummary:
    n, names = len(scores), (*MATCHES, *MEASURES)
    intervals = bootstrap_means([[each.value(name) for name in names] for each in scores], seed=seed)
    answered = [each.result_match for each in scores if each.answered]
    return LevelSummary(
        level,
        n,
        len(answered),
        dict(zip(names, intervals, strict=True)),
        bootstrap_mean(answered, seed=seed) if answered else None,
        sum(each.abstained for each in scores) / n,
        sum(each.failed for each in scores) / n,
        None if covered is None else sum(each.id in covered for each in scores) / n,
        _latency([each.seconds.phases() for each in scores if not each.failed]),
    )


def _latency(rows: Sequence[tuple[float, ...]]) -> dict[str, Latency]:
    table = np.asarray(rows, float).reshape(-1, len(PHASES))  # (n, phases)
    if not len(table):
        return {}
    deviations = table.std(axis=0, ddof=1) if len(table) > 1 else np.zeros(len(PHASES))
    figures = (table.mean(axis=0), deviations, np.median(table, axis=0), np.percentile(table, 95, axis=0))
    return {phase: Latency(*(float(each[at]) for each in figures)) for at, phase in enumerate(PHASES)}


def compare_runs(
    first: Sequence[ItemScore],
    second: Sequence[ItemScore],
    *,
    measures: Sequence[str] = ("f1", "reciprocal_rank"),
    seed: int = 0,
) -> dict[str, PairedTest]:
    """Two runs over the same questions, in any order: McNemar for the matches, permutation for the measures."""
    before, after = ({each.id: each for each in scores} for scores in (first, second))
    if before.keys() != after.keys() or len(before) != len(first) or len(after) != len(second):
        alone = sorted(before.keys() ^ after.keys())[:3]
        raise InputError(
            f"cannot pair runs of {len(first)} and {len(second)} scores (not in both: {', '.join(alone) or 'none'}): "
            "give two runs with one score for each of the same questions"
        )
    tests = {
        name: mcnemar(*([bool(run[id].value(name)) for id in before] for run in (before, after))) for name in MATCHES
    }
    for name in measures:
        columns = ([run[id].value(name) for id in before] for run in (before, after))
        tests[name] = permutation_test(*columns, seed=seed)
    return tests
