"""A journal of a long run: every finished piece is appended to a file at once, so that a killed run resumes.

JSON lines: first the settings of the run, then one record for each piece. A line that was cut short is dropped and its
piece done again; a file of other settings is refused.
"""

import json
import os
from pathlib import Path
from typing import Any

from clew.errors import InputError

__all__ = ["Journal"]


class Journal:
    """The records of a run so far; without a file nothing is kept."""

    def __init__(self, out: Path | None, settings: dict[str, Any], *, what: str) -> None:
        self._out = out
        self.records: list[dict[str, Any]] = []
        if out is None:
            return
        if out.exists() and out.stat().st_size:
            self.records = _resumed(out, settings, what)
        if not out.exists() or not out.stat().st_size:  # new, or cut short in its first line
            self._write(settings)

    def append(self, record: dict[str, Any]) -> None:
        """Keep a record; it is on disk when this returns."""
        self.records.append(record)
        self._write(record)

    def _write(self, record: dict[str, Any]) -> None:
        if self._out is not None:
            with self._out.open("ab") as file:
                file.write(json.dumps(record, ensure_ascii=False).encode() + b"\n")
                file.flush()
                os.fsync(file.fileno())


def _resumed(out: Path, settings: dict[str, Any], what: str) -> list[dict[str, Any]]:
    """The records of an earlier run of the same settings."""
    whole = out.read_bytes()
    kept = whole[: whole.rfind(b"\n") + 1]
    try:
        lines = [json.loads(line) for line in kept.decode("utf-8").splitlines()]
        if not all(isinstance(line, dict) for line in lines) or not (lines or whole.startswith(b"{")):
            raise ValueError("not records")
    except ValueError as error:
        raise InputError(f"{out} is not a run of {what}: give another file") from error
    if lines and lines[0] != json.loads(json.dumps(settings)):
        raise InputError(f"{out} is a run with other settings ({lines[0]}): give another file, or the same settings")
    if len(kept) < len(whole):
        with out.open("r+b") as file:
            file.truncate(len(kept))
    return lines[1:]
