"""KGX in TSV and JSON Lines: both forms of one graph read alike, bad lines are named, vocabulary is mapped."""

import gzip
import json
import logging
from pathlib import Path
from typing import Any

import pytest

from clew.errors import BuildError, InputError
from clew.graph.readers import json_lines, kgx
from clew.graph.staging import Problems, Relation, Staged

NODES = [
    {
        "id": "MONDO:1",
        "category": ["biolink:NamedThing", "biolink:Disease", "biolink:DiseaseOrPhenotypicFeature"],
        "name": 'so-called "Marfan" | syndrome 😀',
        "synonym": ["MFS", "Marfan's"],
        "xref": ["OMIM:154700"],
        "description": '"quoted',
    },
    {"id": "HGNC:1", "category": ["biolink:Gene"], "name": "FBN1"},
]
EDGES = [
    {
        "subject": "HGNC:1",
        "predicate": "biolink:contributes_to",
        "object": "MONDO:1",
        "primary_knowledge_source": "infores:omim",
        "knowledge_level": "knowledge_assertion",
        "agent_type": "manual_agent",
        "publications": ["PMID:1", "PMID:2"],
        "negated": False,
        "frequency_qualifier": "HP:0040281",
        "subject_aspect_qualifier": "activity",
        "has_confidence_score": 0.75,
        "weird": "x",
    },
    {
        "subject": "MONDO:1",
        "predicate": "biolink:interacts_with",
        "object": "HGNC:1",
        "publications": ["PMID:3"],
        "negated": True,
    },
]


def write_tsv(path: Path, records: list[dict[str, Any]]) -> Path:
    columns = list(dict.fromkeys(name for record in records for name in record))
    lines = [columns]
    for record in records:
        cells = [record.get(name, "") for name in columns]
        lines.append(["|".join(cell) if isinstance(cell, list) else str(cell) for cell in cells])
    path.write_text("".join("\t".join(line) + "\n" for line in lines), "utf-8")
    return path


def write_json_lines(path: Path, records: list[Any]) -> Path:
    text = "".join((record if isinstance(record, str) else json.dumps(record)) + "\n" for record in records)
    path.write_bytes(gzip.compress(text.encode()) if path.suffix == ".gz" else text.encode())
    return path


def write_graph(folder: Path, form: str) -> tuple[Path, Path]:
    write = write_tsv if form == "tsv" else write_json_lines
    return write(folder / f"g_nodes.{form}", NODES), write(folder / f"g_edges.{form}", EDGES)


def read_clean(nodes: Any, edges: Any) -> Staged:
    problems = Problems()
    staged = kgx.read_files(nodes, edges, problems=problems)
    problems.settle()
    return staged


