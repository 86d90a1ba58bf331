"""Unfinished work of a streaming build: a folder with numbers, tables and a journal of the phases that are complete.

A build that is killed is continued by the next one with the same sources and options.
"""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import GraphError
from clew.files import lock, remove, write_text

__all__ = [
    "ArrayFile",
    "NumberBuckets",
    "Scratch",
    "TableBuckets",
    "number_blocks",
    "read_numbers",
    "read_tables",
    "scratch_folder",
]

Ints = NDArray[np.integer]
JOURNAL = "journal.json"


class Scratch:
    """The folder and journal of one build."""

    def __init__(self, folder: Path, fingerprint: str) -> None:
        self.folder = folder
        self._journal: dict[str, Any] = {"fingerprint": fingerprint, "phases": {}}
        path = folder / JOURNAL
        known = json.loads(path.read_text("utf-8")) if path.exists() else {}
        if known.get("fingerprint") == fingerprint:
            self._journal = known
        else:
            for each in folder.iterdir():
                remove(each)

    @property
    def phases(self) -> list[str]:
        """The phases that are complete."""
        return list(self._journal["phases"])

    def notes(self, phase: str) -> dict[str, Any] | None:
        """What a complete phase noted; None if it has to be done."""
        found: dict[str, Any] | None = self._journal["phases"].get(phase)
        return found

    def finish(self, phase: str, notes: dict[str, Any]) -> None:
        """Note that a phase is complete."""
        self._journal["phases"][phase] = notes
        write_text(self.folder / JOURNAL, json.dumps(self._journal))

    def fresh(self, name: str) -> Path:
        """A new folder in place of what an interrupted phase left there."""
        folder = self.folder / name
        if folder.exists():
            remove(folder)
        folder.mkdir()
        return folder


@contextmanager
def scratch_folder(out: Path) -> Iterator[Path]:
    """The folder for the work on a graph, held alone; it stays until the graph is there."""
    folder = out.absolute().parent / f".{out.name}.streaming"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = os.open(folder, os.O_RDONLY)
    except (OSError, ValueError) as error:  # ValueError: a name with NUL
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise GraphError(f"cannot create {out}: {reason}") from error
    try:
        if lock(held) is False:
            raise GraphError(f"another program is building {out}: wait until it has finished")
        yield folder
        remove(folder)
    finally:
        os.close(held)


class NumberFile:
    """Numbers, appended one array after another."""

    def __init__(self, path: Path, dtype: Any) -> None:
        self._file = path.open("wb")
        self._dtype = np.dtype(dtype)

    def append(self, numbers: NDArray[Any]) -> None:
        """Write more numbers."""
        np.ascontiguousarray(numbers, self._dtype).tofile(self._file)

    def __enter__(self) -> "NumberFile":
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.close()


def read_numbers(path: Path, dtype: Any) -> NDArray[Any]:
    """The numbers of a file, mapped."""
    if path.stat().st_size == 0:
        return np.empty(0, dtype)
    return np.memmap(path, dtype, "r")


def number_blocks(path: Path, dtype: Any, rows: int) -> Iterator[NDArray[Any]]:
    """The numbers of a file, `rows` at a time: nothing of it stays in memory, as pages of a mapped file would."""
    with path.open("rb") as file:
        while len(block := np.fromfile(file, dtype, rows)):
            yield block


class ArrayFile(NumberFile):
    """A .npy file, written one array after another: the same bytes as if it had been saved at once."""

    def __init__(self, path: Path, dtype: Any) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        super().__init__(path, dtype)
        self._length = 0
        self._header()

    def append(self, numbers: NDArray[Any]) -> None:
        """Write more numbers."""
        super().append(numbers)
        self._length += len(numbers)

    def _header(self) -> None:
        described = {"descr": self._dtype.str, "fortran_order": False, "shape": (self._length,)}
        np.lib.format.write_array_header_1_0(self._file, described)

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._file.seek(0)
        self._header()
        super().__exit__(kind, error, at)


class NumberBuckets:
    """Rows of numbers, each appended to the file of its bucket."""

    def __init__(self, folder: Path, count: int, dtype: Any) -> None:
        self._files = [NumberFile(folder / f"{at:05}", dtype) for at in range(count)]

    def append(self, rows: NDArray[Any], bucket: Ints) -> None:
        """Write rows; those of one bucket stay in order."""
        for number, chosen in _by_bucket(bucket):
            self._files[number].append(rows[chosen])

    def close(self) -> None:
        """Close all files."""
        for file in self._files:
            file.__exit__(None, None, None)


class TableBuckets:
    """Rows of tables, each appended to the Arrow stream of its bucket."""

    def __init__(self, folder: Path, count: int, schema: pa.Schema) -> None:
        paths = [str(folder / f"{at:05}.arrows") for at in range(count)]
        self._writers = [pa.ipc.new_stream(pa.OSFile(path, "wb"), schema) for path in paths]

    def append(self, rows: pa.Table, bucket: Ints) -> None:
        """Write rows; those of one bucket stay in order."""
        for number, chosen in _by_bucket(bucket):
            self._writers[number].write_table(rows.take(pa.array(chosen)))

    def close(self) -> None:
        """Close all streams."""
        for writer in self._writers:
            writer.close()


def read_tables(path: Path) -> pa.Table:
    """All rows of an Arrow stream, mapped."""
    with pa.memory_map(str(path)) as file, pa.ipc.open_stream(file) as stream:
        return stream.read_all()


def _by_bucket(bucket: Ints) -> Iterator[tuple[int, Ints]]:
    """The buckets that occur, and the rows of each, ascending."""
    order = np.argsort(bucket, kind="stable")
    found, starts = np.unique(bucket[order], return_index=True)
    yield from zip(found.tolist(), np.split(order, starts[1:]) if len(order) else [], strict=True)
