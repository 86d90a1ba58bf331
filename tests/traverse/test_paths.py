"""Paths against a brute-force enumeration from raw triples, and under loads where enumeration is hopeless."""

import itertools
import math
import threading
import time
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path as FilePath
from tempfile import TemporaryDirectory
from typing import Any
from unittest import mock

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clew.errors import Cancelled, InputError, Timeout, UnknownName
from clew.graph import Graph, Where
from clew.graph.build import build_graph
from clew.graph.reading import GraphReader
from clew.graph.seeds import distinct, resolve_seeds
from clew.graph.segment import cut
from clew.graph.staging import Problems, Relation, Staged
from clew.traverse.deadline import Deadline
from clew.traverse.local.query import Step
from clew.traverse.local.view import View, Views
from clew.traverse.paths import listing as path_listing
from clew.traverse.paths import search as path_search
from clew.traverse.paths import search_graph
from clew.traverse.paths.finding import find_paths
from clew.traverse.paths.result import Paths
from clew.traverse.request import KINDS, PathRequest
from clew.traverse.walk import Walk
from effort import examples

RELATIONS = ("causes", "is_near", "part_of")
SYMMETRIC = frozenset({"is_near"})
ALL = 10**6  # a limit that no small graph reaches
RawTriple = tuple[str, str, str]


def make_graph(folder: FilePath, triples: Sequence[RawTriple], entities: Sequence[str] = ()) -> Graph:
    subject, relation, object_ = (list(column) for column in zip(*triples, strict=True)) if triples else ([], [], [])
    columns = {"subject": subject, "relation": relation, "object": object_}
    staged = Staged(
        pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()}),
        entities=pa.table({"id": pa.array(entities, pa.string())}) if entities else None,
        relations=[Relation(name, symmetric=name in SYMMETRIC) for name in RELATIONS],
    )
    build_graph(staged, folder / "g.clew", problems=Problems())
    return Graph(folder / "g.clew")


def views_of(graph: Graph, direction: str, hops: Sequence[Sequence[str] | None]) -> Callable[[int], View]:
    """One relation set for all hops, or one for each."""
    views = Views(graph, cut(graph, 1))
    number = {relation.name: relation.number for relation in graph.schema.relations}  # of those that occur
    sets = [None if names is None else frozenset(number[name] for name in names if name in number) for names in hops]
    steps = [Step(chosen, Where(), direction) for chosen in sets]
    return lambda hop: views(steps[0] if len(steps) == 1 else steps[hop - 1])


def resolve(graph: Graph, names: Sequence[str]) -> np.ndarray:
    return distinct(resolve_seeds(graph, list(names)))


def search(
    graph: Graph,
    sources: Sequence[str],
    targets: Sequence[str],
    k: int,
    *,
    direction: str = "out",
    hops: Sequence[Sequence[str] | None] = (None,),
    deadline: Deadline | None = None,
    **options: Any,
) -> Paths:
    ends = resolve(graph, sources), resolve(graph, targets)
    return paths_between(graph, views_of(graph, direction, hops), *ends, k, deadline=deadline, **options)


def paths_between(
    graph: Graph,
    view_of: Callable[[int], View],
    sources: np.ndarray,
    targets: np.ndarray,
    k: int,
    *,
    kind: str = "simple",
    limit: int = 100,
    walkable: np.ndarray | None = None,
    deadline: Deadline | None = None,
) -> Paths:
    reader = GraphReader(graph)
    request = PathRequest(reader.snapshot.id, tuple(sources.tolist()), tuple(targets.tolist()), Walk(k), kind, limit)
    listing = find_paths(
        view_of, sources, targets, k, kind=kind, limit=limit, walkable=walkable, deadline=deadline or Deadline()
    )
    return Paths(reader, request, listing)


# brute force ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class World:
    """Raw triples and a question about them."""

    entities: tuple[str, ...]
    triples: tuple[RawTriple, ...]
    direction: str
    hops: tuple[tuple[str, ...] | None, ...]
    k: int
    sources: tuple[str, ...]
    targets: tuple[str, ...]
    walkable: frozenset[str] | None
    kind: str


