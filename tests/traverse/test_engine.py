"""The face of an opened graph: what it takes, what it refuses, and what it returns."""

import threading
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import clew
from clew.errors import AmbiguousName, Cancelled, InputError, Timeout, UnknownName
from clew.graph import Relation

TRIPLES = [
    ("g:1", "associated_with", "d:1"),
    ("d:1", "has", "p:1"),
    ("d:1", "has", "p:2"),
    ("d:2", "has", "p:2"),
    ("d:2", "lacks", "p:1"),
    ("p:1", "is_a", "p:0"),
    ("p:2", "is_a", "p:0"),
    ("d:1", "resembles", "d:2"),
    ("p:0", "is_a", "p:0"),
]
TYPES = {"g": "Gene", "d": "Disease", "p": "Phenotype"}
NAMES = {"g:1": "FBN1", "d:1": "Marfan syndrome", "d:2": "Marfan syndrome", "p:1": "Arachnodactyly"}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("engine") / "small.clew"
    ids = [*sorted({end for subject, _, object_ in TRIPLES for end in (subject, object_)}), "p:9"]
    clew.build(
        pa.table({name: [triple[i] for triple in TRIPLES] for i, name in enumerate(("subject", "relation", "object"))}),
        entities=pa.table(
            {"id": ids, "name": [NAMES.get(each) for each in ids], "type": [TYPES[each[0]] for each in ids]}
        ),
        relations=[Relation("lacks", negated=True), Relation("resembles", symmetric=True)],
        out=out,
    )
    return out


@pytest.fixture
def graph(path: Path) -> clew.Engine:
    return clew.open(path)


def test_a_seed_is_a_number_an_id_or_a_name(graph: clew.Engine) -> None:
    by_id = graph.hop("g:1", k=2)
    assert sorted(by_id) == ["d:2", "p:1", "p:2"]
    number = int(graph.resolve("g:1")[0])
    for seeds in ("FBN1", ["FBN1"], number, [number], np.array([number]), ["g:1", number]):
        assert list(graph.hop(seeds, k=2)) == list(by_id)


def test_an_unknown_name_lists_close_ones(graph: clew.Engine) -> None:
    with pytest.raises(UnknownName, match=r"no entity has the id or name 'arachnodactyl'; did you mean p:1") as caught:
        graph.hop("arachnodactyl")
    assert "\n" not in str(caught.value)
    assert caught.value.close


def test_a_shared_name_is_an_error_that_lists_the_ids(graph: clew.Engine) -> None:
    with pytest.raises(AmbiguousName) as caught:
        graph.hop("Marfan syndrome")
    assert set(caught.value.candidates) == {"d:1", "d:2"}


@pytest.mark.parametrize("seed", [-1, 10**6, 2**70, -(2**70), True, 1.5, None])
@pytest.mark.parametrize("backend", ["auto", "numba"])
def test_a_number_outside_the_graph_is_an_error(path: Path, backend: str, seed: object) -> None:
    with pytest.raises(UnknownName):
        clew.open(path, backend=backend).hop([seed])


@pytest.mark.parametrize("seed", [-1, 10**6])
@pytest.mark.parametrize("k", [1, 3])
def test_the_fast_way_refuses_numbers_outside_too(path: Path, seed: int, k: int) -> None:
    with pytest.raises(UnknownName, match=str(seed)):
        clew.open(path, backend="numba").hop(np.array([0, seed], np.int32), k=k)


@pytest.mark.parametrize("k", [-1, 1.5, "2", True, None])
def test_k_is_a_number_of_hops(graph: clew.Engine, k: object) -> None:
    with pytest.raises(InputError, match="k must be a number of hops"):
        graph.hop("g:1", k=k)  # type: ignore[arg-type]


