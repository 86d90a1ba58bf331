"""Two models compared: the same documents are drawn for both, seeds are averaged."""

import numpy as np
import pytest
from benchmarks.bc5cdr_difference import compare, count_hits, f1

from clew.evaluate.extraction.pubtator import Abstract


def test_hits_are_counted_by_document() -> None:
    abstracts = [Abstract(each, "", "", (), frozenset({("C", "D"), ("C", "E")})) for each in ("1", "2")]
    found = {"1": {("C", "D"), ("C", "F")}}
    assert count_hits(found, abstracts).tolist() == [[1, 2, 2], [0, 0, 2]]
    assert f1(count_hits(found, abstracts).sum(axis=0)) == pytest.approx(2 / 6)


def test_a_difference_is_that_of_the_means_over_seeds() -> None:
    worse = np.array([[1.0, 2.0, 2.0], [0.0, 1.0, 1.0]] * 50)
    better = np.array([[2.0, 2.0, 2.0], [1.0, 1.0, 1.0]] * 50)
    compared = compare([worse, worse], [worse, better])
    assert compared["first"] == {"seeds": [0.3333, 0.3333], "mean": 0.3333}
    assert compared["second"] == {"seeds": [0.3333, 1.0], "mean": 0.6667}
    difference, low, high = compared["difference"]
    assert difference == pytest.approx(1 / 3, abs=1e-4)
    assert 0 < low < difference < high
    assert compare([worse], [worse])["difference"] == [0.0, 0.0, 0.0]