def brute_force(world: World, graph: Graph) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """All paths in order, as triple and entity numbers, from the raw triples; only the numbers are the graph's."""
    number = {name: at for at, name in enumerate(graph.entities["id"].to_pylist())}
    distinct = {(min(s, o), r, max(s, o)) if r in SYMMETRIC else (s, r, o) for s, r, o in world.triples}
    order = sorted(distinct, key=lambda t: (number[t[0]], number[t[2]], graph.schema.relation(t[1]).number))
    degree = {name: sum(name in (s, o) for s, _, o in distinct) for name in world.entities}
    weight = {number[name]: round(math.log2(max(degree[name], 1)) * 2**20) for name in world.entities}

    def leaving(entity: str, allowed: Sequence[str] | None) -> Iterator[tuple[int, str]]:
        for at, (s, r, o) in enumerate(order):
            if allowed is not None and r not in allowed:
                continue
            if s == entity and (world.direction in ("out", "both") or r in SYMMETRIC or s == o):
                yield at, o
            elif o == entity and (world.direction in ("in", "both") or r in SYMMETRIC):
                yield at, s

    found = []

    def walk(numbers: tuple[int, ...], passed: tuple[str, ...]) -> None:
        if numbers and passed[-1] in world.targets:
            found.append((numbers, tuple(number[name] for name in passed)))
        here = passed[-1]
        barred = world.walkable is not None and here not in world.walkable and here not in world.sources
        if len(numbers) == world.k or (numbers and barred):
            return
        for triple, end in leaving(here, world.hops[0] if len(world.hops) == 1 else world.hops[len(numbers)]):
            if world.kind == "walks" or end not in passed:
                walk((*numbers, triple), (*passed, end))

    for source in world.sources:
        walk((), (source,))
    found.sort(key=lambda path: (len(path[0]), sum(weight[entity] for entity in path[1][1:-1]), *path))
    return [path for path in found if world.kind != "shortest" or len(path[0]) == len(found[0][0])]


@st.composite
def worlds(draw: st.DrawFn) -> World:
    entities = tuple(f"E:{at}" for at in range(draw(st.integers(1, 6))))
    entity, relation = st.sampled_from(entities), st.sampled_from(RELATIONS)
    some = st.lists(entity, min_size=1, max_size=3, unique=True).map(tuple)
    sets = st.none() | st.lists(relation, max_size=3, unique=True).map(tuple)
    k = draw(st.integers(0, 4))
    metapath = draw(st.booleans()) and k > 0
    return World(
        entities=entities,
        triples=tuple(draw(st.lists(st.tuples(entity, relation, entity), max_size=12))),
        direction=draw(st.sampled_from(("out", "in", "both"))),
        hops=tuple(draw(st.lists(sets, min_size=k, max_size=k))) if metapath else (draw(sets),),
        k=k,
        sources=draw(some),
        targets=draw(some),
        walkable=draw(st.none() | st.frozensets(entity)),
        kind=draw(st.sampled_from(KINDS)),
    )


def ask(world: World, graph: Graph, limit: int) -> Paths:
    ids = graph.entities["id"].to_pylist()
    mask = None if world.walkable is None else np.array([name in world.walkable for name in ids], bool)
    return search(
        graph, world.sources, world.targets, world.k, direction=world.direction, hops=world.hops, kind=world.kind,
        walkable=mask, limit=limit,
    )  # fmt: skip


def in_numbers(found: Paths) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    return [(path.numbers, path.entities) for path in found]


@settings(max_examples=examples(200), deadline=None)
@given(world=worlds(), patience=st.sampled_from([-1, 2, 1000]), small=st.booleans(), cut=st.integers(0, 5))
def test_every_kind_is_what_brute_force_finds_in_the_same_order(
    world: World, patience: int, small: bool, cut: int
) -> None:
    with TemporaryDirectory() as folder, ExitStack() as patches:
        graph = make_graph(FilePath(folder), world.triples, world.entities)
        patches.enter_context(
            mock.patch.object(path_search, "RESTRICT_AFTER", patience)
        )  # so that both ways on are walked
        if small:  # many blocks, many batches
            patches.enter_context(mock.patch.object(search_graph, "BLOCK", 2))
            patches.enter_context(mock.patch.object(path_search, "FIRST_BATCH", 1))
        expected = brute_force(world, graph)

        every = ask(world, graph, ALL)
        assert in_numbers(every) == expected
        assert not every.truncated
        assert (every.count, every.count_kind) == (len(expected), "exact")
        assert bool(every) == bool(expected)
        assert every.triples.numbers.tolist() == sorted({number for path in expected for number in path[0]})

        some = ask(world, graph, cut)
        assert some.truncated == (len(expected) > cut)
        assert in_numbers(some) == expected[:cut]
        alike = len(set(world.hops)) == 1
        if not some.truncated or world.kind == "walks" or (world.kind == "shortest" and alike):
            assert (some.count, some.count_kind) == (len(expected), "exact")
        else:
            assert some.count_kind == "upper_bound"
            assert some.count >= len(expected)


