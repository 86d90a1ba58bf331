"""Sets of questions that were built to be misread: none is answered wrongly as sure."""

from pathlib import Path

import pytest
from benchmarks.questions.misread_sets import SETS, ask, unwarned

# By set the answerable questions that are answered rightly, and the wrong answers that come without a warning, at most.
RIGHT = {
    "one": 33, "two": 44, "three": 44, "four": 20, "five": 14, "six": 29,
    "seven": 13, "eight": 23, "nine": 23, "ten": 19, "eleven": 20, "twelve": 27,
    "thirteen": 32, "fourteen": 24, "fifteen": 24, "sixteen": 17,
    "seventeen": 13, "eighteen": 20, "nineteen": 12, "twenty": 12,
}  # fmt: skip
UNWARNED = 1
OLDEST = ("one", "two", "three", "four", "five", "six")  # a third of the questions, too many for every landing
SETS_BY_TIER = [pytest.param(name, marks=pytest.mark.soak if name in OLDEST else pytest.mark.slow) for name in RIGHT]


@pytest.mark.parametrize("name", SETS_BY_TIER)
def test_what_is_built_to_be_misread_is_never_wrong_and_sure(name: str) -> None:
    outcomes = list(ask(SETS / name))
    assert not [(each.question, each.answer) for each in outcomes if each.wrong and each.certainty == "sure"]
    assert len(unwarned(outcomes)) <= UNWARNED
    assert sum(each.right for each in outcomes if each.level != "unanswerable") >= RIGHT[name]


def test_every_set_has_its_graphs() -> None:
    assert {each.name for each in SETS.iterdir() if each.is_dir()} == set(RIGHT)
    for folder in (each for name in RIGHT for each in Path(SETS / name).iterdir() if each.is_dir()):
        assert {each.name for each in folder.iterdir()} == {"entities.csv", "triples.csv", "NOTES.md"}
