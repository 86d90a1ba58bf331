"""Every engine, backend, mode, direction, filter and width gives what the oracle gives."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

import clew
from clew.errors import Timeout, UnknownName
from clew.graph import Where, read_entities
from clew.traverse import GraphEngine
from clew.traverse.request import KINDS
from clew.traverse.walk import MODES
from effort import examples
from engines import ENGINES, FEW, LIVING
from graphs import filters, keywords, known, raw_graphs, write
from oracle import Filter, Oracle, RawGraph

PARTITIONS = st.sampled_from((1, 1, 2, 3, 16))  # of the graph on disk; engines in memory join them
SETTINGS = settings(max_examples=examples(60), deadline=None, suppress_health_check=list(HealthCheck))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("conformance")


def ids_of(graph: GraphEngine, numbers: np.ndarray) -> set[str]:
    return set(graph.describe(numbers)["id"].to_pylist())


@pytest.mark.parametrize(
    "wide", [pytest.param(False, id="32-bit"), pytest.param(True, id="64-bit", marks=pytest.mark.slow)]
)
@given(data=st.data(), raw=raw_graphs(), k=st.integers(0, 4), mode=st.sampled_from(MODES))
@SETTINGS
def test_every_engine_equals_the_oracle(
    folder: Path, wide: bool, data: st.DataObject, raw: RawGraph, k: int, mode: str
) -> None:
    write(raw, folder / "g.clew", wide=wide, partitions=data.draw(PARTITIONS))
    filter = data.draw(filters(k))
    seeds = data.draw(st.sets(st.sampled_from(sorted(raw.types)), max_size=3))
    opened = {name: make(folder / "g.clew") for name, make in ENGINES.items()}
    assume(known(filter, opened["numpy"]) and (raw.rows or filter.frequency is None))
    assume(filter.frequency is None or any(row.frequency for row in raw.rows))
    expected = Oracle(raw).hop(seeds, k, mode, filter)
    for name, graph in opened.items():
        found = graph.hop(sorted(seeds), k, mode=mode, **keywords(filter))
        assert found.ids.dtype == (np.int64 if wide else np.int32), name
        assert np.array_equal(found.ids, np.unique(found.ids)), name
        assert ids_of(graph, found.ids) == expected, name


@given(data=st.data(), raw=raw_graphs(), k=st.integers(0, 4), mode=st.sampled_from(MODES))
@SETTINGS
def test_batches_equal_single_queries(folder: Path, data: st.DataObject, raw: RawGraph, k: int, mode: str) -> None:
    write(raw, folder / "b.clew", partitions=data.draw(PARTITIONS))
    filter = data.draw(filters(k))
    queries = data.draw(st.lists(st.sets(st.sampled_from(sorted(raw.types)), max_size=3), min_size=1, max_size=12))
    queries *= data.draw(st.sampled_from((1, 7)))  # past one word of 64
    oracle = Oracle(raw)
    for name, make in ENGINES.items():
        graph = make(folder / "b.clew")
        assume(known(filter, graph))
        assume(filter.frequency is None or any(row.frequency for row in raw.rows))
        many = graph.hop_batch([sorted(seeds) for seeds in queries], k, mode=mode, memory=64, **keywords(filter))
        answers = {frozenset(seeds): oracle.hop(seeds, k, mode, filter) for seeds in queries}
        assert [ids_of(graph, one.ids) for one in many] == [answers[frozenset(seeds)] for seeds in queries], name
        assert np.array_equal(many.ids, np.concatenate([one.ids for one in many]))
        assert many.offsets.tolist() == np.cumsum([0] + [len(one) for one in many]).tolist()


@given(data=st.data(), raw=raw_graphs(most=6), k=st.integers(1, 3), mode=st.sampled_from(MODES))
@SETTINGS
def test_triples_of_a_hop(folder: Path, data: st.DataObject, raw: RawGraph, k: int, mode: str) -> None:
    write(raw, folder / "t.clew", partitions=data.draw(PARTITIONS))
    opened = [ENGINES[name](folder / "t.clew") for name in FEW]
    filter = data.draw(filters(k))
    assume(known(filter, opened[0]) and len(filter.relations) == 1)
    assume(filter.frequency is None or any(row.frequency for row in raw.rows))
    seeds = data.draw(st.sets(st.sampled_from(sorted(raw.types)), min_size=1, max_size=3))
    hop = data.draw(st.integers(1, k))
    oracle = Oracle(raw)
    for graph in opened:
        near = graph.hop(sorted(seeds), k, mode=mode, **keywords(filter))
        found = {(t.subject, t.relation, t.object) for t in graph.hop_triples(near, hop)}
        assert found == oracle.hop_triples(seeds, k, mode, filter, hop)
        leading = {(t.subject, t.relation, t.object) for t in graph.hop_triples(near, hop, leading_to_result=True)}
        assert leading == oracle.leading_triples(seeds, k, mode, filter, hop)
        assert np.array_equal(graph.hop_triples(near.request, hop).numbers, graph.hop_triples(near, hop).numbers)


@given(data=st.data(), raw=raw_graphs(), k=st.integers(1, 3), mode=st.sampled_from(MODES))
@settings(SETTINGS, max_examples=examples(24))
def test_a_base_and_a_delta_equal_the_oracle(
    folder: Path, data: st.DataObject, raw: RawGraph, k: int, mode: str
) -> None:
    """Hops, the triples of a hop and degrees of a graph that was updated, every mode and filter."""
    write(raw, folder / "l.clew")
    graph = LIVING["numpy over a base and a delta"](folder / "l.clew")
    filter = data.draw(filters(k))
    assume(known(filter, graph) and len(filter.relations) == 1)
    assume(filter.frequency is None or any(row.frequency for row in raw.rows))
    seeds = data.draw(st.sets(st.sampled_from(sorted(raw.types)), min_size=1, max_size=3))
    oracle, options = Oracle(raw), keywords(filter)
    near = graph.hop(sorted(seeds), k, mode=mode, **options)
    assert ids_of(graph, near.ids) == oracle.hop(seeds, k, mode, filter)
    for hop in range(1, k + 1):
        found = {(t.subject, t.relation, t.object) for t in graph.hop_triples(near, hop)}
        assert found == oracle.hop_triples(seeds, k, mode, filter, hop)
    listed = read_entities(graph, ("id",))["id"].to_pylist()
    assert graph.degree(where=clew.Where(negated=True)).tolist() == [oracle.degree()[each] for each in listed]


@given(data=st.data(), raw=raw_graphs(), k=st.integers(0, 5))
@SETTINGS
def test_distances_and_degree(folder: Path, data: st.DataObject, raw: RawGraph, k: int) -> None:
    write(raw, folder / "d.clew", partitions=data.draw(PARTITIONS))
    seeds = data.draw(st.sets(st.sampled_from(sorted(raw.types)), min_size=1, max_size=3))
    oracle = Oracle(raw)
    filter = Filter(direction="both")
    expected = {each: d for d in range(k, -1, -1) for each in oracle.hop(seeds, d, "shortest", filter)}
    for graph in [ENGINES[name](folder / "d.clew") for name in FEW]:
        ids, distance = graph.distances(sorted(seeds), k, direction="both")
        assert dict(zip(graph.describe(ids)["id"].to_pylist(), distance.tolist(), strict=True)) == expected
        listed = read_entities(graph, ("id",))["id"].to_pylist()
        assert graph.degree(where=clew.Where(negated=True)).tolist() == [oracle.degree()[each] for each in listed]


@given(data=st.data(), raw=raw_graphs(most=6), k=st.integers(1, 3), kind=st.sampled_from(KINDS))
@SETTINGS
def test_every_engine_finds_the_same_paths(folder: Path, data: st.DataObject, raw: RawGraph, k: int, kind: str) -> None:
    write(raw, folder / "p.clew", partitions=data.draw(PARTITIONS))
    ends = st.sets(st.sampled_from(sorted(raw.types)), min_size=1, max_size=2)
    sources, targets = sorted(data.draw(ends)), sorted(data.draw(ends))
    direction = data.draw(st.sampled_from(("out", "in", "both")))
    answers = []
    for graph in [ENGINES[name](folder / "p.clew") for name in FEW]:
        found = graph.paths(sources, targets, k, kind=kind, direction=direction, limit=7)
        answers.append(([str(path) for path in found], found.count, found.count_kind, found.reason, found.request))
    assert all(each == answers[0] for each in answers)


def test_every_engine_reads_the_same(folder: Path, hpo: Path) -> None:
    """Entities, triples, assertions, look-ups and errors, on a real graph."""
    first, *others = [ENGINES[name](hpo) for name in FEW]
    some = np.array([5, 3, 17, 3])
    for other in others:
        assert other.snapshot.id == first.snapshot.id
        assert other.schema == first.schema
        assert other.describe(some).to_pylist() == first.describe(some).to_pylist()
        assert other.details(some).to_pylist() == first.details(some).to_pylist()
        assert other.assertions(11) == first.assertions(11)
        for where in (None, Where(layer="curated")):
            kept = [each.assertion_table(some, where=where).to_pylist() for each in (other, first)]
            assert kept[0] == kept[1]
        assert other.find("marfan syndrom", limit=3) == first.find("marfan syndrom", limit=3)
        assert other.lookup(["HP:0001166", "no"]).tolist() == first.lookup(["HP:0001166", "no"]).tolist()
        assert other.lookup_name("Seizure") == first.lookup_name("Seizure")
        assert np.array_equal(other.types_of(), first.types_of())
        assert other.triples("FBN1").table.to_pylist() == first.triples("FBN1").table.to_pylist()
        near = first.hop("FBN1", 1).ids
        assert np.array_equal(other.subgraph(near).numbers, first.subgraph(near).numbers)
        assert np.array_equal(other.degree(near), first.degree(near))
        for columns in (("id", "name"), None):
            here, there = (next(each.scan_entities(columns, rows=100)).to_pylist() for each in (first, other))
            assert here == there
        rows = {"relations": ["is_a"], "where": clew.Where(), "assertions": ("source",), "rows": 1000}
        assert sum(block.num_rows for block in other.scan_triples(**rows)) == sum(
            block.num_rows for block in first.scan_triples(**rows)
        )
        with pytest.raises(UnknownName, match="did you mean") as caught:
            other.hop("arachnodactyl")
        assert caught.value.close
        with pytest.raises(Timeout):
            other.hop("FBN1", 3, timeout=1e-9)


def test_one_graph_serves_eight_threads(folder: Path) -> None:
    """Threads share the opened graph and its views; each gets its own answers."""
    rng = np.random.default_rng(5)
    n, rows = 3000, 20000
    import pyarrow as pa

    names = [f"X:{i}" for i in range(n)]
    ends = rng.integers(0, n, (2, rows))
    relation = rng.integers(0, 8, rows)
    clew.build(
        pa.table(
            {
                "subject": [names[i] for i in ends[0]],
                "relation": [f"r{i}" for i in relation],
                "object": [names[i] for i in ends[1]],
            }
        ),
        out=folder / "threads.clew",
        overwrite=True,
    )
    reference = clew.open(folder / "threads.clew", backend="numpy")
    shared = clew.open(folder / "threads.clew", backend="numba")
    jobs = [
        (np.unique(rng.integers(0, shared.counts["entities"], 5)).astype(np.int32), int(k), mode, relations)
        for k in rng.integers(1, 6, 25)
        for mode in MODES
        for relations in (None, ["r1", "r2"])
    ]

    def run(graph: clew.Engine, job: tuple) -> list[int]:
        seeds, k, mode, relations = job
        return graph.hop(seeds, k, mode=mode, relations=relations).ids.tolist()

    expected = [run(reference, job) for job in jobs]
    with ThreadPoolExecutor(8) as pool:
        for _ in range(3):
            assert list(pool.map(lambda job: run(shared, job), jobs)) == expected
