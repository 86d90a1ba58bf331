"""What the files of each format look like, and that a writer leaves whole files, the old ones, or nothing."""

import json
import logging
from datetime import date
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import clew
from clew.errors import DamagedGraph, GraphError, UnknownName
from clew.graph import Graph, Relation
from clew.graph.storage.snapshots import snapshot_folder
from clew.graph.writers import WRITERS


def make(out: Path, *, name: str = "FBN1", synonym: str = "fibrillin", **properties: object) -> clew.Engine:
    """Two entities and one triple that two sources state."""
    triples = pa.table(
        {
            "subject": ["HGNC:1", "HGNC:1"],
            "relation": ["causes", "causes"],
            "object": ["MONDO:1", "MONDO:1"],
            "source": ["infores:a", "infores:b"],
            "evidence": pa.array([["PMID:1", "PMID:2"], None], pa.list_(pa.string())),
            "confidence": [0.1, None],
            "negated": [False, True],
            "valid_from": [date(2020, 1, 31), None],
            "qualifier:frequency": ["rare", None],
        }
    )
    further = {key: pa.array([value, None]) for key, value in properties.items()}
    entities = pa.table(
        {
            "id": ["HGNC:1", "MONDO:1"],
            "name": [name, "Marfan"],
            "type": ["Gene", None],
            "synonyms": [[synonym, "MFS1"], None],
            **further,
        }
    )
    return clew.build(
        triples, entities=entities, relations=[Relation("causes", inverse="caused_by")], out=out, overwrite=True
    )


def lines(path: Path) -> list[list[str]]:
    return [line.split("\t") for line in path.read_text("utf-8").splitlines()]


