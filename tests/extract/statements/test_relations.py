"""The relations a document is read for: which outputs make them up, and their thresholds."""

import numpy as np

from clew.extract.statements.calibration import Calibration, Scored
from clew.extract.statements.config import OUTPUTS
from clew.extract.statements.examples import FEATURES, MarkedDocument
from clew.extract.statements.relations import STATED, choose_thresholds, pairs_of, probabilities_of

HERE = np.zeros(1, bool)
BY_NAME = {each.name: each for each in STATED}


def marked(types: tuple[str, ...], pairs: list[tuple[int, int]]) -> MarkedDocument:
    count = len(pairs)
    zeros = np.zeros(1, np.int64)
    return MarkedDocument(
        zeros, zeros, np.ones((len(types), 1), np.float32), tuple(map(str, range(len(types)))), types,
        np.array(pairs, np.int64).reshape(-1, 2), np.zeros((count, FEATURES), np.float32),
    )  # fmt: skip


def test_pairs_have_the_types_of_the_relation() -> None:
    document = marked(("chemical", "gene", "disease"), [(0, 1), (0, 2), (1, 2)])
    found = {name: pairs_of(document, each).tolist() for name, each in BY_NAME.items()}
    assert found == {"induces": [1], "treats": [1], "associated_with": [2], "affects": [0], "interacts_with": []}


def test_the_probability_is_that_of_all_outputs_together() -> None:
    scores = np.zeros((1, 1 + len(OUTPUTS["biored"])), np.float32)
    share = 1 / scores.shape[1]
    assert np.allclose(probabilities_of(scores, BY_NAME["associated_with"], Calibration(), HERE), 3 * share)
    assert np.allclose(probabilities_of(scores, BY_NAME["treats"], Calibration(), HERE), share)


def test_thresholds_are_those_of_the_best_f1() -> None:
    document = marked(("chemical", "disease", "disease", "disease"), [(0, 1), (0, 2), (0, 3)])
    scores = np.array([[0, 2], [0, 1], [0, -3]], np.float32)
    read = {"bc5cdr": [(document, Scored(scores, np.array([1, 1, 0]), np.zeros(3, bool)))], "biored": []}
    found = choose_thresholds(read, dict.fromkeys(OUTPUTS, Calibration()))
    assert 0.5 < found["induces"]["threshold"] < 0.9
    assert (found["induces"]["precision"], found["induces"]["recall"]) == (1.0, 1.0)
    assert found["treats"] == {"threshold": 0.5, "default": 0.5, "precision": None, "recall": None, "f1": None}


def test_the_default_is_the_least_threshold_that_is_precise_within_sentences() -> None:
    document = marked(("chemical", *["disease"] * 60), [(0, each) for each in range(1, 61)])
    scores = np.stack([np.zeros(60), np.linspace(3, -3, 60)], axis=1).astype(np.float32)
    holds = np.arange(60) < 30
    read = {"bc5cdr": [(document, Scored(scores, holds.astype(np.int64), np.zeros(60, bool)))], "biored": []}
    calibration = dict.fromkeys(OUTPUTS, Calibration())
    default = choose_thresholds(read, calibration)["induces"]["default"]
    assert default is not None
    taken = probabilities_of(scores, BY_NAME["induces"], Calibration(), np.zeros(60, bool)) >= default
    assert taken.sum() == 40  # 30 of 40 hold, 30 of 41 are too few
    apart = {"bc5cdr": [(document, Scored(scores, holds.astype(np.int64), np.ones(60, bool)))], "biored": []}
    assert choose_thresholds(apart, calibration)["induces"]["default"] == 1.0


def test_every_relation_is_made_of_outputs_of_its_corpus() -> None:
    for each in STATED:
        assert set(each.outputs) <= set(OUTPUTS[each.corpus])