@settings(max_examples=examples(60), deadline=None)
@given(world=worlds())
def test_words_follow_the_numbers(world: World) -> None:
    with TemporaryDirectory() as folder:
        graph = make_graph(FilePath(folder), world.triples, world.entities)
        ids = graph.entities["id"].to_pylist()
        for path in itertools.islice(ask(world, graph, ALL), 50):
            assert path.ids == tuple(ids[entity] for entity in path.entities)
            assert path.length == len(path.triples) == len(path.entities) - 1
            for triple, step, start, end in zip(path.triples, path.steps, path.ids, path.ids[1:], strict=False):
                assert {triple.subject, triple.object} == {start, end}
                assert (step.start, step.end, step.triple) == (start, end, triple)
                assert step.forward == (triple.subject == start or triple.relation in SYMMETRIC)
            assert str(path).startswith(str(path.steps[0]))


# words ------------------------------------------------------------------------------------------------------------


@pytest.fixture
def marfan(tmp_path: FilePath) -> Graph:
    rows = [
        ("HGNC:3603", "FBN1", "associated_with", "OMIM:154700", "Marfan syndrome"),
        ("OMIM:154700", "Marfan syndrome", "has_phenotype", "HP:0001166", "Arachnodactyly"),
        ("HGNC:3603", "FBN1", "interacts_with", "HGNC:3604", "FBN2"),
    ]
    names = ("subject", "subject_name", "relation", "object", "object_name")
    table = pa.table(dict(zip(names, map(list, zip(*rows, strict=True)), strict=True)))
    staged = Staged(table, relations=[Relation("interacts_with", symmetric=True)])
    build_graph(staged, tmp_path / "m.clew", problems=Problems())
    return Graph(tmp_path / "m.clew")


def test_a_path_prints_names_and_arrows_in_walking_direction(marfan: Graph) -> None:
    (there,) = search(marfan, ["FBN1"], ["HP:0001166"], 3)
    assert str(there) == "FBN1 —associated_with→ Marfan syndrome —has_phenotype→ Arachnodactyly"
    (back,) = search(marfan, ["HP:0001166"], ["FBN2"], 3, direction="both")
    assert str(back) == "Arachnodactyly ←has_phenotype— Marfan syndrome ←associated_with— FBN1 —interacts_with→ FBN2"
    (symmetric,) = search(marfan, ["FBN2"], ["FBN1"], 1)
    assert str(symmetric) == "FBN2 —interacts_with→ FBN1"
    assert symmetric.triples[0].subject == "HGNC:3603"  # as it is stored
    assert there.cost == 1.0  # Marfan syndrome has two triples: log2 2


def test_the_evidence_is_a_subgraph(marfan: Graph) -> None:
    found = search(marfan, ["FBN1"], ["HP:0001166"], 3)
    assert [str(triple) for triple in found.triples] == [
        str(triple) for triple in sorted(next(iter(found)).triples, key=lambda triple: triple.number)
    ]
    assert len(found) == 1
    assert found[0] == found[-1] == next(iter(found))
    with pytest.raises(IndexError):
        found[1]
    frame = found.to_pandas()
    assert frame["relation"].tolist() == ["associated_with", "has_phenotype"]
    assert frame["end_name"].tolist() == list(found[0].names[1:])
    assert set(found.to_networkx().edges) == {
        ("HGNC:3603", "OMIM:154700", "associated_with"),
        ("OMIM:154700", "HP:0001166", "has_phenotype"),
    }


def test_no_path_is_an_answer(marfan: Graph) -> None:
    for kind in KINDS:
        found = search(marfan, ["HP:0001166"], ["FBN1"], 10_000, kind=kind)
        assert (list(found), found.count, found.count_kind, found.truncated) == ([], 0, "exact", False)
        assert not found
        assert len(found.triples) == 0
        assert search(marfan, ["FBN1"], ["HP:0001166"], 0, kind=kind).count == 0
        assert search(marfan, [], ["FBN1"], 3, kind=kind).count == 0
        assert search(marfan, ["FBN1"], [], 3, kind=kind).count == 0


