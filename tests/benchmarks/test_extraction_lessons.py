"""Figures of lessons that a model was not taught."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.extraction_lessons import area_under_curve, measure

from clew.extract.ranking.arrays import NONE_TAIL, CandidateRows, ExampleQuery, write_examples
from clew.extract.ranking.batches import read_examples

LONG = (11, 12, 13, 14, 15, 16, 17)


def test_area_under_curve_counts_pairs() -> None:
    true, wrong = np.array([0.9, 0.5, 0.2]), np.array([0.5, 0.1])
    pairs = [(1.0 if a > b else 0.5 if a == b else 0.0) for a in true for b in wrong]
    assert area_under_curve(true, wrong) == pytest.approx(sum(pairs) / len(pairs))


def test_figures_of_three_lessons(tmp_path: Path) -> None:
    """One right, one that [NONE] takes, one without a tail; a tail that fills its leaf has no end to be weighed."""
    rows = CandidateRows()
    tails = [(NONE_TAIL, (8,), LONG), (NONE_TAIL, (8,), (9, 10)), (NONE_TAIL, (8,), (9,))]
    gold = [(0, 0, 1), (0, 1, 0), (1, 0, 0)]
    for query, (spelt, right) in enumerate(zip(tails, gold, strict=True)):
        for tail, is_gold in zip(spelt, right, strict=True):
            rows.add(query, tail, is_gold, True)
    queries = [ExampleQuery(0, 0, 1, 0, 0, fold=0) for _ in range(3)]
    write_examples(tmp_path, [(8, 9, 10)], queries, rows, [])
    by_token = np.array([-3.0, -2.0, -1.0, -0.5, -2.0, -1.5, -0.2, -4.0, -4.0])
    terms = np.array([2, 2, 7, 2, 2, 3, 2, 2, 2])
    found = measure(read_examples(tmp_path), by_token * terms, np.ones(3, bool), name="a", part="held out")
    assert (found.with_a_tail, found.without) == (2, 1)
    assert found.none_wins_with_a_tail == 0.5
    assert found.none_wins_without == 1.0
    assert found.right_among_mentions == 0.5
    assert found.random_among_mentions == 0.5
    assert found.area_under_curve == 1.0
    assert found.right_of_what_is_said == {"0.5": 1.0}
