"""Stages: identity, parts, seal and resumption."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clew.errors import DerivedError
from clew.extract.stage import PartFolder, Stage, StageWork, make_table, seal_checksum
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


FIRST = Stage("first", "prepare", "rows of a first stage", headline=("rows",))
SECOND = Stage("second", "train", "rows of a second stage", reads=("first",), optional=("extra",))
ROWS = pa.table({"row": [1, 2]})


def make(stage: Stage, run: Path, **made_from: Any) -> StageWork:
    """A finished stage."""
    work = stage.start(run, made_from)
    if work.finished is None:
        work.write({stage.name: ROWS}, {"rows": 2})
    return work


def test_a_stage_is_skipped_while_its_settings_and_inputs_are_the_same(tmp_path: Path) -> None:
    make(FIRST, tmp_path, seed=1)
    make(SECOND, tmp_path)
    assert FIRST.start(tmp_path, {"seed": 1}).finished == {"rows": 2}
    assert SECOND.start(tmp_path, {}).finished == {"rows": 2}
    assert FIRST.start(tmp_path, {"seed": 2}).finished is None
    assert SECOND.read_table(tmp_path).equals(ROWS)
    make(FIRST, tmp_path, seed=2)
    assert SECOND.start(tmp_path, {}).finished is None
    assert (FIRST.state(tmp_path), SECOND.state(tmp_path)) == ("finished", "outdated")


def test_an_optional_stage_counts_once_it_is_there(tmp_path: Path) -> None:
    make(FIRST, tmp_path)
    make(SECOND, tmp_path)
    make(Stage("extra", "prepare", "more rows"), tmp_path)
    assert SECOND.start(tmp_path, {}).finished is None
    assert SECOND.state(tmp_path) == "outdated"


def test_parts_wait_for_the_seal_and_go_with_it(tmp_path: Path) -> None:
    work = FIRST.start(tmp_path, {})
    assert FIRST.state(tmp_path) == "missing"
    work.parts("some").write({"first": ROWS}, {"rows": 2})
    assert FIRST.state(tmp_path) == "in part"
    again = FIRST.start(tmp_path, {})
    assert again.parts("some").finished == 1
    again.write({"first": ROWS}, {"rows": 2})
    assert FIRST.state(tmp_path) == "finished"
    assert [each.name for each in tmp_path.iterdir()] == ["first"]


def test_a_checkpoint_of_other_settings_is_removed(tmp_path: Path) -> None:
    place = tmp_path / "first.checkpoint"
    place.mkdir()
    (place / "state.json").write_text('{"settings": {"seed": 1}}', "utf-8")
    assert FIRST.start(tmp_path, {"seed": 1}).checkpoint() == place
    assert FIRST.state(tmp_path) == "in part"
    FIRST.start(tmp_path, {"seed": 2}).checkpoint()
    assert not place.exists()


def test_a_missing_stage_names_the_command(tmp_path: Path) -> None:
    with pytest.raises(DerivedError, match="clew extract prepare"):
        FIRST.read_table(tmp_path)
