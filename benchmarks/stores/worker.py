"""Run in a process of its own by stores.py: builds a graph, fills an embedded store, or is the server.

What a task took is printed as one line of JSON. `serve` prints where it listens, and ends when its input does.
"""

import json
import socket
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.khop.cost_worker import peak_bytes

DATABASE = "ibkh"
HEAP = "2g"


def build(files: str, out: str) -> dict[str, Any]:
    """Build a graph from files of iBKH."""
    import clew

    start, busy = time.perf_counter(), time.process_time()
    clew.build(files, format="ibkh", out=out)
    return {
        "seconds": time.perf_counter() - start,
        "processor_seconds": time.process_time() - busy,
        "peak_bytes": peak_bytes(),
    }


def load(graph: str, out: str) -> dict[str, Any]:
    """Load a graph into an embedded store."""
    from benchmarks.stores.loads import Watch
    from clew.store.embedded import build_embedded
    from clew.traverse import open

    opened = open(graph)
    watch = Watch(opened)
    start, busy = time.perf_counter(), time.process_time()
    path = build_embedded(opened, path=Path(out), progress=watch)
    seconds = time.perf_counter() - start
    return {
        "seconds": seconds,
        "processor_seconds": time.process_time() - busy,
        "peak_bytes": peak_bytes(),
        "disk_bytes": sum(file.stat().st_size for file in path.rglob("*") if file.is_file()),
        "steps": watch.steps(seconds),
    }


def serve(directory: str) -> None:
    """Be an ArcadeDB server that speaks Bolt on the loopback, until the input ends; the first line is the password."""
    from arcadedb_embedded.server import ArcadeDBServer

    password = sys.stdin.readline().strip()
    ports = [_free_port(), _free_port()]
    plugin = "Bolt:com.arcadedb.bolt.BoltProtocolPlugin"
    config = {"host": "127.0.0.1", "http_port": ports[0], "server_plugins": plugin, "bolt_port": ports[1]}
    server = ArcadeDBServer(root_path=directory, root_password=password, config=config, jvm_kwargs={"heap_size": HEAP})
    server.start()
    try:
        server.create_database(DATABASE)
        print(json.dumps({"port": ports[1], "database": DATABASE}), flush=True)
        sys.stdin.read()
    finally:
        server.stop()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


if __name__ == "__main__":
    command, *arguments = sys.argv[1:]
    if command == "serve":
        serve(*arguments)
    else:
        print(json.dumps({"build": build, "load": load}[command](*arguments)))
