"""Calibration: probabilities that hold, and the threshold of the best F1."""

from dataclasses import replace

import numpy as np
import pytest

from clew.extract.statements.calibration import Calibration, Scored, calibrate, f1_of, probabilities


def scored(
    seed: int, *, scale: float = 1.0, shift: float = 0.0, pairs: int = 4000, apart: bool = False
) -> list[Scored]:
    """Pairs whose labels are drawn from the probabilities of their scores, which are then distorted."""
    random = np.random.default_rng(seed)
    scores = random.normal(0, 2, (pairs, 3))
    scores[:, 0] += 1.5
    shares = probabilities(scores, Calibration(), np.zeros(pairs, bool))
    labels = np.array([random.choice(3, p=row) for row in shares])
    scores[:, 0] -= shift
    return [Scored((scores / scale).astype(np.float32), labels, np.full(pairs, apart))]


@pytest.mark.parametrize(("scale", "shift"), [(1.0, 0.0), (0.25, 1.0), (3.0, -1.0)])
def test_scale_and_shift_are_found_again(scale: float, shift: float) -> None:
    found = calibrate(scored(1, scale=scale, shift=shift))
    assert found.scale == pytest.approx(scale, rel=0.1)
    assert found.shift == pytest.approx(shift, abs=0.25)


def test_pairs_that_share_no_sentence_are_calibrated_by_themselves() -> None:
    found = calibrate([*scored(1, scale=3.0), *scored(2, scale=0.25, shift=1.0, apart=True)])
    assert (found.scale, found.apart_scale) == (pytest.approx(3.0, rel=0.1), pytest.approx(0.25, rel=0.1))
    assert found.apart_shift == pytest.approx(1.0, abs=0.25)
    one_kind = calibrate(scored(1, scale=3.0))
    assert (one_kind.apart_scale, one_kind.apart_shift) == (1.0, 0.0)


def test_the_threshold_is_that_of_the_best_f1() -> None:
    documents = scored(2, pairs=300)
    found = calibrate(documents)
    best = max(f1_of(documents, replace(found, threshold=each))["f1"] for each in np.linspace(0.001, 0.999, 999))
    assert f1_of(documents, found)["f1"] >= best - 1e-9


def test_missed_gold_counts_against_recall() -> None:
    sure = np.array([[0.0, 9.0], [9.0, 0.0]], np.float32)
    documents = [Scored(sure, np.array([1, 0]), np.zeros(2, bool), missed=1)]
    found = f1_of(documents, Calibration())
    assert (found["precision"], found["recall"], found["gold"]) == (1.0, 0.5, 2)


def test_nothing_to_learn_from_leaves_the_scores_as_they_are() -> None:
    assert calibrate([Scored(np.zeros((2, 2), np.float32), np.zeros(2, np.int64), np.zeros(2, bool))]) == Calibration()
    assert calibrate([]) == Calibration()
