"""Reading a graph without walking it: look-ups of many at once and scans in blocks, against the plain tables."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import clew
from clew.errors import InputError, UnknownName
from clew.graph import Relation, Snapshot, Where, read_entities, read_triples
from clew.graph.names import NameIndex, hash_string

ROWS = [  # subject, relation, object, source, negated
    ("g:1", "causes", "d:1", "A", False),
    ("g:1", "causes", "d:1", "B", False),
    ("g:1", "causes", "d:2", "A", True),
    ("g:2", "treats", "d:1", "B", None),
    ("d:1", "is_a", "d:2", "A", None),
    ("d:2", "is_a", "d:2", "A", None),
]


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> clew.Engine:
    columns = dict(zip(("subject", "relation", "object", "source", "negated"), zip(*ROWS, strict=True), strict=True))
    entities = {
        "id": ["g:1", "g:2", "d:1", "d:2", "x:é"],
        "name": ["FBN1", "BRCA1", "one", "one", "none"],
        "type": ["Gene", "Gene", "Disease", "Disease", "Odd"],
        "synonyms": [["a", "b"], None, [], ["c"], None],
    }
    out = tmp_path_factory.mktemp("reading") / "g.clew"
    return clew.build(
        pa.table(columns), entities=pa.table(entities), relations=[Relation("is_a", transitive=True)], out=out
    )


def test_many_ids_are_looked_up_at_once(graph: clew.Engine) -> None:
    wanted = ["d:2", "nothing", "x:é", "g:1", "", "FBN1", "g:1"]
    expected = [-1 if each not in ("d:2", "x:é", "g:1") else int(graph.resolve(each)[0]) for each in wanted]
    for given in (wanted, tuple(wanted), pa.array(wanted), pa.chunked_array([wanted[:2], wanted[2:]])):
        assert graph.lookup(given).tolist() == expected
    assert graph.lookup(pa.array(wanted).dictionary_encode()).tolist() == expected
    assert graph.lookup(pa.array(["g:1", None])).tolist() == [expected[3], -1]
    assert graph.lookup(["\ud800", "g:1"]).tolist() == [-1, expected[3]]
    assert len(graph.lookup([])) == 0


def test_ids_with_the_same_hash_are_told_apart() -> None:
    ids = pa.array(["a", "b"])
    entities = pa.table({"id": ids, "name": ids, "type": ids})
    index = NameIndex(entities, lambda: entities, np.full(2, hash_string("b"), np.uint64), np.arange(2))
    assert index.lookup(["b", "a"]).tolist() == [1, -1]  # "a" is said to have the hash of "b", and is looked at first


def test_seeds_keep_their_order(graph: clew.Engine) -> None:
    d, g = graph.resolve(["d:2", "g:1"]).tolist()
    assert graph.resolve(["g:1", d, "FBN1", "g:1"]).tolist() == [g, d, g, g]
    assert graph.resolve(np.array([d, g, d])).tolist() == [d, g, d]
    with pytest.raises(UnknownName, match="g:3"):
        graph.resolve(["g:1", "g:3"])
    assert graph.lookup_name("one") == sorted(graph.resolve(["d:1", "d:2"]).tolist())


@pytest.mark.parametrize("rows", [1, 2, 100])
def test_entities_are_scanned_in_blocks(graph: clew.Engine, rows: int) -> None:
    blocks = list(graph.scan_entities(rows=rows))
    assert max(block.num_rows for block in blocks) <= rows
    whole = pa.Table.from_batches(blocks)
    assert whole["id"].to_pylist() == graph.describe(np.arange(5))["id"].to_pylist()
    assert whole["synonyms"].to_pylist() == graph.details(np.arange(5))["synonyms"].to_pylist()
    assert read_entities(graph, ("name", "synonyms", "absent")).column_names == ["name", "synonyms"]
    assert read_entities(graph, ("id",)).equals(whole.select(["id"]))


@pytest.mark.parametrize("rows", [1, 3, 100])
def test_triples_are_scanned_in_blocks(graph: clew.Engine, rows: int) -> None:
    def words(table: pa.Table) -> list[tuple[str, str, str]]:
        names = [relation.name for relation in graph.schema.relations]
        subject, object_ = (graph.describe(table[end].to_numpy())["id"].to_pylist() for end in ("subject", "object"))
        return list(zip(subject, [names[at] for at in table["relation"].to_pylist()], object_, strict=True))

    scanned = pa.Table.from_batches(graph.scan_triples(rows=rows))
    assert scanned["number"].to_pylist() == list(range(5))
    assert set(words(scanned)) == {row[:3] for row in ROWS}
    some = pa.Table.from_batches(graph.scan_triples(relations=["treats", "is_a"], rows=rows))
    assert set(words(some)) == {row[:3] for row in ROWS if row[1] != "causes"}
    stated = pa.Table.from_batches(graph.scan_triples(where=Where(), rows=rows))
    assert set(words(stated)) == {row[:3] for row in ROWS if not row[4]}
    said = pa.Table.from_batches(graph.scan_triples(assertions=("source",), rows=rows))
    assert said.column_names == ["number", "subject", "relation", "object", "source"]
    assert sorted(zip(*zip(*words(said), strict=True), said["source"].to_pylist(), strict=True)) == sorted(
        row[:4] for row in ROWS
    )
    nothing = list(graph.scan_triples(where=Where(negated=True, layer="curated"), assertions=True, rows=rows))
    assert sum(block.num_rows for block in nothing) == 0
    assert nothing[0].schema.names[:2] == ["number", "subject"]


def test_triples_by_number(graph: clew.Engine) -> None:
    whole = read_triples(graph)
    for numbers in (None, [4, 0, 0]):
        parts = graph.triple_columns(numbers)
        rows = whole if numbers is None else whole.take(numbers)
        for name in ("subject", "relation", "object"):
            assert getattr(parts, name).tolist() == rows[name].to_pylist()
    said = graph.assertion_table([3, 0])
    assert [row["source"] for row in said.to_pylist()] == [
        each.source for number in (3, 0) for each in graph.assertions(number)
    ]
    affirmed = [(number, each.source) for number in range(5) for each in graph.assertions(number) if not each.negated]
    kept = graph.assertion_table(range(5), where=Where())
    assert [(row["number"], row["source"]) for row in kept.to_pylist()] == affirmed
    assert len(affirmed) < graph.assertion_table(range(5)).num_rows
    with pytest.raises(UnknownName, match="known: "):
        graph.assertion_table([0], where=Where(sources="nobody"))
    for wrong in ([5], [-1]):
        with pytest.raises(InputError, match="0 to 4"):
            graph.triple_columns(wrong)


def test_types_and_degree(graph: clew.Engine) -> None:
    names = list(graph.schema.types)
    assert [names[at] for at in graph.types_of()] == read_entities(graph, ("type",))["type"].to_pylist()
    numbers = graph.resolve(["x:é", "d:1"])
    assert [names[at] for at in graph.types_of(numbers)] == ["Odd", "Disease"]
    everything = graph.degree(where=Where(negated=True))
    assert everything[graph.resolve(["d:2", "d:1", "x:é"])].tolist() == [3, 3, 0]
    assert graph.degree(["d:2", "d:1", "x:é"]).tolist() == [2, 3, 0]


def test_the_snapshot_says_which_graph_this_is(graph: clew.Engine) -> None:
    snapshot = graph.snapshot
    assert snapshot.derived("names") == Path(str(snapshot)) / "derived" / snapshot.id / "names"
    elsewhere = Snapshot.from_record(snapshot.to_record())
    assert (elsewhere.id, elsewhere.counts, elsewhere.folder) == (snapshot.id, graph.counts, None)
    with pytest.raises(InputError, match="not on this machine"):
        elsewhere.derived("names")


def test_an_empty_graph_still_has_columns(tmp_path: Path) -> None:
    columns = {name: pa.array([], pa.string()) for name in ("subject", "relation", "object")}
    graph = clew.build(pa.table(columns), out=tmp_path / "none.clew")
    assert read_entities(graph, ("id", "type")).column_names == ["id", "type"]
    assert read_triples(graph, assertions=True).column_names[:4] == ["number", "subject", "relation", "object"]
    assert graph.lookup(["x"]).tolist() == [-1]
