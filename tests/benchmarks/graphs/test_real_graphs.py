"""Real graphs: every backend gives what every peer library gives, hops 1 to 5; and HPO's negated rows stay out."""

from pathlib import Path

import numpy as np
import pytest
from benchmarks.khop.peers import load_peers
from benchmarks.khop.peers.peer import as_array
from benchmarks.khop.synthetic import distinct_pairs

import clew
from benchmarks.graphs import fb15k237
from clew.errors import MissingDependency
from clew.graph.super_relations import group_by_names

HOPS = 5


def walked_triples(graph: clew.Engine) -> tuple[np.ndarray, np.ndarray]:
    """Subjects and objects of what is walked by default: negated relations left out, symmetric ones both ways."""
    triples, relations = graph.triple_columns(), graph.schema.relations
    subject, object_ = triples.subject, triples.object
    keep = ~np.array([relation.negated for relation in relations])[triples.relation]
    mirror = np.array([relation.symmetric for relation in relations])[triples.relation] & keep
    return np.concatenate((subject[keep], object_[mirror])), np.concatenate((object_[keep], subject[mirror]))


def check(path: Path) -> None:
    """Two queries, at every hop: all backends agree, and so do all peers where `make slow` has installed them."""
    graphs = {name: clew.open(path, backend=name) for name in ("numba", "numpy", "scipy", "torch")}
    count = graphs["numba"].counts["entities"]
    subject, object_ = walked_triples(graphs["numba"])
    pairs = distinct_pairs(count, subject, object_)
    random = np.random.default_rng(11)
    queries = [np.unique(random.choice(subject, 4)) for _ in range(2)]
    expected = {
        (at, k): graphs["numba"].hop(seeds, k=k).ids for at, seeds in enumerate(queries) for k in range(1, HOPS + 1)
    }
    assert all(len(ids) for (_, k), ids in expected.items() if k == 1)
    for (at, k), ids in expected.items():
        for name, graph in graphs.items():
            assert np.array_equal(graph.hop(queries[at], k=k).ids, ids), (name, k)
    try:
        peers = load_peers()[0]
    except MissingDependency as error:
        pytest.skip(f"all backends agree, but are not compared with other libraries: {error}")
    for peer in peers:
        peer.prepare(count, *((subject, object_) if peer.wants_triples else pairs), tuning=queries)
        try:
            for (at, k), ids in expected.items():
                assert np.array_equal(np.sort(as_array(peer.exact(queries[at], k))), ids), (peer.name, k)
        finally:
            peer.close()


@pytest.mark.slow
@pytest.mark.peers
def test_hpo(hpo: Path) -> None:
    check(hpo)


def test_no_default_walk_on_hpo_uses_a_negated_row(hpo: Path) -> None:
    graph = clew.open(hpo)
    lacks = graph.schema.relation("lacks_phenotype")
    assert lacks.negated
    assert lacks.triples > 600
    triples = graph.triple_columns()
    denied = np.flatnonzero(triples.relation == lacks.number)
    diseases = np.unique(triples.subject[denied])
    for direction in ("out", "in", "both"):
        near = graph.hop(diseases, k=2, direction=direction)
        for hop in (1, 2):
            assert not np.isin(graph.hop_triples(near, hop).relation, lacks.number).any()
    for number in denied[:40]:
        subject, end = triples.subject[[number]], triples.object[[number]]
        both = (triples.subject == subject[0]) & (triples.object == end[0])
        said = set(triples.relation[both].tolist())
        paths = list(graph.paths(subject, end, k=1))
        assert {path.triples[0].relation for path in paths} == {
            graph.schema.relations[each].name for each in said if each != lacks.number
        }


@pytest.mark.slow
@pytest.mark.peers
def test_fb15k237(data: Path, tmp_path: Path) -> None:
    fb15k237.build(data, tmp_path / "fb.clew")
    graph = clew.open(tmp_path / "fb.clew")
    assert graph.counts["triples"] == 310_116
    assert graph.counts["relations"] == 237
    assert len(group_by_names(graph.schema).groups) == 107
    check(tmp_path / "fb.clew")


@pytest.mark.slow
@pytest.mark.peers
def test_hetionet(data: Path, tmp_path: Path) -> None:
    clew.build(data / "hetionet", out=tmp_path / "het.clew")
    check(tmp_path / "het.clew")
