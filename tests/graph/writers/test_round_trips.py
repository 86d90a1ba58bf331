"""What is written can be read back: Parquet to the same graph, KGX to the same statements, whatever the names are."""

import tempfile
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clew
from clew.graph import Graph, Relation, Source, Staged
from clew.graph.contents import read_triples
from clew.graph.readers.biolink import SYMMETRIC_PREDICATES
from clew.graph.readers.kgx import ASSERTION_COLUMNS
from clew.graph.reading import GraphReader
from clew.graph.writers import WRITERS
from clew.graph.writers.losses import CARRIED, FEATURES, left_out
from clew.graph.writers.networkx import to_networkx
from effort import examples

RELATIONS = (
    Relation("is_a", transitive=True, inverse="has_kind"),
    Relation("resembles", symmetric=True),
    Relation("lacks", negated=True),
    Relation("has | odd\t\"name'\n"),
)
TEXT = pa.string()
SOURCES = (Source("S", curated=True), Source("T", "2", "CC0", "https://t.example", "thank T"))
ODD = ("", "|", '"', "\n", "\r\n", "\t", "\x00", "𝔊", "é", ",", "'; --", "\\", " ", "\u2028", "%7C", "\ufeff")

words = st.builds("".join, st.lists(st.sampled_from((*ODD, "a", "B", "7")), max_size=5))
texts = words.filter(lambda word: word != "")
lists = st.none() | st.lists(texts, max_size=3)


