"""A walk through a trie against scoring every name."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from clew.extract.chains.graphs import SLOTS
from clew.extract.predict.trie import Trie

Floats = NDArray[np.float64]
NAMES = st.lists(st.lists(st.integers(7, 11), min_size=1, max_size=SLOTS), max_size=25)


def score(
    name: list[int], tokens: NDArray[np.int64], log_probs: NDArray[np.float64], ends: NDArray[np.float64]
) -> float:
    total = 0.0
    for slot, token in enumerate(name):
        listed = tokens[slot].tolist()
        if token not in listed:
            return -np.inf
        total += log_probs[slot, listed.index(token)]
    return total + (ends[len(name)] if len(name) < SLOTS else 0.0)


@given(NAMES, st.integers(0, 2**32 - 1))
def test_a_wide_walk_finds_every_name_that_is_predicted(names: list[list[int]], seed: int) -> None:
    draw = np.random.default_rng(seed)
    tokens = np.array([draw.permutation(np.arange(7, 12))[:3] for _ in range(SLOTS)])
    log_probs, ends = -draw.random((SLOTS, 3)), -draw.random(SLOTS)
    trie = Trie([str(name) for name in names], names)
    found = {trie.texts[row]: value for row, value in trie.walk(tokens, log_probs, ends, width=10_000)}
    expected = {str(name): value for name in names if np.isfinite(value := score(name, tokens, log_probs, ends))}
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        assert abs(found[name] - value) < 1e-9


def test_a_narrow_walk_follows_the_likeliest() -> None:
    trie = Trie(["a", "b c"], [[7], [8, 9]])
    tokens = np.full((SLOTS, 2), 0)
    tokens[0], tokens[1] = [7, 8], [9, 0]
    log_probs = np.full((SLOTS, 2), -np.inf)
    log_probs[0], log_probs[1] = [-3.0, -1.0], [-0.5, -np.inf]
    found = trie.walk(tokens, log_probs, np.zeros(SLOTS), width=1)
    assert [trie.texts[row] for row, _ in found] == ["b c"]


def test_what_does_not_fit_is_counted_and_the_first_spelling_kept() -> None:
    trie = Trie(["A", "a", "long", ""], [[7], [7], [7] * 8, []])
    assert trie.texts == ["A"]
    assert trie.left_out == 2
    assert trie.lengths.tolist() == [1]
    empty = Trie([], [])
    assert empty.walk(np.full((SLOTS, 1), 7), np.zeros((SLOTS, 1)), np.zeros(SLOTS), width=3) == []
