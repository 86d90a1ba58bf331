"""Scores of a statement model: counted as by hand."""

import numpy as np
import pytest

from clew.errors import InputError
from clew.evaluate.statements import evaluate_statements
from clew.extract.statements.calibration import Calibration
from clew.extract.statements.config import OUTPUTS, columns_of
from clew.extract.statements.examples import Example, MarkedDocument
from clew.extract.statements.gold import GoldDocument
from clew.extract.statements.prediction import StatementModel
from clew.extract.statements.relations import STATED, Threshold

HARM, HELP = (OUTPUTS["biored"].index(name) + 1 for name in ("positive_correlation", "negative_correlation"))
COLUMNS = sum(1 + len(relations) for relations in OUTPUTS.values())


class Oracle(StatementModel):
    """Says of each pair of a document what it was told to, surely; what harms is also induced."""

    def __init__(
        self, labels: dict[str, list[int]], answers: dict[str, list[int]], read: list[list[float]] | None = None
    ) -> None:
        calibration = {corpus: Calibration() for corpus in OUTPUTS}
        super().__init__(None, self, calibration, {each.name: Threshold() for each in STATED}, pairs=read)
        self.labels, self.answers = labels, answers

    def mark_gold(self, document: GoldDocument) -> Example:
        labels = np.array(self.labels[document.id])
        pairs = np.array([(0, 1 + each) for each in range(len(labels))])
        types = ("chemical", *["disease"] * len(labels))
        entities = (f"{document.corpus} {document.id}", *map(str, range(len(labels))))
        empty = np.zeros(0, np.int64)
        marked = MarkedDocument(
            empty, empty, np.zeros((0, 0), np.float32), entities, types, pairs, np.ones((len(pairs), 8))
        )
        return Example(document.id, document.corpus, marked, labels)

    def score(self, marked: MarkedDocument) -> np.ndarray:
        corpus, identifier = marked.entities[0].split()
        scores = np.zeros((len(marked.pairs), COLUMNS), np.float32)
        first = columns_of(corpus).start
        for row, answer in enumerate(self.answers[identifier]):
            scores[row, first + answer] = 20
            if corpus == "biored":
                scores[row, columns_of("bc5cdr").start + (answer == HARM)] = 20
        return scores

    def read_pairs(self, text: str, mentions: object, marked: MarkedDocument, rows: np.ndarray) -> np.ndarray:
        return np.array(self._pairs)[: len(marked.pairs)]


def documents(labels: dict[str, list[int]], corpus: str) -> list[GoldDocument]:
    names = ["none", *OUTPUTS[corpus]]
    return [
        GoldDocument(each, corpus, "", (), frozenset((names[n], "c", str(row)) for row, n in enumerate(numbers) if n))
        for each, numbers in labels.items()
    ]


def test_precision_recall_and_co_occurrence_by_hand() -> None:
    labels = {"1": [1, 0, 0], "2": [1, 1]}
    report = evaluate_statements(Oracle(labels, {"1": [1, 1, 0], "2": [1, 0]}), documents(labels, "bc5cdr"))["bc5cdr"]
    assert (report["hits"], report["predicted"], report["gold"]) == (2, 3, 3)
    assert report["f1"] == pytest.approx(2 / 3, abs=1e-4)
    assert report["f1_interval"][0] <= report["f1"] <= report["f1_interval"][1]
    assert (report["co_occurrence"]["predicted"], report["co_occurrence"]["recall"]) == (5, 1.0)
    assert report["calibration_error"] == pytest.approx(0.4, abs=1e-3)  # two of five sure answers are wrong


def test_help_against_harm() -> None:
    labels = {"1": [HARM, HARM, HELP, 0], "2": [HELP, HELP]}
    answers = {"1": [HARM, HELP, HELP, 0], "2": [HELP, 0]}
    report = evaluate_statements(Oracle(labels, answers), documents(labels, "biored"))
    both = report["help_or_harm"]
    assert both["related_pairs"] == 5
    assert both["majority"] == 0.6
    assert both["recall"]["harm"] == 0.5
    assert both["f1"]["help"] == pytest.approx(2 * 2 / (3 + 3), abs=1e-4)
    assert report["biored"]["relations"]["positive_correlation"]["precision"] == 1.0


def test_help_against_harm_by_the_sentences_of_a_pair() -> None:
    labels = {"1": [HARM, HARM, HELP, 0]}
    read = [[0.1, 0.2, 0.7], [0.0, 0.4, 0.6], [0.9, 0.04, 0.06], [0.0, 1.0, 0.0]]
    model = Oracle(labels, {"1": [HELP, HARM, HELP, 0]}, read)
    both = evaluate_statements(model, documents(labels, "biored"))["help_or_harm"]
    assert both["recall"] == {"help": 0.0, "harm": 1.0}  # by the reader, whatever the document reading says
    assert both["accuracy"] == pytest.approx(2 / 3, abs=1e-4)


def test_nothing_to_evaluate() -> None:
    with pytest.raises(InputError, match="no documents"):
        evaluate_statements(Oracle({}, {}), [])
