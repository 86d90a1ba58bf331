"""Intervals and paired tests, against brute force and SciPy."""

from itertools import product

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import InputError
from clew.evaluate.statistics import (
    bootstrap_classes,
    bootstrap_mean,
    bootstrap_means,
    bootstrap_sums,
    mcnemar,
    permutation_test,
)

RANDOM = np.random.default_rng(4)


# intervals ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("values", [RANDOM.random(60), RANDOM.random(25) < 0.9, RANDOM.lognormal(size=40)])
def test_interval_is_that_of_scipy(values):
    ours = bootstrap_mean(values)
    theirs = scipy.stats.bootstrap((values.astype(float),), np.mean, method="percentile", n_resamples=10_000, rng=1)
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours.mean == pytest.approx(values.mean())
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.06 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.06 * width)


def test_interval_against_every_resample():
    values = [0.0, 0.0, 1.0, 4.0, 5.0]
    means = [np.mean(drawn) for drawn in product(values, repeat=5)]
    low, high = np.percentile(means, (2.5, 97.5))
    ours = bootstrap_mean(values, resamples=40_000)
    assert (ours.low, ours.high) == (pytest.approx(low, abs=0.21), pytest.approx(high, abs=0.21))  # a step is 0.2


def test_interval_covers_the_truth_about_as_often_as_it_says():
    random = np.random.default_rng(6)
    covered = 0
    for _ in range(200):
        interval = bootstrap_mean(random.random(50), resamples=1_000)
        covered += interval.low <= 0.5 <= interval.high
    assert 178 <= covered <= 199


def test_interval_is_repeatable_and_moves_with_the_seed():
    values = RANDOM.random(30)
    assert bootstrap_mean(values) == bootstrap_mean(values)
    assert bootstrap_mean(values) != bootstrap_mean(values, seed=1)


def test_interval_of_sums_is_that_of_scipy():
    counts = np.column_stack([RANDOM.integers(0, 4, 50), RANDOM.integers(4, 9, 50)]).astype(float)
    (ours,) = bootstrap_sums(counts, lambda sums: sums[:, :1] / sums[:, 1:])

    def ratio(hits, named, axis):
        return hits.sum(axis=axis) / named.sum(axis=axis)

    theirs = scipy.stats.bootstrap(tuple(counts.T), ratio, paired=True, method="percentile", n_resamples=10_000, rng=1)
    width = theirs.confidence_interval.high - theirs.confidence_interval.low
    assert ours.mean == pytest.approx(counts[:, 0].sum() / counts[:, 1].sum())
    assert ours.low == pytest.approx(theirs.confidence_interval.low, abs=0.06 * width)
    assert ours.high == pytest.approx(theirs.confidence_interval.high, abs=0.06 * width)


def test_classes_count_alike_whatever_their_size():
    interval = bootstrap_classes(([True] * 90 + [False] * 10, [True] * 5 + [False] * 5))
    assert interval.mean == pytest.approx(0.7)
    assert 0.5 < interval.low < 0.6 < 0.8 < interval.high < 0.9
    assert interval.n == 110


def test_equal_values_have_an_interval_without_width():
    interval = bootstrap_mean([0.7] * 30)
    assert interval.low == pytest.approx(0.7)
    assert interval.high == pytest.approx(0.7)
    assert interval.low <= interval.mean <= interval.high
    assert interval.n == 30


def test_columns_are_drawn_together():
    values = RANDOM.random((40, 3))
    for column, interval in enumerate(bootstrap_means(values)):
        alone = bootstrap_mean(values[:, column])
        assert (interval.low, interval.high) == (pytest.approx(alone.low), pytest.approx(alone.high))


def test_many_questions_are_drawn_in_blocks(monkeypatch):
    values = RANDOM.random(50)
    whole = bootstrap_mean(values)
    monkeypatch.setattr("clew.evaluate.statistics.CELLS", 700)
    blocks = bootstrap_mean(values)
    assert (blocks.low, blocks.high) == (pytest.approx(whole.low), pytest.approx(whole.high))


