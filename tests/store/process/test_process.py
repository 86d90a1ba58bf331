"""One child process: what it answers, what it may take, and how it ends."""

import datetime
import math
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import clew
from clew.errors import StoreError, Timeout
from clew.store.deadline import Deadline
from clew.store.embedded import FILE, build_embedded
from clew.store.process import child
from clew.store.process.process import Process, QueryFailed

MIB = 1 << 20
linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells a process's memory in /proc")


@pytest.fixture
def file(make: Callable[..., clew.Engine]) -> Path:
    return build_embedded(make()) / FILE


@pytest.fixture
def process(file: Path) -> Iterator[Process]:
    made = Process(file, memory=512 * MIB, remedy="load it")
    yield made
    made.close()
    assert not made.alive


def ask(
    process: Process, text: str, *, limit: int = 10_000, seconds: float = 30.0, **parameters: object
) -> list[object]:
    return process.ask(text, parameters, limit=limit, deadline=Deadline.after(seconds)).rows


def test_every_kind_of_value_comes_back(process: Process) -> None:
    values = [1, -(2**63), 1.5, True, None, "é 𝔊 \n\t\"'\\ \x00 \u2028", [1, None], {"a": {"b": [1.0]}}]
    for value in values:
        assert ask(process, "RETURN $x AS x", x=value) == [[value]]
    assert ask(process, "RETURN date('2001-02-03') AS d") == [[datetime.date(2001, 2, 3)]]
    (difference,) = ask(process, "RETURN [date('2001-02-03'), null] AS d")
    assert difference == [[datetime.date(2001, 2, 3), None]]
    (total,) = ask(process, "UNWIND [1, 9223372036854775807] AS x RETURN sum(x) AS s")
    assert total == [2**63]
    assert isinstance(total[0], int)
    (found,) = ask(process, "RETURN $x AS x", x=math.inf)
    assert found == [math.inf]


def test_rows_come_in_parts_and_no_more_than_asked(process: Process) -> None:
    answer = process.ask("UNWIND range(1, 3000) AS i RETURN i", {}, limit=2000, deadline=Deadline.after(30))
    assert answer.rows == [[number] for number in range(1, 2001)]
    assert (answer.columns, answer.more) == (("i",), True)
    assert not process.ask("RETURN 1 AS x", {}, limit=1, deadline=Deadline.after(30)).more


def test_what_the_database_says_does_not_end_the_process(process: Process) -> None:
    for text in ("RETURN x", "nonsense", "MATCH (n) DETACH DELETE n", "CREATE (:Gene {id: 'new'})"):
        with pytest.raises(QueryFailed):
            ask(process, text)
    assert ask(process, "MATCH (n) RETURN count(n)") == [[4]]


def test_connections_are_renewed(process: Process) -> None:
    for number in range(child.MAX_USES + 2):
        assert ask(process, f"RETURN {number} AS x") == [[number]]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("WITH 2000000000 AS n RETURN size(range(0, n)) AS s", "memory than the 512 MiB"),
        ("RETURN size(range(0, 100000 * 100000)) AS s", "memory"),
        ("UNWIND range(1, 9000000) AS i RETURN sum(i) AS s", None),
        ("UNWIND range(1, 30000000) AS i RETURN collect(i) AS s", "memory|too large"),
        ("RETURN range(1, 8000000) AS s", "too large|memory"),
    ],
)
def test_what_is_too_much(process: Process, text: str, says: str | None) -> None:
    if says is None:
        assert len(ask(process, text)) == 1
        return
    with pytest.raises(StoreError, match=says):
        ask(process, text)


def test_an_answer_has_a_size(file: Path) -> None:
    process = Process(file, memory=128 * MIB, remedy="load it")
    text = "UNWIND range(1, 100000) AS i RETURN $x AS x"
    with pytest.raises(StoreError, match="at most 16 MiB"):
        ask(process, text, limit=100_000, x="x" * 300)
    assert len(ask(process, text, limit=1_000, x="x" * 300)) == 1_000
    process.close()


def test_a_busy_process_is_left_in_time(process: Process) -> None:
    ask(process, "RETURN 1 AS x")
    begun = time.monotonic()
    with pytest.raises((Timeout, QueryFailed), match=r"stopped after 0\.3 s|Interrupted"):
        ask(process, "UNWIND [9000000] AS n UNWIND range(1, n) AS i RETURN collect(i) AS s", seconds=0.3)
    assert time.monotonic() - begun < 1.3
    process.kill()


def test_a_killed_process_is_one_sentence(process: Process) -> None:
    ask(process, "RETURN 1 AS x")
    os.kill(process.pid, signal.SIGKILL)
    with pytest.raises(StoreError, match=r"ended unexpectedly \(signal 9\)"):
        ask(process, "RETURN 1 AS x")


def test_a_file_that_is_none(file: Path) -> None:
    file.write_bytes(b"\0" * file.stat().st_size)
    process = Process(file, memory=512 * MIB, remedy="clew cypher g --load")
    with pytest.raises(StoreError, match=r"cannot be opened .*: run `clew cypher g --load`"):
        ask(process, "RETURN 1 AS x")
    process.close()


ORPHAN = """
import sys, threading
from pathlib import Path
from clew.store.deadline import Deadline
from clew.store.process.process import Process
process = Process(Path(sys.argv[1]), memory=512 << 20, remedy="load it")
process.ask("RETURN 1 AS x", {}, limit=1, deadline=Deadline.after(60))
print(process.pid, flush=True)
if sys.argv[2] == "busy":
    process.ask("MATCH (a), (b) UNWIND range(1, 100000000) AS i WITH i, a WHERE i * i = -1 RETURN count(a) AS n", {},
                limit=1, deadline=Deadline.after(60))
threading.Event().wait()
"""


@linux
@pytest.mark.parametrize("state", ["idle", "busy"])
def test_no_orphan_is_left(file: Path, state: str) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", ORPHAN, str(file), state], stdout=subprocess.PIPE, text=True
    ) as parent:
        assert parent.stdout is not None
        child_pid = int(parent.stdout.readline())
        time.sleep(0.2)
        parent.kill()
    ends = time.monotonic() + 5
    while Path(f"/proc/{child_pid}").exists() and " Z " not in Path(f"/proc/{child_pid}/stat").read_text():
        assert time.monotonic() < ends, "the child works on without its parent"
        time.sleep(0.02)
