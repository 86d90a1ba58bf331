"""Those that have none count for "at most", "fewer than" and "the fewest"; ties are counted to the last."""

from collections.abc import Iterator

import pytest

from askers import asker_of_rows
from clew.answer import Asker

ROWS = [
    ("Ada", "Nurse", "looks_after", "Pat", "Patient"),
    ("Ada", "Nurse", "looks_after", "Quin", "Patient"),
    ("Ben", "Nurse", "looks_after", "Rita", "Patient"),
    ("Ada", "Nurse", "works_on", "Birch Ward", "Ward"),
    ("Cleo", "Nurse", "works_on", "Larch Ward", "Ward"),
    ("Dora", "Nurse", "works_on", "Larch Ward", "Ward"),
    *((f"Medicine {number}", "Medicine", "treats", "Fever", "Disease") for number in range(1, 71)),
    ("Medicine 1", "Medicine", "treats", "Cough", "Disease"),
]


@pytest.fixture(scope="module")
def ward(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_rows(tmp_path_factory.mktemp("none"), ROWS) as asker:
        yield asker


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Which nurses look after at most one patient?", {"Ben": 1, "Cleo": 0, "Dora": 0}),
        ("Which nurses look after fewer than two patients?", {"Ben": 1, "Cleo": 0, "Dora": 0}),
        ("Which nurse looks after the fewest patients?", {"Cleo": 0, "Dora": 0}),
        ("Which nurses look after at least two patients?", {"Ada": 2}),
        ("Which nurse looks after the most patients?", {"Ada": 2}),
    ],
)
def test_who_has_none_has_few(ward: Asker, question: str, expected: dict[str, int]) -> None:
    answer = ward.ask(question)
    assert {item.name: item.number for item in answer.items} == expected


def test_the_sentence_says_what_is_few(ward: Asker) -> None:
    assert "nurses that look after at most 1 patient" in ward.ask("Which nurses look after at most one patient?").text
    assert "nurses that look after the fewest patients" in ward.ask("Which nurse looks after the fewest patients?").text


def test_those_that_have_some_have_their_evidence(ward: Asker) -> None:
    evidence = ward.ask("Which nurses look after at most one patient?").evidence
    assert [(each.subject_name, each.object_name) for each in evidence.triples] == [("Ben", "Rita")]


def test_ties_are_counted_to_the_last(ward: Asker) -> None:
    fewest = ward.ask("Which medicine treats the fewest diseases?")
    assert fewest.total == 69
    assert fewest.text.endswith("They are tied.")
    assert "or more" not in ward.ask("Which medicines treat the fewest diseases?").text


def test_a_rank_by_what_no_word_mentions_is_doubtful(ward: Asker) -> None:
    top = ward.ask("Which are the top patients on Birch Ward?")
    assert top.certainty == "doubtful"
    assert ward.ask("Which patients do the most nurses look after?").certainty != "doubtful"
