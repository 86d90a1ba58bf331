"""What counts as a slip of the pen."""

import pytest

from clew.link.likeness import likeness, most_alike, unknown


def test_one_letter_of_fourteen() -> None:
    found = likeness("arachnodactly", "arachnodactyly")
    assert found.score == pytest.approx(1 - 1 / 14)
    assert found.explain("Arachnodactyly") == "1 of 14 letters differs from 'Arachnodactyly'"


def test_swapped_letters_are_one_edit() -> None:
    assert likeness("arachnodatcyly", "arachnodactyly").edits == 1


def test_words_may_be_turned() -> None:
    found = likeness("syndrom marfan", "marfan syndrome")
    assert found.turned
    assert found.edits == 1
    assert "another order" in found.explain("Marfan syndrome")


def test_numbers_are_never_slips() -> None:
    same, other = likeness("diabetes type 1", "diabetes tipe 1"), likeness("diabetes type 1", "diabetes type 2")
    assert other.score < 0.75 < same.score
    assert "number" in other.explain("diabetes type 2")


def test_a_good_word_is_no_slip() -> None:
    slip = likeness("learnin impairment", "hearing impairment")
    meant = likeness("learning impairment", "hearing impairment", count={"learning": 3, "hearing": 5}.get)
    assert meant.no_slip
    assert not slip.no_slip
    assert meant.score < 0.86


def test_a_rare_word_that_is_nearly_a_common_one_is_a_slip() -> None:
    assert not likeness("marfan syndrom", "marfan syndrome", count={"syndrom": 2, "syndrome": 900}.get).no_slip


def test_a_missing_word_is_no_slip() -> None:
    assert likeness("systolic dysfunction", "lv systolic dysfunction").no_slip


def test_the_most_alike_stand_first() -> None:
    others = ["marfan syndrome", "marfan syndrom", "something else", "syndrome marfan"]
    found = most_alike("marfan syndrome", others, count=unknown, floor=0.6, limit=3)
    assert [at for at, _ in found] == [0, 3, 1]