class TestBothForms:
    @pytest.mark.parametrize("form", ["tsv", "jsonl", "jsonl.gz"])
    def test_edges_become_assertions(self, tmp_path: Path, form: str) -> None:
        triples = read_clean(*write_graph(tmp_path, form)).triples
        assert triples.to_pydict() == {
            "subject": ["HGNC:1", "MONDO:1"],
            "relation": ["contributes_to", "interacts_with"],
            "object": ["MONDO:1", "HGNC:1"],
            "source": ["infores:omim", None],
            "evidence": [["PMID:1", "PMID:2"], ["PMID:3"]],
            "knowledge_level": ["knowledge_assertion", None],
            "agent_type": ["manual_agent", None],
            "confidence": [0.75, None],
            "negated": [False, True],
            "qualifier:frequency": ["HP:0040281", None],
            "qualifier:subject_aspect": ["activity", None],
        }

    @pytest.mark.parametrize("form", ["tsv", "jsonl", "jsonl.gz"])
    def test_nodes_become_entities(self, tmp_path: Path, form: str) -> None:
        entities = read_clean(*write_graph(tmp_path, form)).entities
        assert entities is not None
        assert entities.to_pydict() == {
            "id": ["MONDO:1", "HGNC:1"],
            "name": ['so-called "Marfan" | syndrome 😀', "FBN1"],
            "type": ["Disease", "Gene"],
            "synonyms": [["MFS", "Marfan's"], None],
            "xrefs": [["OMIM:154700"], None],
            "description": ['"quoted', None],
            "categories": [["NamedThing", "Disease", "DiseaseOrPhenotypicFeature"], ["Gene"]],
        }

    @pytest.mark.parametrize("form", ["tsv", "jsonl"])
    def test_what_was_observed_in_none_is_negated(self, tmp_path: Path, form: str) -> None:
        nodes, edges = write_graph(tmp_path, form)
        counts: list[dict[str, Any]] = [
            {"has_count": 0, "has_total": 32},
            {"has_count": 3, "has_total": 32},
            {"has_percentage": 0.0, "negated": False},
            {"negated": True},
        ]
        write = write_tsv if form == "tsv" else write_json_lines
        write(
            edges, [{"subject": "MONDO:1", "predicate": "biolink:has_phenotype", "object": "HP:1", **c} for c in counts]
        )
        triples = read_clean(nodes, edges).triples
        assert [bool(each) for each in triples["negated"].to_pylist()] == [True, False, True, True]
        assert triples["qualifier:has_total"].to_pylist() == ["32", "32", None, None]

    def test_several_files_of_both_forms(self, tmp_path: Path) -> None:
        tsv, lines = write_graph(tmp_path, "tsv"), write_graph(tmp_path, "jsonl")
        staged = read_clean([tsv[0], lines[0]], [tsv[1], lines[1]])
        assert staged.triples["evidence"].to_pylist() == [["PMID:1", "PMID:2"], ["PMID:3"]] * 2
        assert staged.entities is not None
        assert staged.entities["type"].to_pylist() == ["Disease", "Gene"] * 2
        expected = [f"{tsv[1]}:2", f"{tsv[1]}:3", f"{lines[1]}:1", f"{lines[1]}:2"]
        assert [staged.triple_origin(row) for row in range(4)] == expected

    @pytest.mark.parametrize("form", ["tsv", "jsonl"])
    def test_unknown_columns_are_logged(self, tmp_path: Path, form: str, caplog: pytest.LogCaptureFixture) -> None:
        with caplog.at_level(logging.INFO):
            read_clean(*write_graph(tmp_path, form))
        assert f"g_edges.{form}: columns left out: weird" in caplog.text

    def test_quotes_count_only_where_the_column_names_are_quoted(self, tmp_path: Path) -> None:
        nodes, _ = write_graph(tmp_path, "tsv")
        edges = tmp_path / "edges.tsv"
        edges.write_text('"subject"\t"predicate"\t"object"\n"a\tb"\t"p"\t"c ""d"""\n')
        assert read_clean(nodes, edges).triples.to_pylist() == [{"subject": "a\tb", "relation": "p", "object": 'c "d"'}]
        edges.write_text('subject\tpredicate\tobject\n"a"\tp\t"c" d\n')
        assert read_clean(nodes, edges).triples.to_pylist() == [{"subject": '"a"', "relation": "p", "object": '"c" d'}]


class TestVocabulary:
    def test_only_symmetric_predicates_are_declared(self, tmp_path: Path) -> None:
        nodes, _ = write_graph(tmp_path, "tsv")
        names = ["biolink:treats", "same_as", "biolink:genetically_interacts_with", "subclass_of"]
        edges = write_tsv(tmp_path / "e.tsv", [{"subject": "a", "predicate": name, "object": "b"} for name in names])
        assert read_clean(nodes, edges).relations == [
            Relation("genetically_interacts_with", symmetric=True),
            Relation("same_as", symmetric=True),
        ]

    @pytest.mark.parametrize(
        ("category", "expected"),
        [
            ("biolink:Gene|biolink:NamedThing", "Gene"),
            ("biolink:NamedThing|biolink:BiologicalEntity|biolink:Gene", "Gene"),
            ("biolink:Entity|biolink:NamedThing", "NamedThing"),
            ("MyOwn", "MyOwn"),
            ("", None),
        ],
    )
    def test_type_is_the_first_telling_category(self, tmp_path: Path, category: str, expected: str | None) -> None:
        nodes = write_tsv(tmp_path / "nodes.tsv", [{"id": "a", "category": category}])
        entities = read_clean(nodes, write_graph(tmp_path, "tsv")[1]).entities
        assert entities is not None
        assert entities["type"].to_pylist() == [expected]

    def test_prefixed_and_bare_predicates_are_one_relation(self, tmp_path: Path) -> None:
        names = ["biolink:treats", "treats"]
        edges = write_tsv(tmp_path / "e.tsv", [{"subject": "a", "predicate": name, "object": "b"} for name in names])
        relation = read_clean(write_graph(tmp_path, "tsv")[0], edges).triples["relation"]
        assert relation.to_pylist() == ["treats", "treats"]
        assert relation.chunk(0).dictionary.to_pylist() == ["treats"]

    def test_older_columns_stand_in(self, tmp_path: Path) -> None:
        edge = {"subject": "a", "predicate": "p", "object": "b", "provided_by": "infores:x", "score": "0.5"}
        edges = write_tsv(tmp_path / "e.tsv", [edge])
        triples = read_clean(write_graph(tmp_path, "tsv")[0], edges).triples
        assert triples["source"].to_pylist() == ["infores:x"]
        assert triples["confidence"].to_pylist() == [0.5]

    def test_a_node_column_called_type_does_not_displace_the_type(self, tmp_path: Path) -> None:
        nodes = write_tsv(tmp_path / "nodes.tsv", [{"id": "a", "category": "biolink:Gene", "type": "owl:Class"}])
        entities = read_clean(nodes, write_graph(tmp_path, "tsv")[1]).entities
        assert entities is not None
        assert entities.to_pydict() == {"id": ["a"], "type": ["Gene"], "categories": [["Gene"]]}


