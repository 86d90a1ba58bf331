"""How a graph is walked: queries, backends, the k-hop loop, batches and paths."""

from clew.traverse.batch import BatchResult
from clew.traverse.engine import Engine
from clew.traverse.opening import build, open
from clew.traverse.paths import Path, Paths
from clew.traverse.result import HopResult, Triple, Triples

__all__ = ["BatchResult", "Engine", "HopResult", "Path", "Paths", "Triple", "Triples", "build", "open"]
