"""The graph on disk is what design.md promises: every array and count against a plain recomputation from the rows."""

import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings

import clew
from clew.errors import BuildError, GraphError
from clew.graph import Graph, Relation, Staged
from clew.graph.schema import Signature
from clew.graph.seeds import resolve_seeds
from clew.graph.storage.snapshots import snapshot_folder
from effort import examples
from graphs import raw_graphs, write
from oracle import RawGraph

Triple = tuple[str, str, str]  # subject, object, relation: the order in which they are stored


def naive_triples(raw: RawGraph) -> dict[Triple, list[tuple[Any, ...]]]:
    """Distinct triples with their distinct statements, symmetric ones with the lesser id first."""
    found: dict[Triple, list[tuple[Any, ...]]] = {}
    for row in raw.rows:
        ends = (row.subject, row.object)
        if row.relation in raw.symmetric:
            ends = (min(ends), max(ends))
        said = (row.source, row.agent_type, row.knowledge_level, row.negated, row.frequency)
        statements = found.setdefault((*ends, row.relation), [])
        if said not in statements:
            statements.append(said)
    return found


def stored_triples(graph: Graph) -> list[Triple]:
    """What the forward order says, by number."""
    ids = graph.entities["id"].to_pylist()
    names = [relation.name for relation in graph.schema.relations]
    rows = graph.forward
    return [
        (ids[subject], ids[rows.end[at]], names[rows.relation[at]])
        for subject in range(graph.entity_count)
        for at in range(rows.offsets[subject], rows.offsets[subject + 1])
    ]


def naive_pairs(raw: RawGraph) -> set[tuple[str, str]]:
    """Who leads where when nothing negated counts."""
    pairs = set()
    for (subject, object_, relation), statements in naive_triples(raw).items():
        if relation not in raw.negated and not all(said[3] for said in statements):
            pairs.add((subject, object_))
            if relation in raw.symmetric:
                pairs.add((object_, subject))
    return pairs


@pytest.fixture(scope="class")
def any_graph() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name) / "any.clew"


