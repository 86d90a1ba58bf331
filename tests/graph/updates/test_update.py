"""Updates: whatever is added, changed or withdrawn, the graph is what a plain model of it is."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from random import Random

import numpy as np
import pyarrow as pa
import pytest

import clew
from clew.errors import GraphError, InputError
from clew.graph import Graph, read_entities
from clew.graph.readers import stage
from clew.graph.staging import Problems, Staged
from clew.graph.storage.damage import find_all_damage
from clew.graph.storage.snapshots import prune, snapshots_of
from clew.graph.updates.additions import read_additions
from clew.graph.updates.composition import Composition
from clew.graph.updates.delta import RowPatch
from clew.graph.updates.retractions import read_retractions
from clew.graph.updates.rewriting import rewrite
from clew.graph.updates.update import NOTHING, Changes, compact_graph, update_graph, write_snapshot
from effort import examples
from living import Change, Model, Stated, build, check, drawn_change, drawn_model, state_of, update

CYCLES = 6


@pytest.mark.parametrize("seed", range(examples(6)))
def test_a_graph_after_updates_equals_the_model(tmp_path: Path, seed: int) -> None:
    random, path = Random(seed), tmp_path / "g.clew"
    model = drawn_model(random)
    build(model, path, wide=seed % 3 == 0, partitions=1 + seed % 2)
    for cycle in range(CYCLES):
        change = drawn_change(random, model)
        update(path, change)
        model.apply(change)
        check(path, model, random)
        if cycle == CYCLES // 2:
            compact_graph(path)
            assert Graph(path).delta is None
            check(path, model, random)
    check(path, model, random, backend="numba")
    assert find_all_damage(path) == []


def test_an_update_may_be_repeated(tmp_path: Path) -> None:
    random, path = Random(5), tmp_path / "g.clew"
    model = drawn_model(random)
    build(model, path)
    for _ in range(4):
        change = drawn_change(random, model)
        model.apply(change)
        update(path, change)
        current = clew.open(path).snapshot.id
        again = Change(change.add, change.entities) if not set(change.retract) else Change(change.add)
        assert not update(path, again)
        assert clew.open(path).snapshot.id == current


@pytest.fixture
def small(tmp_path: Path) -> Path:
    model = Model()
    model.add(
        [Stated("A:1", "has", "B:1", document="D:1"), Stated("A:2", "has", "B:1", document="D:2")],
        {"A:1": ("one", "Gene"), "A:2": ("two", "Gene"), "B:1": ("bee", "Disease")},
    )
    build(model, tmp_path / "small.clew")
    return tmp_path / "small.clew"


def test_what_a_killed_update_left_goes_even_if_nothing_changes(small: Path) -> None:
    left = small / ".build.0a1b2c3d.part"
    (left / "snapshots").mkdir(parents=True)
    assert not update(small, Change(frozenset()))
    assert not left.exists()


def test_snapshots_share_the_files_of_their_base(small: Path) -> None:
    first = Graph(small)
    assert update(small, Change(frozenset({Stated("A:1", "binds", "A:2")}), {"A:1": (None, None), "A:2": (None, None)}))
    second = Graph(small)
    assert second.manifest.parent == first.manifest.snapshot
    assert second.manifest.changes == {"triples added": 1, "assertions added": 1}
    for name in ("entities.arrow", "segments/0000/out_object.npy"):
        assert (first.folder / name).samefile(second.folder / name)
    assert set(snapshots_of(small)) == {first.manifest.snapshot, second.manifest.snapshot}


def test_a_restated_triple_keeps_its_stored_number_and_gains_statements(small: Path) -> None:
    before = Graph(small)
    row = Stated("A:1", "has", "B:1", source="T", document="D:9")
    fresh = Stated("A:1", "has", "A:1")
    assert update(small, Change(frozenset({row, fresh}), {"A:1": (None, None), "B:1": (None, None)}))
    graph = clew.open(small)
    after = Graph(small)
    (number,) = [n for n in range(3) if len(graph.assertions(n)) == 2]
    one = [n for n in range(2) if before.assertions.of(n)[0].document == "D:1"]
    assert after.stored_triples[number] == before.stored_triples[one[0]]
    assert [each.document for each in graph.assertions(number)] == ["D:1", "D:9"]


def test_a_reader_keeps_its_snapshot(small: Path) -> None:
    reader = clew.open(small)
    assert update(small, Change(removed=("B:1",)))
    assert len(reader.hop("A:1", 1)) == 1
    assert [each.document for each in reader.assertions(0)] == ["D:1"]
    assert clew.open(small).counts["triples"] == 0


@pytest.mark.parametrize("updates", [8, pytest.param(100, marks=pytest.mark.soak)])
def test_readers_through_many_updates_never_see_a_mix(tmp_path: Path, updates: int) -> None:
    """Readers of every age, used while the graph goes on changing, say at the end what they said at first."""
    random, path = Random(21), tmp_path / "g.clew"
    model = drawn_model(random)
    build(model, path)
    readers = []
    for number in range(updates):
        change = drawn_change(random, model)
        update(path, change, compact=number % 5 == 4)
        model.apply(change)
        readers.append((clew.open(path), dict(model.entities), set(model.rows)))
    prune(path)
    for reader, entities, rows in readers:
        assert state_of(reader) == (entities, rows)


def test_descriptions_change_and_new_properties_appear(small: Path) -> None:
    entities = pa.table({"id": ["A:1", "C:1"], "name": ["uno", None], "score": [3, 4], "synonyms": [["eins"], None]})
    clew.update(small, pa.table({"subject": ["C:1"], "relation": ["has"], "object": ["A:1"]}), entities=entities)
    graph = clew.open(small)
    assert graph.details(["A:1", "A:2", "C:1"])["score"].to_pylist() == [3, None, 4]
    assert graph.describe(graph.resolve(["A:1", "C:1"]))["name"].to_pylist() == ["uno", "C:1"]
    assert [hit.id for hit in graph.find("eins")][:1] == ["A:1"]
    assert graph.lookup_name("one") == []
    text = pa.table({"id": ["A:2"], "score": ["many"]})
    rows = pa.table({"subject": ["A:2"], "relation": ["has"], "object": ["A:2"]})
    with pytest.raises(InputError, match="the property 'score' is int64 in this graph and string in the rows"):
        clew.update(small, rows, entities=text)


def test_known_entities_and_relations_keep_their_descriptions(small: Path) -> None:
    rows = pa.table({"subject": ["A:1"], "relation": ["has"], "object": ["C:1"]})
    entities = pa.table({"id": ["A:1", "C:1"], "name": ["uno", "see"]})
    flags = [clew.Relation("has", symmetric=True)]
    clew.update(small, rows, entities=entities, relations=flags, keep_descriptions=True)
    graph = clew.open(small)
    assert graph.describe(graph.resolve(["A:1", "C:1"]))["name"].to_pylist() == ["one", "see"]
    assert not graph.schema.relation("has").symmetric


def test_what_cannot_be_is_refused_and_changes_nothing(small: Path) -> None:
    before = clew.open(small).snapshot.id
    rows = pa.table({"subject": ["A:1"], "relation": ["has"], "object": ["Z:9"]})
    with pytest.raises(clew.ClewError, match="object 'Z:9' is neither in the graph nor in the entity table"):
        clew.update(small, rows, entities=pa.table({"id": ["A:1"]}))
    with pytest.raises(InputError, match="'A:1' is retracted and described by the same update"):
        clew.update(small, rows, retract_entities=["A:1"])
    with pytest.raises(InputError, match="'has' is declared symmetric, which it is not in this graph"):
        clew.update(small, rows, relations=[clew.Relation("has", symmetric=True)])
    with pytest.raises(InputError, match="which is a name: retract an entity by its id"):
        clew.update(small, retract_entities=["one"])
    assert clew.open(small).snapshot.id == before
    assert snapshots_of(small) == [before]


def test_a_delta_past_a_tenth_becomes_a_base(small: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.graph.updates.update.SMALL", 0)
    assert update(small, Change(documents=("D:1",)), compact=None)
    graph = Graph(small)
    assert graph.delta is None
    assert len(snapshots_of(small)) == 3  # the build, the update, and the same as a base
    assert graph.triple_count == 1
    assert read_entities(clew.open(small))["id"].to_pylist() == ["B:1", "A:1", "A:2"]


def test_of_two_writers_the_later_does_not_undo_the_earlier(small: Path) -> None:
    """Updates wait for each other; one that a build overtakes is refused, and nothing of it stays."""
    graph = Graph(small)
    additions = read_additions(graph, Staged(NOTHING), Problems("refuse"))
    made = rewrite(graph, additions, read_retractions(graph, documents=["D:2"], problems=Problems("refuse")))
    assert made is not None
    assert update(small, Change(documents=("D:1",)))
    current = snapshots_of(small)
    with pytest.raises(GraphError, match="was built again while it was updated"):
        write_snapshot(graph, made, Problems("refuse"))
    assert snapshots_of(small) == current
    assert [each.document for each in clew.open(small).assertions(0)] == ["D:2"]


def test_updates_wait_for_each_other(small: Path) -> None:
    rows = [Stated(f"N:{number}", "has", "B:1") for number in range(8)]
    changes = [Change(frozenset({row}), {row.subject: (None, None), "B:1": (None, None)}) for row in rows]
    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(lambda change: update(small, change), changes))
    assert clew.open(small).counts["triples"] == 10


def test_a_damaged_delta_is_refused(small: Path) -> None:
    assert update(small, Change(documents=("D:1",)))
    path = Graph(small).folder / "delta" / "out_entity.npy"
    content = bytearray(path.read_bytes())
    content[-1] ^= 0xFF
    path.write_bytes(content)
    assert find_all_damage(small)[0].startswith("delta/out_entity.npy: block 0")
    with pytest.raises(clew.ClewError, match=r"out_entity\.npy is damaged"):
        clew.open(small).hop("A:2", 1)
    with pytest.raises(clew.ClewError, match="is damaged"):
        update(small, Change(documents=("D:2",)))


def test_the_delta_that_walks_use_is_proved_not_trusted(small: Path) -> None:
    """Arrays that agree with their checksums but not with each other are refused, not walked."""
    assert update(small, Change(removed=("A:1",)))
    graph = Graph(small)
    delta = graph.delta
    assert delta is not None
    none = RowPatch(np.empty(0, np.int32), np.zeros(1, np.int32), np.empty(0, np.int32))
    broken = replace(delta, patches=dict.fromkeys(delta.patches, none))
    composed = Composition(broken, graph.manifest.base, graph.manifest.widths)
    base = graph._triples("out")
    with pytest.raises(clew.ClewError, match="does not fit its base"):
        composed.forward(base)


def test_problems_are_counted_when_skipped(small: Path) -> None:
    problems = Problems("skip")
    rows = stage(pa.table({"subject": ["A:1", "A:1"], "relation": ["x", "x"], "object": ["Z:9", "A:2"]}),
                 entities=pa.table({"id": ["A:1"]}), problems=problems)  # fmt: skip
    made = update_graph(small, Changes(rows), problems=problems)
    assert problems.counts == {"dangling reference": 1}
    assert made.manifest.counts["triples"] == 3
