"""Tokens to words and back."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import InputError
from clew.extract.sequences.vocabulary import join_pieces, open_vocabulary
from extract.vocabularies import LETTERS, SIGNS, make_tokenizer, make_vocabulary

VOCABULARY = make_vocabulary()


@given(st.text(LETTERS + SIGNS + " ", max_size=40))
def test_the_text_of_tokens_gives_the_same_tokens(text: str) -> None:
    tokens = VOCABULARY.encode([text])[0]
    (again,) = VOCABULARY.decode([tokens])
    if tokens:
        assert again is not None
        assert VOCABULARY.encode([again])[0] == tokens
    else:
        assert again is None


@given(st.lists(st.integers(7, len(VOCABULARY.pieces) - 1), max_size=7))
def test_what_comes_of_any_tokens_is_exact_or_nothing(tokens: list[int]) -> None:
    (text,) = VOCABULARY.decode([tokens])
    assert text is None or VOCABULARY.encode([text])[0] == tokens


@pytest.mark.parametrize(
    "text",
    ["non-alcoholic fatty liver disease", "il-6", "hepatitis (acute)", "crohn's disease", "type 2: pain, fever"],
)
def test_names_are_set_as_english_sets_them(text: str) -> None:
    assert VOCABULARY.decode(VOCABULARY.encode([text])) == [text]


def test_loose_ends_and_odd_cuts_are_no_text() -> None:
    numbers = VOCABULARY.numbers
    assert VOCABULARY.decode([[numbers["##itis"]]]) == [None]
    assert VOCABULARY.decode([[numbers["p"], numbers["##a"], numbers["##i"], numbers["##n"]]]) == [
        None
    ]  # pain is a word
    assert VOCABULARY.decode([[]]) == [None]
    assert VOCABULARY.decode([[1]]) == [None]  # [UNK]


def test_a_sign_at_the_edge_stands_alone() -> None:
    assert join_pieces(["-", "6"]) == "- 6"
    assert join_pieces(["il", "-"]) == "il -"


def test_a_file_that_is_no_tokenizer_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        open_vocabulary(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer.json").write_text("{}", "utf-8")
    with pytest.raises(InputError, match="WordPiece"):
        open_vocabulary(tmp_path / "tokenizer.json")
    (tmp_path / "tokenizer.json").write_text(make_tokenizer().to_str(), "utf-8")
    assert open_vocabulary(tmp_path / "tokenizer.json").pieces == VOCABULARY.pieces
