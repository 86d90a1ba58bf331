"""Each filter against a naive version or a hand-made case."""

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.embed.encoders.hashed import HashedEncoder
from clew.errors import InputError
from clew.extract.filter import masks
from clew.extract.filter.masks import (
    FilteredTable,
    are_attested,
    are_best_of_duplicates,
    are_most_likely,
    are_words,
    cosines,
    find_faults,
    fit_signatures,
    have_different_ends,
    threshold,
)
from clew.extract.seed.signatures import Signatures

SIGNATURES = Signatures({"treats": {("Drug", "Disease"): 3}})


def test_a_sieve_counts_what_it_leaves_out() -> None:
    sieve = FilteredTable(pa.table({"tail": ["fever", "high", "insulin is released", "gout"]}))
    sieve.keep("similarity", np.array([True, True, True, False]))
    sieve.keep("nothing", np.ones(3, bool))
    sieve.keep_without_faults([None, "no noun", "holds a verb"])
    assert sieve.table["tail"].to_pylist() == ["fever"]
    assert sieve.left_out == {
        "similarity": 1,
        "nothing": 0,
        "tail too long": 0,
        "tail mostly stop words": 0,
        "tail holds a verb": 1,
        "tail no noun": 1,
    }
    with pytest.raises(InputError, match="mask"):
        sieve.keep("wrong", np.ones(2, bool))


def test_the_name_of_an_entity_has_no_fault() -> None:
    tails = ["abnormality of the dentition"] * 2 + ["high"]
    relations = ["has_phenotype"] * 3
    assert find_faults(tails, relations, np.array([True, False, False])) == [None, "mostly stop words", "no noun"]


def test_signatures_decide_where_types_are_known() -> None:
    subjects = ["Drug", "Drug", None, "Disease", None]
    objects = ["Disease", "Drug", "Disease", None, None]
    mask = fit_signatures(subjects, ["treats"] * 5, objects, SIGNATURES)
    assert mask.tolist() == [True, False, True, False, True]


def test_ends_that_are_one_thing_are_no_triple() -> None:
    mask = have_different_ends(
        ["D:1", "D:1", "X:1", "X:1"],
        ["D:1", "D:2", "X:2", "X:2"],
        ["gout", "gout", "Seizures", "gout"],
        ["podagra", "arthritis", "seizure", "hyperuricaemia"],
    )
    assert mask.tolist() == [False, True, False, True]


def test_the_best_statement_of_a_document_stays() -> None:
    documents = ["1", "1", "2", "1", "1"]
    subjects = ["a", "a", "a", "b", "b"]
    relations = ["r", "r", "r", "s", "s"]
    objects = ["b", "b", "b", "a", "a"]
    scores = np.array([-2.0, -1.0, -9.0, -3.0, -3.0])
    assert are_best_of_duplicates(documents, subjects, relations, objects, scores).tolist() == [
        False,
        True,
        True,
        True,
        False,  # as likely, but later
    ]


def test_a_symmetric_triple_is_the_same_both_ways() -> None:
    ends = ["a", "b"], ["b", "a"]
    scores = np.array([-1.0, -2.0])
    assert are_best_of_duplicates("dd", ends[0], "rr", ends[1], scores).tolist() == [True, True]
    assert are_best_of_duplicates("dd", ends[0], "rr", ends[1], scores, symmetric=frozenset("r")).tolist() == [
        True,
        False,
    ]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-3, 0)), max_size=30), st.integers(1, 4))
def test_the_most_likely_are_those_a_sort_gives(rows: list[tuple[int, int]], most: int) -> None:
    queries = np.array([query for query, _ in rows], np.int64)
    scores = np.array([score for _, score in rows], np.float32)
    naive = []
    for at, (query, score) in enumerate(rows):
        better = [
            other
            for other, (its_query, its_score) in enumerate(rows)
            if its_query == query and (its_score > score or (its_score == score and other < at))
        ]
        naive.append(len(better) < most)
    assert are_most_likely(queries, scores, most=most).tolist() == naive


def test_cosines_are_those_of_single_texts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(masks, "ENCODED_AT_ONCE", 2)  # so that there are several blocks
    encoder = HashedEncoder()
    one = ["aspirin treats fever", "gout", "gout", "aspirin treats fever", "x"]
    other = ["fever and aspirin", "gout", "arthritis", "gout", "y"]
    found = cosines(one, other, encoder)
    expected = [float(encoder.encode([a])[0] @ encoder.encode([b])[0]) for a, b in zip(one, other, strict=True)]
    assert found == pytest.approx(expected, abs=1e-6)
    assert found[1] == pytest.approx(1.0)


def test_a_threshold_is_a_quantile() -> None:
    scores = np.linspace(0, 1, 11, dtype=np.float32)
    assert threshold(scores, 0.0) == 0
    assert threshold(scores, 0.9) == pytest.approx(0.9)
    assert threshold(np.array([], np.float32), 0.9) == -1
    with pytest.raises(InputError, match="quantile"):
        threshold(scores, 1.1)


def test_words_that_nobody_wrote_are_told() -> None:
    words = frozenset(["sjogren", "syndrome", "2"])
    tails = ["Sjögren's syndromes", "syndrome-2", "syndromegren", "sjogren x", "+"]
    assert are_attested(tails, words).tolist() == [True, True, False, False, True]


def test_tails_without_words_are_told() -> None:
    tails = pa.chunked_array([["fever", "", "  ", "the [UNK] syndrome"]])
    assert are_words(tails).tolist() == [True, False, False, False]
