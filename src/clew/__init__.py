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
    from clew import extract
    from clew.answer import Answer, Asker, Diagnoses, Question, Resources, ask, diagnose
    from clew.graph import Assertion, Relation, Source, Staged, Where
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
        update,
    )

__all__ = [
    "Answer",
    "Asker",
    "Assertion",
    "BatchResult",
    "ClewError",
    "Diagnoses",
    "Engine",
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
    "diagnose",
    "extract",
    "open",
    "update",
]

HOMES = ("clew.graph", "clew.traverse", "clew.answer")  # each imports the one before it


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: `import clew` itself loads nothing heavy."""
    if name in __all__:
        from importlib import import_module

        if name == "extract":  # a package that can be called
            return import_module("clew.extract")
        for home in map(import_module, HOMES):
            if name in home.__all__:
                value = globals()[name] = getattr(home, name)
                return value
    raise AttributeError(f"module 'clew' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)
