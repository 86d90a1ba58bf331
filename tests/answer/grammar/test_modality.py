"""What may, should or will be is not answered by what is."""

from collections.abc import Iterator

import pytest

from askers import asker_of_rows
from clew.answer import Asker


@pytest.fixture(scope="module")
def surgery(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    rows = [
        ("Nell Archer", "Patient", "takes", "valerol", "Medicine"),
        ("Nell Archer", "Patient", "takes", "brodine", "Medicine"),
        ("Tom Quayle", "Patient", "takes", "brodine", "Medicine"),
        ("valerol", "Medicine", "causes", "drowsiness", "Complaint"),
        ("brodine", "Medicine", "causes", "hiccups", "Complaint"),
        ("valerol", "Medicine", "contraindicated_in", "gout", "Illness"),
        ("brodine", "Medicine", "treats", "gout", "Illness"),
    ]
    with asker_of_rows(tmp_path_factory.mktemp("surgery"), rows) as asker:
        yield asker


@pytest.mark.parametrize("modal", ["Should", "May", "Must", "Can", "Will"])
def test_a_yes_or_no_about_somebody_is_declined_with_the_word(surgery: Asker, modal: str) -> None:
    answer = surgery.ask(f"{modal} Nell Archer take valerol?")
    assert answer.abstained is not None
    assert f"{modal!r} asks for what may, should or will be" in answer.text


@pytest.mark.parametrize(
    "question",
    [
        "Ought Nell Archer to take valerol?",
        "Should I let Nell Archer take valerol?",
        "Must we give valerol?",
        "Should I give brodine for gout?",
    ],
)
def test_a_duty_at_the_beginning_is_declined_whosever_it_is(surgery: Asker, question: str) -> None:
    assert surgery.ask(question).abstained is not None


def test_a_list_of_duties_is_declined(surgery: Asker) -> None:
    assert surgery.ask("Which medicines should Nell Archer take?").abstained is not None


@pytest.mark.parametrize("question", ["Which patients can take valerol?", "Which patients will take valerol?"])
def test_those_who_do_are_not_surely_those_who_can(surgery: Asker, question: str) -> None:
    answer = surgery.ask(question)
    assert answer.certainty == "doubtful"
    assert {"can", "will"}.intersection(answer.unrecognised)


@pytest.mark.parametrize(
    ("question", "found"),
    [
        ("Can you tell me which patients take valerol?", {"Nell Archer"}),
        ("Could you list the patients who take valerol?", {"Nell Archer"}),
        ("Which medicines can cause drowsiness?", {"valerol"}),
        ("Which complaints can be caused by valerol?", {"drowsiness"}),
        ("Which medicines should be avoided in gout?", {"valerol"}),
    ],
)
def test_polite_words_possible_effects_and_what_is_forbidden_stay(
    surgery: Asker, question: str, found: set[str]
) -> None:
    answer = surgery.ask(question)
    assert answer.abstained is None
    assert {item.name for item in answer.items} == found
    assert not {"can", "Can", "Could", "should"}.intersection(answer.unrecognised)


def test_what_is_not_stated_may_be_possible(surgery: Asker) -> None:
    assert surgery.ask("Can valerol cause drowsiness?").value is True
    assert surgery.ask("Does valerol cause hiccups?").signs["contradicted"] == 0
    denied = surgery.ask("Can valerol cause hiccups?")
    assert (denied.value, denied.certainty) == (False, "doubtful")


def test_a_relation_may_itself_say_what_should_be(surgery: Asker) -> None:
    assert surgery.ask("Should valerol be avoided in gout?").value is True
    assert surgery.ask("Should brodine treat gout?").abstained is not None
