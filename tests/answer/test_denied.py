"""Questions that deny something, over small graphs: what "not" is said of, and sentences that say what is denied."""

from collections.abc import Iterator

import pytest

from askers import asker_of_rows
from clew.answer import Asker

TEXTS = {
    "Is there no gene for Marfan syndrome?": "No: in this graph Marfan syndrome is a disease associated with genes.",
    "Does Marfan syndrome not show ectopia lentis?": (
        "No: in this graph Marfan syndrome is a disease with Ectopia lentis."
    ),
    "Is Marfan syndrome without ectopia lentis?": "No: in this graph Marfan syndrome is a disease with Ectopia lentis.",
    "Is Marfan syndrome without myopia?": "Yes: in this graph Marfan syndrome is a disease without Myopia.",
    "Doesn't Beals syndrome show arachnodactyly?": "Yes: Beals syndrome has_phenotype Arachnodactyly.",
    "Which diseases show arachnodactyly but not ectopia lentis?": (
        "2 diseases with Arachnodactyly but without Ectopia lentis: Beals syndrome and Marfan syndrome (D:2)."
    ),
}


@pytest.mark.parametrize("question", TEXTS)
def test_not_holds_of_every_entity_of_a_name(clinic: Asker, question: str) -> None:
    assert clinic.ask(question).text == TEXTS[question]


def test_another_of_the_name_that_is_taken_away_is_told(clinic: Asker) -> None:
    answer = clinic.ask("Which diseases show arachnodactyly but not ectopia lentis?")
    assert (
        "of several entities of one name only some are listed: Marfan syndrome (D:2, not D:1)" in answer.interpretation
    )
    answer = clinic.ask("Which diseases show arachnodactyly but not myopia?")
    assert not [each for each in answer.interpretation if "of one name only" in each]


def test_a_listed_term_is_lacked_with_its_subclasses(clinic: Asker) -> None:
    own = clinic.ask("Which phenotypes of Beals syndrome does Marfan syndrome lack?")
    assert [item.id for item in own.items] == ["P:4"]


ROWS = [
    ("warfarin", "Medicine", "clashes_with", "aspirin", "Medicine"),
    ("aspirin", "Medicine", "made_by", "Acme", "Company"),
    ("warfarin", "Medicine", "made_by", "Acme", "Company"),
    ("morphine", "Medicine", "made_by", "Acme", "Company"),
]


@pytest.fixture(scope="module")
def medicines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_rows(tmp_path_factory.mktemp("medicines"), ROWS) as asker:
        yield asker


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which medicines clash with nothing?", "1 medicine not known to clash with medicines: morphine."),
        (
            "Does aspirin not clash with warfarin?",
            "No: in this graph aspirin is a medicine that clashes with warfarin.",
        ),
    ],
)
def test_sentences_say_what_is_denied(medicines: Asker, question: str, text: str) -> None:
    assert medicines.ask(question).text == text
