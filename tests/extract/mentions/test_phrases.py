"""Phrases of a text, by token ranges."""

from clew.extract.mentions.phrases import find_phrases
from extract.vocabularies import make_tokenizer


def phrases(text: str) -> list[str]:
    encoded = make_tokenizer().encode(text, add_special_tokens=False)
    starts, ends = zip(*encoded.offsets, strict=True)
    found = find_phrases(encoded.tokens, starts, ends)
    return [text[starts[first] : ends[last - 1]] for first, last in found]


def test_runs_end_at_small_words_verbs_and_signs() -> None:
    found = phrases("Fatty liver is seen with insulin resistance, fever and the pain.")
    assert "Fatty liver" in found
    assert "liver" in found
    assert "insulin resistance" in found
    assert not {"seen", "resistance, fever", "the pain", "fever and"} & set(found)


def test_hyphens_hold_a_name_together() -> None:
    found = phrases("non-alcoholic fatty liver")
    assert "non-alcoholic fatty liver" in found
    assert "alcoholic fatty liver" not in found


def test_a_name_may_have_an_of() -> None:
    assert "failure of the liver" not in phrases("failure of the liver")
    assert "failure of liver" in phrases("failure of liver")


def test_nothing_is_longer_than_a_leaf() -> None:
    assert all(len(phrase.split()) <= 7 for phrase in phrases(" ".join(["liver"] * 12)))
    assert phrases("the of .") == []
