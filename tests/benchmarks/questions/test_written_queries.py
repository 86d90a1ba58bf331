"""What is decided among the readers and a model that writes queries, as the bench counts it."""

import pytest
from benchmarks.questions.written_queries import Recorded, _decision, decided, without_examples

from clew.answer.models.branches import other_grammars
from clew.answer.models.trained import CHECK, probability_of_right
from clew.answer.models.writing import ALONE, CERTAIN, CLEAR, DISSENTING
from clew.lm import Message, Request

RIGHT, WRONG = {"readers right": True, "third right": False}, {"readers right": False, "third right": True}
WRITTEN = "MATCH (a) RETURN a"


@pytest.mark.parametrize(
    ("row", "chance", "decision"),
    [
        ({"readers": "doubtful", "same": True, "readers right": True}, CERTAIN, (True, "sure")),
        ({"readers": "doubtful", "same": True, "readers right": True}, CLEAR, (True, "likely")),
        ({"readers": "sure", "same": True, "readers right": True}, ALONE, (True, "sure")),
        ({"readers": "declined", "same": False, **WRONG}, CERTAIN, (True, "sure")),
        ({"readers": "declined", "same": False, **WRONG}, ALONE - 0.01, (False, "declined")),
        ({"readers": "doubtful", "same": False, **RIGHT}, CLEAR, (False, "likely")),
        ({"readers": "doubtful", "same": False, **RIGHT}, ALONE - 0.01, (True, "doubtful")),
        ({"readers": "sure", "same": False, "confidence": 0.9, **RIGHT}, DISSENTING, (True, "doubtful")),
        ({"readers": "sure", "same": False, "confidence": 0.9, **RIGHT}, ALONE, (True, "sure")),
        ({"readers": "sure", "same": False, "confidence": 0.9, **RIGHT}, 0.99, (False, "doubtful")),
        ({"readers": "doubtful", "third": "none", "none": 0.95, "readers right": True}, None, (True, "declined")),
        ({"readers": "doubtful", "third": "none", "none": 0.5, "readers right": True}, None, (True, "doubtful")),
        ({"readers": "likely", "third": "none", "none": 0.95, "readers right": True}, None, (True, "doubtful")),
    ],
)
def test_decision(row: dict[str, object], chance: float | None, decision: tuple[bool, str]) -> None:
    assert _decision(row, chance) == decision


def test_figures() -> None:
    rows = [
        {"key": "a", "level": "simple", "readers": "doubtful", "same": True, "readers right": True},
        {"key": "b", "level": "simple", "readers": "sure", "same": True, "readers right": False},
        {"key": "c", "level": "unanswerable", "readers": "declined"},
        {"key": "d", "level": "unanswerable", "readers": "likely"},
    ]
    assert decided(rows, [0.99, 0.2, None, None]) == (
        "1 right, 1 of them sure; wrong and sure 1 (25.0%), wrong and not doubtful 2 (50.0%); "
        "1 of 2 unanswerable declined"
    )
    assert decided(rows, [0.99, 0.2, None, None], certain=0.995).startswith("1 right, 0 of them sure")


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ({"text": WRITTEN, "chances": [-0.1], "right": 0.75}, 0.75),
        ({"text": "NONE", "chances": [-0.1], "forced": {"text": WRITTEN, "chances": [-3.0], "right": 0.25}}, 0.25),
    ],
)
def test_a_recorded_model_is_asked_whether_its_query_is_right(said: dict[str, object], right: float) -> None:
    shown = "(a)-[:B]->(c) with d (1, 2)\n\nQuestion: Which?"
    model = Recorded({without_examples(shown): said})
    begun = [Message("system", "Write."), Message("user", shown)]
    assert model.complete(Request(begun)).text == said["text"]
    check = [*begun, Message("assistant", WRITTEN), Message("user", CHECK)]
    assert probability_of_right(model.complete(Request(check, max_tokens=1))) == pytest.approx(right)


def test_a_recorded_model_writes_another_query_after_a_runner_up() -> None:
    said = {
        "text": WRITTEN, "chances": [0.0, -0.4, -0.1], "parts": ["MATCH", " (a)", " RETURN a"],
        "runners": {"1": [" (b)", -1.1], "2": ["", -2.0]}, "right": 0.1,
        "others": [
            {"at": 1, "text": "MATCH (b) RETURN b", "chances": [0.0, -1.1, 0.0], "right": 0.9},
            {"at": 2, "text": "MATCH (a)", "chances": [0.0, -0.4, -2.0], "right": 0.2},
        ],
    }  # fmt: skip
    shown = "(a)-[:B]->(c)\n\nQuestion: Which?"
    model = Recorded({without_examples(shown): said})
    begun = [Message("system", "Write."), Message("user", shown)]
    first = model.complete(Request(begun))
    others = [model.complete(Request(begun, grammar=grammar)) for grammar in other_grammars(first)]
    assert [each.text for each in others] == ["MATCH (b) RETURN b", "MATCH (a)"]
    check = [*begun, Message("assistant", others[0].text), Message("user", CHECK)]
    assert probability_of_right(model.complete(Request(check, max_tokens=1))) == pytest.approx(0.9)
