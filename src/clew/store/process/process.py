"""The parent's handle of a child process: runs one query at a time, killed at the deadline."""

import json
import os
import secrets
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any

from clew.errors import StoreError
from clew.store.deadline import Deadline
from clew.store.process import child

__all__ = ["Answer", "Process", "QueryFailed"]

GRACE = 0.1  # seconds: Ladybug's own timer should fire first
CLOSE_SECONDS = 1.0
OUT_OF_MEMORY = ("std::bad_alloc", "Buffer manager exception")
READ_BACK: dict[str, Callable[[Any], Any]] = {
    "date": date.fromisoformat,
    "datetime": datetime.fromisoformat,
    "timedelta": lambda parts: timedelta(*parts),
    "text": str,
}


class QueryFailed(Exception):
    """The database's error message for a query."""


@dataclass(frozen=True, slots=True)
class Answer:
    """Rows as returned by the database."""

    columns: tuple[str, ...]
    rows: list[list[Any]]
    more: bool


class Process:
    """One child process; after any error from `ask` other than `QueryFailed` it must be killed.

    `prove` is called while the process starts; the file is opened only if it returns.
    """

    def __init__(self, file: Path, *, memory: int, remedy: str, prove: Callable[[], None] = lambda: None) -> None:
        self._file, self._memory, self._remedy = file, memory, remedy
        self._tag = secrets.token_hex(8)  # marks values without JSON equivalent; queries cannot guess it
        self._ready = False
        environment = os.environ | {"MALLOC_ARENA_MAX": "2"}  # by default each thread reserves its own address space
        try:
            self._popen = subprocess.Popen(
                [sys.executable, "-P", child.__file__],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
            )
        except OSError as error:
            raise StoreError(f"cannot start a process for the query: {error.strerror or error}") from error
        assert self._popen.stdin is not None
        assert self._popen.stdout is not None
        self._input = self._popen.stdin
        self._lines: SimpleQueue[bytes] = SimpleQueue()
        reading = (self._popen, self._popen.stdout, self._lines)
        threading.Thread(target=_read_lines, args=reading, name="clew-store", daemon=True).start()
        try:
            prove()
        except BaseException:
            self.kill()
            raise
        self._send({"path": str(file), "memory": memory, "tag": self._tag})

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def alive(self) -> bool:
        """Whether the process is running."""
        return self._popen.poll() is None

    def ask(self, text: str, parameters: Mapping[str, Any], *, limit: int, deadline: Deadline) -> Answer:
        """Run one statement and return at most `limit` rows."""
        if not self._ready:
            self._receive(deadline)
            self._ready = True
        seconds = max(0.001, deadline.left)
        most = self._memory // 8  # bytes of JSON; Python values take several times as much
        self._send({"text": text, "parameters": parameters, "limit": limit, "seconds": seconds, "bytes": most})
        rows: list[list[Any]] = []
        while True:
            reply = self._receive(deadline)
            rows += reply["rows"]
            if "columns" in reply:
                return Answer(tuple(reply["columns"]), rows, reply["more"])

    def close(self) -> None:
        """End the process: idle, it exits when its pipe closes; busy, it is killed."""
        with suppress(OSError):
            self._input.close()
        with suppress(subprocess.TimeoutExpired):
            self._popen.wait(CLOSE_SECONDS)
            return
        self.kill()

    def kill(self) -> None:
        """Kill the process without waiting: freeing much memory takes the system a while."""
        self._popen.kill()
        with suppress(OSError):
            self._input.close()

    def _send(self, request: Mapping[str, Any]) -> None:
        try:
            self._input.write(json.dumps(request).encode() + b"\n")
            self._input.flush()
        except OSError:
            pass  # it has ended; `_receive` reports that

    def _receive(self, deadline: Deadline) -> dict[str, Any]:
        line = self._line(deadline.later(GRACE))
        if not line:
            raise self._ended()
        reply: dict[str, Any] = json.loads(line)
        if reply.get("tagged"):
            reply = json.loads(line, object_hook=self._untagged)
        if "unopened" in reply:
            raise StoreError(f"{self._file} cannot be opened ({_one_line(reply['unopened'])}): run `{self._remedy}`")
        if "error" in reply:
            raise self._failed(reply["error"])
        if "too_large" in reply:
            most = f"at most {self._memory // 8 >> 20:,} MiB, and {child.LARGEST_ROW >> 20} MiB per row"
            raise StoreError(f"the result is too large ({most}): return fewer rows or columns")
        return reply

    def _line(self, deadline: Deadline) -> bytes:
        """The next line of the child's output."""
        while True:
            try:
                return self._lines.get(timeout=deadline.pause)
            except Empty:
                deadline.check()

    def _failed(self, said: str) -> Exception:
        if said.startswith(OUT_OF_MEMORY):
            return self._out_of_memory()
        return QueryFailed(said)

    def _untagged(self, value: dict[str, Any]) -> Any:
        if self._tag not in value:
            return value
        kind, text = value[self._tag]
        return READ_BACK[kind](text)

    def _ended(self) -> StoreError:
        """The error for a process that ended without an answer."""
        status = self._popen.wait()
        if status == child.OUT_OF_MEMORY:
            return self._out_of_memory()
        how = f"signal {-status}" if status < 0 else f"status {status}"
        return StoreError(f"the process that ran this query ended unexpectedly ({how}): narrow the query")

    def _out_of_memory(self) -> StoreError:
        return StoreError(
            f"the query needs more memory than the {self._memory >> 20:,} MiB it may use: narrow the query"
        )


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _read_lines(popen: "subprocess.Popen[bytes]", output: IO[bytes], lines: "SimpleQueue[bytes]") -> None:
    """Queue a child's output line by line; an empty line marks its end."""
    with suppress(OSError, ValueError), output:
        for line in output:
            lines.put(line)
    popen.wait()
    lines.put(b"")
