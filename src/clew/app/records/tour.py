"""What `clew demo` shows."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew import GraphEngine, Path, Paths
    from clew.answer import Answer

__all__ = ["demo_record"]


def demo_record(
    engine: "GraphEngine",
    answers: "Sequence[Answer]",
    hops: Sequence[dict[str, Any]],
    found: "Paths",
    shown: "Sequence[Path]",
    *,
    graph: str,
    built: bool,
    phenotype: dict[str, str],
    drawing: str,
) -> dict[str, Any]:
    """The graph, the answers, the hops and the paths of the demonstration."""
    return {
        "graph": graph,
        "built": built,
        "counts": dict(engine.counts),
        "answers": [
            {"question": each.question, "text": each.text, "query": each.query, "total": each.total} for each in answers
        ],
        "phenotype": phenotype,
        "hops": list(hops),
        "paths": [str(each) for each in shown],
        "path_count": found.count,
        "sources": [
            {"name": each.name, "version": each.version, "license": each.license, "attribution": each.attribution}
            for each in engine.snapshot.sources
        ],
        "drawing": drawing,
    }
