"""How sure a figure is: bootstrap intervals of means, and paired tests between two runs over the same questions.

Everything that draws at random is seeded, so the same scores always give the same interval and the same p.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from math import comb

import numpy as np
from numpy.typing import ArrayLike, NDArray

from clew.errors import InputError

__all__ = [
    "RESAMPLES",
    "Interval",
    "PairedTest",
    "bootstrap_classes",
    "bootstrap_mean",
    "bootstrap_means",
    "bootstrap_sums",
    "mcnemar",
    "permutation_test",
]

RESAMPLES = 10_000
CELLS = 4_000_000  # of one block of draws, so that memory stays bounded whatever the number of questions
SLACK = 1e-12  # sums that differ by rounding alone are equal

Numbers = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean, or another measure, over `n` units and the ends of its 95 % interval."""

    mean: float
    low: float
    high: float
    n: int


@dataclass(frozen=True, slots=True)
class PairedTest:
    """How far the second of two runs is from the first, and how often chance alone gives as much (two-sided)."""

    method: str
    difference: float  # mean of the second less mean of the first
    p: float
    n: int  # pairs
    gained: int  # pairs in which the second is higher
    lost: int


def bootstrap_mean(values: ArrayLike, *, seed: int = 0, resamples: int = RESAMPLES) -> Interval:
    """Mean with its 95 % percentile bootstrap interval."""
    (interval,) = bootstrap_means(np.asarray(values, float).reshape(-1, 1), seed=seed, resamples=resamples)
    return interval


def bootstrap_means(rows: ArrayLike, *, seed: int = 0, resamples: int = RESAMPLES) -> list[Interval]:
    """The same for every column of (questions, measures), drawing whole questions."""
    return bootstrap_sums(rows, lambda sums: sums / len(np.asarray(rows)), seed=seed, resamples=resamples)


def bootstrap_sums(
    rows: ArrayLike, measure: Callable[[Numbers], Numbers], *, seed: int = 0, resamples: int = RESAMPLES
) -> list[Interval]:
    """Measures of sums, such as F1 of counts, with their intervals, drawing whole units (documents, patients).

    `rows` is (units, counts); `measure` takes sums of it, (draws, counts), to (draws, measures).
    """
    table = np.asarray(rows, float)
    if table.ndim != 2 or not len(table):
        raise InputError(f"cannot resample an array of shape {table.shape}: give at least one row of measures")
    if resamples < 1:
        raise InputError(f"{resamples} resamples give no interval: ask for at least 1, {RESAMPLES:,} as a rule")
    drawn = np.concatenate([counts @ table for counts in _drawn_counts(len(table), resamples, seed)])
    (centre,) = measure(table.sum(axis=0)[None])
    return _percentiles(centre, measure(drawn), len(table))


def bootstrap_classes(right: Sequence[ArrayLike], *, seed: int = 0, resamples: int = RESAMPLES) -> Interval:
    """The mean of the shares of right answers in several classes (balanced accuracy), drawing within each class."""
    random, shares = np.random.default_rng(seed), [np.asarray(each, float) for each in right]
    drawn = np.mean([random.binomial(len(each), each.mean(), resamples) / len(each) for each in shares], axis=0)
    centre = np.mean([each.mean() for each in shares], keepdims=True)
    (interval,) = _percentiles(centre, drawn[:, None], sum(map(len, shares)))
    return interval


def _percentiles(centre: Numbers, drawn: Numbers, n: int) -> list[Interval]:
    """The 95 % percentile interval of each measure, (m,) and (draws, m); it holds the measure itself."""
    low, high = np.percentile(drawn, (2.5, 97.5), axis=0)
    return [
        Interval(float(mean), float(min(a, mean)), float(max(b, mean)), n)
        for mean, a, b in zip(centre, low, high, strict=True)
    ]


def _drawn_counts(n: int, resamples: int, seed: int) -> Iterator[Numbers]:
    """How often each of n questions is drawn in each resample, (block, n), in blocks of bounded size."""
    random = np.random.default_rng(seed)
    share = np.full(n, 1 / n)
    block = max(1, CELLS // n)
    for start in range(0, resamples, block):
        yield random.multinomial(n, share, size=min(block, resamples - start)).astype(float)


def mcnemar(first: Sequence[bool], second: Sequence[bool]) -> PairedTest:
    """Exact McNemar test of right and wrong: are the questions on which the runs differ split like a fair coin?"""
    before, after = _pairs(first, second)
    if not np.isin(before, (0, 1)).all() or not np.isin(after, (0, 1)).all():
        raise InputError("McNemar compares right with wrong: give booleans, or use permutation_test for measures")
    gained, lost = int((after > before).sum()), int((after < before).sum())
    differing = gained + lost
    tail = sum(comb(differing, k) for k in range(min(gained, lost) + 1))
    p = min(1.0, 2 * tail / 2**differing)  # integers until here: exact for any number of questions
    return PairedTest("McNemar, exact", float(after.mean() - before.mean()), p, len(before), gained, lost)


def permutation_test(first: ArrayLike, second: ArrayLike, *, seed: int = 0, resamples: int = RESAMPLES) -> PairedTest:
    """Paired permutation test of two means: swap the runs question by question, in every way or in random draws."""
    before, after = _pairs(first, second)
    differences = after - before
    moved = differences[differences != 0]  # swapping equal scores changes nothing
    exact = 2 ** len(moved) <= resamples
    signs = _every_sign(len(moved)) if exact else _random_signs(len(moved), resamples, seed)
    least = abs(moved.sum()) - SLACK * max(1.0, float(np.abs(moved).sum()))
    reached = draws = 0
    for block in signs:
        reached += int((np.abs(block @ moved) >= least).sum())
        draws += len(block)
    p = reached / draws if exact else (reached + 1) / (draws + 1)  # the order that was seen is one of the random ones
    return PairedTest(
        "permutation, exact" if exact else f"permutation, {draws:,} draws",
        float(differences.mean()),
        p,
        len(before),
        int((differences > 0).sum()),
        int((differences < 0).sum()),
    )


def _pairs(first: ArrayLike, second: ArrayLike) -> tuple[Numbers, Numbers]:
    before, after = np.asarray(first, float), np.asarray(second, float)
    if before.ndim != 1 or before.shape != after.shape or not len(before):
        raise InputError(
            f"cannot pair scores of shapes {before.shape} and {after.shape}: give two runs over the same questions"
        )
    return before, after


def _every_sign(n: int) -> Iterator[Numbers]:
    bits = np.arange(2**n)[:, None] >> np.arange(n) & 1  # (2**n, n)
    yield np.asarray(1 - 2 * bits, float)


def _random_signs(n: int, resamples: int, seed: int) -> Iterator[Numbers]:
    random = np.random.default_rng(seed)
    block = max(1, CELLS // n)
    for start in range(0, resamples, block):
        yield np.asarray(1 - 2 * random.integers(0, 2, (min(block, resamples - start), n)), float)
