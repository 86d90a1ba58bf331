"""The figures of a report, on numbers whose answers are known."""

import numpy as np
import pytest
from benchmarks.statistics import median, median_ratio, percentile95


def test_median_and_percentile():
    assert median(np.array([3.0, 1.0, 2.0, 10.0])) == 2.5
    assert percentile95(np.arange(101.0)) == 95.0


def test_ratio_is_the_median_of_ratios_not_the_ratio_of_medians():
    ratio = median_ratio(np.array([1.0, 10.0, 100.0]), np.array([1.0, 1.0, 25.0]))
    assert (ratio.median, ratio.n) == (4.0, 3)  # the medians' own ratio would be 10


def test_equal_ratios_have_an_interval_without_width():
    ratio = median_ratio(np.full(40, 6.0), np.full(40, 2.0))
    assert (ratio.low, ratio.median, ratio.high) == (3.0, 3.0, 3.0)


def test_interval_is_repeatable_and_holds_the_median():
    values = np.random.default_rng(5).lognormal(0.7, 0.4, 60)
    first, second = median_ratio(values, np.ones(60)), median_ratio(values, np.ones(60))
    assert first == second
    assert first.low < first.median < first.high


def test_interval_covers_the_true_median_about_as_often_as_it_says():
    random = np.random.default_rng(6)
    covered = 0
    for _ in range(200):
        ratio = median_ratio(random.lognormal(0.0, 0.5, 40), np.ones(40))
        covered += ratio.low <= 1.0 <= ratio.high
    assert 180 <= covered <= 200


def test_no_pairs_is_an_error():
    with pytest.raises(ValueError, match="at least one query"):
        median_ratio(np.array([]), np.array([]))
