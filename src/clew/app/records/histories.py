"""The life of a graph: what an update changed, the history of snapshots, and what differs between two."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.graph.staging import Problems
    from clew.graph.updates.history import Difference, Entry, Key
    from clew.graph.updates.update import Outcome

__all__ = ["difference_record", "history_record", "removal_record", "update_record"]


def update_record(
    outcome: "Outcome", problems: "Problems", *, graph: str, stale: Sequence[str], seconds: float
) -> dict[str, Any]:
    """What an update changed, and which derived data of the snapshot before it has to be computed again."""
    return {
        "graph": graph,
        "snapshot": outcome.manifest.snapshot,
        "parent": outcome.manifest.parent,
        "changes": dict(outcome.changes),
        "compacted": outcome.compacted,
        "counts": dict(outcome.manifest.counts),
        "problems": dict(problems.counts),
        "differences": dict(problems.differences),
        "examples": [*problems.examples, *problems.difference_examples],
        "stale": list(stale),
        "seconds": round(seconds, 3),
    }


def history_record(entries: "Sequence[Entry]", *, graph: str) -> dict[str, Any]:
    """The snapshots of a graph: the current one, those before it, then others."""
    return {"graph": graph, "snapshots": [_entry(each) for each in entries]}


def _entry(entry: "Entry") -> dict[str, Any]:
    manifest = entry.manifest
    return {
        "snapshot": entry.snapshot,
        "parent": manifest.parent,
        "kind": entry.kind,
        "current": entry.current,
        "made": entry.made.isoformat(timespec="seconds"),
        "created_by": manifest.created_by,
        "changes": dict(manifest.changes),
        "counts": dict(manifest.counts),
    }


def difference_record(found: "Difference", *, graph: str, limit: int | None) -> dict[str, Any]:
    """What differs between two snapshots: all counts, and the first of each kind."""
    return {
        "graph": graph,
        "from": found.one,
        "to": found.other,
        "counts": found.counts,
        "entities_added": list(found.entities_added[:limit]),
        "entities_removed": list(found.entities_removed[:limit]),
        "entities_changed": list(found.entities_changed[:limit]),
        "triples_added": list(map(_triple, found.triples_added[:limit])),
        "triples_removed": list(map(_triple, found.triples_removed[:limit])),
        "assertions_added": [{**_triple(key), "assertion": dict(said)} for key, said in found.assertions_added[:limit]],
        "assertions_removed": [
            {**_triple(key), "assertion": dict(said)} for key, said in found.assertions_removed[:limit]
        ],
    }


def _triple(key: "Key") -> dict[str, str]:
    return dict(zip(("subject", "relation", "object"), key, strict=True))


def removal_record(removed: Sequence[str], kept: Sequence[str], *, graph: str) -> dict[str, Any]:
    """Snapshots that were removed, and those that are left."""
    return {"graph": graph, "removed": list(removed), "kept": list(kept)}