@pytest.mark.parametrize("backend", ["numpy", "numba"])
def test_a_huge_k_ends(path: Path, backend: str) -> None:
    graph = clew.open(path, backend=backend)
    assert sorted(graph.hop("d:1", k=10**18)) == ["d:1", "p:0", "p:2"]  # d:1 and d:2 take turns; p:0 is a loop
    assert sorted(graph.hop("d:1", k=10**18 + 1)) == ["d:2", "p:0", "p:1", "p:2"]
    assert sorted(graph.hop("d:1", k=10**18, mode="within")) == ["d:1", "d:2", "p:0", "p:1", "p:2"]
    assert len(graph.hop("d:1", k=10**18, mode="shortest")) == 0


@pytest.mark.parametrize("backend", ["auto", "numba", "reference"])
@pytest.mark.parametrize("mode", ["exact", "within", "shortest"])
def test_no_seeds_reach_nothing_and_no_hops_stay(path: Path, backend: str, mode: str) -> None:
    graph = clew.open(path, backend=backend)
    assert len(graph.hop([], k=3, mode=mode)) == 0
    assert list(graph.hop(["g:1"], k=0, mode=mode)) == ["g:1"]
    assert list(graph.hop(["p:9"], k=2, mode=mode)) == (["p:9"] if mode == "within" else [])


def test_unknown_words_are_errors_that_name_the_known(graph: clew.Engine) -> None:
    for options, known in (
        ({"mode": "exactly"}, "within"),
        ({"direction": "up"}, "both"),
        ({"relations": ["hass"]}, "'has'"),
        ({"types": ["gene"]}, "'Gene'"),
        ({"through": ["Diseases"]}, "'Disease'"),
        ({"layer": "best"}, "curated"),
        ({"where": clew.Where(qualifiers={"onset": "x"})}, "none"),
        ({"where": clew.Where(sources=["HPOO"])}, "'HPOO'"),
    ):
        with pytest.raises(UnknownName, match=known):
            graph.hop("g:1", **options)  # type: ignore[arg-type]
    with pytest.raises(UnknownName, match="numba"):
        clew.open(graph.snapshot.folder, backend="numbaa")


def test_a_metapath_needs_a_set_for_each_hop(graph: clew.Engine) -> None:
    assert sorted(graph.hop("g:1", k=2, relations=[["associated_with"], ["has"]])) == ["p:1", "p:2"]
    assert sorted(graph.hop("g:1", k=2, relations=[["associated_with"], []])) == []
    with pytest.raises(InputError, match="one relation set for each hop: 2 were given for k=3"):
        graph.hop("g:1", k=3, relations=[["associated_with"], ["has"]])


def test_negated_relations_are_walked_only_when_asked_for(graph: clew.Engine) -> None:
    assert sorted(graph.hop("d:2")) == ["d:1", "p:2"]
    assert sorted(graph.hop("d:2", relations="lacks")) == ["p:1"]
    assert sorted(graph.hop("d:2", where=clew.Where(negated=True))) == ["d:1", "p:1", "p:2"]


def test_results_as_tables_frames_and_networks(graph: clew.Engine) -> None:
    near = graph.hop("g:1", k=2, relations=[["associated_with"], ["has"]])
    assert near.entities.to_pylist() == [
        {"id": each, "name": NAMES.get(each, each), "type": "Phenotype"} for each in near
    ]
    assert near.to_pandas()["name"].tolist() == [NAMES.get(each, each) for each in near]
    network = graph.hop_triples(near, leading_to_result=True).to_networkx()
    assert set(network.edges(keys=True)) == {
        ("g:1", "d:1", "associated_with"),
        ("d:1", "p:1", "has"),
        ("d:1", "p:2", "has"),
    }
    assert {relation for *_, relation in network.edges(data="relation")} == {"associated_with", "has"}
    assert network.nodes["g:1"] == {"name": "FBN1", "type": "Gene"}
    assert [str(triple) for triple in graph.hop_triples(near, 1)] == ["FBN1 —associated_with→ Marfan syndrome"]
    with pytest.raises(InputError, match="1 to 2"):
        graph.hop_triples(near, 3)


