"""The ancestors of MeSH records, from a graph of MeSH with is_a triples (`benchmarks/graphs/mesh.py` makes one).

A supplementary record has the descriptors it is filed under above it, with everything above those.
"""

from collections.abc import Iterable
from pathlib import Path

from clew.errors import InputError
from clew.traverse import GraphEngine, open

__all__ = ["read_ancestors"]

PREFIX = "MESH:"
UPWARDS = ("is_a", "filed_under")
DEEPEST = 20  # MeSH has 13 levels


def read_ancestors(graph: Path | str, ids: Iterable[str]) -> dict[str, frozenset[str]]:
    """For each record (without prefix), all records above it; a record that the graph lacks has none."""
    engine = open(graph, backend="numpy")
    if missing := [name for name in UPWARDS if name not in {each.name for each in engine.schema.relations}]:
        raise InputError(
            f"{engine.snapshot} has no {missing[0]} triples: give a graph of MeSH (benchmarks/graphs/mesh.py)"
        )
    return {each: _above(engine, each) for each in dict.fromkeys(ids)}


def _above(engine: GraphEngine, record: str) -> frozenset[str]:
    seed = engine.lookup([PREFIX + record])
    if seed[0] < 0:
        return frozenset()
    reached = engine.hop(seed, k=DEEPEST, mode="within", relations=list(UPWARDS)).entities["id"].to_pylist()
    return frozenset(each.removeprefix(PREFIX) for each in reached) - {record}
