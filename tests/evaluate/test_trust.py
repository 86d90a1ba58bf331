"""Right, wrong and declined, with and without a warning; gold of every kind; files that are not questions."""

import json
from pathlib import Path

import pytest

from clew.answer import Answer, Item
from clew.errors import InputError, UnknownName
from clew.evaluate.trust import Outcome, TrustQuestion, ask_each, load_questions, shares, wilson


def asked(gold: list[dict[str, object]], answer: Answer) -> Outcome:
    question = TrustQuestion("q", "", "simple" if gold else "unanswerable", "?", tuple(gold))
    (outcome,) = ask_each([question], lambda _: answer)
    return outcome


def listing(*ids: str, **more: object) -> Answer:
    return Answer("?", items=tuple(Item(id, f"Name {id}", "T") for id in ids), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("gold", "answer", "right"),
    [
        ({"ids": ["a", "b"]}, listing("b", "a"), True),
        ({"ids": ["a", "b"]}, listing("a"), False),
        ({"ids": []}, listing(), True),
        ({"ids": []}, Answer("?", value=False), False),
        ({"ids": ["a"], "any_of": ["b", "c"], "take": 1}, listing("a", "c"), True),
        ({"ids": ["a"], "any_of": ["b", "c"], "take": 1}, listing("a", "b", "c"), False),
        ({"number": 1}, Answer("?", value=1), True),
        ({"number": 1}, Answer("?", value=True), False),
        ({"number": 126.67}, Answer("?", value=380 / 3), True),
        ({"number": 126.67}, Answer("?", value=126.68), False),
        ({"number": 126.7}, Answer("?", value=380 / 3), False),
        ({"yes": True}, Answer("?", value=True), True),
        ({"yes": True}, Answer("?", value=1), False),
        ({"values": ["NAME A"]}, listing("a"), True),
        ({"sources": ["PMID:1"]}, listing("PMID:1"), True),
        ({"sources": ["PMID:1"]}, listing("PMID:1", "PMID:2"), False),
    ],
)
def test_an_answer_is_right_exactly_if_one_gold_says_the_same(gold, answer: Answer, right: bool) -> None:
    assert asked([gold], answer).right is right
    assert asked([{"number": 99}, gold], answer).right is right, "any accepted answer will do"


def test_declining_is_right_only_where_the_graph_cannot_know() -> None:
    declined = Answer("?", abstained="no such relation")
    assert asked([], declined).right
    assert not asked([{"ids": []}], declined).right
    assert not asked([], listing("a")).right


def test_a_wrong_answer_is_counted_by_how_sure_it_looked() -> None:
    gold = [{"ids": ["x"]}]
    sure, likely = listing("a", confidence=0.9), listing("a", confidence=0.77)
    left_over, doubtful = listing("a", confidence=0.9, unrecognised=("women",)), listing("a", confidence=0.2)
    outcomes = [asked(gold, each) for each in (sure, likely, left_over, doubtful, listing("x", confidence=0.9))]
    assert [each.warned for each in outcomes] == [False, False, True, True, False]
    found = {each.name: (each.count, each.of) for each in shares(outcomes)}
    assert found["wrong and sure, of all"] == (1, 5)
    assert found["wrong without a warning, of all"] == (2, 5)
    assert found["right, of the answerable"] == (1, 5)
    assert found["sure, of the right answers"] == (1, 1)
    assert found["declined, of the unanswerable"] == (0, 0)


def test_a_failure_counts_as_declining() -> None:
    def fail(_: TrustQuestion) -> Answer:
        raise UnknownName("nothing is called that")

    question = TrustQuestion("q", "", "unanswerable", "?", ())
    (outcome,) = ask_each([question], fail)
    assert outcome.declined
    assert outcome.right
    assert outcome.answer == "nothing is called that"


def test_wilson_intervals() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    low, high = wilson(9, 10)
    assert (round(low, 3), round(high, 3)) == (0.596, 0.982)  # Wilson 1927, by hand


def test_a_file_of_questions(tmp_path: Path) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(
        json.dumps({"question": "A?", "gold": [{"ids": ["a"]}]}) + "\n\n" + '{"question": "B?", "gold": []}'
    )
    assert [(each.id, each.level) for each in load_questions(path)] == [("1", "simple"), ("3", "unanswerable")]


@pytest.mark.parametrize(
    "line",
    ["", "no json", "[1]", '{"question": "A?"}', '{"question": "A?", "gold": [{"id": "a"}]}',
     '{"question": "A?", "gold": [], "level": "simple"}', '{"question": "A?", "gold": [{"ids": []}], "level": "hard"}'],
)  # fmt: skip
def test_what_is_not_a_question_is_refused_by_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "questions.jsonl"
    path.write_text(line)
    with pytest.raises(InputError, match=r"line 1 of|has no questions"):
        load_questions(path)
