"""Every kind of engine, for suites that all must pass: local on each backend, over segments, and over bytes."""

from collections.abc import Callable
from pathlib import Path

import clew
from clew.graph import Graph
from clew.traverse import GraphEngine
from clew.traverse.backend import BACKENDS
from clew.traverse.remote.engine import RemoteEngine
from clew.traverse.remote.service import Service

__all__ = ["ENGINES", "FEW", "loopback"]


def loopback(path: Path, *, folder: Path | None = None) -> GraphEngine:
    """The graph walked through bytes alone."""
    return RemoteEngine(Service(clew.open(path)).answer, folder=folder)


def _local(backend: str, segments: int) -> Callable[[Path], GraphEngine]:
    return lambda path: clew.Engine(Graph(path), backend=backend, segments=segments)


ENGINES: dict[str, Callable[[Path], GraphEngine]] = {
    **{name: _local(name, 1) for name in (*BACKENDS, "auto")},
    **{f"{name} over two segments": _local(name, 2) for name in (*BACKENDS, "auto")},
    "loopback": loopback,
}
FEW = ("numpy", "numba", "numba over two segments", "loopback")  # where every backend would take too long
