"""Titles before names: they belong to the name, say its type, and make a name of a surname."""

import pytest

from clew.answer import Asker


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which patients were attended by Dr Pavel Okafor?", {"Noor Demir", "Tove Novak"}),
        ("Which patients were attended by Dr. Okafor?", {"Noor Demir", "Tove Novak"}),
        ("Which patients were attended by Professor Hugo Brandt?", {"Ada Weiss"}),
        ("Which ward does Ms Lindgren work on?", {"Lister Ward"}),
    ],
)
def test_a_title_belongs_to_the_name_behind_it(hospital: Asker, question: str, names: set[str]) -> None:
    answer = hospital.ask(question)
    assert {item.name for item in answer.items} == names
    assert not answer.unrecognised


def test_a_surname_that_nobody_bears_is_no_name(hospital: Asker) -> None:
    assert hospital.ask("Which patients were attended by Dr Quist?").abstained is not None