# ends that are also passed ----------------------------------------------------------------------------------------


def test_from_an_entity_to_itself_there_are_walks_only(tmp_path: FilePath) -> None:
    graph = make_graph(tmp_path, [("a", "causes", "b"), ("b", "causes", "a"), ("a", "causes", "a")])
    assert [path.ids for path in search(graph, ["a"], ["a"], 2, kind="walks")] == [
        ("a", "a"), ("a", "b", "a"), ("a", "a", "a")]  # rarest first  # fmt: skip
    for kind in ("simple", "shortest"):
        assert search(graph, ["a"], ["a"], 9, kind=kind).count == 0
        assert [path.ids for path in search(graph, ["a", "b"], ["a"], 9, kind=kind)] == [("b", "a")]


def test_barred_entities_are_not_passed_but_can_be_ends(tmp_path: FilePath) -> None:
    graph = make_graph(tmp_path, [("a", "causes", "b"), ("b", "causes", "c"), ("c", "causes", "d")])
    nothing = np.zeros(graph.entity_count, bool)
    assert [path.ids for path in search(graph, ["a"], ["b"], 3, walkable=nothing)] == [("a", "b")]
    assert search(graph, ["a"], ["c"], 3, walkable=nothing).count == 0
    through_source = search(graph, ["a", "b"], ["c"], 3, walkable=nothing)  # sources are exempt, wherever they stand
    assert [path.ids for path in through_source] == [("b", "c"), ("a", "b", "c")]
    through_target = search(graph, ["a"], ["b", "c"], 3, walkable=nothing)  # targets are not
    assert [path.ids for path in through_target] == [("a", "b")]
    assert not nothing.any()  # the caller's mask is left alone


@pytest.mark.parametrize(("crowded", "busier"), [("a", "t"), ("b", "s")])  # so that either side moves first
def test_the_sides_do_not_meet_where_nobody_may_pass(tmp_path: FilePath, crowded: str, busier: str) -> None:
    pairs = [("s", "barred"), ("barred", "t"), ("s", "a"), ("a", "b"), ("b", "t"), (busier, "x0")]
    pairs += [(crowded, f"x{at}") for at in range(9)]
    graph = make_graph(tmp_path, [(subject, "causes", object_) for subject, object_ in pairs])
    walkable = np.array([name != "barred" for name in graph.entities["id"].to_pylist()])
    found = search(graph, ["s"], ["t"], 5, kind="shortest", walkable=walkable)
    assert [path.ids for path in found] == [("s", "a", "b", "t")]


# limits, laziness, stopping ---------------------------------------------------------------------------------------


def complete(folder: FilePath, size: int) -> Graph:
    pairs = itertools.permutations(range(size), 2)
    return make_graph(folder, [(str(a), "causes", str(b)) for a, b in pairs])


def test_paths_are_found_when_asked_for_and_can_be_asked_for_again(tmp_path: FilePath) -> None:
    found = search(complete(tmp_path, 12), ["0"], ["1"], 8, limit=1000)
    first = list(itertools.islice(found, 3))
    assert len(found._listing._found) == 3
    assert list(itertools.islice(found, 5))[:3] == first
    assert len(found._listing._found) == 5
    assert list(found) == list(found)
    assert len(list(found)) == 1000
    assert found.truncated
    assert found.reason == "there are more than the limit of 1000"


def test_many_threads_share_one_answer(tmp_path: FilePath) -> None:
    found = search(complete(tmp_path, 12), ["0"], ["1"], 8, limit=300)
    lists: list[list[Any]] = [[] for _ in range(4)]
    threads = [threading.Thread(target=lambda to=to: to.extend(found)) for to in lists]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(each == lists[0] and len(each) == 300 for each in lists)


def test_wrong_words_are_refused(marfan: Graph) -> None:
    with pytest.raises(UnknownName, match="known: simple, walks, shortest"):
        search(marfan, ["FBN1"], ["FBN2"], 2, kind="longest")
    with pytest.raises(InputError, match="limit must be a number of paths"):
        search(marfan, ["FBN1"], ["FBN2"], 2, limit=-1)
    with pytest.raises(InputError, match="10,000 hops"):
        search(marfan, ["FBN1"], ["FBN2"], 10_001, kind="walks")


