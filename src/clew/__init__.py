"""Clew answers questions over knowledge graphs, walks them at memory speed, and shows the triples behind an answer.

import clew

graph = clew.open("hpo.clew")
near = graph.hop(["HP:0001250"], k=2)
print(len(near), near.entities.slice(0, 3).to_pylist())
print(clew.ask(graph, "Which genes are linked to arachnodactyly?").text)
"""

from typing import TYPE_CHECKING, Any

from clew._version import __version__
from clew.errors import ClewError

if TYPE_CHECKING:
    from clew.answer import Answer, Asker, Question, Resources, ask
    from clew.graph import Assertion, Graph, Relation, Source, Staged, Where
    from clew.traverse import (
        BatchResult,
        Engine,
        GraphEngine,
        HopRequest,
        HopResult,
        Path,
        PathRequest,
        Paths,
        Triple,
        Triples,
        Walk,
        build,
        open,
    )

__all__ = [
    "Answer",
    "Asker",
    "Assertion",
    "BatchResult",
    "ClewError",
    "Engine",
    "Graph",
    "GraphEngine",
    "HopRequest",
    "HopResult",
    "Path",
    "PathRequest",
    "Paths",
    "Question",
    "Relation",
    "Resources",
    "Source",
    "Staged",
    "Triple",
    "Triples",
    "Walk",
    "Where",
    "__version__",
    "ask",
    "build",
    "open",
]

_HOMES = {
    "clew.answer": ("Answer", "Asker", "Question", "Resources", "ask"),
    "clew.graph": ("Assertion", "Graph", "Relation", "Source", "Staged", "Where"),
    "clew.traverse": (
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
    ),
}


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import clew` itself loads nothing heavy."""
    for home, names in _HOMES.items():
        if name in names:
            from importlib import import_module

            value = getattr(import_module(home), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module 'clew' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
