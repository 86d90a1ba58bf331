"""Phrases that can be names, and phrases that cannot."""

import pytest

from clew.errors import InputError
from clew.extract.mentions.syntax import FAULTS, Syntax, find_fault, is_biomedical


@pytest.mark.parametrize(
    "name",
    [
        "obesity",
        "type 2 diabetes mellitus",
        "fibrosis of lung",
        "increased risk",
        "vitamin a",
        "il-6",
        "carney complex",
        "spindle assembly",
        "arachnodactyly",
        "phenobarbital",
        "bile acid malabsorption, primary",
        "metaphyseal widening",
    ],
)
def test_names_pass(name: str) -> None:
    assert find_fault(name, relation="associated_with") is None


@pytest.mark.parametrize(
    ("phrase", "fault"),
    [
        ("hybrid closed insulin delivery loop pump systems", "too long"),
        ("the risk of the disease", "mostly stop words"),
        ("insulin is released", "holds a verb"),
        ("patients were treated", "holds a verb"),
        ("high", "no noun"),
        ("severe metabolic", "no noun"),
        ("of lung", "no noun"),
        ("ischemia due to", "no noun"),
        ("2", "no noun"),
        ("increased", "no noun"),
        ("", "no noun"),
        ("- /", "no noun"),
    ],
)
def test_what_is_no_name_has_a_fault(phrase: str, fault: str) -> None:
    assert fault in FAULTS
    assert find_fault(phrase, relation="associated_with") == fault


def test_the_longest_tail_has_exactly_forty_letters() -> None:
    assert find_fault("a" * 36 + "itis") is None
    assert find_fault("a" * 37 + "itis") == "too long"


def test_a_share_of_stop_words_counts_from_four_words_on() -> None:
    assert find_fault("loss of vision") is None  # a third of three words
    assert find_fault("loss of peripheral vision") is None  # a quarter
    assert find_fault("loss of the vision") == "mostly stop words"


def test_relations_of_roles_take_adjectives_but_no_small_words() -> None:
    assert find_fault("therapeutic", relation="plays_role") is None
    assert find_fault("therapeutic", relation="treats") == "no noun"
    assert find_fault("of the", relation="plays_role") == "no noun"


def test_endings_need_a_stem() -> None:
    assert is_biomedical("lipase")
    assert not is_biomedical("case")
    assert not is_biomedical("bone marrow"[-6:])


def test_settings_are_checked() -> None:
    with pytest.raises(InputError):
        Syntax(longest=0)
    with pytest.raises(InputError):
        Syntax(stop_share=1.5)
    assert find_fault("kidney", syntax=Syntax(longest=5)) == "too long"
