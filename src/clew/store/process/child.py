"""The program of a child process: opens a Ladybug database read-only and runs its parent's queries.

Requests are JSON lines on standard input, replies JSON lines on standard output. This side limits memory, by an address
space limit and a watcher thread; the parent enforces the deadline. Run by path, so that importing Clew costs nothing.
"""

import json
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import date, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any, BinaryIO

__all__ = ["LARGEST_ROW", "OUT_OF_MEMORY", "main"]

OUT_OF_MEMORY = 86  # exit status after exceeding the memory limit
LARGEST_ROW = 32 << 20  # bytes as JSON
LINE_BYTES, LINE_ROWS = 1 << 16, 256  # size at which a line of rows is sent
MAX_USES = 200  # of a connection, which caches every query it has run
WATCH_SECONDS = 0.05
OWN_MEMORY = 192 << 20  # bytes used by Python and Ladybug before any query
SMALLEST_DATABASE = 64 << 20  # bytes of address space reserved for the file
Serve = Callable[[Mapping[str, Any], BinaryIO], None]


class TooLarge(Exception):
    """A result, or one row of it, exceeds the size limit."""


def main() -> None:
    """Serve until the parent closes the pipe or ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the parent
    answers = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # library output must not mix with replies
    given = json.loads(sys.stdin.buffer.readline() or b"null")
    if given is None:
        return
    threading.Thread(target=_watch, args=(os.getppid(), given["memory"] + OWN_MEMORY), daemon=True).start()
    try:
        serve = _open(given)
    except Exception as error:  # a damaged file, or a library that cannot be loaded
        _send(answers, {"unopened": str(error) or type(error).__name__})
        return
    _send(answers, {"ready": True})
    for line in sys.stdin.buffer:
        serve(json.loads(line), answers)


def _open(given: Mapping[str, Any]) -> Serve:
    """Open the database, then limit further memory."""
    import ladybug

    file, memory = Path(given["path"]), given["memory"]
    reserved = SMALLEST_DATABASE
    while reserved < 2 * file.stat().st_size:
        reserved *= 2
    # Half is Ladybug's buffer pool, reserved at once; half is for everything else.
    database = ladybug.Database(file, read_only=True, buffer_pool_size=memory // 2, max_db_size=reserved)
    connection, uses = ladybug.Connection(database), 0
    connection.execute("RETURN 1").close()  # starts its threads, whose stacks should not count
    _limit_address_space(memory - memory // 2)

    def serve(request: Mapping[str, Any], answers: BinaryIO) -> None:
        nonlocal connection, uses
        if uses == MAX_USES:
            connection, uses = ladybug.Connection(database), 0
        uses += 1
        connection.set_query_timeout(max(1, round(request["seconds"] * 1000)))
        try:
            for line in _answer(connection, request, given["tag"]):
                answers.write(line)
        except TooLarge:
            _send(answers, {"too_large": True})
        except MemoryError:
            os._exit(OUT_OF_MEMORY)
        except Exception as error:  # a Ladybug error or invalid UTF-8; the parent translates it
            _send(answers, {"error": str(error) or type(error).__name__})

    return serve


def _answer(connection: Any, request: Mapping[str, Any], tag: str) -> Iterator[bytes]:
    """Reply lines; the last one holds the columns and whether there are more rows."""
    tagged = False

    def plain(value: Any) -> Any:
        nonlocal tagged
        if isinstance(value, Decimal):  # sums of integers have 128 bits
            return int(value) if value == value.to_integral_value() else float(value)
        tagged = True
        return {tag: _plain(value)}

    encode = json.JSONEncoder(ensure_ascii=False, default=plain, check_circular=False).encode
    rows: list[str] = []
    count, size, sent = 0, 0, 0

    def line(**more: Any) -> bytes:
        return f'{{"rows":[{",".join(rows)}],{json.dumps({"tagged": tagged, **more})[1:]}\n'.encode()

    with connection.execute(request["text"], request["parameters"]) as result:
        while count < request["limit"] and result.has_next():
            row = encode(result.get_next())
            rows.append(row)
            count, size = count + 1, size + len(row)
            if len(row) > LARGEST_ROW or sent + size > request["bytes"]:
                raise TooLarge
            if size > LINE_BYTES or len(rows) == LINE_ROWS:
                yield line()
                rows, sent, size = [], sent + size, 0
        yield line(columns=result.get_column_names(), more=result.has_next())


def _plain(value: Any) -> list[Any]:
    """A value without JSON equivalent as kind and text."""
    match value:
        case datetime():
            return ["datetime", value.isoformat()]
        case date():
            return ["date", value.isoformat()]
        case timedelta():
            return ["timedelta", [value.days, value.seconds, value.microseconds]]
    return ["text", str(value)]


def _send(answers: BinaryIO, reply: Mapping[str, Any]) -> None:
    answers.write(json.dumps(reply).encode() + b"\n")


def _limit_address_space(more: int) -> None:
    """Limit the address space to its current size plus `more` bytes; effective on Linux only."""
    with suppress(ImportError, OSError, ValueError):
        import resource

        taken = int(Path("/proc/self/statm").read_text("ascii").split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (taken + more, taken + more))


def _watch(parent: int, memory: int) -> None:
    """End this process when its parent has ended or its memory exceeds the limit."""
    while True:
        time.sleep(WATCH_SECONDS)
        if os.getppid() != parent:
            os._exit(0)
        if _resident() > memory:
            os._exit(OUT_OF_MEMORY)


def _resident() -> int:
    """Resident memory in bytes: current on Linux, peak on macOS, 0 if unknown."""
    try:
        import resource
    except ImportError:
        return 0
    if sys.platform == "darwin":
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    with suppress(OSError):
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()
    return 0


if __name__ == "__main__":
    main()
