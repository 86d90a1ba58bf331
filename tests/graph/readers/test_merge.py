"""Several sources become one graph: nothing any of them states is lost, and where they differ is told."""

import tempfile
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clew
from clew.errors import InputError
from clew.graph import Graph, Relation, Source, Where
from clew.graph.build import build_graph
from clew.graph.readers import recognise, stage
from clew.graph.staging import Problems, Staged
from clew.graph.storage.snapshots import snapshot_folder
from clew.progress import Progress, silent
from effort import examples
from graphs import raw_graphs, write
from oracle import RawGraph


def build(given: Sequence[object], out: Path, **options: object) -> tuple[Graph, Problems]:
    problems = Problems()
    build_graph(stage(list(given), problems=problems, **options), out, problems=problems)
    return Graph(out), problems


def statements(graph: Graph) -> set[tuple[object, ...]]:
    """Every assertion with its triple."""
    staged = stage(graph.path, problems=Problems())
    columns = sorted(staged.triples.column_names)
    rows = ({name: row[name] for name in columns} for row in staged.triples.to_pylist())
    return {tuple((name, str(value)) for name, value in row.items() if value not in (None, [], False)) for row in rows}


def described(graph: Graph) -> dict[str, tuple[str, str]]:
    return {row["id"]: (row["name"], row["type"]) for row in graph.entities.to_pylist()}


def table(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


class TestAnyGraphs:
    @settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    @given(raws=st.lists(raw_graphs(), min_size=1, max_size=3))
    def test_merging_equals_building_from_all_rows(self, raws: list[RawGraph]) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            for number, raw in enumerate(raws):
                write(raw, folder / f"{number}.clew")
            graphs = [Graph(folder / f"{number}.clew") for number in range(len(raws))]
            merged, problems = build([graph.path for graph in graphs], folder / "all.clew")
            assert statements(merged) == set().union(*(statements(graph) for graph in graphs))
            first: dict[str, tuple[str, str]] = {}
            for graph in graphs:
                first = described(graph) | first
            assert described(merged) == first
            assert {r.name: (r.symmetric, r.negated) for r in merged.schema.relations} == {
                r.name: (r.symmetric, r.negated) for graph in graphs for r in graph.schema.relations
            }
            assert set(problems.differences) <= {"different type"}
            assert not problems.counts


class TestEntities:
    def test_a_second_name_becomes_a_synonym_and_lists_are_united(self, tmp_path: Path) -> None:
        entities = [
            pa.table({"id": ["a"], "name": ["Alpha"], "synonyms": [["A1"]], "height": [3]}),
            pa.table({"id": ["a", "b"], "name": ["Aleph", "b"], "synonyms": [["A1", "A2"], None], "height": [4, None]}),
            pa.table({"id": ["b"], "name": ["Beta"], "type": ["Letter"]}),
        ]
        for number, each in enumerate(entities):
            triples = pa.table({"subject": each["id"], "relation": ["r"] * len(each), "object": each["id"]})
            clew.build(triples, entities=each, out=tmp_path / f"{number}.clew")
        merged, problems = build([tmp_path / f"{number}.clew" for number in range(3)], tmp_path / "all.clew")
        assert described(merged) == {"a": ("Alpha", "Entity"), "b": ("Beta", "Letter")}
        details = merged.details(np.array([merged.names.by_id("a")])).to_pylist()[0]
        assert details["synonyms"] == ["A1", "A2", "Aleph"]
        assert details["height"] == 3
        assert problems.differences == {"different name": 1, "different height": 1}
        assert problems.difference_examples == [
            f"{tmp_path / '1.clew'}: different name: 'a': kept as a synonym",
            f"{tmp_path / '1.clew'}: different height: 'a': 4, but 3 in {tmp_path / '0.clew'}, which is kept",
        ]

    def test_contradictions_inside_one_source_are_still_refused(self, tmp_path: Path) -> None:
        odd = table(tmp_path, "odd.csv", "subject,relation,object,subject_type\na,r,b,X\na,r,c,Y\n")
        clew.build(table(tmp_path, "t.csv", "subject,relation,object\na,r,b\n"), out=tmp_path / "t.clew")
        problems = Problems()
        stage([tmp_path / "t.clew", odd], problems=problems)
        assert problems.counts == {"conflicting entity": 1}
        assert problems.examples[0].startswith(f"{odd}:3: conflicting entity: 'a' has type 'Y', earlier 'X'")

    def test_a_dangling_reference_is_met_by_another_source(self, tmp_path: Path) -> None:
        triples = table(tmp_path, "t.csv", "subject,relation,object\na,r,known\na,r,nowhere\n")
        known = table(tmp_path, "k.csv", "subject,relation,object\nknown,r,known\n")
        entities = table(tmp_path, "e.csv", "id\na\n")
        clew.build(known, out=tmp_path / "k.clew")
        problems = Problems("skip")
        staged = stage([triples, tmp_path / "k.clew"], entities=entities, problems=problems)
        build_graph(staged, tmp_path / "all.clew", problems=problems)
        assert problems.counts == {"dangling reference": 1}
        assert problems.examples == [f"{triples}:3: dangling reference: object 'nowhere' is not in the entity table"]


class TestRelations:
    def make(self, folder: Path, *relations: Relation) -> list[Path]:
        made = []
        for number, relation in enumerate(relations):
            path = folder / f"{number}.clew"
            clew.build(pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]}), relations=[relation], out=path)
            made.append(path)
        return made

    def test_flags_are_united_and_the_difference_told(self, tmp_path: Path) -> None:
        made = self.make(tmp_path, Relation("r", transitive=True), Relation("r", symmetric=True), Relation("r"))
        merged, problems = build(made, tmp_path / "all.clew")
        assert (merged.schema.relations[0].symmetric, merged.schema.relations[0].transitive) == (True, True)
        assert problems.differences == {"different relation flags": 2}

    def test_what_one_source_denies_another_may_not_state(self, tmp_path: Path) -> None:
        made = self.make(tmp_path, Relation("r"), Relation("r", negated=True))
        with pytest.raises(InputError, match=r"'r' is negated in .*1\.clew and not in .*0\.clew: rename one"):
            build(made, tmp_path / "all.clew")
        merged, _ = build(made, tmp_path / "declared.clew", relations=[Relation("r", negated=True)])
        assert merged.schema.relations[0].negated


