"""A whole graph: contents, search results, indexes, damage, exports."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew import GraphEngine
    from clew.graph.names import Found
    from clew.graph.schema import RelationSchema
    from clew.graph.storage.manifest import Manifest
    from clew.graph.storage.signature import Signature

__all__ = ["damage_record", "export_record", "found_record", "graph_record", "index_record"]


def graph_record(engine: "GraphEngine", *, graph: str) -> dict[str, Any]:
    """The contents of a graph."""
    from clew.graph.super_relations import load_groups

    snapshot = engine.snapshot
    groups = load_groups(snapshot, engine.schema)
    return {
        "graph": graph,
        "snapshot": snapshot.id,
        "format_version": snapshot.format,
        "created_by": snapshot.created_by,
        "bytes": snapshot.bytes,
        "counts": dict(snapshot.counts),
        "widths": asdict(snapshot.widths),
        "partitions": snapshot.partitions,
        "partitioning": snapshot.partitioning,
        "largest_load": snapshot.largest_load,
        "types": dict(engine.schema.types),
        "relations": [_relation(relation) for relation in engine.schema.relations],
        "super_relations": {
            "made_by": groups.made_by,
            "groups": {label: list(members) for label, members in groups.groups.items()},
        },
        "sources": [asdict(source) for source in snapshot.sources],
        "problems": dict(snapshot.problems),
    }


def _relation(relation: "RelationSchema") -> dict[str, Any]:
    plain = {name: getattr(relation, name) for name in ("name", "triples", "negated", "symmetric", "transitive")}
    return {**plain, "inverse": relation.inverse, "signatures": [asdict(each) for each in relation.signatures]}


def found_record(found: "Sequence[Found]", *, graph: str, text: str) -> dict[str, Any]:
    """The entities found for a text."""
    hits = [{name: value for name, value in asdict(hit).items() if name != "entity"} for hit in found]
    return {"graph": graph, "text": text, "count": len(hits), "found": hits}


def index_record(
    names: dict[str, Any],
    vectors: dict[str, Any] | None,
    super_relations: dict[str, Any] | None,
    *,
    graph: str,
    snapshot: str,
) -> dict[str, Any]:
    """The name index of a graph, the vectors of its names and its super-relations where they were made."""
    made = {"names": names, "vectors": vectors, "super_relations": super_relations}
    return {"graph": graph, "snapshot": snapshot, **made}


def damage_record(
    manifest: "Manifest | None",
    damage: Sequence[str],
    *,
    graph: str,
    signature: "Signature | None" = None,
    rebuilt: Sequence[str] | None = None,
) -> dict[str, Any]:
    """The damage to a graph; its contents are null if they cannot be read, as is what was not asked for."""
    return {
        "graph": graph,
        "ok": not damage,
        "damage": list(damage),
        "signature": None if signature is None else asdict(signature),
        "rebuilt": rebuilt,
        **_counts(manifest),
    }


def _counts(manifest: "Manifest | None") -> dict[str, Any]:
    if manifest is None:
        return dict.fromkeys(("snapshot", "files", "blocks", "bytes", "counts"))
    records = manifest.files.values()
    return {
        "snapshot": manifest.snapshot,
        "files": len(records),
        "blocks": sum(len(record.sha256) for record in records),
        "bytes": sum(record.size for record in records),
        "counts": dict(manifest.counts),
    }


def export_record(
    files: Sequence[tuple[str, int]], *, graph: str, to: str, out: str, left_out: Sequence[str]
) -> dict[str, Any]:
    """The files that were written, with their sizes, and what of the graph their format does not carry."""
    written = [{"name": name, "bytes": size} for name, size in files]
    return {"graph": graph, "to": to, "out": out, "files": written, "left_out": list(left_out)}
