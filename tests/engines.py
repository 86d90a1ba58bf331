"""Every kind of engine, for suites that all must pass: on each backend, over segments, from disk, over updates."""

import shutil
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

import clew
from clew.graph import Graph
from clew.graph.partitions.graph import PartitionedGraph
from clew.traverse import GraphEngine
from clew.traverse.backend import BACKENDS
from clew.traverse.cluster.engine import ClusterEngine
from clew.traverse.cluster.graph import ClusterGraph
from clew.traverse.cluster.part import Part
from clew.traverse.cluster.placement import Placement
from clew.traverse.partitioned.engine import PartitionedEngine
from clew.traverse.remote.engine import RemoteEngine
from clew.traverse.remote.service import Service

__all__ = ["ENGINES", "FEW", "LIVING", "PartsHere", "loopback", "partitioned", "parts_here"]

CACHES = {"numba": 1, "auto": 2, "torch": 4, "reference": 16}  # partitions held by each kind of partitioned engine


def loopback(path: Path, *, folder: Path | None = None) -> GraphEngine:
    """The graph walked through bytes alone."""
    return RemoteEngine(Service(clew.open(path)).answer, folder=folder)


def _local(backend: str, segments: int) -> Callable[[Path], GraphEngine]:
    return lambda path: clew.Engine(Graph(path), backend=backend, segments=segments)


def partitioned(backend: str, cache: int) -> Callable[[Path], PartitionedEngine]:
    """The graph loaded through a cache of that many times the largest load."""

    def make(path: Path) -> PartitionedEngine:
        return PartitionedEngine(PartitionedGraph(path, cache=cache * Graph(path).segments.largest()), backend=backend)

    return make


class PartsHere:
    """The parts of a graph in this process, called one after another; what a call returns stands for its reference."""

    def __init__(self, placement: Placement) -> None:
        self.placement = placement
        self.parts = [self.make(number) for number in range(len(placement.plans))]
        self._lock = threading.Lock()  # a part serves one thread, as an actor does

    def make(self, number: int) -> Part:
        """A part, as an actor makes it when it starts."""
        return Part(self.placement.plans[number], self.placement.bounds, number)

    def call(self, part: int, method: str, *arguments: Any, returns: int = 1) -> Any:
        with self._lock:
            return getattr(self.parts[part], method)(*arguments)

    def put(self, value: Any) -> Any:
        return value

    def get(self, references: Sequence[Any]) -> list[Any]:
        return list(references)

    def revive(self) -> None:
        pass


def parts_here(parts: int) -> Callable[[Path], ClusterEngine]:
    """The graph in parts that exchange frontiers, within this process."""
    return lambda path: ClusterEngine(ClusterGraph(path), parts, PartsHere)


ENGINES: dict[str, Callable[[Path], GraphEngine]] = {
    **{name: _local(name, 1) for name in (*BACKENDS, "auto")},
    **{f"{name} over two segments": _local(name, 2) for name in (*BACKENDS, "auto")},
    **{f"partitioned, {name}, cache {size}": partitioned(name, size) for name, size in CACHES.items()},
    "in 3 parts": parts_here(3),
    "loopback": loopback,
}
FEW = ("numpy", "numba", "numba over two segments", "partitioned, numba, cache 1", "in 3 parts", "loopback")


def _updated(backend: str, segments: int) -> Callable[[Path], GraphEngine]:
    """The same graph over a base and a delta: a part of it was withdrawn by one update and came back by another."""

    def make(path: Path) -> GraphEngine:
        copy = path.with_name(f"{path.name}.updated")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(path, copy)
        graph = clew.open(path)
        triples = graph.numbered(range(0, graph.counts["triples"], 2)).table.select(["subject", "relation", "object"])
        ids = graph.describe(np.arange(0, graph.counts["entities"], 3))["id"].to_pylist()
        clew.update(copy, retract=triples.cast(TEXTS), retract_entities=ids)
        clew.update(copy, path)
        assert Graph(copy).delta is not None or not graph.counts["entities"]
        return _local(backend, segments)(copy)

    return make


TEXTS = pa.schema([(name, pa.string()) for name in ("subject", "relation", "object")])
LIVING = {
    "numpy over a base and a delta": _updated("numpy", 1),
    "numba over a base and a delta": _updated("numba", 1),
    "scipy over two segments of a base and a delta": _updated("scipy", 2),
}