class TestSources:
    def test_records_and_licences_are_kept(self, tmp_path: Path) -> None:
        rows = pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"], "source": ["S"]})
        first, second = Source("S", "1", "CC0"), Source("S", "2", "CC BY", url="https://s.example")
        clew.build(rows, sources=[first, Source("T")], out=tmp_path / "0.clew")
        clew.build(rows, sources=[second], out=tmp_path / "1.clew")
        merged, problems = build([tmp_path / "0.clew", tmp_path / "1.clew"], tmp_path / "all.clew")
        assert merged.manifest.sources == (first, Source("T"), second)
        assert problems.difference_examples == [
            "S: different source: records differ in version, license, url; both are kept"
        ]
        again, _ = build([merged.path], tmp_path / "again.clew")
        assert again.manifest.sources == merged.manifest.sources

    def test_curated_only_where_every_source_says_so(self, tmp_path: Path) -> None:
        rows = pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"], "source": ["S"]})
        clew.build(rows, sources=[Source("S", curated=True)], out=tmp_path / "0.clew")
        more = table(tmp_path, "more.csv", "subject,relation,object,source\nb,r,c,S\n")
        merged, problems = build([tmp_path / "0.clew", more], tmp_path / "all.clew")
        assert not merged.assertions.passing(Where(layer="curated")).any()
        assert problems.differences == {"different curation": 1}
        declared, _ = build([tmp_path / "0.clew", more], tmp_path / "d.clew", sources=[Source("S", curated=True)])
        assert declared.assertions.passing(Where(layer="curated")).all()


