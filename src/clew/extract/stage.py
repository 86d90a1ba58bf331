"""A stage of a run: what it is made from, its parts while it is being made, its seal, and how it resumes.

A finished stage is a sealed directory of the run with tables and counts.json; it is skipped while its identity (the
settings, and the seals of the stages it reads) is the same. A long stage keeps finished parts in a hidden folder beside
it, a training its checkpoint, so that a killed run resumes; either is dropped if it has another identity.
"""

import json
import logging
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from clew.errors import DerivedError, GraphError
from clew.files import write_text
from clew.sealed import SEAL, Identity, check_seal, new_sealed

__all__ = [
    "COUNTS",
    "PartFolder",
    "Stage",
    "StageWork",
    "make_table",
    "read_counts",
    "seal_checksum",
    "write_counts",
    "write_stage",
    "write_table",
]

IDENTITY = "identity.json"
COUNTS = "counts.json"
NONE = "none"  # in an identity, for a stage that the run does not have
Counts = dict[str, Any]

logger = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Stage:
    """A stage by name: the directory in a run, the command that makes it, and the stages it reads.

    `optional` stages are read where the run has them; `headline` are the counts that say most.
    """

    name: str
    command: str
    holds: str
    reads: tuple[str, ...] = ()
    optional: tuple[str, ...] = ()
    headline: tuple[str, ...] = ()

    @property
    def remedy(self) -> str:
        """The command that makes the stage."""
        return f"clew extract {self.command}"

    def directory(self, run: Path) -> Path:
        """The stage's directory in a run."""
        return Path(run) / self.name

    def is_in(self, run: Path) -> bool:
        """Whether a run has the stage, finished."""
        return (self.directory(run) / SEAL).is_file()

    def start(self, run: Path, made_from: Mapping[str, Any]) -> "StageWork":
        """Begin or resume the stage; `made_from` is its identity besides the stages it reads."""
        return StageWork(self, Path(run), made_from)

    def read_table(self, run: Path, name: str | None = None, *, columns: list[str] | None = None) -> pa.Table:
        """A table of the finished stage; by default the one that is called as the stage is."""
        directory = self.check(run)
        return pq.read_table(directory / f"{name or self.name}.parquet", columns=columns)

    def check(self, run: Path) -> Path:
        """The directory of the stage; raises `DerivedError`, which names the command to run, unless it is finished."""
        directory = self.directory(run)
        check_seal(directory, {}, what=f"the stage {directory}", remedy=self.remedy)
        return directory

    def state(self, run: Path) -> str:
        """Missing, in part, finished, or outdated: made from a stage that has been made again since."""
        directory = self.directory(run)
        try:
            identity = check_seal(directory, {}, what=self.name, remedy=self.remedy)
        except DerivedError:
            begun = any(directory.parent.glob(f".{self.name}*.parts")) or _checkpoint(directory).is_dir()
            return "in part" if begun else "missing"
        run = directory.parent
        current = all(_is_made_from(run, name, identity.get(name)) for name in self.reads) and all(
            identity.get(name, NONE) == _optional_checksum(run, name) for name in self.optional
        )
        return "finished" if current else "outdated"