class TestBadLines:
    def test_tsv(self, tmp_path: Path) -> None:
        edges = tmp_path / "edges.tsv"
        edges.write_bytes(
            b'subject\tpredicate\tobject\tnegated\n"a\tp\tb\t\na\tp\n\n\tp\tb\t\na\tp\tb\tperhaps\nc\tp\td\tTrue\n'
        )
        problems = Problems(on_error="skip")
        staged = kgx.read_files(write_graph(tmp_path, "tsv")[0], edges, problems=problems)
        assert staged.triples["subject"].to_pylist() == ['"a', "c"]
        assert problems.examples == [
            f"{edges}:3: malformed row: 2 fields, expected 4",
            f"{edges}:5: malformed row: no subject",
            f"{edges}:6: malformed value: negated is 'perhaps', expected true or false (or 1/0, yes/no)",
        ]
        assert [staged.triple_origin(row) for row in range(2)] == [f"{edges}:2", f"{edges}:7"]

    def test_json_lines(self, tmp_path: Path) -> None:
        good = {"subject": "a", "predicate": "p", "object": "b"}
        edges = tmp_path / "edges.jsonl"
        lines = [
            json.dumps(good).encode(),
            b'{"subject": "a", ',
            b"",
            b'["a", "p", "b"]',
            b'{"subject": "\xff", "predicate": "p", "object": "b"}',
            b'{"subject": "\\ud800", "predicate": "p", "object": "b"}',
            b'{"subject": ["a"], "predicate": "p", "object": "b"}',
            b'{"subject": "a", "object": "b"}',
            json.dumps(good | {"object": "z\u0000😀"}).encode(),
        ]
        edges.write_bytes(b"\n".join(lines))
        problems = Problems(on_error="skip")
        staged = kgx.read_files(write_graph(tmp_path, "jsonl")[0], edges, problems=problems)
        assert staged.triples["object"].to_pylist() == ["b", "z\u0000😀"]
        assert [staged.triple_origin(row) for row in range(2)] == [f"{edges}:1", f"{edges}:9"]
        assert [example.removeprefix(f"{edges}:").split(": ")[0] for example in problems.examples] == list("245678")
        assert problems.examples[1].endswith("a JSON list, expected an object")
        assert problems.examples[-1].endswith("malformed row: no relation")
        with pytest.raises(BuildError, match=r"edges\.jsonl:2: malformed row: not JSON"):
            Problems(counts=problems.counts, examples=problems.examples).settle()

    def test_json_whose_only_fault_is_its_encoding(self, tmp_path: Path) -> None:
        edges = tmp_path / "edges.jsonl"
        edges.write_bytes(b'{"subject": "%s", "predicate": "p", "object": "b"}\n' * 2 % (b"\xff", b"a"))
        problems = Problems(on_error="skip")
        staged = kgx.read_files(write_graph(tmp_path, "jsonl")[0], edges, problems=problems)
        assert staged.triples["subject"].to_pylist() == ["a"]
        assert problems.examples == [f"{edges}:1: malformed row: bytes that are not UTF-8"]

    def test_lines_over_several_blocks(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(json_lines, "BLOCK", 100)
        records: list[Any] = [{"subject": f"s{number}", "predicate": "p", "object": "b"} for number in range(20)]
        records[7] = "{broken"
        del records[13]["object"]
        edges = write_json_lines(tmp_path / "edges.jsonl", records)
        problems = Problems(on_error="skip")
        staged = kgx.read_files(write_graph(tmp_path, "jsonl")[0], edges, problems=problems)
        kept = [number for number in range(20) if number not in (7, 13)]
        assert staged.triples["subject"].to_pylist() == [f"s{number}" for number in kept]
        assert [staged.triple_origin(row) for row in range(18)] == [f"{edges}:{number + 1}" for number in kept]
        assert [example.split(": ")[0] for example in problems.examples] == [f"{edges}:8", f"{edges}:14"]


class TestJsonValues:
    def read_property(self, tmp_path: Path, values: list[Any]) -> list[Any]:
        nodes = write_json_lines(tmp_path / "n.jsonl", [{"id": f"n{at}", "p": each} for at, each in enumerate(values)])
        entities = read_clean(nodes, write_graph(tmp_path, "jsonl")[1]).entities
        assert entities is not None
        values = entities["p"].to_pylist()
        return values

    @pytest.mark.parametrize("block", [1, 1 << 20])
    @pytest.mark.parametrize(
        ("values", "expected"),
        [
            (["2024-01-01", "2024-01-02"], ["2024-01-01", "2024-01-02"]),
            ([["2024-01-01"], []], [["2024-01-01"], []]),
            ([1, 0.5], [1.0, 0.5]),
            ([1, "x"], ["1", "x"]),
            (["2024-01-01", 5], ["2024-01-01", "5"]),
            ([None, None], [None, None]),
            ([True, None], [True, None]),
        ],
    )
    def test_properties_keep_their_values(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int, values: list[Any], expected: list[Any]
    ) -> None:
        monkeypatch.setattr(json_lines, "BLOCK", block)
        assert self.read_property(tmp_path, values) == expected

    @pytest.mark.parametrize("block", [1, 1 << 20])
    def test_category_as_text_or_list(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
        monkeypatch.setattr(json_lines, "BLOCK", block)
        records = [{"id": "a", "category": "biolink:Gene"}, {"id": "b", "category": ["biolink:Disease"]}, {"id": "c"}]
        nodes = write_json_lines(tmp_path / "n.jsonl", records)
        entities = read_clean(nodes, write_graph(tmp_path, "jsonl")[1]).entities
        assert entities is not None
        assert entities["type"].to_pylist() == ["Gene", "Disease", None]

    def test_empty_file_has_no_edges(self, tmp_path: Path) -> None:
        staged = read_clean(write_graph(tmp_path, "jsonl")[0], write_json_lines(tmp_path / "e.jsonl", []))
        assert staged.triples.num_rows == 0
        assert staged.triples.column_names == ["subject", "relation", "object"]


class TestFindFiles:
    def touch(self, folder: Path, *names: str) -> None:
        for name in names:
            (folder / name).touch()

    def test_directory(self, tmp_path: Path) -> None:
        self.touch(
            tmp_path, "b_nodes.tsv", "a_nodes.jsonl.gz", "a_edges.jsonl.gz", "edges.tsv", "nodes.txt", "readme.tsv"
        )
        assert kgx.find_files(tmp_path) == (
            (tmp_path / "a_nodes.jsonl.gz", tmp_path / "b_nodes.tsv"),
            (tmp_path / "a_edges.jsonl.gz", tmp_path / "edges.tsv"),
        )

    def test_prefix(self, tmp_path: Path) -> None:
        self.touch(tmp_path, "hpo_nodes.tsv", "hpo_edges.tsv.gz", "hpo2_nodes.tsv", "my_hpo_edges.tsv")
        assert kgx.find_files(str(tmp_path / "hpo")) == (
            (tmp_path / "hpo_nodes.tsv",),
            (tmp_path / "hpo_edges.tsv.gz",),
        )

    def test_sentences(self, tmp_path: Path) -> None:
        self.touch(tmp_path, "a_nodes.tsv")
        with pytest.raises(InputError, match=r"no KGX file of edges: expected \*_edges\.tsv or \*_edges\.jsonl"):
            kgx.find_files(tmp_path)
        with pytest.raises(InputError, match=r"no KGX file of nodes: expected b_nodes\.tsv"):
            kgx.find_files(tmp_path / "b")
        with pytest.raises(InputError, match="there is no directory"):
            kgx.find_files(tmp_path / "none" / "b")
        self.touch(tmp_path, "a_nodes.jsonl", "a_edges.tsv")
        with pytest.raises(InputError, match=r"the same nodes more than once \(a_nodes\.jsonl, a_nodes\.tsv\)"):
            kgx.find_files(tmp_path)


class TestClearSentences:
    def test_missing_column(self, tmp_path: Path) -> None:
        nodes, edges = write_graph(tmp_path, "tsv")
        with pytest.raises(
            InputError, match=r"g_nodes\.tsv must have one column subject, as KGX does; its columns are id,"
        ):
            kgx.read_files(nodes, nodes, problems=Problems())
        with pytest.raises(InputError, match=r"g_edges\.tsv must have one column id"):
            kgx.read_files(edges, edges, problems=Problems())

    def test_wrong_files(self, tmp_path: Path) -> None:
        nodes, edges = write_graph(tmp_path, "jsonl")
        broken, unknown = tmp_path / "x_edges.jsonl.gz", tmp_path / "graph.json"
        broken.write_bytes(b"not gzip")
        unknown.write_text("{}")
        for wrong, message in (
            (tmp_path / "none.tsv", "there is no file"),
            (tmp_path, "is a directory"),
            (unknown, "is no KGX file that can be read: expected .tsv or .jsonl"),
            (broken, "cannot be read as JSON Lines"),
            ([], "is an empty list"),
        ):
            with pytest.raises(InputError, match=message):
                kgx.read_files(wrong, edges, problems=Problems())
            with pytest.raises(InputError, match=message):
                kgx.read_files(nodes, wrong, problems=Problems())
