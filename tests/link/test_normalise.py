"""Keys forgive writing habits, and are keys of themselves."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.link.normalise import fold, key, loose_keys, plain, singular, words_of

SAME = [
    ("Marfan Syndrome", "marfan syndromes"),
    ("Crohn's disease", "Crohn disease"),
    ("Crohn’s disease", "CROHN'S DISEASE"),
    ("β-thalassemia", "beta thalassemia"),
    ("Sjögren syndrome", "Sjogren syndrome"),
    ("Sjo\u0308gren syndrome", "Sjögren syndrome"),
    ("Metastases", "metastasis"),
    ("cardiomyopathies", "Cardiomyopathy"),
    ("carcinomata", "carcinoma"),
    ("non-Hodgkin lymphoma", "non Hodgkin lymphoma"),
    ("ﬁbrosis", "fibrosis"),
    ("Graves' disease", "Grave's disease"),
]
LOOSELY_SAME = [
    ("cancer of the lung", "lung cancer"),
    ("diabetes mellitus, type II", "type 2 diabetes mellitus"),
    ("anaemia", "anemia"),
    ("oedema", "edema"),
    ("betablocker", "beta blocker"),
    ("TNFα", "TNF-alpha"),
]
DIFFERENT = [
    ("type 1", "type 2"),
    ("hepatitis A virus", "hepatitis virus"),
    ("factor V", "factor VIII"),
    ("chlorine", "chlorin"),
    ("gas", "ga"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_writing_habits_give_one_key(one: str, other: str) -> None:
    assert key(one) == key(other)


@pytest.mark.parametrize(("one", "other"), LOOSELY_SAME)
def test_order_spaces_and_spelling_give_one_loose_key(one: str, other: str) -> None:
    assert key(one) != key(other)
    assert set(loose_keys(key(one))) & set(loose_keys(key(other)))


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_different_names_keep_different_keys(one: str, other: str) -> None:
    assert key(one) != key(other)
    assert not set(loose_keys(key(one))) & set(loose_keys(key(other)))


def test_a_name_of_signs_keeps_its_signs() -> None:
    assert key("+") == "+"
    assert key("+") != key("-")
    assert key(" ") == ""


@settings(deadline=None)
@given(st.text())
def test_keys_are_idempotent(text: str) -> None:
    assert key(key(text)) == key(text)
    assert plain(plain(text)) == plain(text)
    for word in words_of(text):
        assert fold(word) == word
        assert word == "".join(word.split())


@settings(deadline=None)
@given(st.text(st.characters(categories=["Ll", "Lu", "Nd"], max_codepoint=0x24F), min_size=1, max_size=12))
def test_case_never_matters(word: str) -> None:
    if word.upper().lower() == word.lower():  # ß and its like are several letters in capitals
        assert key(word.upper()) == key(word.lower())


@settings(deadline=None)
@given(st.text(st.characters(categories=["Ll"], max_codepoint=0x7F), max_size=12))
def test_a_singular_has_no_other_singular(word: str) -> None:
    assert singular(singular(word)) == singular(word)
