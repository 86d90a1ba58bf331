"""Plans that return, pass through what nobody mentions, or answer one of two requests are never sure."""

import pytest

from clew.answer import Asker
from clew.answer.certainty.astray import FIRST, SECOND


@pytest.mark.parametrize(
    ("text", "twice"),
    [
        ("Name the stations in Hal; count its districts too.", True),
        ("Which drugs treat gout and how many trials tested them?", True),
        ("Which diseases cause fever and show a rash?", False),
        ("Which drugs treat gout and asthma?", False),
        ("Which wards are there? List them.", False),
    ],
)
def test_two_requests(text: str, twice: bool) -> None:
    assert (FIRST.match(text) is not None and SECOND.search(text) is not None) == twice


def test_what_nobody_mentions_is_not_sure(hospital: Asker) -> None:
    answer = hospital.ask("Which patients of Osler Ward are there?")  # by the doctors who work on it
    assert answer.abstained is not None or answer.certainty == "doubtful"
    plain = hospital.ask("Which patients were attended by Hugo Brandt?")
    assert plain.signs["astray"] == 0
    assert plain.certainty == "sure"