@pytest.mark.parametrize("wide", [False, True])
class TestLayout:
    """Each test draws graphs with self-loops, parallel triples, isolated entities, symmetric and negated relations."""

    @given(raw=raw_graphs())
    @settings(max_examples=examples(30), deadline=None)
    def test_triples_are_stored_once_with_every_distinct_statement(
        self, any_graph: Path, wide: bool, raw: RawGraph
    ) -> None:
        write(raw, any_graph, wide=wide)
        graph, expected = Graph(any_graph), naive_triples(raw)
        triples = stored_triples(graph)
        number = {each: at for at, each in enumerate(graph.entities["id"].to_pylist())}
        relation = {each.name: each.number for each in graph.schema.relations}
        assert triples == sorted(expected, key=lambda t: (number[t[0]], number[t[1]], relation[t[2]]))
        for at, triple in enumerate(triples):
            found = [
                (a.source, a.agent_type, a.knowledge_level, a.negated, (a.qualifiers or {}).get("frequency"))
                for a in graph.assertions.of(at)
            ]
            assert found == expected[triple]
        assert graph.manifest.counts["assertions"] == sum(map(len, expected.values()))

    @given(raw=raw_graphs())
    @settings(max_examples=examples(30), deadline=None)
    def test_both_orders_hold_the_same_triples(self, any_graph: Path, wide: bool, raw: RawGraph) -> None:
        write(raw, any_graph, wide=wide)
        graph = Graph(any_graph)
        rows, subjects = graph.backward, graph.triples_at(None)[0]
        assert rows.triple is not None
        assert sorted(rows.triple.tolist()) == list(range(graph.triple_count))
        for entity in range(graph.entity_count):
            here = [
                (int(rows.end[at]), int(rows.relation[at]), int(rows.triple[at]))
                for at in range(rows.offsets[entity], rows.offsets[entity + 1])
            ]
            expected = [
                (int(subjects[at]), int(graph.forward.relation[at]), at)
                for at in range(graph.triple_count)
                if graph.forward.end[at] == entity
            ]
            assert here == sorted(expected)

    @given(raw=raw_graphs())
    @settings(max_examples=examples(30), deadline=None)
    def test_the_adjacency_has_each_pair_once_and_nothing_negated(
        self, any_graph: Path, wide: bool, raw: RawGraph
    ) -> None:
        write(raw, any_graph, wide=wide)
        graph, expected = Graph(any_graph), naive_pairs(raw)
        ids = graph.entities["id"].to_pylist()
        for rows, turned in ((graph.adjacency.forward, False), (graph.adjacency.backward, True)):
            found = []
            for entity in range(graph.entity_count):
                ends = rows.neighbour[rows.offsets[entity] : rows.offsets[entity + 1]].tolist()
                assert ends == sorted(set(ends))
                assert rows.first[entity] == (ends[0] if ends else graph.entity_count)
                found += [(ids[end], ids[entity]) if turned else (ids[entity], ids[end]) for end in ends]
            assert len(found) == len(expected) == graph.manifest.counts["pairs"]
            assert set(found) == expected

    @given(raw=raw_graphs())
    @settings(max_examples=examples(30), deadline=None)
    def test_the_schema_counts_what_is_there(self, any_graph: Path, wide: bool, raw: RawGraph) -> None:
        write(raw, any_graph, wide=wide)
        graph, triples = Graph(any_graph), naive_triples(raw)
        assert dict(graph.schema.types) == Counter(raw.types.values())
        assert [each.name for each in graph.schema.relations] == sorted({relation for _, _, relation in triples})
        for relation in graph.schema.relations:
            joined = Counter(
                (raw.types[subject], raw.types[object_]) for subject, object_, name in triples if name == relation.name
            )
            assert relation.triples == joined.total()
            assert set(relation.signatures) == {Signature(*types, count) for types, count in joined.items()}
            assert [each.triples for each in relation.signatures] == sorted(joined.values(), reverse=True)
            assert relation.symmetric == (relation.name in raw.symmetric)
            assert relation.negated == (relation.name in raw.negated)

    @given(raw=raw_graphs())
    @settings(max_examples=examples(30), deadline=None)
    def test_hubs_come_first_and_degrees_count_triples(self, any_graph: Path, wide: bool, raw: RawGraph) -> None:
        write(raw, any_graph, wide=wide)
        graph, triples = Graph(any_graph), naive_triples(raw)
        ids = graph.entities["id"].to_pylist()
        incoming = Counter(object_ for _, object_, _ in triples)
        assert ids == sorted(raw.types, key=lambda each: (-incoming[each], list(raw.types).index(each)))
        assert graph.degree.tolist() == [sum(each in (s, o) for s, o, _ in triples) for each in ids]

    def test_numbers_are_as_wide_as_the_manifest_says(self, any_graph: Path, wide: bool) -> None:
        write(RawGraph({"a": "Gene"}, [], frozenset(), frozenset()), any_graph, wide=wide)
        graph = Graph(any_graph)
        number = "int64" if wide else "int32"
        adjacency = graph.adjacency
        for array in (
            *(graph.forward.offsets, graph.forward.end, graph.backward.offsets, graph.backward.end),
            *(adjacency.forward.offsets, adjacency.forward.neighbour, adjacency.forward.first),
            *(adjacency.backward.offsets, adjacency.backward.neighbour, adjacency.backward.first),
            *(graph.assertions.offsets, graph.backward.triple, resolve_seeds(graph, [0])),
        ):
            assert array is not None
            assert array.dtype == number
        assert graph.forward.relation.dtype == ("int32" if wide else "uint16")


def test_wide_and_narrow_graphs_give_the_same_answers(tmp_path: Path) -> None:
    rows = [(f"n{i}", "r", f"n{i * i % 31}") for i in range(60)]
    table = pa.table(dict(zip(("subject", "relation", "object"), map(list, zip(*rows, strict=True)), strict=True)))
    narrow = clew.build(table, out=tmp_path / "narrow.clew")
    wide = clew.build(table, out=tmp_path / "wide.clew", wide=True)
    for k in (1, 2, 3):
        assert list(narrow.hop(["n7", "n11"], k)) == list(wide.hop(["n7", "n11"], k))


