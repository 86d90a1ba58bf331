"""Delimited text through `table.read`: line numbers, bad rows, the choice between the fast and the careful way."""

import csv
import gzip
import logging
from pathlib import Path

import pyarrow as pa
import pytest

from clew.errors import BuildError
from clew.graph.readers import table
from clew.graph.readers.delimited import Delimited
from clew.graph.staging import Problems

HEADER = ["subject", "relation", "object"]


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


class TestLines:
    def test_after_quoted_line_breaks_and_blank_lines(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", 'subject,relation,object\n"a\nb\nc",r,d\n\ne,r,f\n"g\r\nh",r,i\nj,r,k\n')
        staged = table.read(path, problems=Problems())
        assert [staged.triple_origin(row) for row in range(4)] == [f"{path}:{line}" for line in (2, 6, 7, 9)]

    def test_of_rows_after_a_left_out_one(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", 'subject,relation,object\n"a\nb",r,c\nd,,e\nf,r,g\n')
        problems = Problems(on_error="skip")
        staged = table.read(path, problems=problems)
        assert problems.examples == [f"{path}:4: malformed row: no relation"]
        assert [staged.triple_origin(row) for row in range(2)] == [f"{path}:2", f"{path}:5"]

    def test_of_ragged_rows_and_the_rows_around_them(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", 'subject,relation,object\n"a\nb",r,c\nd,r\ne,r,f,g\n\nh,r,i\n')
        problems = Problems(on_error="skip")
        staged = table.read(path, problems=problems)
        assert problems.examples == [
            f"{path}:4: malformed row: 2 fields, expected 3",
            f"{path}:5: malformed row: 4 fields, expected 3",
        ]
        assert rows_of(staged.triples) == [("a\nb", "r", "c"), ("h", "r", "i")]
        assert [staged.triple_origin(row) for row in range(2)] == [f"{path}:2", f"{path}:7"]

    def test_across_several_files(self, tmp_path: Path) -> None:
        first = write_text(tmp_path / "a.csv", "subject,relation,object\na,r,b\nc,r,d\n")
        second = write_text(tmp_path / "b.tsv.gz", gzip.compress(b"subject\trelation\tobject\n\ne\tr\tf\n"))
        staged = table.read([first, second], problems=Problems())
        assert rows_of(staged.triples) == [("a", "r", "b"), ("c", "r", "d"), ("e", "r", "f")]
        assert [staged.triple_origin(row) for row in range(3)] == [f"{first}:2", f"{first}:3", f"{second}:3"]


class TestBadRows:
    def test_refused_with_file_and_line(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", "subject,relation,object\na,r,b\nc,r\n")
        problems = Problems()
        table.read(path, problems=problems)
        with pytest.raises(BuildError, match=r"t\.csv:3: malformed row: 2 fields, expected 3"):
            problems.settle()

    def test_invalid_utf8_costs_its_own_row(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", b"subject,relation,object\na,r,\xff\xfe\nb,r,\xf0\x9f\x98\x80\n")
        problems = Problems(on_error="skip")
        assert rows_of(table.read(path, problems=problems).triples) == [("b", "r", "😀")]
        assert problems.examples == [f"{path}:2: malformed row: bytes that are not UTF-8"]

    @pytest.mark.parametrize("bad", ['"never closed,r,b', '"closed" early,r,b', 'a,r,"never closed'])
    def test_stray_quote_does_not_swallow_other_rows(self, tmp_path: Path, bad: str) -> None:
        path = write_text(tmp_path / "t.csv", f"subject,relation,object\na,r,b\n{bad}\nc,r,d\ne,r,f\n")
        problems = Problems(on_error="skip")
        assert rows_of(table.read(path, problems=problems).triples) == [
            ("a", "r", "b"),
            ("c", "r", "d"),
            ("e", "r", "f"),
        ]
        assert problems.counts == {"malformed row": 1}
        assert problems.examples[0].startswith(f"{path}:3: malformed row: a quote")

    def test_two_stray_quotes_do_not_pair_up(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", 'subject,relation,object\n"a,r,b\nc,r,d\n"e,r,f\ng,r,h\n')
        problems = Problems(on_error="skip")
        assert rows_of(table.read(path, problems=problems).triples) == [("c", "r", "d"), ("g", "r", "h")]
        assert [example.split(": ")[0] for example in problems.examples] == [f"{path}:2", f"{path}:4"]

    def test_many_are_counted_and_twenty_kept_as_examples(self, tmp_path: Path) -> None:
        path = write_text(tmp_path / "t.csv", "subject,relation,object\n" + "a,,b\n" * 100 + "c,r,d\n")
        problems = Problems(on_error="skip")
        assert rows_of(table.read(path, problems=problems).triples) == [("c", "r", "d")]
        assert problems.counts == {"malformed row": 100}
        assert [example.split(": ")[0] for example in problems.examples] == [f"{path}:{n}" for n in range(2, 22)]


class TestQuoteSurvey:
    """The fast way must be taken for ordinary files, or large ones are read ten times slower."""

    @pytest.mark.parametrize(
        ("text", "fast"),
        [
            ("s,r,o\na,b,c\n", True),
            ('"s","r","o"\n"a""b","",""""\n', True),
            ('s,r,o\r\n"a\r\nb",c,"d,e"', True),
            ('\ufeff"s",r,o\n', True),
            ('s,r,o\na,5" nail,c\n', False),
            ('s,r,o\na,"b" c,d\n', False),
            ('s,r,o\na, "b",d\n', False),
            ('s,r,o\na,b,"c\n', False),
        ],
    )
    def test_regular_quotes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, fast: bool) -> None:
        taken: list[str] = []
        monkeypatch.setattr(Delimited, "_read_fast", lambda *_: taken.append("fast") or pa.table({"s": []}))
        Delimited(write_text(tmp_path / "t.csv", text), ",").read(["s"], Problems())
        assert bool(taken) is fast

    @pytest.mark.parametrize("size", [1, 2, 3, 5, 8])
    def test_blocks_of_any_size_agree(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, size: int) -> None:
        monkeypatch.setattr("clew.graph.readers.delimited.BLOCK", size)
        path = write_text(tmp_path / "t.csv", 's,r,o\n"a\n""b""\nc",d,"e"\nf,"",g\n')
        problems = Problems()
        part = Delimited(path, ",").read(["s", "o"], problems)
        assert part.table.to_pydict() == {"s": ['a\n"b"\nc', "f"], "o": ["e", "g"]}
        assert not problems.counts

    def test_quoted_line_breaks_across_blocks_go_the_fast_way(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        monkeypatch.setattr("clew.graph.readers.delimited.BLOCK", 1000)
        rows = [[f"a{number}", "r", f"b\nx,y\n{number}"] for number in range(500)]
        path = write_rows(tmp_path / "t.csv", [HEADER, *rows])
        with caplog.at_level(logging.INFO):
            assert rows_of(read_triples(path)) == [tuple(row) for row in rows]
        assert "record by record" not in caplog.text