def optional(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    return st.none() | values


@st.composite
def tables(draw: st.DrawFn) -> tuple[pa.Table, pa.Table]:
    """A table of triples and a table of entities, some of which no triple has."""
    count = draw(st.integers(1, 7))
    ids = [f"X:{number}{draw(words)}" for number in range(count)]
    rows = draw(
        st.lists(
            st.fixed_dictionaries(
                {
                    "subject": st.sampled_from(ids),
                    "relation": st.sampled_from([relation.name for relation in RELATIONS]),
                    "object": st.sampled_from(ids),
                    "source": st.sampled_from((None, "S", "T")),
                    "document": optional(texts),
                    "evidence": lists,
                    "valid_from": optional(st.dates(date(1, 1, 1), date(9999, 12, 31))),
                    "confidence": optional(st.floats(0, 1)),
                    "negated": st.sampled_from((None, False, True)),
                    "qualifier:frequency": optional(texts),
                }
            ),
            max_size=12,
        )
    )
    types = {"evidence": pa.list_(pa.string()), "valid_from": pa.date32(), "confidence": pa.float64()}
    names = ("subject", "relation", "object", "source", "document", *types, "negated", "qualifier:frequency")
    types["negated"] = pa.bool_()
    triples = {name: pa.array([row[name] for row in rows], types.get(name, pa.string())) for name in names}
    entities = {
        "id": pa.array(ids, pa.string()),
        "name": pa.array([draw(optional(words)) for _ in ids], pa.string()),
        "type": pa.array([draw(st.sampled_from((None, "Gene", "Dis ease", "Gène"))) for _ in ids], pa.string()),
        "synonyms": pa.array([draw(lists) for _ in ids], pa.list_(pa.string())),
        "remark": pa.array([draw(optional(texts)) for _ in ids], pa.string()),
    }
    return pa.table(triples), pa.table(entities)


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as name:
        yield Path(name)


def build(given: tuple[pa.Table, pa.Table], out: Path) -> Graph:
    return clew.build(given[0], entities=given[1], relations=RELATIONS, sources=SOURCES, out=out, overwrite=True)._graph


def build_again(source: Path, out: Path) -> Graph:
    """A graph built from an export, or from a graph."""
    return clew.build(source, out=out)._graph


def assert_same(graph: Graph, other: Graph) -> None:
    """Entities, their numbers and details, triples, their assertions, the schema and the sources are the same."""
    assert other.entities.equals(graph.entities)
    everyone = range(graph.entity_count)
    assert other.details(everyone).equals(graph.details(everyone))
    assert other.forward.offsets.tolist() == graph.forward.offsets.tolist()
    assert other.forward.end.tolist() == graph.forward.end.tolist()
    assert other.forward.relation.tolist() == graph.forward.relation.tolist()
    assert other.schema == graph.schema
    assert other.manifest.sources == graph.manifest.sources
    assert other.adjacency.forward.neighbour.tolist() == graph.adjacency.forward.neighbour.tolist()
    assert other.assertions.offsets.tolist() == graph.assertions.offsets.tolist()
    assert said(other).equals(said(graph))


def said(graph: Graph) -> pa.Table:
    """The columns of the assertions, by name."""
    table = graph.assertions.table
    columns = {name: table[name] for name in sorted(table.column_names)}
    encoded = {name for name, column in columns.items() if pa.types.is_dictionary(column.type)}
    return pa.table({name: column.cast(TEXT) if name in encoded else column for name, column in columns.items()})


def statements(graph: Graph, *, escaped: bool) -> list[str]:
    """Every assertion with its triple, as far as KGX has words for it; `escaped` says that lists went through TSV."""
    ids = graph.entities["id"]
    triple = np.repeat(np.arange(graph.triple_count), np.diff(graph.assertions.offsets))
    subject = np.repeat(np.arange(graph.entity_count), np.diff(graph.forward.offsets))[triple]
    names = pa.array([relation.name for relation in graph.schema.relations], TEXT)
    relation = names.take(pa.array(graph.forward.relation[triple]))
    ends = [ids.take(pa.array(number)) for number in (subject, graph.forward.end[triple])]
    either = pc.is_in(relation, value_set=pa.array(sorted(SYMMETRIC_PREDICATES)))  # KGX gives these no direction
    columns = {
        "subject": pc.if_else(either, pc.min_element_wise(*ends), ends[0]),
        "relation": relation,
        "object": pc.if_else(either, pc.max_element_wise(*ends), ends[1]),
        "negated": pa.array(["false"] * len(triple), TEXT),
    }
    table = said(graph)
    for name in table.column_names:
        column = table[name].combine_chunks()
        if name == "evidence":
            column = pc.binary_join(column, "\x1e")
            column = pc.replace_substring(column, "|", "%7C") if escaped else column
        if name == "negated":
            column = column.fill_null(False)
        if (name in ASSERTION_COLUMNS or name.startswith("qualifier:")) and column.null_count < len(column):
            columns[name] = column.cast(TEXT).fill_null("\x1d")
    lines = pc.binary_join_element_wise(*(columns[name] for name in sorted(columns)), "\x1f")
    return sorted(set(lines.to_pylist()))  # those that differ in what KGX does not say are one


def through_tsv(items: Any) -> tuple[str, ...]:
    return tuple(item.replace("|", "%7C") for item in items or ())


def described(graph: Graph, *, escaped: bool, columns: tuple[str, ...]) -> dict[str, Any]:
    found = {}
    for row, more in zip(graph.entities.to_pylist(), graph.details(range(graph.entity_count)).to_pylist(), strict=True):
        synonyms = through_tsv(more.get("synonyms")) if escaped else tuple(more.get("synonyms") or ())
        found[row["id"]] = (row["name"], row["type"], synonyms, *(more.get(name) for name in columns))
    return found


class TestParquet:
    def test_the_human_phenotype_ontology(self, hpo: Path, tmp_path: Path) -> None:
        graph = Graph(hpo)
        WRITERS.load("parquet")(GraphReader(graph), tmp_path / "out")
        assert_same(graph, again := build_again(tmp_path / "out", tmp_path / "again.clew"))
        WRITERS.load("parquet")(GraphReader(again), tmp_path / "third")
        third = build_again(tmp_path / "third", tmp_path / "third.clew")
        assert third.manifest.snapshot == again.manifest.snapshot
        assert_same(graph, build_again(hpo, tmp_path / "copy.clew"))

    @given(tables())
    @settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    def test_any_graph(self, given: tuple[pa.Table, pa.Table]) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            graph = build(given, folder / "made.clew")
            WRITERS.load("parquet")(GraphReader(graph), folder / "out")
            assert_same(graph, build_again(folder / "out", folder / "again.clew"))
            assert_same(graph, build_again(folder / "made.clew", folder / "copy.clew"))

    def test_properties_called_like_other_columns_stay_properties(self, folder: Path) -> None:
        """A property `synonym` is no list of synonyms, `category` no type and `label` no name."""
        entities = pa.table({"id": ["a"], "name": ["A"], "synonym": ["x|y"], "category": ["c"], "label": ["l"]})
        triples = pa.table({"subject": ["a"], "relation": ["is_a"], "object": ["a"], "qualifier:predicate": ["q"]})
        graph = clew.build(Staged(triples, entities), out=folder / "made.clew")._graph
        WRITERS.load("parquet")(GraphReader(graph), folder / "out")
        assert_same(graph, build_again(folder / "out", folder / "again.clew"))
        assert_same(graph, build_again(folder / "made.clew", folder / "copy.clew"))

    def test_the_order_does_not_depend_on_how_often_a_triple_is_stated(self, folder: Path) -> None:
        """Repeats collapse; had they counted as in-degree, the graph built again would number its entities anew."""
        ends = [("a", "x")] * 3 + [("a", "y"), ("b", "y")]
        triples = pa.table({"subject": [s for s, _ in ends], "relation": ["is_a"] * 5, "object": [o for _, o in ends]})
        graph = build((triples, pa.table({"id": list("abxy")})), folder / "made.clew")
        assert graph.entities["id"].to_pylist() == ["y", "x", "a", "b"]
        WRITERS.load("parquet")(GraphReader(graph), folder / "out")
        assert_same(graph, build_again(folder / "out", folder / "again.clew"))

    def test_many_blocks(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("clew.graph.writers.blocks.BLOCK_ROWS", 7)
        count = 40
        triples = pa.table(
            {
                "subject": [f"n{i % 13}" for i in range(count)],
                "relation": ["is_a"] * count,
                "object": [f"n{i * 7 % 29}" for i in range(count)],
                "source": [f"s{i % 3}" for i in range(count)],
            }
        )
        entities = pa.table({"id": [f"n{i}" for i in range(30)], "weight": list(range(30))})
        graph = build((triples, entities), folder / "made.clew")
        WRITERS.load("parquet")(GraphReader(graph), folder / "out")
        assert pq.ParquetFile(folder / "out" / "triples.parquet").num_row_groups == 6
        assert_same(graph, build_again(folder / "out", folder / "again.clew"))

    @pytest.mark.parametrize("entities", [["a"], []])
    def test_a_graph_without_triples(self, folder: Path, entities: list[str]) -> None:
        nothing = pa.array([], pa.string())
        triples = pa.table({"subject": nothing, "relation": nothing, "object": nothing})
        graph = build((triples, pa.table({"id": pa.array(entities, pa.string())})), folder / "made.clew")
        WRITERS.load("parquet")(GraphReader(graph), folder / "out")
        assert_same(graph, build_again(folder / "out", folder / "again.clew"))


@pytest.mark.parametrize("form", ["kgx", pytest.param("kgx-jsonl", marks=pytest.mark.slow)])
def test_the_human_phenotype_ontology_in_kgx(hpo: Path, tmp_path: Path, form: str) -> None:
    graph = Graph(hpo)
    WRITERS.load(form)(GraphReader(graph), tmp_path / "out")
    again = clew.build(tmp_path / "out", out=tmp_path / "again.clew")._graph
    escaped = form == "kgx"
    assert statements(again, escaped=escaped) == statements(graph, escaped=escaped)
    columns = ("xrefs", "definition", "comment")
    assert described(again, escaped=escaped, columns=columns) == described(graph, escaped=escaped, columns=columns)
    assert again.schema.relations == graph.schema.relations  # what is negated stays so, and is not walked
    assert again.manifest.sources == graph.manifest.sources


@pytest.mark.parametrize("form", ["kgx", "kgx-jsonl"])
class TestKgx:
    @given(given=tables())
    @settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    def test_any_graph(self, form: str, given: tuple[pa.Table, pa.Table]) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            graph = build(given, folder / "made.clew")
            WRITERS.load(form)(GraphReader(graph), folder / "out")
            again = clew.build(folder / "out", out=folder / "again.clew")._graph
            escaped = form == "kgx"
            assert statements(again, escaped=escaped) == statements(graph, escaped=escaped)
            columns = ("remark",)
            found = described(again, escaped=escaped, columns=columns)
            assert found == described(graph, escaped=escaped, columns=columns)


def exact_statements(graph: Graph) -> list[str]:
    """Every statement with all that it says, as text."""
    reader = GraphReader(graph)
    ids = graph.entities["id"].to_pylist()
    names = [relation.name for relation in graph.schema.relations]
    rows = []
    for row in read_triples(reader, assertions=True).to_pylist():
        ends = ids[row.pop("subject")], names[row.pop("relation")], ids[row.pop("object")]
        del row["number"]
        said = sorted((name, value) for name, value in row.items() if value is not None)
        rows.append(repr((ends, said)))
    return sorted(rows)


def flags(graph: Graph) -> dict[str, tuple[bool, bool, bool, str | None]]:
    return {r.name: (r.negated, r.symmetric, r.transitive, r.inverse) for r in graph.schema.relations}


def is_printable(given: tuple[pa.Table, pa.Table]) -> bool:
    """Whether XML has words for every character."""
    return "\\x00" not in repr(given[0].to_pylist()) + repr(given[1].to_pylist())


class TestPropertyGraphs:
    """neo4j-admin CSV, GraphML and NetworkX keep every statement."""

    @staticmethod
    def assert_same(again: Graph, graph: Graph) -> None:
        assert exact_statements(again) == exact_statements(graph)
        columns = ("remark",)
        wanted = described(graph, escaped=False, columns=columns)
        assert described(again, escaped=False, columns=columns) == wanted
        assert flags(again) == flags(graph)
        assert set(again.manifest.sources) == set(graph.manifest.sources)

    @given(given=tables())
    @settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    def test_any_graph(self, given: tuple[pa.Table, pa.Table]) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            graph = build(given, folder / "made.clew")
            network = clew.build(to_networkx(GraphReader(graph)), out=folder / "network.clew")._graph
            self.assert_same(network, graph)
            WRITERS.load("neo4j")(GraphReader(graph), folder / "neo4j")
            self.assert_same(clew.build(folder / "neo4j", out=folder / "again.clew")._graph, graph)
            if is_printable(given):
                written = WRITERS.load("graphml")(GraphReader(graph), folder / "graphml")
                self.assert_same(clew.build(written[0], out=folder / "third.clew")._graph, graph)

    def test_other_programs_read_it(self, folder: Path) -> None:
        triples = pa.table({"subject": ["a"], "relation": ["is_a"], "object": ["b"], "confidence": [0.5]})
        entities = pa.table(
            {"id": ["a", "b"], "name": ["A \x01 &", None], "size": [1, None], "synonyms": [["x;y", "z"], None]}
        )
        graph = GraphReader(build((triples, entities), folder / "made.clew"))
        written = WRITERS.load("graphml")(graph, folder / "graphml")
        network = networkx.read_graphml(written[0])
        assert network.nodes["a"] == {"name": "A \ufffd &", "type": "Entity", "size": 1, "synonyms": '["x;y", "z"]'}
        assert list(network.edges(data=True)) == [("a", "b", {"relation": "is_a", "confidence": 0.5})]
        WRITERS.load("neo4j")(graph, folder / "neo4j")
        header = (folder / "neo4j" / "nodes-header.csv").read_text()
        assert header == '"id:ID","name:string",":LABEL","synonyms:string[]","size:long"\n'
        rows = (folder / "neo4j" / "nodes.csv").read_text().splitlines()
        assert rows == ['"b","b","Entity",,', '"a","A \x01 &","Entity","x;y\x1fz","1"']
        assert "neo4j-admin database import full" in (folder / "neo4j" / "import.txt").read_text()


def test_tensors(folder: Path) -> None:
    triples = pa.table(
        {"subject": ["a", "b"], "relation": ["is_a", "lacks"], "object": ["b", "a"], "negated": [False, True]}
    )
    graph = GraphReader(build((triples, pa.table({"id": ["a", "b"], "type": ["X", "Y"]})), folder / "made.clew"))
    WRITERS.load("tensors")(graph, folder / "out")
    index, kind = (np.load(folder / "out" / f"{name}.npy") for name in ("edge_index", "edge_type"))
    ids = pq.read_table(folder / "out" / "entities.parquet")["id"].to_pylist()
    names = pq.read_table(folder / "out" / "relations.parquet")["name"].to_pylist()
    types = pq.read_table(folder / "out" / "types.parquet")["type"].to_pylist()
    assert [(ids[s], names[r], ids[o]) for (s, o), r in zip(index.T.tolist(), kind.tolist(), strict=True)] == [
        ("a", "is_a", "b")
    ]
    assert index.dtype == np.int64
    node_type = np.load(folder / "out" / "node_type.npy")
    assert {ids[at]: types[number] for at, number in enumerate(node_type.tolist())} == {"a": "X", "b": "Y"}


class TestNTriples:
    """Names, types, synonyms, properties, triples and flags come back; statements do not."""

    @staticmethod
    def triples(graph: Graph) -> set[tuple[str, str, str]]:
        reader = GraphReader(graph)
        ids = graph.entities["id"].to_pylist()
        names = [relation.name for relation in graph.schema.relations]
        table = read_triples(reader, assertions=["negated"])
        negated = table["negated"].to_pylist() if "negated" in table.column_names else [None] * table.num_rows
        rows = zip(*(table[name].to_pylist() for name in ("subject", "relation", "object")), negated, strict=True)
        return {(ids[subject], names[relation], ids[object_]) for subject, relation, object_, no in rows if not no}

    @given(given=tables())
    @settings(max_examples=examples(25), deadline=None, suppress_health_check=[HealthCheck.too_slow])
    def test_any_graph(self, given: tuple[pa.Table, pa.Table]) -> None:
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            graph = build(given, folder / "made.clew")
            (written,) = WRITERS.load("n-triples")(GraphReader(graph), folder / "out")
            again = clew.build(written, out=folder / "again.clew")._graph
            assert self.triples(again) == self.triples(graph)
            found = described(again, escaped=False, columns=("remark",))
            wanted = described(graph, escaped=False, columns=("remark",))
            unordered = {
                identifier: (name, kind, sorted(set(synonyms)), remark)
                for identifier, (name, kind, synonyms, remark) in wanted.items()
            }
            assert unordered == {
                identifier: (name, kind, sorted(set(synonyms)), remark)
                for identifier, (name, kind, synonyms, remark) in found.items()
            }
            used = {relation for _, relation, _ in self.triples(graph)}
            flags = {r.name: (r.negated, r.symmetric, r.transitive, r.inverse) for r in graph.schema.relations}
            assert {r.name: (r.negated, r.symmetric, r.transitive, r.inverse) for r in again.schema.relations} == {
                name: flags[name] for name in used
            }

    def test_the_iris_of_others(self, folder: Path) -> None:
        triples = pa.table({"subject": ["HP:0001250"], "relation": ["is_a"], "object": ["NCBIGene:2200"]})
        graph = build((triples, pa.table({"id": ["HP:0001250", "NCBIGene:2200"]})), folder / "made.clew")
        (written,) = WRITERS.load("n-triples")(GraphReader(graph), folder / "out")
        ends = "<http://purl.obolibrary.org/obo/HP_0001250> <http://www.w3.org/2000/01/rdf-schema#subClassOf>"
        assert f"{ends} <http://identifiers.org/ncbigene/2200> .\n" in written.read_text()

    def test_what_is_left_out_is_listed(self, folder: Path) -> None:
        triples = pa.table({"subject": ["a", "a"], "relation": ["r", "r"], "object": ["b", "b"], "source": ["S", "T"]})
        graph = GraphReader(build((triples, pa.table({"id": ["a", "b"], "weight": [1, 2]})), folder / "made.clew"))
        assert left_out("parquet", graph) == []
        assert left_out("kgx", graph) == ["types of values (weight), which become text"]
        assert left_out("n-triples", graph) == [
            "types of values (weight), which become text",
            "what statements say (source); 1 further statements of the same triples",
            "records of sources (S, T)",
        ]
        assert set(CARRIED) == set(WRITERS)


def test_the_page_says_what_exports_carry() -> None:
    page = (Path(__file__).resolve().parents[3] / "docs" / "formats.md").read_text("utf-8")
    table = page[page.index("| | parquet") :].split("\n\n")[0].splitlines()
    formats = [cell.strip() for cell in table[0].strip("|").split("|")][1:]
    said = {row.strip("|").split("|")[0].strip(): row.strip("|").split("|")[1:] for row in table[2:]}
    assert set(formats) == set(WRITERS)
    assert {feature: [cell.strip() == "yes" for cell in cells] for feature, cells in said.items()} == {
        feature: [feature in CARRIED[name] for name in formats] for feature in FEATURES
    }
