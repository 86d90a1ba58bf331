"""A server that speaks Bolt, for tests: ArcadeDB from its wheel, on loopback, in a process of its own.

Run as a program it is that process: it says "ready", makes a database for each line it reads, and ends with its input.
"""

import os
import secrets
import selectors
import socket
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

START_SECONDS = 90
SHORT_LIVED = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # compiling for speed takes longer than the tests
RUNNING: "list[Server]" = []


@dataclass
class Server:
    """A running server; `database` makes an empty database and gives its address."""

    process: "subprocess.Popen[str]"
    port: int
    password: str
    http_port: int
    made: int = 0

    def database(self) -> str:
        self.made += 1
        name = f"kg{self.made}"
        self.process.stdin.write(f"{name}\n")
        self.process.stdin.flush()
        wait_for_line(self.process, name)
        return f"bolt://root:{self.password}@127.0.0.1:{self.port}/{name}"


def wait_for_line(process: "subprocess.Popen[str]", wanted: str) -> None:
    """Read the one line the server owes us."""
    with selectors.DefaultSelector() as waiting:
        waiting.register(process.stdout, selectors.EVENT_READ)
        readable = waiting.select(START_SECONDS)
    line = process.stdout.readline() if readable else ""
    if line.strip() != wanted:
        raise RuntimeError(f"ArcadeDB did not say {wanted!r} but {line!r}")


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return taken.getsockname()[1]


def start(root: Path) -> Server:
    password, port, http_port = secrets.token_hex(8), free_port(), free_port()
    process = subprocess.Popen(
        [sys.executable, __file__, str(root), str(http_port), str(port), password],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        bufsize=1,
        cwd=root,
        env={**os.environ, "JAVA_TOOL_OPTIONS": SHORT_LIVED},
    )
    try:
        wait_for_line(process, "ready")
    except BaseException:
        process.kill()
        raise
    return Server(process, port, password, http_port)


def stop(server: Server) -> None:
    server.process.kill()  # a query it was told to forget would keep it
    server.process.wait()
    server.process.stdin.close()
    server.process.stdout.close()


@pytest.fixture(scope="session")
def arcadedb(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """The server, started once, even where several test modules import this fixture."""
    if not RUNNING:
        RUNNING.append(start(tmp_path_factory.mktemp("arcadedb")))
    yield RUNNING[0]
    if RUNNING[0].process.poll() is None:
        stop(RUNNING[0])


def serve(root: str, http_port: str, bolt_port: str, password: str) -> None:
    said = os.fdopen(os.dup(1), "w", buffering=1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # its log
    from arcadedb_embedded.server import ArcadeDBServer

    server = ArcadeDBServer(
        root_path=root,
        root_password=password,
        config={
            "host": "127.0.0.1",
            "http_port": int(http_port),
            "server_plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
            "bolt_port": int(bolt_port),
        },
        jvm_kwargs={"heap_size": "1g"},
    )
    server.start()
    print("ready", file=said)
    for line in sys.stdin:
        server.create_database(line.strip())
        print(line.strip(), file=said)
    server.stop()


if __name__ == "__main__":
    serve(*sys.argv[1:])