class TestCollapsing:
    def build(self, out: Path, *rows: dict[str, Any], **options: Any) -> Graph:
        names = dict.fromkeys(name for row in rows for name in row)
        types = {
            "evidence": pa.list_(pa.string()),
            "valid_from": pa.date32(),
            "confidence": pa.float64(),
            "negated": pa.bool_(),
        }
        columns = {name: pa.array([row.get(name) for row in rows], types.get(name, pa.string())) for name in names}
        return clew.build(Staged(pa.table(columns), **options), out=out)._graph

    @pytest.mark.parametrize(
        ("name", "one", "other"),
        [
            ("source", "S", "T"),
            ("source", "S", None),
            ("evidence", ["a", "b"], ["a\x1fb"]),
            ("evidence", ["a,b"], ["a", "b"]),
            ("evidence", ["a"], ["a", "a"]),
            ("evidence", [""], []),
            ("valid_from", date(2020, 1, 1), date(2020, 1, 2)),
            ("confidence", 0.1, 0.2),
            ("confidence", 0.0, None),
            ("negated", False, True),
            ("qualifier:onset", "x", "y"),
        ],
    )
    def test_statements_that_differ_are_kept(self, tmp_path: Path, name: str, one: Any, other: Any) -> None:
        triple = {"subject": "a", "relation": "r", "object": "b"}
        graph = self.build(tmp_path / "g.clew", {**triple, name: one}, {**triple, name: other}, {**triple, name: one})
        assert graph.triple_count == 1
        assert len(graph.assertions.of(0)) == 2

    @pytest.mark.parametrize(("name", "one", "other"), [("negated", None, False), ("evidence", None, [])])
    def test_absent_flags_and_lists_say_the_same_as_empty_ones(
        self, tmp_path: Path, name: str, one: Any, other: Any
    ) -> None:
        triple = {"subject": "a", "relation": "r", "object": "b", "source": "S"}
        graph = self.build(tmp_path / "g.clew", {**triple, name: one}, {**triple, name: other})
        assert len(graph.assertions.of(0)) == 1

    def test_a_symmetric_triple_is_one_whichever_way_it_is_stated(self, tmp_path: Path) -> None:
        rows = [{"subject": s, "relation": "like", "object": o, "source": s} for s, o in ("ab", "ba", "cc")]
        graph = self.build(tmp_path / "g.clew", *rows, relations=[Relation("like", symmetric=True)])
        assert set(stored_triples(graph)) == {("a", "b", "like"), ("c", "c", "like")}
        assert [each.source for each in graph.assertions.of(stored_triples(graph).index(("a", "b", "like")))] == [
            "a",
            "b",
        ]
        engine = clew.open(tmp_path / "g.clew")
        assert [list(engine.hop(each)) for each in "abc"] == [["b"], ["a"], ["c"]]

    def test_a_symmetric_relation_with_another_inverse_is_refused(self, tmp_path: Path) -> None:
        with pytest.raises(BuildError, match="declared symmetric and has another inverse 'x'"):
            self.build(
                tmp_path / "g.clew",
                {"subject": "a", "relation": "r", "object": "b"},
                relations=[Relation("r", symmetric=True, inverse="x")],
            )


class TestBadRows:
    def write(self, folder: Path, triples: str, entities: str) -> dict[str, Path]:
        (folder / "triples.csv").write_text(triples)
        (folder / "entities.csv").write_text(entities)
        return {"source": folder / "triples.csv", "entities": folder / "entities.csv"}

    @pytest.mark.parametrize(
        ("triples", "entities", "expected"),
        [
            ("a,r,b\na,r,x", "a,A\nb,B", "triples.csv:3: dangling reference: object 'x' is not in the entity table"),
            ("x,r,b\na,r,b", "a,A\nb,B", "triples.csv:2: dangling reference: subject 'x' is not in the entity table"),
            ("a,r,b", "a,A\nb,B\na,C", "entities.csv:4: conflicting entity: 'a' has name 'C', earlier 'A'"),
            ("a,r,b\na,r", "a,A\nb,B", "triples.csv:3: malformed row: 2 fields, expected 3"),
            ("a,r,b\n,r,b", "a,A\nb,B", "triples.csv:3: malformed row: no subject"),
        ],
    )
    def test_are_refused_or_skipped_with_file_and_line(
        self, tmp_path: Path, triples: str, entities: str, expected: str
    ) -> None:
        given = self.write(tmp_path, f"subject,relation,object\n{triples}\n", f"id,name\n{entities}\n")
        with pytest.raises(BuildError) as refused:
            clew.build(**given, out=tmp_path / "g.clew")  # type: ignore[arg-type]
        assert expected in str(refused.value)
        assert "\n" not in str(refused.value)
        assert not (tmp_path / "g.clew").exists()
        graph = clew.build(**given, out=tmp_path / "g.clew", on_error="skip")._graph  # type: ignore[arg-type]
        assert stored_triples(graph) == [("a", "b", "r")]
        assert sum(graph.manifest.problems.values()) == 1

    def test_many_are_counted_and_a_few_shown(self, tmp_path: Path) -> None:
        rows = "".join(f"a,r,x{number}\n" for number in range(50))
        given = self.write(tmp_path, f"subject,relation,object\n{rows}", "id\na\n")
        with pytest.raises(BuildError, match="dangling reference: 50 in all"):
            clew.build(**given, out=tmp_path / "g.clew")  # type: ignore[arg-type]

    def test_a_relation_whose_every_row_was_left_out_is_not_in_the_schema(self, tmp_path: Path) -> None:
        given = self.write(tmp_path, "subject,relation,object\na,gone,x\na,kept,b\nb,later,a\n", "id\na\nb\n")
        graph = clew.build(**given, out=tmp_path / "g.clew", on_error="skip")._graph  # type: ignore[arg-type]
        assert [relation.name for relation in graph.schema.relations] == ["kept", "later"]
        assert sorted(stored_triples(graph)) == [("a", "b", "kept"), ("b", "a", "later")]