def test_subgraph_degree_and_triples(graph: clew.Engine) -> None:
    inner = graph.subgraph(["d:1", "p:1", "p:0"])
    assert {(t.subject, t.relation, t.object) for t in inner} == {
        ("d:1", "has", "p:1"),
        ("p:1", "is_a", "p:0"),
        ("p:0", "is_a", "p:0"),
    }
    assert graph.degree(["p:0", "d:2", "p:9"]).tolist() == [3, 2, 0]
    assert graph.degree(["p:0", "d:2"], direction="out", where=clew.Where(negated=True)).tolist() == [1, 3]
    assert len(graph.triples("d:1")) == 3


def test_time_limits_and_cancellation(graph: clew.Engine) -> None:
    stop = threading.Event()
    stop.set()
    with pytest.raises(Cancelled):
        graph.hop("g:1", k=2, cancel=stop)
    with pytest.raises(Timeout, match="1e-09"):
        graph.hop("g:1", k=2, timeout=1e-9)
    with pytest.raises(Timeout):
        graph.hop_batch([["g:1"]] * 20, k=4, timeout=1e-9)
    with pytest.raises(InputError, match="timeout"):
        graph.hop("g:1", timeout=-1)
    assert len(graph.hop("g:1", k=2, timeout=60)) == 3


def test_auto_starts_with_numpy_and_changes_over(path: Path) -> None:
    graph = clew.open(path)
    first = graph.hop("g:1", k=3)
    assert graph.backend == "numpy"
    for _ in range(10):
        assert np.array_equal(graph.hop("g:1", k=3).ids, first.ids)
    assert graph.backend == "numba"
    assert np.array_equal(graph.hop(graph.resolve("g:1"), k=3).ids, first.ids)


def test_seeds_of_any_layout_take_the_fast_way(path: Path) -> None:
    graph = clew.open(path, backend="numba")
    seeds = graph.resolve(["d:1", "g:1", "p:1", "d:2"])
    expected = graph.hop(["d:1", "p:1"], k=2).ids
    locked = seeds[::2].copy()
    locked.setflags(write=False)
    for given in (seeds[::2], locked, np.repeat(seeds[::2], 3), seeds[::2].astype(np.int64), seeds[::2].reshape(2, 1)):
        assert np.array_equal(graph.hop(given, k=2).ids, expected)
    assert len(graph.hop(np.empty(0, np.int32), k=2)) == 0
    assert np.array_equal(graph.hop(np.tile(seeds, 5000), k=1).ids, graph.hop(seeds, k=1).ids)


def test_a_batch_keeps_to_its_memory(path: Path) -> None:
    graph = clew.open(path, backend="numba")
    many = graph.hop_batch([["g:1"], ["d:1"]] * 100, k=3, memory=0)
    assert len(many) == 200
    assert len(graph.hop_batch([["g:1"]] * 3000, k=1, memory=0).ids) == 3000
    assert [len(one) for one in many[:2]] == [len(graph.hop("g:1", k=3)), len(graph.hop("d:1", k=3))]
    assert len(many._blocks) == 1
    assert many[-1].seeds.tolist() == graph.resolve("d:1").tolist()
    with pytest.raises(IndexError):
        many[200]
    empty = graph.hop_batch([], k=3)
    assert len(empty) == 0
    assert len(empty.ids) == 0
    assert empty.offsets.tolist() == [0]


def test_an_empty_graph_can_be_walked(tmp_path: Path) -> None:
    columns = {name: pa.array([], pa.string()) for name in ("subject", "relation", "object")}
    for backend in ("auto", "numba", "scipy", "torch", "reference"):
        clew.build(pa.table(columns), out=tmp_path / "none.clew", overwrite=True)
        graph = clew.open(tmp_path / "none.clew", backend=backend)
        assert len(graph.hop([], k=3)) == 0
        with pytest.raises(UnknownName, match="empty"):
            graph.hop(0)
        with pytest.raises(UnknownName):
            graph.hop("x")
        assert graph.find("x") == []
