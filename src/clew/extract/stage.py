"""A stage of a run on disk: parts while it is being made, then a sealed directory with its tables and counts.

A finished stage is not repeated while its identity (settings, and the seals of the stages it read) is the same. Part n
is one Parquet file for each table and, written last, a note of what was counted; a part without its note does not
count. A folder of parts with another identity is emptied; when all parts are there they are merged into the stage.
"""

import json
import logging
import shutil
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from clew.errors import DerivedError, GraphError
from clew.files import write_text
from clew.sealed import SEAL, check_seal, new_sealed

__all__ = [
    "COUNTS",
    "Identity",
    "PartFolder",
    "finished_counts",
    "make_table",
    "read_counts",
    "read_stage_table",
    "seal_checksum",
    "write_stage",
    "write_table",
]

IDENTITY = "identity.json"
COUNTS = "counts.json"
REMEDY = "clew extract prepare"
Identity = Mapping[str, str | int | float | bool]

logger = logging.getLogger(__name__)


class PartFolder:
    """The finished parts of the stage at `stage`, in a hidden folder beside it."""

    def __init__(self, stage: Path, identity: Mapping[str, str | int | float | bool]) -> None:
        stage = Path(stage).absolute()
        self.path = stage.with_name(f".{stage.name}.parts")
        wanted = json.dumps(dict(identity), sort_keys=True)
        if self._read(IDENTITY) != wanted:
            shutil.rmtree(self.path, ignore_errors=True)
            try:
                self.path.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise GraphError(f"cannot create {self.path}: {error.strerror or error}") from error
            write_text(self.path / IDENTITY, wanted)
        self.finished = 0
        while self._note_path(self.finished).is_file():
            self.finished += 1
        if self.finished:
            logger.info("%s: going on after %d finished parts", stage, self.finished)

    def write(self, tables: Mapping[str, pa.Table], note: Mapping[str, Any]) -> None:
        """Add the next part; it counts once its note is on the disk."""
        for name, table in tables.items():
            whole = self._table_path(name, self.finished)
            unfinished = whole.with_suffix(".unfinished")
            write_table(table, unfinished)
            unfinished.replace(whole)
        write_text(self._note_path(self.finished), json.dumps(dict(note)))
        self.finished += 1

    def notes(self) -> Iterator[dict[str, Any]]:
        """What was noted with each finished part, in order."""
        for number in range(self.finished):
            yield json.loads(self._note_path(number).read_text("utf-8"))

    def tables(self, name: str, *, columns: list[str] | None = None) -> Iterator[pa.Table]:
        """One table of each finished part, in order."""
        for number in range(self.finished):
            yield pq.read_table(self._table_path(name, number), columns=columns)

    def join(self, name: str, path: Path, schema: pa.Schema) -> None:
        """Write one file of all parts of a table, a part at a time."""
        with pq.ParquetWriter(path, schema, compression="zstd") as writer:
            for table in self.tables(name):
                writer.write_table(table.cast(schema))

    def remove(self) -> None:
        """Throw the folder away; its content stands in the sealed stage now."""
        shutil.rmtree(self.path, ignore_errors=True)

    def _table_path(self, name: str, number: int) -> Path:
        return self.path / f"{name}-{number:05d}.parquet"

    def _note_path(self, number: int) -> Path:
        return self.path / f"part-{number:05d}.json"

    def _read(self, name: str) -> str | None:
        try:
            return (self.path / name).read_text("utf-8")
        except (OSError, UnicodeDecodeError):
            return None


def make_table(rows: Sequence[tuple[Any, ...]], schema: pa.Schema) -> pa.Table:
    """A table of rows, also of none."""
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    return pa.table([pa.array(column, each.type) for column, each in zip(columns, schema, strict=True)], schema)


def write_table(table: pa.Table, path: Path) -> None:
    """Write a Parquet file as all stages do."""
    pq.write_table(table, path, compression="zstd")


def seal_checksum(stage: Path) -> str:
    """The checksum in a finished stage's seal: what the next stage puts into its own identity."""
    try:
        return str(json.loads((Path(stage) / SEAL).read_text("utf-8"))["checksum"])
    except FileNotFoundError:
        raise DerivedError(f"the stage {stage} is not finished: run `clew extract prepare`") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DerivedError(f"{Path(stage) / SEAL} cannot be read ({error}): remove {stage} and run again") from error


def read_counts(stage: Path) -> dict[str, Any]:
    """What a finished stage counted."""
    found = json.loads((Path(stage) / COUNTS).read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def finished_counts(stage: Path, identity: Identity) -> dict[str, Any] | None:
    """What a stage counted, if it was finished with these settings and inputs; else None."""
    try:
        check_seal(stage, identity, what=f"the stage {stage.name}", remedy=REMEDY)
    except DerivedError:
        return None
    return read_counts(stage)


def write_stage(
    stage: Path, identity: Identity, tables: Mapping[str, pa.Table], counts: Mapping[str, Any], *, what: str
) -> None:
    """Write the tables of a stage, what it counted, and the seal."""
    with new_sealed(stage, identity, what=what) as directory:
        for name, table in tables.items():
            write_table(table, directory / f"{name}.parquet")
        write_text(directory / COUNTS, json.dumps(counts, indent=1, ensure_ascii=False) + "\n")


def read_stage_table(stage: Path, *, columns: list[str] | None = None) -> pa.Table:
    """The table of a stage that has one, called as the stage is."""
    check_seal(stage, {}, what=f"the stage {stage}", remedy=REMEDY)
    return pq.read_table(stage / f"{stage.name}.parquet", columns=columns)
