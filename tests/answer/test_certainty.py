"""How sure answers are: the table of weights, competitors that agree or do not, and what a doubtful answer offers."""

import json
from importlib.resources import files

import numpy as np
from benchmarks.certainty import DIRECTIONS, Runs, choose_thresholds, fit, left_out, predict

from clew.answer import Asker
from clew.answer.answer import DOUBTFUL, SURE
from clew.answer.certainty.signs import NEVER_SURE, confidence_in

TABLE = json.loads(files("clew.answer.certainty").joinpath("weights.json").read_text("utf-8"))


def test_every_sign_counts_in_its_direction() -> None:
    assert set(TABLE["weights"]) == set(DIRECTIONS)
    for name, weight in TABLE["weights"].items():
        assert weight * DIRECTIONS[name] >= 0, name
        none = dict.fromkeys((*DIRECTIONS, *NEVER_SURE), 0.0)
        assert (confidence_in({**none, name: 1.0}) - confidence_in(none)) * DIRECTIONS[name] >= 0


def test_a_plain_question_is_sure_and_has_its_signs(clinic: Asker) -> None:
    answer = clinic.ask("Which genes are associated with Marfan syndrome?")
    assert answer.certainty == "sure"
    assert set(DIRECTIONS) <= set(answer.signs)
    assert answer.confidence == confidence_in(answer.signs)
    assert 0 < DOUBTFUL < SURE < 1


def made_up(answers: int = 400) -> Runs:
    """Answers over four graphs that are right the more often the larger the margin is; the other signs say nothing."""
    drawn = np.random.default_rng(5)
    signs = drawn.uniform(0, 1, (answers, len(DIRECTIONS)))
    margin = list(DIRECTIONS).index("margin")
    right = (drawn.uniform(0, 1, answers) < 1 / (1 + np.exp(3 - 8 * signs[:, margin]))).astype(float)
    graphs = np.array(["a", "b", "c", "d"])[np.arange(answers) % 4]
    no = np.zeros(answers, bool)
    return Runs(signs, right, graphs, no, no, no, np.full(answers, "sure"), answers, answers)


def test_a_fit_finds_the_sign_that_counts_and_keeps_directions() -> None:
    runs = made_up()
    _, *weights = fit(runs.signs, runs.right)
    by_name = dict(zip(DIRECTIONS, weights, strict=True))
    assert max(by_name, key=lambda name: abs(by_name[name])) == "margin"
    assert all(weight * DIRECTIONS[name] >= 0 for name, weight in by_name.items())


def test_thresholds_keep_their_bounds_on_graphs_that_were_left_out() -> None:
    runs = made_up()
    probability = left_out(runs)
    assert not np.allclose(probability, predict(runs.signs, fit(runs.signs, runs.right)))
    sure, doubtful = choose_thresholds(runs, probability)
    wrong = runs.right == 0
    assert (wrong & (probability >= sure)).sum() <= 0.01 * runs.questions
    assert (wrong & (probability >= doubtful)).sum() <= 0.02 * runs.questions
    assert doubtful <= sure
