"""Questions that name first what they choose from, and bounds that deny: what is read in place of which words."""

import pytest

from clew.answer.lexicon.forms import tokens_of
from clew.answer.quantities.recast import PLAIN, affirmed, recast, with_stretches


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Of the teams that beat §, which have no coach?", "which teams that beat have no coach"),
        ("Among rivers, which one is in the most countries?", "which rivers is in the most countries"),
        ("Which rivers are in no more than two countries?", "Which rivers are in at most two countries"),
        ("Which rivers are in not fewer than two countries?", "Which rivers are in at least two countries"),
        ("Apart from herself, who lives with §?", "who else lives with"),
        ("besides themselves, which teams beat §?", "which other teams beat"),
    ],
)
def test_they_are_read_as_others_say_it(text: str, read: str) -> None:
    tokens = with_stretches(tokens_of(text), recast(text).stretches)
    assert " ".join(token.text for token in tokens) == read


@pytest.mark.parametrize(
    "text",
    [
        "Which drugs treat §?",
        "Is there a drug that treats §?",
        "Does § treat §?",
        "What is it of § that is §?",
        "Which drugs no longer treat §?",
    ],
)
def test_other_questions_stay_as_they_are(text: str) -> None:
    assert recast(text) == PLAIN


def test_one_is_asked_for() -> None:
    assert recast("Among rivers, which one is in the most countries?").single
    assert not recast("Among rivers, which are in the most countries?").single


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("Doesn't § run §?", "Does    § run §?"),
        ("Isn’t there a drug for §?", "Is    there a drug for §?"),
        ("Can't § be treated?", "Can   § be treated?"),
        ("Don't show wards", "Don't show wards"),
        ("Which drugs don't treat §?", "Which drugs don't treat §?"),
        ("Does § not run §?", "Does § not run §?"),
    ],
)
def test_a_denied_auxiliary_in_front_asks_for_the_fact(text: str, read: str) -> None:
    assert affirmed(text) == read