class TestRepeatedEntities:
    def build(self, out: Path, entities: pa.Table, **options: Any) -> dict[str, Any]:
        nothing = pa.array([], pa.string())
        triples = pa.table({"subject": nothing, "relation": nothing, "object": nothing})
        graph = clew.build(triples, entities=entities, out=out, **options)._graph
        rows = zip(graph.entities.to_pylist(), graph.details(range(graph.entity_count)).to_pylist(), strict=True)
        return {row["id"]: row | more for row, more in rows}

    def test_gaps_are_filled_and_lists_put_together(self, tmp_path: Path) -> None:
        entities = pa.table(
            {
                "id": ["a", "b", "a", "a"],
                "name": [None, "B", "A", "A"],
                "type": [None, None, None, "Gene"],
                "synonyms": [["x", "y"], None, ["y", "z"], None],
                "weight": [None, 2, 7, None],
                "place": [None, None, None, {"arm": "q"}],
            }
        )
        found = self.build(tmp_path / "g.clew", entities)
        assert found == {
            "a": {
                "id": "a",
                "name": "A",
                "type": "Gene",
                "synonyms": ["x", "y", "z"],
                "weight": 7,
                "place": {"arm": "q"},
            },
            "b": {"id": "b", "name": "B", "type": "Entity", "synonyms": None, "weight": 2, "place": None},
        }

    def test_properties_that_contradict_each_other_are_reported(self, tmp_path: Path) -> None:
        entities = pa.table({"id": ["a", "a"], "weight": [1, 2]})
        with pytest.raises(BuildError, match="table:2: conflicting entity: 'a' has weight 2, earlier 1"):
            self.build(tmp_path / "g.clew", entities)
        assert self.build(tmp_path / "g.clew", entities, on_error="skip")["a"]["weight"] == 1

    def test_descriptions_in_the_triples_are_compared_too(self, tmp_path: Path) -> None:
        triples = pa.table(
            {
                "subject": ["a", "a"],
                "relation": ["r", "r"],
                "object": ["b", "c"],
                "subject_name": ["A", "Another"],
            }
        )
        with pytest.raises(BuildError, match="table:2: conflicting entity: 'a' has name 'Another', earlier 'A'"):
            clew.build(triples, out=tmp_path / "g.clew")

    def test_a_property_may_be_called_row(self, tmp_path: Path) -> None:
        assert self.build(tmp_path / "g.clew", pa.table({"id": ["a"], "row": [7]}))["a"]["row"] == 7


class TestSmallest:
    def build(self, out: Path, rows: list[tuple[str, str, str]], ids: list[str] | None = None) -> clew.Engine:
        names = ("subject", "relation", "object")
        triples = pa.table({name: pa.array([row[at] for row in rows], pa.string()) for at, name in enumerate(names)})
        entities = None if ids is None else pa.table({"id": pa.array(ids, pa.string())})
        return clew.build(triples, entities=entities, out=out)

    @pytest.mark.parametrize("ids", [None, [], ["a", "b"]])
    def test_no_triples(self, tmp_path: Path, ids: list[str] | None) -> None:
        engine = self.build(tmp_path / "g.clew", [], ids)
        assert engine._graph.entities["id"].to_pylist() == (ids or [])
        assert engine._graph.damage() == []
        assert [hit.id for hit in engine.find("a")] == (["a"] if ids else [])
        assert len(engine._graph.assertions) == 0
        assert len(engine._graph.backward.end) == 0
        for mode in ("exact", "within", "shortest"):
            assert list(engine.hop([], 2, mode=mode)) == []
        if ids:
            assert list(engine.hop("a", 1)) == []
            assert list(engine.hop("a", 1, mode="within")) == ["a"]

    def test_one_self_loop(self, tmp_path: Path) -> None:
        engine = self.build(tmp_path / "g.clew", [("a", "r", "a")])
        assert engine._graph.degree.tolist() == [1]
        assert list(engine.hop("a", 5)) == ["a"]
        assert list(engine.hop("a", 1, direction="both", layer="no-extracted")) == ["a"]

    def test_an_empty_csv_file_with_a_header(self, tmp_path: Path) -> None:
        (tmp_path / "t.csv").write_text("subject,relation,object\n")
        assert clew.build(tmp_path / "t.csv", out=tmp_path / "g.clew")._graph.triple_count == 0


