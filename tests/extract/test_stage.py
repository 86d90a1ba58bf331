"""Finished parts of a long stage: found again, thrown away when they are of another making."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clew.errors import DerivedError
from clew.extract.stage import PartFolder, make_table, seal_checksum
from clew.sealed import new_sealed

SCHEMA = pa.schema([("number", pa.int32())])


def table(*numbers: int) -> pa.Table:
    return make_table([(number,) for number in numbers], SCHEMA)


def test_parts_are_found_again_and_joined(tmp_path: Path) -> None:
    parts = PartFolder(tmp_path / "stage", {"version": 1})
    parts.write({"rows": table(1, 2)}, {"seen": 2})
    parts.write({"rows": table()}, {"seen": 2})
    again = PartFolder(tmp_path / "stage", {"version": 1})
    assert again.finished == 2
    again.write({"rows": table(3)}, {"seen": 3})
    assert [note["seen"] for note in again.notes()] == [2, 2, 3]
    again.join("rows", tmp_path / "joined.parquet", SCHEMA)
    assert pq.read_table(tmp_path / "joined.parquet")["number"].to_pylist() == [1, 2, 3]
    again.remove()
    assert not again.path.exists()


def test_parts_of_another_making_are_thrown_away(tmp_path: Path) -> None:
    parts = PartFolder(tmp_path / "stage", {"version": 1})
    parts.write({"rows": table(1)}, {})
    assert PartFolder(tmp_path / "stage", {"version": 2}).finished == 0
    assert PartFolder(tmp_path / "stage", {"version": 1}).finished == 0


def test_a_part_without_its_note_does_not_count(tmp_path: Path) -> None:
    parts = PartFolder(tmp_path / "stage", {})
    parts.write({"rows": table(1)}, {})
    (parts.path / "rows-00001.parquet").write_bytes(b"half")
    again = PartFolder(tmp_path / "stage", {})
    assert again.finished == 1
    again.write({"rows": table(2)}, {})
    assert [each["number"].to_pylist() for each in again.tables("rows")] == [[1], [2]]


def test_the_checksum_of_a_seal(tmp_path: Path) -> None:
    for number in (1, 2):
        with new_sealed(tmp_path / str(number), {"number": number}, what="a stage"):
            pass
    assert len({seal_checksum(tmp_path / "1"), seal_checksum(tmp_path / "2")}) == 2
    with pytest.raises(DerivedError, match="is not finished: run `clew extract run`"):
        seal_checksum(tmp_path / "3")
    (tmp_path / "1" / "seal.json").write_text("[]")
    with pytest.raises(DerivedError, match="cannot be read"):
        seal_checksum(tmp_path / "1")
