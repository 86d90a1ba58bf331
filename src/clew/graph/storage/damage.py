"""Whether every array of a graph is safe to walk, told as sentences."""

from pathlib import Path

from clew.errors import ClewError
from clew.graph.model import Graph

__all__ = ["find_unsafe_parts"]

PARTS = ("entities", "entity_types", "names", "forward", "backward", "adjacency", "assertions", "degree")


def find_unsafe_parts(path: Path) -> list[str]:
    """Use every part of a graph once, which proves its arrays; each that fails is a sentence."""
    try:
        graph = Graph(path)
    except ClewError as error:
        return [str(error)]
    sentences = []
    for part in PARTS:
        try:
            getattr(graph, part)
        except ClewError as error:
            sentences.append(str(error))
    if graph.entity_count and not sentences:
        try:
            graph.details([0, graph.entity_count - 1])
        except ClewError as error:
            sentences.append(str(error))
    return list(dict.fromkeys(sentences))