@pytest.mark.parametrize("values", [[], [[]]])
def test_no_values_is_an_error(values):
    with pytest.raises(InputError, match="at least one row"):
        bootstrap_mean(values)


def test_no_resamples_is_an_error():
    with pytest.raises(InputError, match="at least 1"):
        bootstrap_mean([1.0], resamples=0)


# right and wrong ----------------------------------------------------------------------------------------------------


@settings(deadline=None)
@given(st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_mcnemar_is_the_binomial_test_of_the_differing_pairs(pairs):
    first, second = zip(*pairs, strict=True)
    test = mcnemar(first, second)
    gained = sum(b and not a for a, b in pairs)
    lost = sum(a and not b for a, b in pairs)
    assert (test.gained, test.lost, test.n) == (gained, lost, len(pairs))
    assert test.difference == pytest.approx((gained - lost) / len(pairs))
    expected = scipy.stats.binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert test.p == pytest.approx(expected)
    assert mcnemar(second, first).p == test.p


def test_mcnemar_by_hand():
    test = mcnemar([True] + [False] * 6, [False] + [True] * 6)  # 6 gained, 1 lost
    assert test.p == 2 * (1 + 7) / 2**7
    assert test.difference == pytest.approx(5 / 7)


def test_mcnemar_of_thousands_of_questions():
    test = mcnemar([True] * 1100 + [False] * 1000, [False] * 1100 + [True] * 1000)
    assert test.p == pytest.approx(scipy.stats.binomtest(1000, 2100).pvalue)


def test_mcnemar_takes_no_measures():
    with pytest.raises(InputError, match="permutation_test"):
        mcnemar([0.5], [1.0])


# means --------------------------------------------------------------------------------------------------------------


def all_sign_flips(differences):
    """The p of a permutation test by going through every way to swap the runs."""
    reached = [
        abs(sum(sign * each for sign, each in zip(signs, differences, strict=True))) >= abs(sum(differences)) - 1e-9
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(reached) / len(reached)


scores = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 2 / 3, 1.0])


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(scores, scores), min_size=1, max_size=8))
def test_permutation_is_brute_force_where_pairs_are_few(pairs):
    first, second = map(list, zip(*pairs, strict=True))
    test = permutation_test(first, second)
    assert test.p == pytest.approx(all_sign_flips([b - a for a, b in pairs]))
    assert test.method == "permutation, exact"
    assert permutation_test(second, first).difference == -test.difference


def test_permutation_is_that_of_scipy():
    first = RANDOM.random(40)
    second = np.clip(first + RANDOM.normal(0.06, 0.2, 40), 0, 1)
    ours = permutation_test(first, second)
    theirs = scipy.stats.permutation_test(
        (second, first),
        lambda a, b: np.mean(a - b),
        permutation_type="samples",
        n_resamples=20_000,
        vectorized=False,
        rng=1,
    )
    assert ours.difference == pytest.approx(theirs.statistic)
    assert ours.p == pytest.approx(theirs.pvalue, abs=0.02)
    assert "draws" in ours.method
    assert ours == permutation_test(first, second)


def test_random_swaps_agree_with_all_of_them():
    first, second = RANDOM.random(13), RANDOM.random(13)
    assert permutation_test(first, second).method == "permutation, exact"  # 8,192 ways
    drawn = permutation_test(first, second, resamples=8_000)
    assert "8,000 draws" in drawn.method
    assert drawn.p == pytest.approx(permutation_test(first, second).p, abs=0.02)


def test_equal_runs_do_not_differ():
    values = RANDOM.random(100)
    assert (permutation_test(values, values).p, permutation_test(values, values).difference) == (1.0, 0.0)
    assert mcnemar(values > 0.5, values > 0.5).p == 1.0


def test_a_random_p_is_never_0():
    assert 0 < permutation_test(np.zeros(60), np.ones(60)).p <= 2 / 10_001


@pytest.mark.parametrize("test", [mcnemar, permutation_test])
def test_runs_of_different_lengths_are_not_paired(test):
    with pytest.raises(InputError, match="same questions"):
        test([1, 0], [1])
