"""Every peer walks exactly as a plain set walk does, alone and in batches, and a missing one fails the run."""

import sys

import numpy as np
import pytest
from benchmarks.khop.peers import OPTIONAL, PEERS, load_peers, with_graph_tool, with_numpy, with_scipy
from benchmarks.khop.peers.peer import as_array
from benchmarks.khop.synthetic import distinct_pairs

from clew.errors import MissingDependency

ENTITIES = 60
HOPS = (1, 2, 3, 4)


def small_graph(seed):
    """Triples with parallel ones and self-loops; the last five entities touch nothing, entity 0 is a hub."""
    random = np.random.default_rng(seed)
    subject, object = random.integers(0, ENTITIES - 5, (2, 110))
    subject[:10] = object[:10]
    subject[10:40] = 0
    repeated = random.integers(0, 110, 20)
    return np.concatenate([subject, subject[repeated]]), np.concatenate([object, object[repeated]])


def brute_force(subject, object, seeds, k):
    """The meaning of an exact hop, as sets."""
    triples = list(zip(subject.tolist(), object.tolist(), strict=True))
    frontier = set(seeds.tolist())
    for _ in range(k):
        frontier = {end for start, end in triples if start in frontier}
    return sorted(frontier)


QUERIES = [np.array(seeds) for seeds in ([0], [3, 17, 40], [ENTITIES - 1], [1, 2, ENTITIES - 2], list(range(20)))]


@pytest.fixture(scope="module", params=list(PEERS))
def peer(request):
    if request.param in OPTIONAL and (reason := PEERS.load(request.param).absent()):
        pytest.skip(f"{request.param} is optional: {reason}")
    return installed(request.param)


def installed(name):
    """The peer, where `make slow` has installed it."""
    try:
        return load_peers((name,))[0][0]
    except MissingDependency as error:
        pytest.skip(str(error))


@pytest.fixture(params=["sparse", "dense"])
def density(request, monkeypatch):
    """Both directions of every direction-switching peer, though the graph is small."""
    if request.param == "dense":
        monkeypatch.setattr(with_numpy, "SORT_BELOW", 0)
        monkeypatch.setattr(with_numpy, "PULL_ABOVE", 3)
        monkeypatch.setattr(with_graph_tool, "OPERATOR_ABOVE", 3)
        monkeypatch.setattr(with_scipy, "DENSE_ABOVE", 3)


@pytest.mark.peers
@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.usefixtures("density")
def test_peer_equals_a_set_walk(peer, seed):
    subject, object = small_graph(seed)
    ends = (subject, object) if peer.wants_triples else distinct_pairs(ENTITIES, subject, object)
    peer.prepare(ENTITIES, *ends, tuning=QUERIES[:2])
    try:
        for k in HOPS:
            expected = [brute_force(subject, object, seeds, k) for seeds in QUERIES]
            for seeds, ids in zip(QUERIES, expected, strict=True):
                assert as_array(peer.exact(seeds, k)).tolist() == ids
                seconds, timed = peer.timed(seeds, k)
                assert as_array(timed).tolist() == ids
                assert seconds > 0
            seconds, many = peer.timed_batch(QUERIES, k)
            assert [as_array(ids).tolist() for ids in many] == expected
            assert seconds > 0
    finally:
        peer.close()


@pytest.mark.peers
@pytest.mark.parametrize("pull_above", [0, 1 << 62])
def test_graphblas_push_equals_pull(pull_above):
    peer = installed("python-graphblas")
    subject, object = small_graph(3)
    peer.prepare(ENTITIES, *distinct_pairs(ENTITIES, subject, object))
    for k in HOPS:
        for seeds in QUERIES:
            assert as_array(peer._walk(seeds, k, pull_above)).tolist() == brute_force(subject, object, seeds, k)


def test_a_missing_peer_fails_the_run_with_one_sentence(monkeypatch):
    monkeypatch.setitem(sys.modules, "igraph", None)
    monkeypatch.delitem(sys.modules, "benchmarks.khop.peers.with_igraph", raising=False)
    with pytest.raises(MissingDependency, match=r"'igraph' peer needs .*clew\[bench\]"):
        load_peers(("igraph",))


def test_an_absent_optional_peer_is_noted(monkeypatch):
    monkeypatch.setattr(PEERS.load("graph-tool"), "absent", staticmethod(lambda: "not here"))
    assert load_peers(("graph-tool",)) == ([], ["graph-tool is left out: not here"])
