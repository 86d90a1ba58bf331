"""Tables of triples and entities: names survive, columns are found, values are converted, sentences are clear."""

import csv
import gzip
import logging
from datetime import date, datetime
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from clew.errors import InputError
from clew.graph.readers import table
from clew.graph.staging import Problems, Relation, Source
from effort import examples

HEADER = ["subject", "relation", "object"]
ODD = [
    'say "hi"',
    '"',
    '""',
    '"quoted" disease',
    "a|b",
    "a,b",
    "tab\there",
    "two\nlines",
    "two\r\nlines",
    "lone\rreturn",
    "nul\0inside",
    "😀 𝔉",
    "NA",
    "null",
    "nan",
    " spaces ",
    "true",
    "007",
    "#hash",
    "\ufeffmark",
]


def write_text(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def write_rows(path: Path, rows: list[list[str]], *, delimiter: str = ",") -> Path:
    with path.open("w", newline="", encoding="utf-8") as stream:
        csv.writer(stream, delimiter=delimiter).writerows(rows)
    return path


def read_triples(source: object, **options: object) -> pa.Table:
    """The triples of a source without problems."""
    problems = Problems()
    staged = table.read(source, problems=problems, **options)
    problems.settle()
    return staged.triples


def rows_of(triples: pa.Table) -> list[tuple[str, str, str]]:
    return list(zip(*(triples[name].to_pylist() for name in HEADER), strict=True))


class TestNames:
    @pytest.mark.parametrize(("suffix", "delimiter"), [("csv", ","), ("tsv", "\t"), ("txt", "\t"), ("txt", ";")])
    def test_odd_names_survive_delimited_text(self, tmp_path: Path, suffix: str, delimiter: str) -> None:
        rows = [[name, "is", name] for name in ODD]
        path = write_rows(tmp_path / f"odd.{suffix}", [HEADER, *rows], delimiter=delimiter)
        assert rows_of(read_triples(path)) == [tuple(row) for row in rows]

    @pytest.mark.parametrize("suffix", ["parquet", "arrow", "feather", "ipc"])
    def test_odd_names_survive_arrow_files(self, tmp_path: Path, suffix: str) -> None:
        given_table = pa.table({"subject": ODD, "relation": ["is"] * len(ODD), "object": ODD[::-1]})
        path = tmp_path / f"odd.{suffix}"
        if suffix == "parquet":
            pq.write_table(given_table, path)
        else:
            with pa.ipc.new_file(path, given_table.schema) as writer:
                writer.write_table(given_table)
        assert rows_of(read_triples(path)) == list(zip(ODD, ["is"] * len(ODD), ODD[::-1], strict=True))

    @settings(max_examples=examples(60), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(names=st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1, max_size=6))
    def test_any_text_survives_csv(self, tmp_path: Path, names: list[str]) -> None:
        path = write_rows(tmp_path / "any.csv", [HEADER, *([name, "is", name] for name in names)])
        assert rows_of(read_triples(path)) == [(name, "is", name) for name in names]

    def test_utf8_with_byte_order_mark(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "excel.csv", b'\xef\xbb\xbf"subject",relation,object\r\n"a",r,b\r\n')
        assert rows_of(read_triples(path)) == [("a", "r", "b")]

    def test_quote_inside_an_unquoted_field_stays(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "inch.csv", 'subject,relation,object\na,is,5" nail\nb,is,"6"" nail"\n')
        assert rows_of(read_triples(path)) == [("a", "is", '5" nail'), ("b", "is", '6" nail')]

    @pytest.mark.parametrize("other", ["plain", 'odd " quote'])  # the fast way, the careful way
    def test_very_long_field(self, tmp_path: Path, other: str) -> None:
        long = "x" * (9 << 20)
        path = write_text(tmp_path / "long.csv", f"subject,relation,object\n{long},is,a\nb,is,{other}\n")
        assert rows_of(read_triples(path)) == [(long, "is", "a"), ("b", "is", other)]


class TestDelimiters:
    @pytest.mark.parametrize("suffix", ["csv", "tsv", "txt", "csv.gz"])
    @pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
    def test_the_delimiter_is_found(self, tmp_path: Path, suffix: str, delimiter: str) -> None:
        names = [name for name in ODD if "\0" not in name]
        path = write_rows(tmp_path / "t.csv", [HEADER, *([name, "is", name] for name in names)], delimiter=delimiter)
        if suffix.endswith("gz"):
            path = write_text(tmp_path / "t.csv.gz", gzip.compress(path.read_bytes()))
        path = path.rename(tmp_path / f"renamed.{suffix}")
        assert rows_of(read_triples(path)) == [(name, "is", name) for name in names]

    def test_the_delimiter_of_the_suffix_wins_where_it_fits(self, tmp_path: Path) -> None:
        text = "subject,relation,object;as;noted\na;1,r,b;2;3\nc;1,r,d;2;3\n"
        triples = read_triples(write_text(tmp_path / "t.csv", text), columns={"object": "object;as;noted"})
        assert rows_of(triples) == [("a;1", "r", "b;2;3"), ("c;1", "r", "d;2;3")]

    def test_commas_in_the_names_of_a_semicolon_file(self, tmp_path: Path) -> None:
        text = "subject;relation;object\nPain, chronic;is_a;Pain\nCost, in EUR;is_a;Cost\n"
        assert rows_of(read_triples(write_text(tmp_path / "t.csv", text)))[0] == ("Pain, chronic", "is_a", "Pain")

    def test_a_bad_row_does_not_change_the_delimiter(self, tmp_path: Path) -> None:
        problems = Problems("skip")
        path = write_text(tmp_path / "t.csv", "subject,relation,object\na,r,b\na;x\n")
        assert rows_of(table.read(path, problems=problems).triples) == [("a", "r", "b")]
        assert problems.examples == [f"{path}:3: malformed row: 1 fields, expected 3"]

    def test_one_column_needs_no_delimiter(self, tmp_path: Path) -> None:
        triples = write_text(tmp_path / "t.csv", "subject,relation,object\na,r,b\n")
        entities = write_text(tmp_path / "e.csv", "id\na\nb\n")
        assert table.read(triples, entities=entities, problems=Problems()).entities["id"].to_pylist() == ["a", "b"]

    @pytest.mark.parametrize(("given", "character"), [("semicolon", ";"), ("tab", "\t"), ("\\t", "\t"), (":", ":")])
    def test_it_can_be_given(self, tmp_path: Path, given: str, character: str) -> None:
        path = write_text(
            tmp_path / "t.csv", f"subject{character}relation{character}object\na{character}r{character}b,c\n"
        )
        assert rows_of(read_triples(path, delimiter=given)) == [("a", "r", "b,c")]


def test_a_list_separator_of_ones_own(tmp_path: Path) -> None:
    triples = write_text(tmp_path / "t.csv", "subject;relation;object;evidence\na;r;b;PMID:1, PMID:2\n")
    entities = write_text(tmp_path / "e.csv", "id;synonyms\na;Big|Eye, GM\n")
    staged = table.read(triples, entities=entities, list_separator=", ", problems=Problems())
    assert staged.triples["evidence"].to_pylist() == [["PMID:1", "PMID:2"]]
    assert staged.entities["synonyms"].to_pylist() == [["Big|Eye", "GM"]]
    with pytest.raises(InputError, match="list_separator= is empty"):
        table.read(triples, list_separator="", problems=Problems())


class TestColumns:
    @pytest.mark.parametrize(
        "header",
        ["Subject,PREDICATE,object", "head,relation,tail", "source,relation,target", "object_x,HEAD,relation,Tail"],
    )
    def test_synonyms(self, tmp_path: Path, header: str) -> None:
        names = header.lower().split(",")
        value = {"subject": "a", "head": "a", "source": "a", "object": "b", "tail": "b", "target": "b", "object_x": "x"}
        line = ",".join(value.get(name, "r") for name in names)
        triples = read_triples(write_text(tmp_path / "t.csv", f"{header}\n{line}\n"))
        assert rows_of(triples) == [("a", "r", "b")]
        assert triples.column_names[:3] == HEADER

    def test_source_is_provenance_beside_subject_and_object(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", "subject,relation,object,source,target\na,r,b,HPO,x\n")
        triples = read_triples(path)
        assert rows_of(triples) == [("a", "r", "b")]
        assert triples["source"].to_pylist() == ["HPO"]

    def test_mapping_wins_over_names(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", "subject,h,r,t,source,freq,db\nno,a,r,b,no,often,HPO\n")
        columns = {"subject": "h", "relation": "r", "object": "t", "source": "db", "qualifier:frequency": "freq"}
        triples = read_triples(path, columns=columns)
        assert rows_of(triples) == [("a", "r", "b")]
        assert triples["source"].to_pylist() == ["HPO"]
        assert triples["qualifier:frequency"].to_pylist() == ["often"]

    def test_source_mapped_as_subject_is_not_provenance(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", "source,r,target\na,r,b\n")
        triples = read_triples(path, columns={"subject": "source", "relation": "r", "object": "target"})
        assert triples.column_names == HEADER

    def test_other_columns_are_qualifiers_and_logged(self, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
        path = write_text(
            tmp_path / "t.csv", "subject,relation,object,weight,object_name,qualifier:sex,Licence\na,r,b,1,B,f,CC0\n"
        )
        with caplog.at_level(logging.INFO):
            triples = read_triples(path)
        assert set(triples.column_names[3:]) == {"license", "object_name", "qualifier:sex", "qualifier:weight"}
        assert triples["qualifier:weight"].to_pylist() == ["1"]
        assert "columns kept as qualifiers of statements: weight" in caplog.text

    def test_a_column_name_that_is_no_text_is_an_error(self, tmp_path: Path) -> None:
        path = tmp_path / "t.csv"
        path.write_bytes(b"subject,relation,object,a\xf1o\na,r,b,1\n")
        with pytest.raises(InputError, match=r"name cannot be read.*iconv"):
            read_triples(path)

    def test_row_numbers_are_no_qualifiers(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", "Unnamed: 0,,subject,relation,object\n0,1,a,r,b\n")
        assert read_triples(path).column_names == HEADER

    def test_columns_are_dropped_by_name(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", "subject,relation,object,note,source,year\na,r,b,x,HPO,2015\n")
        assert read_triples(path, drop_columns=["note", "source"]).column_names == [*HEADER, "qualifier:year"]
        with pytest.raises(InputError, match="has no column 'notes', which drop_columns= names; its columns are"):
            read_triples(path, drop_columns=["notes"])
        with pytest.raises(InputError, match="columns= and drop_columns= both name 'year'"):
            read_triples(path, columns={"qualifier:since": "year"}, drop_columns=["year"])

    def test_columns_that_no_text_holds_or_of_one_name_are_left_out_and_logged(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        ends = {"subject": ["a"], "relation": ["r"], "object": ["b"]}
        further = {
            "record": [{"x": 1}],
            "bytes": [b"\xff"],
            "records": [[{"x": 1}]],
            "list": [["p", "q"]],
            "YEAR": [7.0],
        }
        triples = read_triples(pa.table({**ends, **further, "qualifier:year": ["2015"]}))
        assert triples.column_names == [*HEADER, "qualifier:list", "qualifier:year"]
        assert triples["qualifier:list"].to_pylist() == ["p|q"]
        assert "columns left out: record, bytes, records, YEAR" in caplog.text

    def test_column_missing_from_one_file_is_null_there(self, tmp_path: Path) -> None:
        first = write_text(tmp_path / "a.csv", "subject,relation,object\na,r,b\n")
        second = write_text(tmp_path / "b.csv", "subject,relation,object,confidence,evidence\nc,r,d,0.5,PMID:1\n")
        triples = read_triples([first, second])
        assert triples["confidence"].to_pylist() == [None, 0.5]
        assert triples["evidence"].to_pylist() == [None, ["PMID:1"]]

    def test_a_confidence_in_words_is_a_qualifier(self, tmp_path: Path) -> None:
        said = write_text(tmp_path / "a.csv", "subject,relation,object,confidence\na,r,b,probable\nc,r,d,\n")
        numbers = write_text(tmp_path / "b.csv", "subject,relation,object,confidence\nc,r,e,0.5\n")
        triples = read_triples([said, numbers])
        assert triples["qualifier:confidence"].to_pylist() == ["probable", None, None]
        assert triples["confidence"].to_pylist() == [None, None, 0.5]

    def test_relations_and_sources_are_passed_on(self) -> None:
        given_table = pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]})
        relations, sources = [Relation("r", symmetric=True)], [Source("HPO", curated=True)]
        staged = table.read(given_table, relations=relations, sources=sources, problems=Problems())
        assert (staged.relations, staged.sources) == (relations, sources)


class TestAssertions:
    def read_column(self, tmp_path: Path, name: str, values: list[str]) -> tuple[list[object], Problems]:
        rows = [["a", "r", f"b{number}", value] for number, value in enumerate(values)]
        path = write_rows(tmp_path / "t.csv", [[*HEADER, name], *rows])
        problems = Problems(on_error="skip")
        return table.read(path, problems=problems).triples[name].to_pylist(), problems

    @pytest.mark.parametrize(
        ("name", "given_text", "expected"),
        [
            ("evidence", "PMID:1|PMID:2", ["PMID:1", "PMID:2"]),
            ("evidence", " PMID:1 || https://x.org/?a=b ", ["PMID:1", "https://x.org/?a=b"]),
            ("evidence", "", None),
            ("evidence", "|", None),
            ("valid_from", "2024-02-29", date(2024, 2, 29)),
            ("valid_to", "2024-02-29T12:30:00Z", date(2024, 2, 29)),
            ("valid_to", "", None),
            ("confidence", "0.25", 0.25),
            ("confidence", " 1e-3 ", 0.001),
            ("confidence", "nan", None),
            ("negated", "True", True),
            ("negated", "no", False),
            ("negated", "1", True),
            ("negated", "0", False),
            ("negated", "", None),
            ("source", "", None),
            ("source", "infores:a|b", "infores:a|b"),
            ("qualifier:onset", "HP:0003577", "HP:0003577"),
        ],
    )
    def test_converted(self, tmp_path: Path, name: str, given_text: str, expected: object) -> None:
        values, problems = self.read_column(tmp_path, name, [given_text])
        assert values == [expected]
        assert not problems.counts

    @pytest.mark.parametrize(
        ("name", "good", "bad"),
        [
            ("valid_from", "2024-01-01", "2024-02-30"),
            ("valid_to", "2024-01-01", "01/02/2024"),
            ("confidence", "0.5", "high"),
            ("confidence", "0.5", "inf"),
            ("confidence", "1", "1.01"),
            ("confidence", "0", "-0.1"),
            ("confidence", " 0.5", "1_0"),
            ("negated", "true", "maybe"),
        ],
    )
    def test_malformed_value_leaves_its_row_out(self, tmp_path: Path, name: str, good: str, bad: str) -> None:
        values, problems = self.read_column(tmp_path, name, [good, bad, good, ""])
        assert len(values) == 3
        assert values[0] == values[1] is not None
        assert values[2] is None
        assert problems.counts == {"malformed value": 1}
        assert problems.examples[0].startswith(f"{tmp_path / 't.csv'}:3: malformed value: {name} is {bad!r}, expected ")

    def test_a_row_is_reported_once(self, tmp_path: Path) -> None:
        path = write_text(
            tmp_path / "t.csv", "subject,relation,object,confidence,negated\na,r,,high,maybe\na,r,b,high,maybe\n"
        )
        problems = Problems(on_error="skip")
        assert table.read(path, problems=problems).triples.num_rows == 0
        assert problems.counts == {"malformed row": 1, "malformed value": 1}

    def test_typed_columns(self) -> None:
        given_table = pa.table(
            {
                "subject": pa.array([1, 2]),
                "relation": pa.array(["r", "r"], pa.large_string()),
                "object": pa.array(["x", "y"]).dictionary_encode(),
                "evidence": pa.array([["PMID:1", " "], None], pa.large_list(pa.large_string())),
                "valid_from": pa.array([datetime(2024, 1, 31, 5), None], pa.timestamp("us")),
                "retrieved_at": pa.array([datetime(2024, 1, 31, 5), None], pa.timestamp("s")),
                "confidence": pa.array([1, 0], pa.int8()),
                "negated": pa.array([1, 0]),
                "source_version": pa.array([2, None]),
            }
        )
        triples = read_triples(given_table)
        assert rows_of(triples) == [("1", "r", "x"), ("2", "r", "y")]
        assert triples["evidence"].to_pylist() == [["PMID:1"], None]
        assert triples["valid_from"].to_pylist() == [date(2024, 1, 31), None]
        assert triples["retrieved_at"].to_pylist() == ["2024-01-31T05:00:00", None]
        assert triples["confidence"].to_pylist() == [1.0, 0.0]
        assert triples["negated"].to_pylist() == [True, False]
        assert triples["source_version"].to_pylist() == ["2", None]

    def test_infinite_number_in_a_typed_column(self) -> None:
        given_table = pa.table(
            {"subject": ["a", "b", "c"], "relation": ["r"] * 3, "object": ["x"] * 3}
            | {"confidence": [0.5, float("inf"), float("nan")]}
        )
        problems = Problems(on_error="skip")
        triples = table.read(given_table, problems=problems).triples
        assert triples["confidence"].to_pylist() == [0.5, None]
        assert problems.examples == ["table:2: malformed value: confidence is inf, expected a number from 0 to 1"]

    def test_dictionary_columns_of_a_parquet_file(self, tmp_path: Path) -> None:
        count = 5000
        given_table = pa.table(
            {
                "subject": [f"id:{number}" for number in range(count)],
                "relation": ["r", "s"] * (count // 2),
                "object": ["x"] * count,
                "negated": ["yes", ""] * (count // 2),
                "valid_from": ["2024-01-01", "soon"] * (count // 2),
            }
        )
        pq.write_table(given_table, tmp_path / "t.parquet", row_group_size=700)
        problems = Problems(on_error="skip")
        staged = table.read(tmp_path / "t.parquet", problems=problems)
        assert rows_of(staged.triples) == [(f"id:{number}", "r", "x") for number in range(0, count, 2)]
        assert staged.triples["negated"].to_pylist() == [True] * (count // 2)
        assert problems.counts == {"malformed value": count // 2}
        assert staged.triple_origin(1000) == f"{tmp_path / 't.parquet'}:2001"


class TestEntities:
    def test_columns_lists_and_properties(self, tmp_path: Path) -> None:
        triples = write_text(tmp_path / "t.csv", "subject,relation,object\na,r,b\n")
        entities = write_text(
            tmp_path / "e.tsv",
            "CURIE\tlabel\tcategory\tsynonym\txrefs\tmass\na\tA|a\tGene\tx | y\tZ:1|Z:2\t3.50\nb\t\t\t\t\t\n",
        )
        found = table.read(triples, entities=entities, problems=Problems()).entities
        assert found is not None
        assert found.to_pylist() == [
            {"id": "a", "name": "A|a", "type": "Gene", "synonyms": ["x", "y"], "xrefs": ["Z:1", "Z:2"], "mass": "3.50"},
            {"id": "b", "name": None, "type": None, "synonyms": None, "xrefs": None, "mass": None},
        ]

    def test_mapping_and_missing_id(self, tmp_path: Path) -> None:
        triples = pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]})
        entities = write_text(tmp_path / "e.csv", "CUI,STR,name\na,A,ignored\n,B,ignored\nb,B,ignored\n")
        problems = Problems(on_error="skip")
        staged = table.read(triples, entities=entities, entity_columns={"id": "CUI", "name": "STR"}, problems=problems)
        assert staged.entities is not None
        assert staged.entities.to_pylist() == [{"id": "a", "name": "A"}, {"id": "b", "name": "B"}]
        assert problems.examples == [f"{entities}:3: malformed row: no id"]
        assert staged.entity_origin(1) == f"{entities}:4"

    def test_typed_properties_stay_as_they_are(self) -> None:
        triples = pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]})
        entities = pa.table({"id": ["a", "b"], "mass": [1.5, None], "tags": [["x"], []]})
        found = table.read(triples, entities=entities, problems=Problems()).entities
        assert found is not None
        assert found.to_pylist() == entities.to_pylist()

    def test_properties_of_different_types_in_two_tables(self) -> None:
        triples = pa.table({"subject": ["a"], "relation": ["r"], "object": ["b"]})
        entities = [pa.table({"id": ["a"], "x": [1], "y": [1]}), pa.table({"id": ["b"], "x": [0.5], "y": ["two"]})]
        found = table.read(triples, entities=entities, problems=Problems()).entities
        assert found is not None
        assert found.to_pylist() == [{"id": "a", "x": 1.0, "y": "1"}, {"id": "b", "x": 0.5, "y": "two"}]


class TestTablesInMemory:
    def test_row_numbers_of_tables(self) -> None:
        given_table = pa.table({"subject": ["a", None, "c"], "relation": ["r"] * 3, "object": ["b", "b", ""]})
        problems = Problems(on_error="skip")
        assert rows_of(table.read(given_table, problems=problems).triples) == [("a", "r", "b")]
        assert problems.examples == ["table:2: malformed row: no subject", "table:3: malformed row: no object"]

    def test_left_out_rows_leave_no_name_in_a_dictionary(self) -> None:
        given_table = pa.table({"subject": ["a", "ghost"], "relation": ["r", "haunts"], "object": ["b", None]})
        encoded = pa.table({name: given_table[name].dictionary_encode() for name in HEADER})
        triples = table.read(encoded, problems=Problems(on_error="skip")).triples
        assert rows_of(triples) == [("a", "r", "b")]
        assert triples["subject"].chunk(0).dictionary.to_pylist() == ["a"]
        assert triples["relation"].chunk(0).dictionary.to_pylist() == ["r"]

    def test_pandas_with_an_index_and_gaps(self) -> None:
        frame = pd.DataFrame({"subject": ["a", "b"], "relation": ["r", "r"], "object": ["x", None]}, index=[5, 7])
        problems = Problems(on_error="skip")
        staged = table.read(frame, entities=pd.DataFrame({"id": ["a"]}, index=[9]), problems=problems)
        assert rows_of(staged.triples) == [("a", "r", "x")]
        assert staged.entities is not None
        assert staged.entities.column_names == ["id"]

    def test_pandas_categories_that_do_not_occur(self) -> None:
        frame = pd.DataFrame({"subject": ["a", "b"], "relation": ["r", "s"], "object": ["x", "y"]}).astype("category")
        triples = read_triples(frame.iloc[:1])
        assert rows_of(triples) == [("a", "r", "x")]
        assert triples["relation"].chunk(0).dictionary.to_pylist() == ["r"]

    def test_polars_and_record_batches(self) -> None:
        import polars as pl

        frame = pl.DataFrame({"subject": ["a"], "relation": ["r"], "object": ["😀"]})
        batch = pa.record_batch({"subject": ["a"], "relation": ["r"], "object": ["b"]})
        assert rows_of(read_triples(frame)) == [("a", "r", "😀")]
        assert rows_of(read_triples([batch, frame])) == [("a", "r", "b"), ("a", "r", "😀")]

    def test_table_without_rows(self) -> None:
        empty = pa.table({name: pa.array([], pa.string()) for name in (*HEADER, "valid_from", "evidence")})
        triples = read_triples(empty)
        assert triples.num_rows == 0
        assert triples.schema.field("valid_from").type == pa.date32()


class TestClearSentences:
    def test_header_only_is_an_empty_table(self, tmp_path: Path) -> None:
        for text in ("subject,relation,object", "subject,relation,object\n\n"):
            assert read_triples(write_text(tmp_path / "t.csv", text)).num_rows == 0

    @pytest.mark.parametrize("text", ["", "\n\n"])
    def test_empty_file(self, tmp_path: Path, text: str) -> None:
        with pytest.raises(InputError, match=r"t\.csv is empty, expected a first line that names its columns"):
            table.read(write_text(tmp_path / "t.csv", text), problems=Problems())

    def test_missing_file(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match=r"there is no file .*none\.csv"):
            table.read(str(tmp_path / "none.csv"), problems=Problems())

    def test_directory(self, tmp_path: Path) -> None:
        write_text(tmp_path / "t.csv", "")
        with pytest.raises(InputError, match=r"is a directory, expected a file \(it holds t\.csv\)"):
            table.read(tmp_path, problems=Problems())

    def test_missing_columns_name_those_present(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", "h,relation,t\na,r,b\n")
        with pytest.raises(
            InputError,
            match=r"no column for subject, object; its columns are 'h', 'relation', 't'; name them with columns=",
        ):
            table.read(path, problems=Problems())
        with pytest.raises(
            InputError, match=r"no column 'x', which columns= names; its columns are 'h', 'relation', 't'"
        ):
            table.read(path, columns={"subject": "x"}, problems=Problems())
        with pytest.raises(InputError, match=r"no column for id; .* entity_columns=\{'id': 'COLUMN'\}"):
            table.read(path, columns={"subject": "h", "object": "t"}, entities=path, problems=Problems())

    def test_unknown_name_in_mapping(self, tmp_path: Path) -> None:
        with pytest.raises(InputError, match="columns= maps 'subj', which is none of subject, relation"):
            table.read(tmp_path / "t.csv", columns={"subj": "h"}, problems=Problems())

    def test_repeated_column(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", "subject,relation,object,object\na,r,b,c\n")
        with pytest.raises(InputError, match="the column 'object' more than once"):
            table.read(path, problems=Problems())

    @pytest.mark.parametrize("name", ["t.parquet", "t.arrow", "t.csv.gz", "t.feather"])
    def test_unreadable_file(self, tmp_path: Path, name: str) -> None:
        path = write_text(tmp_path / name, b"this is something else entirely")
        with pytest.raises(InputError, match=f"{name} cannot be read as "):
            table.read(path, problems=Problems())

    def test_truncated_gzip_is_not_read_in_part(self, tmp_path: Path) -> None:
        text = "subject,relation,object\n" + "".join(f"a{number},r,b\n" for number in range(5000))
        path = write_text(tmp_path / "t.csv.gz", gzip.compress(text.encode())[:-2000])
        with pytest.raises(InputError, match="cannot be read as text"):
            table.read(path, problems=Problems())

    def test_gzip_of_several_members_is_read_in_full(self, tmp_path: Path) -> None:
        members = gzip.compress(b"subject,relation,object\na,r,b\n") + gzip.compress(b"c,r,d\n")
        assert rows_of(read_triples(write_text(tmp_path / "t.csv.gz", members))) == [("a", "r", "b"), ("c", "r", "d")]

    def test_parquet_text_that_is_not_utf8(self, tmp_path: Path) -> None:
        broken = pa.Array.from_buffers(pa.string(), 1, pa.array([b"\xff"]).buffers())
        pq.write_table(pa.table({"subject": broken, "relation": ["r"], "object": ["b"]}), tmp_path / "t.parquet")
        with pytest.raises(InputError, match="column 'subject' is damaged"):
            table.read(tmp_path / "t.parquet", problems=Problems())

    def test_utf16(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", "subject,relation,object\n".encode("utf-16"))
        with pytest.raises(InputError, match="is UTF-16 text, expected UTF-8"):
            table.read(path, problems=Problems())

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("g.ttl", r"g\.ttl has the format rdf and is no table: leave format= out"),
            ("g.nt.gz", "has the format rdf"),
            ("g.obo", "has the format obo"),
            ("g.gml", "is a GML network, .* networkx.read_gml"),
            ("g.json", "is JSON that is no OBO graph"),
            ("g.xlsx", "is an Excel workbook, .* save the sheet as CSV"),
        ],
    )
    def test_other_formats_are_named_with_what_to_do(self, tmp_path: Path, name: str, words: str) -> None:
        with pytest.raises(InputError, match=words):
            table.read(write_text(tmp_path / name, "x"), problems=Problems())

    def test_other_wrong_input(self, tmp_path: Path) -> None:
        good = write_text(tmp_path / "t.csv", "subject,relation,object\na,r,b\n")
        wrong = write_text(tmp_path / "t.odd", "")
        for source, options, message in (
            (wrong, {}, "cannot be told from its name"),
            (5, {}, "expected a path, an Arrow table or a data frame, got int"),
            ([], {}, "triples= is an empty list"),
            (good, {"delimiter": "::"}, "delimiter= takes one character, or tab"),
            (pa.table({"subject": [0.5], "relation": ["r"], "object": ["b"]}), {}, "numbers with fractions"),
            (
                pa.table({"subject": ["a"], "relation": ["r"], "object": [{"x": 1}]}),
                {},
                "column 'object': it holds struct",
            ),
        ):
            with pytest.raises(InputError, match=message):
                table.read(source, problems=Problems(), **options)


def test_progress_counts_files(tmp_path: Path) -> None:
    path = write_text(tmp_path / "t.csv", "subject,relation,object\na,r,b\n")
    seen: list[tuple[str, int, int | None]] = []
    table.read([path, path], problems=Problems(), progress=lambda *report: seen.append(report))
    assert seen == [("reading triples", done, 2) for done in range(3)]