def test_a_timeout_stops_the_call_and_a_cancellation_the_iteration(tmp_path: FilePath) -> None:
    graph = complete(tmp_path, 20)
    with pytest.raises(Timeout):
        search(graph, ["0"], ["1"], 5, deadline=Deadline(1e-9))
    stop = threading.Event()
    found = search(graph, ["0"], ["1"], 12, limit=5000, deadline=Deadline(cancel=stop))
    some = list(itertools.islice(found, 10))
    stop.set()
    with pytest.raises(Cancelled):
        list(found)
    with pytest.raises(Cancelled):  # a search that was stopped does not pass for one that ended
        _ = found.truncated
    with pytest.raises(Cancelled):
        _ = found.count
    stop.clear()
    assert list(found)[:10] == some
    assert len(list(found)) == 5000


def test_a_search_without_result_notices_the_deadline_and_gives_up_saying_so(tmp_path: FilePath) -> None:
    # Twelve hops among nine entities: millions of walks, none of them simple, and no shortcut to find that out.
    names = [f"e{at}" for at in range(9)]
    triples = [(a, "causes", b) for a, b in itertools.permutations(names, 2)]
    triples += [("s", "part_of", name) for name in names] + [(name, "part_of", "t") for name in names]
    graph = make_graph(tmp_path, triples)
    hops = [["part_of"], *[["causes"]] * 12, ["part_of"]]
    with mock.patch.object(path_search, "MAX_WASTED", 30_000):
        found = search(graph, ["s"], ["t"], 14, hops=hops)
        assert list(found) == []
        assert found.truncated
        assert "partial paths without a result" in str(found.reason)
        assert found.count_kind == "upper_bound"
        assert found.count == 9 * 8**12
    with pytest.raises(Timeout):
        list(search(graph, ["s"], ["t"], 14, hops=hops, deadline=Deadline(0.2)))


# loads ------------------------------------------------------------------------------------------------------------


def layered_hubs(folder: FilePath, *, layers: int = 8, width: int = 10_000, between: int = 285_000) -> Graph:
    """s → every entity of the first layer → … → every entity of the last layer → t, with hubs in every layer."""
    chance = np.random.default_rng(7)
    subject, object_ = [np.full(width, layers * width)], [np.arange(width)]
    for layer in range(layers - 1):
        low, high = (np.minimum(width * chance.random(between) ** 2.5, width - 1).astype(np.int64) for _ in "so")
        subject += [layer * width + low, layer * width + np.arange(width)]
        object_ += [(layer + 1) * width + high, (layer + 1) * width + chance.integers(0, width, width)]
    subject.append((layers - 1) * width + np.arange(width))
    object_.append(np.full(width, layers * width + 1))
    ends = (pa.array(np.concatenate(column)).cast(pa.string()) for column in (subject, object_))
    rows = sum(map(len, subject))
    table = pa.table({"subject": next(ends), "relation": pa.array(["causes"] * rows), "object": next(ends)})
    build_graph(Staged(table), folder / "hubs.clew", problems=Problems())
    return Graph(folder / "hubs.clew")


@pytest.fixture(scope="module")
def hubs(tmp_path_factory: pytest.TempPathFactory) -> Graph:
    return layered_hubs(tmp_path_factory.mktemp("hubs"))


def walks_by_float(graph: Graph, source: int, target: int, k: int) -> float:
    """How many walks of exactly k steps there are, about, straight from the arrays."""
    subject = np.repeat(np.arange(graph.entity_count), np.diff(graph.forward.offsets))
    ways = np.zeros(graph.entity_count)
    ways[source] = 1
    for _ in range(k):
        ways = np.bincount(graph.forward.end, weights=ways[subject], minlength=graph.entity_count)
    return float(ways[target])


@pytest.mark.parametrize("kind", KINDS)
def test_more_than_a_million_million_paths_between_hubs(hubs: Graph, kind: str) -> None:
    view = views_of(hubs, "out", [None])
    source, target = resolve(hubs, ["80000"]), resolve(hubs, ["80001"])
    begun = time.perf_counter()
    found = paths_between(hubs, view, source, target, 9, kind=kind)
    shown, truncated, count = list(found), found.truncated, found.count
    seconds = time.perf_counter() - begun
    assert len(shown) == 100
    assert truncated
    assert found.count_kind == ("upper_bound" if kind == "simple" else "exact")
    assert count > 10**12
    assert count == pytest.approx(walks_by_float(hubs, int(source[0]), int(target[0]), 9), rel=1e-9)
    costs = [path.cost for path in shown]
    assert costs == sorted(costs)
    assert seconds < 3