class TestTsv:
    def test_nodes(self, tmp_path: Path) -> None:
        files = WRITERS.load("kgx")(make(tmp_path / "small.clew", rank=7), tmp_path / "out")
        assert [file.name for file in files] == ["small_nodes.tsv", "small_edges.tsv", "small_relations.json"]
        assert lines(files[0]) == [  # hubs first
            ["id", "category", "name", "synonym", "rank"],
            ["MONDO:1", "biolink:Entity", "Marfan", "", ""],
            ["HGNC:1", "biolink:Gene", "FBN1", "fibrillin|MFS1", "7"],
        ]

    def test_edges_one_for_each_assertion(self, tmp_path: Path) -> None:
        graph = make(tmp_path / "small.clew")
        _, edges, _ = WRITERS.load("kgx")(graph, tmp_path / "out")
        header, first, second = lines(edges)
        assert dict(zip(header, first, strict=True)) == {
            "id": f"clew:{graph.snapshot.id}-0",
            "subject": "HGNC:1",
            "predicate": "biolink:causes",
            "object": "MONDO:1",
            "primary_knowledge_source": "infores:a",
            "publications": "PMID:1|PMID:2",
            "negated": "false",
            "has_confidence_score": "0.1",
            "frequency_qualifier": "rare",
            "valid_from": "2020-01-31",
        }
        assert second[1:] == ["HGNC:1", "biolink:causes", "MONDO:1", "infores:b", "", "true", "", "", ""]

    def test_quotes_only_where_they_are_needed(self, tmp_path: Path) -> None:
        nodes, *_ = WRITERS.load("kgx")(make(tmp_path / "a.clew", name='"so-called" FBN1'), tmp_path / "plain")
        assert lines(nodes)[2][2] == '"so-called" FBN1'
        nodes, edges, _ = WRITERS.load("kgx")(make(tmp_path / "b.clew", name='tab\tand "quote"'), tmp_path / "quoted")
        assert '"id"\t"category"\t"name"\t"synonym"\n' in nodes.read_text()
        assert '"HGNC:1"\t"biolink:Gene"\t"tab\tand ""quote"""\t"fibrillin|MFS1"\n' in nodes.read_text()
        assert edges.read_text().startswith("id\tsubject\t")

    def test_a_separator_inside_an_item_is_replaced_with_a_warning(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        with caplog.at_level(logging.WARNING):
            nodes, *_ = WRITERS.load("kgx")(make(tmp_path / "a.clew", synonym="a|b"), tmp_path / "out")
        assert lines(nodes)[2][3] == "a%7Cb|MFS1"
        assert [record.getMessage() for record in caplog.records] == [
            "a_nodes.tsv: 1 times a | inside an item of a list was written as %7C"
        ]

    def test_categories_of_a_kgx_file_come_back(self, tmp_path: Path) -> None:
        (tmp_path / "in_nodes.tsv").write_text(
            "id\tcategory\nA:1\tbiolink:NamedThing|biolink:Gene\nA:2\tbiolink:Gene\n"
        )
        (tmp_path / "in_edges.tsv").write_text("subject\tpredicate\tobject\nA:1\tbiolink:causes\tA:2\n")
        graph = clew.build(tmp_path / "in", out=tmp_path / "in.clew")
        nodes, *_ = WRITERS.load("kgx")(graph, tmp_path / "out")
        assert {row[0]: row[1] for row in lines(nodes)[1:]} == {
            "A:1": "biolink:NamedThing|biolink:Gene",
            "A:2": "biolink:Gene",
        }

    def test_properties_never_pose_as_categories(self, tmp_path: Path) -> None:
        graph = make(tmp_path / "a.clew", category="best", categories="many")
        nodes, *_ = WRITERS.load("kgx")(graph, tmp_path / "out")
        row = dict(zip(*lines(nodes)[::2], strict=True))
        assert (row["category"], row["category_property"], row["categories_property"]) == (
            "biolink:Gene",
            "best",
            "many",
        )

    def test_properties_of_any_type_are_written(self, tmp_path: Path) -> None:
        graph = make(tmp_path / "a.clew", place={"chromosome": 15}, weight=0.5, good=True, parts=[1, 2])
        nodes, *_ = WRITERS.load("kgx")(graph, tmp_path / "out")
        row = dict(zip(*lines(nodes)[::2], strict=True))
        assert row["place"] == '{"chromosome": 15}'
        assert (row["weight"], row["good"], row["parts"]) == ("0.5", "true", "1|2")


class TestJsonLines:
    def test_absent_values_are_left_out_and_others_keep_their_type(self, tmp_path: Path) -> None:
        graph = make(tmp_path / "a.clew", rank=7, weight=float("nan"), synonym='a|b "c"\n')
        nodes, edges, _ = WRITERS.load("kgx-jsonl")(graph, tmp_path / "out")
        assert [json.loads(line) for line in nodes.read_text().splitlines()] == [
            {"id": "MONDO:1", "category": ["biolink:Entity"], "name": "Marfan"},
            {
                "id": "HGNC:1",
                "category": ["biolink:Gene"],
                "name": "FBN1",
                "synonym": ['a|b "c"', "MFS1"],
                "rank": 7,
            },
        ]
        first, second = (json.loads(line) for line in edges.read_text().splitlines())
        assert first["publications"] == ["PMID:1", "PMID:2"]
        assert (first["has_confidence_score"], first["negated"], first["valid_from"]) == (0.1, False, "2020-01-31")
        assert "publications" not in second
        assert second["negated"] is True


class TestParquet:
    def test_relations_and_sources_are_what_was_declared(self, tmp_path: Path) -> None:
        WRITERS.load("parquet")(make(tmp_path / "a.clew"), tmp_path / "out")
        relations = pq.read_table(tmp_path / "out" / "relations.parquet").to_pylist()
        assert [Relation(**row) for row in relations] == [Relation("causes", inverse="caused_by")]
        assert pq.read_table(tmp_path / "out" / "sources.parquet").num_rows == 0

    def test_one_row_for_each_assertion_with_names(self, tmp_path: Path) -> None:
        WRITERS.load("parquet")(make(tmp_path / "a.clew"), tmp_path / "out")
        rows = pq.read_table(tmp_path / "out" / "triples.parquet").to_pylist()
        assert [(row["subject_name"], row["object_name"], row["source"]) for row in rows] == [
            ("FBN1", "Marfan", "infores:a"),
            ("FBN1", "Marfan", "infores:b"),
        ]


@pytest.mark.parametrize("form", list(WRITERS))
class TestEveryFormat:
    def test_what_stands_there_is_replaced_only_when_asked(self, tmp_path: Path, form: str) -> None:
        graph, write = make(tmp_path / "a.clew"), WRITERS.load(form)
        files = write(graph, tmp_path / "out")
        assert sorted((tmp_path / "out").iterdir()) == sorted(files)
        with pytest.raises(GraphError, match="already exists"):
            write(graph, tmp_path / "out")
        assert write(graph, tmp_path / "out", overwrite=True) == files

    def test_a_directory_that_is_no_export_is_never_replaced(self, tmp_path: Path, form: str) -> None:
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "thesis.txt").write_text("years of work")
        with pytest.raises(GraphError, match="is not replaced"):
            WRITERS.load(form)(make(tmp_path / "a.clew"), tmp_path / "mine", overwrite=True)
        assert (tmp_path / "mine" / "thesis.txt").read_text() == "years of work"

    def test_damage_is_not_passed_on(self, tmp_path: Path, form: str) -> None:
        graph = make(tmp_path / "a.clew")
        file = snapshot_folder(graph.snapshot.folder) / "details.parquet"
        content = bytearray(file.read_bytes())
        content[20] ^= 1
        file.write_bytes(content)
        with pytest.raises(DamagedGraph, match=r"details\.parquet: block 0"):
            WRITERS.load(form)(clew.open(graph.snapshot.folder), tmp_path / "out")
        assert not (tmp_path / "out").exists()

    def test_a_writer_that_fails_leaves_nothing(
        self, tmp_path: Path, form: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        graph = make(tmp_path / "a.clew")
        before = sorted(tmp_path.iterdir())

        def full(*_: object) -> None:
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(Graph, "triples_at", full)
        with pytest.raises(GraphError, match="No space left on device"):
            WRITERS.load(form)(graph, tmp_path / "out")
        assert sorted(tmp_path.iterdir()) == before

    def test_progress_is_reported(self, tmp_path: Path, form: str) -> None:
        told: list[tuple[str, int, int | None]] = []
        WRITERS.load(form)(make(tmp_path / "a.clew"), tmp_path / "out", progress=lambda *each: told.append(each))
        assert len({task for task, _, _ in told}) == 2  # entities and triples
        assert [each[1:] for each in told] == [(0, 1), (1, 1)] * 2


def test_an_unknown_format_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match=r"no export format is called 'kxg'.*kgx, kgx-jsonl, parquet"):
        WRITERS.load("kxg")
