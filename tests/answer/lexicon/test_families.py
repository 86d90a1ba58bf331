"""Relations belong to families of words by their names, and know which end does what."""

import pytest

from clew.answer.lexicon.families import senses_of, synonyms_of
from clew.answer.lexicon.forms import word_table
from clew.answer.lexicon.kinds import other_nouns


def test_every_family_has_four_columns_and_some_phrase() -> None:
    for line in word_table("families.json"):
        assert line.count("|") == 3, line


@pytest.mark.parametrize(
    ("relation", "word"),
    [
        ("trained_by", "coach"),
        ("hasTrainer", "coach"),
        ("manager", "boss"),
        ("reports_to", "boss"),
        ("people__person__place_of_birth", "born in"),
        ("teacherOf", "pupil"),
    ],
)
def test_a_relation_answers_to_words_of_its_family(relation: str, word: str) -> None:
    assert word in synonyms_of(relation)


def test_what_is_tested_is_not_what_a_test_detects() -> None:
    assert "picked up by" in synonyms_of("test")
    assert "picked up by" not in synonyms_of("tested_with")


def test_of_a_name_of_several_words_those_of_its_types_say_nothing() -> None:
    assert "own" in synonyms_of("productOwner", ["Product", "Employee"])
    assert "need" in synonyms_of("requiredSkill", ["Project", "Skill"])
    assert synonyms_of("date_of_birth") == ()


@pytest.mark.parametrize(
    ("relation", "noun", "is_subject"),
    [
        ("manager", "boss", False),
        ("manages", "boss", True),
        ("reports_to", "boss", False),
        ("captain_of", "captain", True),
    ],
)
def test_a_noun_names_one_end(relation: str, noun: str, is_subject: bool) -> None:
    assert senses_of(relation)[0].noun_is_subject(noun) is is_subject


@pytest.mark.parametrize(
    ("relation", "words", "passive", "is_subject"),
    [
        ("manager", ["reports", "to"], False, True),
        ("manager", ["supervise"], False, False),
        ("managed_by", ["supervised", "by"], True, True),
        ("manages", ["oversees"], False, True),
        ("spouse", ["married", "to"], True, False),
        ("eats", ["hunted", "by"], True, False),
    ],
)
def test_a_verb_is_said_of_one_end(relation: str, words: list[str], passive: bool, is_subject: bool) -> None:
    assert senses_of(relation)[0].verb_is_subject(words, passive=passive) is is_subject


def test_a_wider_noun_stands_for_every_type_below_it_unless_a_type_is_called_so() -> None:
    found = other_nouns(["Employee", "Player", "City"])
    assert "people" in found["Employee"]
    assert "people" in found["Player"]
    assert "people" not in found["City"]
    assert "people" not in other_nouns(["Employee", "Person"])["Employee"]
    assert "firm" in other_nouns(["Company"])["Company"]
