"""A process that has imported Clew and forks for every command, so that each gets a fresh process in milliseconds.

`Commands` is the attacker's side. What the command printed, its status, time and peak memory come back; a command that
takes too long is killed. `python -m attack.zygote` is the other side: JSON lines in, JSON lines out.
"""

import atexit
import ctypes
import gc
import json
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self

__all__ = ["Commands", "Ran"]

TESTS = Path(__file__).resolve().parents[1]
BACKSTOP = 8 << 30  # bytes of memory at which a process is killed, before it takes the machine
WATCH_SECONDS = 0.05
PR_SET_PDEATHSIG = 1
PRELOADED = (
    "clew", "clew.app.cli.main", "clew.app.cli.graphs.build", "clew.app.cli.graphs.doctor",
    "clew.app.cli.graphs.update", "clew.app.records", "clew.answer", "clew.graph.build", "clew.graph.readers.merge",
    "clew.graph.readers.table", "clew.graph.updates.update", "clew.link", "clew.store.embedded",
    "clew.traverse.backends.numba", "pyarrow.csv", "pyarrow.json", "pyarrow.parquet", "numba", "rapidfuzz.process",
    "scipy.sparse",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Ran:
    """What a command did."""

    args: tuple[str, ...]
    code: int | None  # None if it was killed because it took too long
    signal: int
    out: str
    err: str
    seconds: float
    peak: int  # bytes

    def fault(self, *, memory: int | None = None) -> str | None:
        """What must never happen: a crash, a hang, an error that nobody wrote, or too much memory."""
        if self.code is None:
            return f"still running after {self.seconds:.0f} s"
        if self.signal:
            return f"ended by signal {self.signal}"
        if "Traceback (most recent" in self.err or "unexpected " in self.err:
            return f"an error that nobody wrote: {self.err.strip()[-300:]}"
        said = [line for line in self.err.splitlines() if line.startswith("clew: error:")]
        if self.code not in (0, 1, 2) or len(said) > 1 or (self.code == 2 and not said):
            return f"status {self.code} and {len(said)} sentences: {self.err.strip()[:300]}"
        if memory is not None and self.peak > memory:
            return f"{self.peak >> 20:,} MiB, more than {memory >> 20:,}"
        return None


class Commands:
    """Runs `clew` commands, or functions of this folder, each in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self._folder = Path(tempfile.mkdtemp(dir=folder))
        self._process = _started()
        self._running: set[int] = set()

    def run(self, *args: str, seconds: float = 30.0) -> Ran:
        """Run `clew ARGS` to its end."""
        return self._ran(args, self._ask({"args": list(args), "seconds": seconds}))

    def call(self, function: str, *values: Any, seconds: float = 60.0) -> Ran:
        """Call a function, "module:name", with JSON values; its result is printed as JSON."""
        asked = {"call": function, "values": list(values), "seconds": seconds}
        return self._ran((function, *map(str, values)), self._ask(asked))

    def start(self, *args: str) -> int:
        """Start `clew ARGS` and return its process id; `end` waits for it."""
        return self._start({"args": list(args)})

    def start_call(self, function: str, *values: Any) -> int:
        """Start a function; `end` waits for it."""
        return self._start({"call": function, "values": list(values)})

    def end(self, pid: int, *, seconds: float = 60.0) -> Ran:
        """Wait for what was started."""
        self._running.discard(pid)
        return self._ran((), self._ask({"end": pid, "seconds": seconds}))

    def close(self) -> None:
        """End what was started and not waited for."""
        for pid in list(self._running):
            self.end(pid, seconds=0)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def _start(self, request: Mapping[str, Any]) -> int:
        pid = int(self._ask({**request, "start": True})["pid"])
        self._running.add(pid)
        return pid

    def _ask(self, request: Mapping[str, Any]) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({**request, "folder": str(self._folder)}) + "\n")
        self._process.stdin.flush()
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def _ran(self, args: Sequence[str], got: Mapping[str, Any]) -> Ran:
        out, err = (
            Path(got[name]).read_text("utf-8", "replace") if Path(got[name]).exists() else "" for name in ("out", "err")
        )
        for name in ("out", "err"):
            Path(got[name]).unlink(missing_ok=True)
        return Ran(tuple(args), got["code"], got["signal"], out, err, got["seconds"], got["peak"] << 10)


_processes: "list[subprocess.Popen[str]]" = []


def _started() -> "subprocess.Popen[str]":
    """The process that forks, one for all attacks of this one; it ends with this one."""
    if not _processes or _processes[-1].poll() is not None:
        _processes.append(
            subprocess.Popen(
                [sys.executable, "-m", "attack.zygote"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                env={**os.environ, "PYTHONPATH": os.pathsep.join([str(TESTS), *sys.path])},
                text=True,
            )
        )
        atexit.register(_stop, _processes[-1])
    return _processes[-1]


def _stop(process: "subprocess.Popen[str]") -> None:
    process.communicate()


# the other side -------------------------------------------------------------------------------------------------------


def main() -> None:
    """Serve until the attacker closes the pipe."""
    import importlib

    sys.path.insert(0, str(TESTS))
    for name in PRELOADED:
        importlib.import_module(name)
    importlib.import_module("clew.store.cypher").parse("RETURN 1 AS x")  # builds the tables of its parser
    importlib.import_module("clew.answer.grammar.parse").open_parser()  # once for all forks
    gc.freeze()  # or a collection in a fork would copy all of it
    running: dict[int, dict[str, Any]] = {}
    for line in sys.stdin:
        request = json.loads(line)
        if "end" in request:
            answer = _wait(request["end"], running.pop(request["end"]), request["seconds"])
        else:
            pid, begun = _fork(request)
            if request.get("start"):
                running[pid] = begun
                answer = {"pid": pid}
            else:
                answer = _wait(pid, begun, request["seconds"])
        print(json.dumps(answer), flush=True)


def _fork(request: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
    name = Path(request["folder"]) / f"{time.monotonic_ns()}"
    begun = {"out": f"{name}.out", "err": f"{name}.err", "at": time.monotonic()}
    pid = os.fork()
    if pid == 0:
        status = 70
        try:
            os.setsid()
            ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)  # what hangs ends with its attacker
            for stream, at in ((begun["out"], 1), (begun["err"], 2)):
                os.dup2(os.open(str(stream), os.O_WRONLY | os.O_CREAT), at)
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            sys.stdin, sys.stdout, sys.stderr = open(0), open(1, "w"), open(2, "w")  # noqa: SIM115
            resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
            os.environ["CLEW_HOME"] = str(Path(request["folder"]) / "home")
            status = _work(request)
            sys.stdout.flush()
            sys.stderr.flush()
        except BaseException:
            import traceback

            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(status)
    return pid, begun


def _work(request: Mapping[str, Any]) -> int:
    if "call" in request:
        import importlib

        module, _, name = request["call"].partition(":")
        print(json.dumps(getattr(importlib.import_module(module), name)(*request["values"])))
        return 0
    from clew.app.cli.main import main as clew

    sys.argv = ["clew", *request["args"]]
    try:
        return int(clew() or 0)
    except SystemExit as left:
        return left.code if isinstance(left.code, int) else 0


def _wait(pid: int, begun: Mapping[str, Any], seconds: float) -> dict[str, Any]:
    """The end of a process; it is killed, with what it started, if it takes too long."""
    descriptor, late = os.pidfd_open(pid), False
    while not select.select([descriptor], [], [], WATCH_SECONDS)[0]:
        late = time.monotonic() > begun["at"] + seconds
        if late or _resident(pid) > BACKSTOP:
            os.killpg(pid, signal.SIGKILL)
            break
    os.close(descriptor)
    _, status, used = os.wait4(pid, 0)
    ended = os.WTERMSIG(status) if os.WIFSIGNALED(status) else 0
    return {
        "code": None if late else os.waitstatus_to_exitcode(status),
        "signal": ended,
        "out": begun["out"],
        "err": begun["err"],
        "seconds": time.monotonic() - begun["at"],
        "peak": used.ru_maxrss,
    }


def _resident(pid: int) -> int:
    try:
        return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


if __name__ == "__main__":
    main()
