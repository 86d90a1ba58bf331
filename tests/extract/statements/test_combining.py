"""Two readings as one probability."""

import numpy as np
import pytest

from clew.extract.statements.combining import Combination, fit_combination, pair_features


def test_features_are_odds_logs_and_whether_the_ends_are_apart() -> None:
    shares, read = np.array([[0.5, 0.5], [0.9, 0.1]]), np.array([[0.2, 0.3, 0.5], [0.0, 0.0, 0.0]])
    found = pair_features(shares, read, np.array([False, True]))
    assert found.shape == (2, 6)
    assert found[0] == pytest.approx([0, np.log(0.5), *np.log([0.2, 0.3, 0.5]), 0])
    assert np.isfinite(found).all()  # a probability of zero has a log here


def test_a_combination_learns_which_reading_to_trust() -> None:
    random = np.random.default_rng(0)
    features = random.normal(size=(800, 3))
    holds = random.random(800) < 1 / (1 + np.exp(-(2 * features[:, 1] - 1)))
    found = fit_combination(features, holds, penalty=1.0)
    assert found.weights[1] == pytest.approx(2, abs=0.4)
    assert found.bias == pytest.approx(-1, abs=0.3)
    assert abs(found.weights[0]) < 0.3
    assert abs(found.weights[2]) < 0.3
    said = found.probability(features)
    assert abs(said.mean() - holds.mean()) < 0.01
    stiff = fit_combination(features, holds, penalty=1e6)
    assert stiff.probability(features) == pytest.approx(holds.mean(), abs=0.01)


def test_probabilities_by_hand() -> None:
    assert Combination((1.0, -1.0), 0.5).probability(np.array([[1.0, 1.5]])) == pytest.approx(0.5)
