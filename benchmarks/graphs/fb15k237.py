"""FB15k-237 from the files of OpenKE: 14,541 entities without names or types, 310,116 triples, 237 dotted relations."""

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from benchmarks.graphs.recipe import recipe_of
from clew.errors import InputError
from clew.progress import Progress, silent
from clew.traverse import build as build_graph

__all__ = ["build", "digest"]

FOLDER = "fb15k237"
PARTS = ("train2id", "valid2id", "test2id")


def digest(data: Path) -> str:
    """What the graph is made with."""
    return recipe_of(("benchmarks.graphs.fb15k237", "clew.graph.build", "clew.graph.encode"), (data / FOLDER,))


def build(data: Path, out: Path, *, overwrite: bool = False, progress: Progress = silent) -> Path:
    """Build the graph of all three parts at `out`, and return its path."""
    entities = {number: name for name, number in _lines(data, "entity2id")}
    relations = {number: name for name, number in _lines(data, "relation2id")}
    rows = [row for part in PARTS for row in _lines(data, part)]
    table = pa.table(
        {
            "subject": [entities[row[0]] for row in rows],
            "relation": [relations[row[2]] for row in rows],
            "object": [entities[row[1]] for row in rows],
        }
    )
    build_graph(table, out=out, overwrite=overwrite, progress=progress)
    return out


def _lines(data: Path, name: str) -> Iterator[list[str]]:
    path = data / FOLDER / f"benchmarks__FB15K237__{name}.txt"
    if not path.is_file():
        raise InputError(f"{path} is missing: expected the data folder that holds {FOLDER}, see --data")
    return (line.split() for line in path.read_text("utf-8").splitlines()[1:] if line.strip())
