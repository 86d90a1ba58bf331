"""Sentences found by place, and tails in them."""

import pyarrow as pa

from clew.extract.filter.evidence import find_in_sentence, sentence_rows


def test_a_tail_is_found_as_whole_words_whatever_the_case() -> None:
    assert find_in_sentence("fatty liver", "a Fatty\n liver!") == (2, 14)
    assert find_in_sentence("gout", "gouty") is None
    assert find_in_sentence("il-6", "IL-6R and IL-6") == (10, 14)
    assert find_in_sentence("c++", "in c++") == (3, 6)


def test_a_part_of_a_name_is_not_named() -> None:
    text = "Breast cancer is a cancer."
    assert find_in_sentence("cancer", text) == (7, 13)
    assert find_in_sentence("cancer", text, [(0, 13)]) == (19, 25)
    assert find_in_sentence("breast cancer", text, [(0, 13), (7, 13)]) == (0, 13)


def test_sentences_are_found_by_place() -> None:
    sentences = pa.table({"document": ["a", "a", "b"], "start": [0, 10, 0], "end": [8, 20, 5]})
    rows = sentence_rows(["a", "a", "a", "a", "b", "c", "a"], [0, 10, 9, 19, 4, 0, 20], sentences)
    assert rows.tolist() == [0, 1, -1, 1, 2, -1, -1]
