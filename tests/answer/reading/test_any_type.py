"""What is asked for may be of several types where the question says none, and of one where it does."""

import pytest

from clew.answer import Asker


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Who works on Osler Ward?", {"Pavel Okafor", "Rosa Petrov", "Ines Roy"}),
        ("Who works on Lister Ward?", {"Hugo Brandt", "Mia Lindgren"}),
        ("Which nurses work on Osler Ward?", {"Rosa Petrov", "Ines Roy"}),
    ],
)
def test_all_types_that_may_be_meant(hospital: Asker, question: str, names: set[str]) -> None:
    answer = hospital.ask(question)
    assert {item.name for item in answer.items} == names
    assert answer.certainty == "sure"


def test_types_are_named_in_the_answer(hospital: Asker) -> None:
    text = hospital.ask("Who works on Lister Ward?").text
    assert "doctors" in text
    assert "therapists" in text


def test_a_hierarchy_is_known_by_its_name(hospital: Asker) -> None:
    assert {item.name for item in hospital.ask("Which patients were exposed to pollution?").items} == {"Tove Novak"}
    wider = hospital.ask("Which patients were exposed to any kind of pollution?")
    assert {item.name for item in wider.items} == {"Tove Novak", "Ada Weiss"}
