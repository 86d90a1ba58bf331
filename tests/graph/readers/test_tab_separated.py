"""Tab-separated source files: values, absent values, line numbers, and what is refused."""

import gzip
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from clew.errors import BuildError, InputError
from clew.graph.readers.tab_separated import constant, line_origin, map_values, read_tab_separated
from clew.graph.staging import Problems

TEXT = '#one\n#two\na\tb\tc\n1\t"x\t3\n\n4\t5\n6\t\té\r\n7\t8\t9\n'


@pytest.fixture(params=["rows.tsv", "rows.tsv.gz"])
def path(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    path = tmp_path / str(request.param)
    path.write_bytes(gzip.compress(TEXT.encode()) if path.suffix == ".gz" else TEXT.encode())
    return path


def test_rows_keep_values_and_line_numbers(path: Path) -> None:
    problems = Problems(on_error="skip")
    rows = read_tab_separated(path, required=("a", "c"), optional=("b", "z"), problems=problems)
    assert rows.comments == ("#one", "#two")
    assert rows.table.to_pylist() == [
        {"a": "1", "c": "3", "b": '"x'},
        {"a": "6", "c": "é", "b": None},
        {"a": "7", "c": "9", "b": "8"},
    ]
    assert rows.lines.tolist() == [4, 7, 8]
    assert rows.column("z").to_pylist() == [None, None, None]
    assert problems.examples == [f"{path.name}:6: malformed row: 2 fields, expected 3"]


def test_refused_rows_are_reported_with_their_line(path: Path) -> None:
    problems = Problems(on_error="skip")
    rows = read_tab_separated(path, required=("a", "b"), problems=problems)
    kept = rows.refuse("b", lambda value: value is not None and value != "8", expected="a letter", problems=problems)
    assert kept.table["a"].to_pylist() == ["1"]
    assert kept.lines.tolist() == [4]
    assert problems.examples[1:] == [
        f"{path.name}:7: malformed row: b is '', expected a letter",
        f"{path.name}:8: malformed row: b is '8', expected a letter",
    ]


def test_what_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "rows.tsv"
    with pytest.raises(InputError, match=r"cannot read .*rows\.tsv"):
        read_tab_separated(path, required=("a",), problems=Problems())
    path.write_text("a\tb\n1\t2\n")
    with pytest.raises(BuildError, match="has no column c; its columns are a, b"):
        read_tab_separated(path, required=("a", "c"), problems=Problems())
    path.write_bytes(b"a\tb\n1\t\xff\n")
    with pytest.raises(BuildError, match=r"cannot read .*rows\.tsv as tab-separated UTF-8"):
        read_tab_separated(path, required=("a", "b"), problems=Problems())
    path.write_text("# only a comment\n#")
    with pytest.raises(BuildError, match="no header line"):
        read_tab_separated(path, required=("a",), problems=Problems())


def test_a_file_with_a_header_only_has_no_rows(tmp_path: Path) -> None:
    (tmp_path / "rows.tsv").write_text("a\tb\n")
    rows = read_tab_separated(tmp_path / "rows.tsv", required=("a", "b"), problems=Problems())
    assert rows.table.num_rows == len(rows.lines) == 0
    assert map_values(rows.column("a"), str.upper).to_pylist() == []


def test_map_values_merges_equal_results_and_skips_values_no_longer_used() -> None:
    column = pa.array(["a", "A", None, "b", "gone"]).dictionary_encode().slice(0, 4)
    asked: list[str] = []

    def change(value: str) -> str | None:
        asked.append(value)
        return None if value == "b" else value.upper()

    changed = map_values(column, change)
    assert changed.to_pylist() == ["A", "A", None, None]
    assert changed.dictionary.to_pylist() == ["A"]
    assert asked == ["a", "A", "b"]


def test_constant_and_origin_of_several_files() -> None:
    assert constant(None, 2).to_pylist() == [None, None]
    origin = line_origin([("a", np.array([5])), ("empty", np.array([], np.int64)), ("b", np.array([2, 9]))])
    assert [origin(row) for row in range(3)] == ["a:5", "b:2", "b:9"]
