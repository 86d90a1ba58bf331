"""Numbers and comparisons are read in one place."""

import re

import pytest

from clew.answer.lexicon.numbers import COMPARISON, NUMBER, OPERATORS, read_number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("7", 7),
        ("10,000", 10_000),
        ("10 million", 10_000_000),
        ("1.5 million", 1_500_000),
        ("3bn", 3_000_000_000),
        ("ten thousand", 10_000),
        ("a hundred", 100),
        ("two hundred and fifty thousand", 250_000),
        ("one million two hundred thousand", 1_200_000),
        ("twenty-five", 25),
        ("half a million", 500_000),
        ("two dozen", 24),
        ("0.25", 0.25),
    ],
)
def test_numbers_are_read_as_people_write_them(text: str, number: float) -> None:
    assert read_number(text) == number
    assert read_number(text.upper()) == number


@pytest.mark.parametrize("text", ["", "many", "a", "million people", "10 of", "m", "1980s", "1,2"])
def test_what_is_no_number_is_none(text: str) -> None:
    assert read_number(text) is None


def test_every_comparison_is_found_whole_before_a_number() -> None:
    for phrase in OPERATORS:
        found = re.fullmatch(rf"({COMPARISON})\s+({NUMBER})", f"{phrase} two million")
        assert found is not None, phrase
        assert found.group(1) == phrase