def test_memory_does_not_depend_on_how_many_paths_there_are(hubs: Graph) -> None:
    view = views_of(hubs, "out", [None])
    source, target = resolve(hubs, ["80000"]), resolve(hubs, ["80001"])
    tracemalloc.start()
    try:
        found = paths_between(hubs, view, source, target, 9)
        assert len(list(found)) == 100
        assert found.count > 10**12
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 200 * 2**20


def test_a_complete_graph(tmp_path: FilePath) -> None:
    graph = complete(tmp_path, 60)
    begun = time.perf_counter()
    simple = search(graph, ["0"], ["1"], 8)
    assert [path.length for path in simple] == [1] + [2] * 58 + [3] * 41
    assert simple.count >= sum(math.perm(58, inner) for inner in range(8))
    walks = search(graph, ["0"], ["1"], 8, kind="walks")
    assert walks.count == sum((59**length - (-1) ** length) // 60 for length in range(1, 9))
    endless = search(graph, ["0"], ["1"], 10**9, limit=500)
    assert len(list(endless)) == 500
    assert endless.count >= sum(math.perm(58, inner) for inner in range(59))
    assert time.perf_counter() - begun < 3


def test_walks_can_be_counted_far_beyond_any_float(tmp_path: FilePath) -> None:
    graph = complete(tmp_path, 4)
    found = search(graph, ["0"], ["1"], 600, kind="walks", limit=1)
    assert found.count == sum((3**length - (-1) ** length) // 4 for length in range(1, 601))


@pytest.mark.parametrize("k", [6, 10**9])
def test_two_leaves_of_a_hub_have_one_path_and_finding_that_out_is_cheap(tmp_path: FilePath, k: int) -> None:
    leaves = pa.array([f"leaf{at}" for at in range(100_000)])
    ring = leaves.take(pa.array(np.roll(np.arange(100_000), 1)))  # leaves are joined too, but for the two asked about
    subject = pa.concat_arrays([leaves, leaves[2:], pa.array(["s", "t"])])
    object_ = pa.concat_arrays([pa.array(["hub"] * 100_000), ring[2:], pa.array(["hub", "hub"])])
    table = pa.table({"subject": subject, "relation": pa.array(["causes"] * len(subject)), "object": object_})
    build_graph(Staged(table), tmp_path / "star.clew", problems=Problems())
    graph = Graph(tmp_path / "star.clew")
    begun = time.perf_counter()
    found = search(graph, ["s"], ["t"], k, direction="both")
    assert [path.ids for path in found] == [("s", "hub", "t")]
    assert (found.count, found.count_kind, found.truncated) == (1, "exact", False)
    assert time.perf_counter() - begun < 3


def test_a_long_chain_is_walked_to_its_end(tmp_path: FilePath) -> None:
    graph = make_graph(tmp_path, [(str(at), "causes", str(at + 1)) for at in range(2000)])
    (path,) = search(graph, ["0"], ["2000"], 10**9)
    assert path.length == 2000
    assert path.cost == 1999.0
    assert search(graph, ["2000"], ["0"], 10**9).count == 0


def test_a_tree_walked_both_ways_has_one_path_between_any_two(tmp_path: FilePath) -> None:
    graph = make_graph(tmp_path, [(str(at), "part_of", str(at // 3)) for at in range(1, 3000)])
    found = search(graph, ["2500"], ["1400"], 10**9, direction="both")
    assert len(list(found)) == 1
    assert (found.count, found.count_kind) == (1, "exact")


def test_many_sources_and_targets_that_overlap(tmp_path: FilePath) -> None:
    graph = complete(tmp_path, 30)
    names = [str(at) for at in range(20)]
    found = search(graph, names, names, 3, kind="shortest")
    assert found.count == 20 * 19
    assert found.count_kind == "exact"
    with mock.patch.object(path_listing, "COUNTED_CYCLES", 3):
        bounded = search(graph, names, names, 3, kind="shortest")
        assert (bounded.count, bounded.count_kind) == (20 * 19, "upper_bound")