class StageWork:
    """A stage being made in a run: its identity, whether it is finished already, and what an earlier attempt left."""

    def __init__(self, stage: Stage, run: Path, made_from: Mapping[str, Any]) -> None:
        self.stage, self.directory = stage, stage.directory(run)
        given = {name: _as_scalar(value) for name, value in made_from.items()}
        read = {name: seal_checksum(run / name) for name in stage.reads if name not in given}
        found = {name: _optional_checksum(run, name) for name in stage.optional}
        self.identity: Identity = {**given, **read, **found}
        self._folders: dict[str, PartFolder] = {}

    @cached_property
    def finished(self) -> Counts | None:
        """What the stage counted, if it was finished with the same identity; else None."""
        try:
            check_seal(self.directory, self.identity, what=f"the stage {self.directory}", remedy=self.stage.remedy)
        except DerivedError:
            return None
        return read_counts(self.directory) if (self.directory / COUNTS).is_file() else {}

    def parts(self, name: str = "") -> "PartFolder":
        """The finished parts of an earlier attempt, to be added to; `name` tells several folders apart."""
        if name not in self._folders:
            place = self.directory.with_name(f"{self.stage.name}.{name}") if name else self.directory
            self._folders[name] = PartFolder(place, self.identity)
        return self._folders[name]

    def checkpoint(self) -> Path:
        """Where a training keeps its checkpoint; one with another identity is removed."""
        path = _checkpoint(self.directory)
        try:
            stated = json.loads((path / "state.json").read_text("utf-8"))["settings"]
        except (OSError, ValueError, KeyError):
            stated = {}
        if path.is_dir() and any(stated.get(name) != value for name, value in self.identity.items()):
            logger.info("%s was made with other settings or inputs: training starts over", path)
            shutil.rmtree(path, ignore_errors=True)
        return path

    @contextmanager
    def seal(self) -> Iterator[Path]:
        """A directory to be filled; when the block ends well it is sealed as the stage, and the parts are removed."""
        with new_sealed(self.directory, self.identity, what=self.stage.holds) as directory:
            yield directory
        for folder in self._folders.values():
            folder.remove()

    def write(self, tables: Mapping[str, pa.Table], counts: Mapping[str, Any]) -> None:
        """Seal the stage with its tables and counts."""
        with self.seal() as directory:
            _write(directory, tables, counts)


def write_stage(
    directory: Path, identity: Identity, tables: Mapping[str, pa.Table], counts: Mapping[str, Any], *, what: str
) -> None:
    """Write a sealed directory as a finished stage has it, whatever made it."""
    with new_sealed(directory, identity, what=what) as folder:
        _write(folder, tables, counts)


class PartFolder:
    """The finished parts of a stage, in a hidden folder beside it.

    Part n is one Parquet file for each table and, written last, a note of the counts; a part without its note
    does not count. A folder with another identity is emptied.
    """

    def __init__(self, stage: Path, identity: Identity) -> None:
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
            logger.info("%s: resuming after %d finished parts", stage, self.finished)

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
        """Delete the folder: its content is in the sealed stage now."""
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


def write_counts(directory: Path, counts: Mapping[str, Any]) -> None:
    """Write the counts of a stage into its directory."""
    write_text(directory / COUNTS, json.dumps(counts, indent=1, ensure_ascii=False) + "\n")


def read_counts(directory: Path) -> Counts:
    """What a finished stage counted."""
    found = json.loads((Path(directory) / COUNTS).read_text("utf-8"))
    assert isinstance(found, dict)
    return found


def seal_checksum(directory: Path) -> str:
    """The checksum in the seal of a finished stage or model: part of the identity of what is made from it."""
    try:
        return str(json.loads((Path(directory) / SEAL).read_text("utf-8"))["checksum"])
    except FileNotFoundError:
        raise DerivedError(f"the stage {directory} is not finished: run `clew extract run`") from None
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise DerivedError(
            f"{Path(directory) / SEAL} cannot be read ({error}): remove {directory} and run again"
        ) from error


def _write(directory: Path, tables: Mapping[str, pa.Table], counts: Mapping[str, Any]) -> None:
    for name, table in tables.items():
        write_table(table, directory / f"{name}.parquet")
    write_counts(directory, counts)


def _checkpoint(directory: Path) -> Path:
    return directory.with_name(f"{directory.name}.checkpoint")


def _is_made_from(run: Path, name: str, checksum: object) -> bool:
    if name == "model" and not (run / name).exists():  # predicted with a model from elsewhere
        return True
    return (run / name / SEAL).is_file() and seal_checksum(run / name) == checksum


def _optional_checksum(run: Path, name: str) -> str:
    return seal_checksum(run / name) if (run / name / SEAL).is_file() else NONE


def _as_scalar(value: Any) -> str | int | float | bool:
    """A value as an identity may hold it: settings and lists become JSON."""
    if is_dataclass(value) and not isinstance(value, type):
        value = asdict(value)
    return value if isinstance(value, str | int | float | bool) else json.dumps(value, sort_keys=True, default=str)
