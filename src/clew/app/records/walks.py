"""Hops and paths."""

from collections.abc import Sequence
from dataclasses import asdict
from itertools import islice
from typing import TYPE_CHECKING, Any

from clew.app.records.statements import assertion_record, entity_records, triple_record

if TYPE_CHECKING:
    from clew import GraphEngine, HopResult, Path, Paths, Triples

__all__ = ["count_types", "hop_record", "paths_record"]


def hop_record(
    engine: "GraphEngine",
    found: "HopResult",
    *,
    graph: str,
    triples: "Sequence[Triples] | None" = None,
    limit: int | None = None,
) -> dict[str, Any]:
    """The entities that a walk reaches and, where asked for, the triples of each of its hops."""
    shown = found.ids if limit is None else found.ids[:limit]
    record = {
        "graph": graph,
        "snapshot": engine.snapshot.id,
        "seeds": entity_records(engine, found.seeds),
        "k": found.walk.k,
        "mode": found.walk.mode,
        "direction": found.walk.direction,
        "count": len(found),
        "truncated": len(shown) < len(found),
        "types": count_types(engine, found),
        "entities": entity_records(engine, shown),
    }
    if triples is not None:
        listed = ({"hop": at, **triple_record(each)} for at, some in enumerate(triples, 1) for each in some)
        record["triple_count"] = sum(map(len, triples))
        record["triples"] = list(listed if limit is None else islice(listed, limit))
    return record | cache_record(engine)


def cache_record(engine: "GraphEngine") -> dict[str, Any]:
    """What was loaded, for an engine that loads a graph in parts."""
    return {} if engine.cache is None else {"cache": asdict(engine.cache)}


def count_types(engine: "GraphEngine", found: "HopResult") -> dict[str, int]:
    """How many entities of each type, the most frequent first."""
    import numpy as np

    types = list(engine.schema.types)
    counts = np.bincount(engine.types_of(found.ids), minlength=len(types)).tolist()
    return {
        types[at]: counts[at] for at in sorted(range(len(types)), key=lambda at: (-counts[at], types[at])) if counts[at]
    }


def paths_record(
    engine: "GraphEngine",
    found: "Paths",
    shown: "Sequence[Path]",
    *,
    graph: str,
    source: dict[str, str],
    target: dict[str, str],
    drawing: str | None = None,
) -> dict[str, Any]:
    """The paths between two entities, every triple with its assertions."""
    return {
        "graph": graph,
        "snapshot": engine.snapshot.id,
        "source": source,
        "target": target,
        "k": found.k,
        "kind": found.kind,
        "count": found.count,
        "count_kind": found.count_kind,
        "truncated": found.truncated,
        "paths": [_path(engine, path) for path in shown],
        "drawing": drawing,
        **cache_record(engine),
    }


def _path(engine: "GraphEngine", path: "Path") -> dict[str, Any]:
    return {
        "length": path.length,
        "text": str(path),
        "triples": [
            {
                "triple": triple.number,
                **triple_record(triple),
                "forward": forward,
                "assertions": [assertion_record(each) for each in engine.assertions(triple.number)],
            }
            for triple, forward in zip(path.triples, path.forward, strict=True)
        ],
    }
