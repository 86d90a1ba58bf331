"""Graph traversal: walks and requests, the engine, results, backends, batches and paths."""

from clew.traverse.batch import BatchResult
from clew.traverse.engine import GraphEngine
from clew.traverse.local.engine import Engine
from clew.traverse.opening import build, open, update
from clew.traverse.paths.result import Path, Paths
from clew.traverse.request import HopRequest, PathRequest
from clew.traverse.result import HopResult, Triple, Triples
from clew.traverse.walk import Walk

__all__ = [
    "BatchResult",
    "Engine",
    "GraphEngine",
    "HopRequest",
    "HopResult",
    "Path",
    "PathRequest",
    "Paths",
    "Triple",
    "Triples",
    "Walk",
    "build",
    "open",
    "update",
]
