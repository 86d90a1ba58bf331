"""Bounded search finds exactly what scoring every row finds, ties included."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.embed.exact import best, make_heads, scores_of
from effort import examples


def every_row(vectors: np.ndarray, query: np.ndarray, k: int, rows: np.ndarray | None) -> tuple[list[int], np.ndarray]:
    """The slow way: all scores, sorted."""
    among = np.arange(len(vectors)) if rows is None else rows
    scores = np.array([np.vecdot(vectors[row].astype(np.float32), query) for row in among], np.float32)
    order = sorted(range(len(among)), key=lambda at: (-scores[at], among[at]))[:k]
    return [int(among[at]) for at in order], scores[order]


@st.composite
def searches(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, int, np.ndarray | None]:
    random = np.random.default_rng(draw(st.integers(0, 2**32)))
    count, dimension = draw(st.integers(1, 120)), draw(st.sampled_from([2, 33, 70, 130]))
    rank = draw(st.sampled_from([1, 3, dimension]))  # of low rank the heads are short, of full rank they are everything
    vectors = random.normal(size=(count, rank)) @ random.normal(size=(rank, dimension))
    vectors += 1e-3 * random.normal(size=vectors.shape)
    vectors = vectors[random.integers(0, count, size=count)]  # equal rows
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    query = random.normal(size=dimension) if draw(st.booleans()) else vectors[0].astype(np.float64)
    query = (query / np.linalg.norm(query)).astype(np.float32)
    rows = np.flatnonzero(random.random(count) < 0.6) if draw(st.booleans()) else None
    return vectors, query, draw(st.integers(1, 15)), rows


@given(searches())
@settings(max_examples=examples(80), deadline=None)
def test_nothing_is_missed(search: tuple[np.ndarray, np.ndarray, int, np.ndarray | None]) -> None:
    vectors, query, k, rows = search
    found, scores = make_heads(vectors).nearest(vectors, query, k, rows)
    wanted, wanted_scores = every_row(vectors, query, k, rows)
    assert found.tolist() == wanted
    np.testing.assert_array_equal(scores, wanted_scores)


def test_heads_are_short_where_directions_are_few() -> None:
    random = np.random.default_rng(0)
    flat = random.normal(size=(500, 10)) @ random.normal(size=(10, 200))
    flat /= np.linalg.norm(flat, axis=1, keepdims=True)
    assert make_heads(flat.astype(np.float16)).columns.shape == (500, 33)
    alike = random.normal(size=(2000, 60)) / 8
    assert make_heads(alike.astype(np.float16)).columns.shape == (2000, 61)


def test_few_rows_are_scored_in_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound must save work: with real structure only a small part of the rows is scored."""
    random = np.random.default_rng(0)
    vectors = random.normal(size=(5000, 12)) @ random.normal(size=(12, 128))
    vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float16)
    scored: list[int] = []
    monkeypatch.setattr("clew.embed.exact.scores_of", lambda *args: (scored.append(len(args[1])), scores_of(*args))[1])
    make_heads(vectors).nearest(vectors, vectors[7].astype(np.float32), 10, None)
    assert sum(scored) < 300


def test_best_breaks_ties_by_row() -> None:
    rows, scores = best(np.array([9, 4, 7, 1]), np.array([0.5, 0.5, 0.9, 0.5], np.float32), 2)
    assert rows.tolist() == [7, 1]
    assert scores.tolist() == pytest.approx([0.9, 0.5])
