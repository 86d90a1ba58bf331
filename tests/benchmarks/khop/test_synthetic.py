"""The benchmark graphs: the same for the same seed, of the shape they claim, and unchanged by the cache."""

import numpy as np
import pytest

from benchmarks.khop import synthetic as graphs

SIZE = (2_000, 12_000, 30)


@pytest.mark.parametrize("make", [graphs.heavy_tailed, graphs.flat])
def test_graph_is_deterministic_and_well_formed(make):
    graph, again = make(*SIZE), make(*SIZE)
    for name in ("subject", "relation", "object", "curated"):
        assert np.array_equal(getattr(graph, name), getattr(again, name))
    assert all(map(np.array_equal, graph.queries, again.queries))
    keys = (graph.subject.astype(np.int64) * 2_000 + graph.object) * 30 + graph.relation
    assert len(np.unique(keys)) == len(graph.subject) == 12_000
    assert max(graph.subject.max(), graph.object.max()) < 2_000
    assert not (graph.subject == graph.object).any()
    assert 0.55 < graph.curated.mean() < 0.65
    for query in graph.queries:
        assert 1 <= len(query) <= 20
        assert (np.diff(query) > 0).all()
        assert np.isin(query, graph.subject).all()


def test_another_seed_gives_another_graph():
    assert not np.array_equal(graphs.flat(*SIZE).subject, graphs.flat(*SIZE, seed=12).subject)


def test_only_the_heavy_graph_has_hubs():
    heavy, flat = (np.bincount(make(*SIZE).subject).max() for make in (graphs.heavy_tailed, graphs.flat))
    assert heavy > 5 * flat


def test_pairs_are_distinct_and_both_directions_are_symmetric():
    graph = graphs.heavy_tailed(*SIZE)
    subject, object = graph.pairs(keep=graph.curated, both=True)
    pairs = set(zip(subject.tolist(), object.tolist(), strict=True))
    assert len(pairs) == len(subject)
    kept = set(zip(graph.subject[graph.curated].tolist(), graph.object[graph.curated].tolist(), strict=True))
    assert pairs == kept | {(end, start) for start, end in kept}


def test_cache_gives_back_what_was_put_in(tmp_path, monkeypatch):
    for name, value in zip(("ENTITIES", "TRIPLES", "RELATIONS"), SIZE, strict=True):
        monkeypatch.setattr(graphs, name, value)
    made, flat = [], graphs.flat
    monkeypatch.setattr(graphs, "flat", lambda: made.append("flat") or flat(*SIZE))
    first, second = graphs.load("flat", cache=tmp_path), graphs.load("flat", cache=tmp_path)
    assert made == ["flat"]
    assert [file.suffix for file in tmp_path.iterdir()] == [".npz"]
    for name in ("entities", "relations"):
        assert getattr(first, name) == getattr(second, name)
    for name in ("subject", "relation", "object", "curated"):
        assert np.array_equal(getattr(first, name), getattr(second, name))
        assert getattr(first, name).dtype == getattr(second, name).dtype
    for name in ("queries", "tuning"):
        assert all(map(np.array_equal, getattr(first, name), getattr(second, name)))
