"""Names that may mean several things: named, and settled by whoever asks."""

import json
from dataclasses import asdict

import pytest

from clew.answer import Asker, Question
from clew.answer.answer import Ambiguity, Sense
from clew.errors import InputError, UnknownName

QUESTION = "Which genes explain ectopia lentis?"
DISEASE = Sense("D:4", "Ectopia lentis", "Disease")
PHENOTYPE = Sense("P:2", "Ectopia lentis", "Phenotype")


def test_matches_of_another_type_are_named(clinic: Asker) -> None:
    answer = clinic.ask(QUESTION)
    (ambiguity,) = answer.ambiguities
    assert ambiguity.text == "ectopia lentis"
    assert {ambiguity.chosen, *ambiguity.others} == {DISEASE, PHENOTYPE}
    assert ambiguity.chosen is not None
    assert ambiguity.chosen.id in answer.query
    assert json.loads(json.dumps(asdict(answer)["ambiguities"][0]["chosen"])) == {
        "id": ambiguity.chosen.id,
        "name": "Ectopia lentis",
        "type": ambiguity.chosen.type,
    }


def test_namesakes_and_plain_names_have_none(clinic: Asker) -> None:
    assert clinic.ask("Which genes are linked to Marfan syndrome?").ambiguities == ()
    assert clinic.ask("Which genes are linked to Beals syndrome?").ambiguities == ()


def test_where_the_question_decides_there_is_none(clinic: Asker) -> None:
    settled = clinic.ask(Question(QUESTION, meaning={"Ectopia Lentis": "P:2"}))
    assert settled.ambiguities == ()


@pytest.mark.parametrize(("meant", "genes"), [("D:4", {"ADAMTSL4"}), ("P:2", {"FBN1"})])
def test_a_name_can_be_held_to_what_is_meant(clinic: Asker, meant: str, genes: set[str]) -> None:
    answer = clinic.ask(Question(QUESTION, meaning={"ectopia lentis": meant}))
    assert {item.name for item in answer.items} == genes
    assert answer.named == (meant,)
    assert answer.question == QUESTION


def test_one_of_several_namesakes_can_be_meant(clinic: Asker) -> None:
    text = "Which symptoms does Marfan syndrome have?"
    assert clinic.ask(text).named == ("D:1", "D:2")
    assert clinic.ask(Question(text, meaning={"marfan syndrome": "D:2"})).total == 1


def test_what_was_no_name_can_be_made_one(clinic: Asker) -> None:
    text = "Which genes are linked to the long finger thing?"
    assert clinic.ask(text).abstained
    answer = clinic.ask(Question(text, meaning={"long finger thing": "P:1"}))
    assert {item.name for item in answer.items} == {"FBN1", "FBN2"}


def test_what_cannot_be_meant_is_refused(clinic: Asker) -> None:
    with pytest.raises(UnknownName, match="no 'P:99'"):
        clinic.ask(Question(QUESTION, meaning={"ectopia lentis": "P:99"}))
    for name in ("scoliosis", "", "lenti"):
        with pytest.raises(InputError, match="does not say"):
            clinic.ask(Question(QUESTION, meaning={name: "P:3"}))


def test_words_that_name_nothing_are_compared_with_names(clinic: Asker) -> None:
    answer = clinic.ask("Which genes cause Scolios?")
    assert answer.abstained is not None
    assert answer.ambiguities == (Ambiguity("Scolios", None, (Sense("P:3", "Scoliosis", "Phenotype"),)),)
    assert "'Scolios' resembles Scoliosis (Phenotype, P:3)." in answer.abstained
