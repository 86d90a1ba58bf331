"""Statements of harm and of help against the words of their sentence."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.extract.filter.treatment_cues import HARM, HELP, agree_with_cues


@pytest.mark.parametrize(
    ("sentence", "harm", "help_"),
    [
        ("Treatment of severe infectious keratitis with moxifloxacin.", False, True),
        ("Amikacin is a safe and efficacious empiric therapy for infections.", False, True),
        ("Topiramate-induced nephrolithiasis.", True, False),
        ("Cisplatin caused hearing loss in two patients with lung cancer.", True, True),
        ("The treatment with gentamicin was followed by renal failure.", True, True),
        ("Therapy of the toxic effects of methotrexate.", True, True),
        ("Blood pressure was measured before propranolol.", True, True),  # neither: the words say nothing
        ("Mistreatment of mice.", True, True),  # words begin so, they do not hold it
        ("", True, True),
    ],
)
def test_what_a_sentence_has_no_word_for_is_left_out(sentence: str, harm: bool, help_: bool) -> None:
    assert agree_with_cues(["induces", "causes", "treats", "palliates"], [sentence] * 4).tolist() == [
        harm,
        harm,
        help_,
        help_,
    ]


def test_other_relations_are_not_looked_at() -> None:
    assert agree_with_cues(["is_a", "presents"], ["Treatment of gout.", "Drug-induced gout."]).tolist() == [True, True]
    assert agree_with_cues([], []).dtype == np.bool_


@given(st.text(), st.sampled_from(["gout", "induced by", "treated with", "patients"]))
def test_no_sentence_loses_both(text: str, words: str) -> None:
    """What speaks against harm is a word of help, so a sentence never speaks against both."""
    sentence = f"{text} {words} {text}"
    assert agree_with_cues([*sorted(HARM), *sorted(HELP)], [sentence] * (len(HARM) + len(HELP))).any()
