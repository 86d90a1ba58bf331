"""What counts as a typo."""

import pytest

from clew.link.similarity import most_similar, similarity, unknown


def test_one_letter_of_fourteen() -> None:
    found = similarity("arachnodactly", "arachnodactyly")
    assert found.score == pytest.approx(1 - 1 / 14)
    assert found.explain("Arachnodactyly") == "1 of 14 letters differs from 'Arachnodactyly'"


def test_swapped_letters_are_one_edit() -> None:
    assert similarity("arachnodatcyly", "arachnodactyly").edits == 1


def test_words_may_be_reordered() -> None:
    found = similarity("syndrom marfan", "marfan syndrome")
    assert found.reordered
    assert found.edits == 1
    assert "words reordered" in found.explain("Marfan syndrome")


def test_numbers_are_never_typos() -> None:
    same, other = similarity("diabetes type 1", "diabetes tipe 1"), similarity("diabetes type 1", "diabetes type 2")
    assert other.score < 0.75 < same.score
    assert "number" in other.explain("diabetes type 2")


def test_a_good_word_is_no_typo() -> None:
    typo = similarity("learnin impairment", "hearing impairment")
    meant = similarity("learning impairment", "hearing impairment", count={"learning": 3, "hearing": 5}.get)
    assert meant.not_a_typo
    assert not typo.not_a_typo
    assert meant.score < 0.86


def test_a_rare_word_that_is_nearly_a_common_one_is_a_typo() -> None:
    assert not similarity("marfan syndrom", "marfan syndrome", count={"syndrom": 2, "syndrome": 900}.get).not_a_typo


def test_a_missing_word_is_no_typo() -> None:
    assert similarity("systolic dysfunction", "lv systolic dysfunction").not_a_typo


def test_the_most_alike_stand_first() -> None:
    others = ["marfan syndrome", "marfan syndrom", "something else", "syndrome marfan"]
    found = most_similar("marfan syndrome", others, count=unknown, floor=0.6, limit=3)
    assert [at for at, _ in found] == [0, 3, 1]