class TestSameContentSameSnapshot:
    PROGRAM = """
import sys, pyarrow as pa, clew
rows = [(f"n{i}", f"r{i % 5}", f"n{i * i % 17}") for i in range(80)]
table = pa.table({name: [row[at] for row in rows] for at, name in enumerate(("subject", "relation", "object"))})
table = table.append_column("source", pa.array([f"s{i % 3}" for i in range(80)]))
print(clew.build(table, out=sys.argv[1], relations=[clew.Relation("r1", symmetric=True)]).snapshot.id)
"""

    def test_in_another_process(self, tmp_path: Path) -> None:
        found = [
            subprocess.run(
                [sys.executable, "-c", self.PROGRAM, str(tmp_path / f"{seed}.clew")],
                env=os.environ | {"PYTHONHASHSEED": str(seed), "PYTHONPATH": os.pathsep.join(sys.path)},
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for seed in (1, 2)
        ]
        assert found[0] == found[1]
        assert len(found[0].strip()) == 16
        manifests = [(snapshot_folder(tmp_path / f"{seed}.clew") / "manifest.json").read_bytes() for seed in (1, 2)]
        assert manifests[0] == manifests[1]


class TestDetails:
    def test_entities_in_several_row_groups(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("clew.graph.build.DETAIL_ROWS", 8)
        count = 50
        ids = [f"n{number}" for number in range(count)]
        triples = pa.table(
            {"subject": ids, "relation": ["r"] * count, "object": [ids[i * i % 50] for i in range(count)]}
        )
        synonyms = [[f"also {each}"] if number % 3 else None for number, each in enumerate(ids)]
        xrefs = [[f"x:{each}", "y"] for each in ids]
        entities = pa.table({"id": ids, "synonyms": synonyms, "xrefs": xrefs, "weight": list(range(count))})
        engine = clew.build(triples, entities=entities, out=tmp_path / "g.clew")
        expected = {row["id"]: row for row in entities.to_pylist()}
        wanted = [49, 0, 7, 8, 8, 31]
        chosen = engine._graph.entities["id"].take(pa.array(wanted)).to_pylist()
        assert engine._graph.details(wanted).to_pylist() == [expected[each] for each in chosen]
        assert engine.details("n33").to_pylist() == [expected["n33"]]
        assert engine._graph.details([]).num_rows == 0

    def test_a_graph_without_any(self, tmp_path: Path) -> None:
        table = pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]})
        assert clew.build(table, out=tmp_path / "g.clew").details(["b", "a"]).to_pylist() == [{"id": "b"}, {"id": "a"}]


class TestDestination:
    TABLE = pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]})

    def test_a_graph_is_replaced_only_when_asked(self, tmp_path: Path) -> None:
        clew.build(self.TABLE, out=tmp_path / "g.clew")
        with pytest.raises(GraphError, match="already exists"):
            clew.build(self.TABLE, out=tmp_path / "g.clew")
        clew.build(self.TABLE, out=tmp_path / "g.clew", overwrite=True)

    def test_what_is_no_graph_is_never_replaced(self, tmp_path: Path) -> None:
        (tmp_path / "home").mkdir()
        (tmp_path / "home" / "thesis.txt").write_text("years of work")
        with pytest.raises(GraphError, match="is not replaced"):
            clew.build(self.TABLE, out=tmp_path / "home", overwrite=True)
        assert (tmp_path / "home" / "thesis.txt").read_text() == "years of work"

    def test_a_full_disk_is_one_sentence_and_leaves_nothing(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr("clew.graph.build.write_array", full)
        with pytest.raises(GraphError, match=r"cannot write .*g\.clew: No space left on device"):
            clew.build(self.TABLE, out=tmp_path / "g.clew")
        assert list(tmp_path.iterdir()) == []