class TestRecognition:
    def test_any_mix_of_formats(self, tmp_path: Path) -> None:
        nodes = table(tmp_path, "x_nodes.tsv", "id\tcategory\nk\tbiolink:Gene\n")
        edges = table(tmp_path, "x_edges.tsv", "subject\tpredicate\tobject\nk\tbiolink:affects\tk\n")
        one = table(tmp_path, "one.csv", "subject,relation,object\na,r,b\n")
        two = table(tmp_path, "two.csv", "subject;relation;object\nc;r;d\n")
        clew.build(one, out=tmp_path / "g.clew")
        rows = pa.table({"subject": ["m"], "relation": ["r"], "object": ["a"]})
        merged, _ = build([tmp_path / "g.clew", nodes, one, edges, two, rows], tmp_path / "all.clew")
        assert sorted(described(merged)) == ["a", "b", "c", "d", "k", "m"]
        assert described(merged)["k"] == ("k", "Gene")
        assert merged.triple_count == 4

    def test_directories_are_told_apart(self, hpo: Path, tmp_path: Path) -> None:
        assert recognise(hpo) == "clew"
        for name in ("entities", "triples", "relations", "sources"):
            (tmp_path / f"{name}.parquet").touch()
        assert recognise(tmp_path) == "parquet"
        with pytest.raises(InputError, match=r"entities\.parquet cannot be read as Parquet"):
            stage(tmp_path, problems=Problems())

    def test_parquet_tables_of_another_shape_are_refused(self, tmp_path: Path) -> None:
        for name in ("entities", "triples", "relations", "sources"):
            pq.write_table(pa.table({"id": [1], "name": ["x"]}), tmp_path / f"{name}.parquet")
        with pytest.raises(InputError, match=r"column 'id' holds int64, expected string .* name the files"):
            stage(tmp_path, problems=Problems())

    def test_a_damaged_graph_is_not_merged(self, tmp_path: Path) -> None:
        clew.build(pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]}), out=tmp_path / "g.clew")
        file = snapshot_folder(tmp_path / "g.clew") / "entities.arrow"
        content = bytearray(file.read_bytes())
        content[len(content) // 2] ^= 1
        file.write_bytes(content)
        with pytest.raises(clew.ClewError, match="is damaged"):
            stage(tmp_path / "g.clew", problems=Problems())

    def test_an_opened_graph_is_a_source(self, tmp_path: Path) -> None:
        rows = pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]})
        opened = clew.build(rows, out=tmp_path / "g.clew")
        again = clew.build([opened, rows.set_column(2, "object", pa.array(["c"]))], out=tmp_path / "all.clew")
        assert sorted(again.hop("a")) == ["b", "c"]

    def test_an_empty_list(self) -> None:
        with pytest.raises(InputError, match="the list of sources is empty"):
            stage([], problems=Problems())


def _read_pairs(source: str, *, problems: Problems, progress: Progress = silent) -> Staged:
    """A reader as a user writes one, with plain string columns."""
    rows = [line.split() for line in Path(source).read_text("utf-8").splitlines()]
    names = ("subject", "relation", "object")
    return Staged(pa.table({name: pa.array([row[at] for row in rows], pa.string()) for at, name in enumerate(names)}))


def test_a_reader_of_ones_own_is_handed_in_and_merges_with_tables(tmp_path: Path) -> None:
    pairs, table = tmp_path / "a.pairs", tmp_path / "b.csv"
    pairs.write_text("alpha knows beta\n")
    table.write_text("subject,relation,object\nbeta,knows,gamma\nalpha,knows,beta\n")
    alone = clew.build(str(pairs), format=_read_pairs, out=tmp_path / "alone.clew")
    assert list(alone.hop("alpha")) == ["beta"]
    staged = _read_pairs(str(pairs), problems=Problems())
    for order, sources in enumerate(([staged, str(table)], [str(table), staged])):
        merged = clew.build(sources, out=tmp_path / f"{order}.clew")
        assert list(merged.hop("alpha", 2)) == ["gamma"]
        assert merged.counts["triples"] == 2
    with pytest.raises(InputError, match="for tables only; the _read_pairs format"):
        clew.build(str(pairs), format=_read_pairs, delimiter=";", out=tmp_path / "refused.clew")


def test_a_flag_on_a_relation_that_no_triple_has_is_noted(tmp_path: Path) -> None:
    problems = Problems()
    table = pa.table({"subject": ["a"], "relation": ["rival of"], "object": ["b"]})
    stage(table, relations=[Relation("rival_of", symmetric=True)], problems=problems)
    assert problems.difference_examples == ["rival_of: relation without triples: did you mean 'rival of'?"]
