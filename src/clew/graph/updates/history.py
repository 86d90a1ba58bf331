"""The history of a graph: its snapshots with what each changed, and what differs between two of them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import GraphError
from clew.graph.adjacency import spans
from clew.graph.model import Graph
from clew.graph.storage.manifest import MANIFEST, Manifest, read_manifest
from clew.graph.storage.snapshots import SNAPSHOTS, current_snapshot, snapshots_of

__all__ = ["Difference", "Entry", "Key", "compare", "compare_snapshots", "history"]

Ints = NDArray[np.integer]
Key = tuple[str, str, str]  # ids of subject and object, and between them the relation
Statement = tuple[tuple[str, str], ...]  # column and value


@dataclass(frozen=True, slots=True)
class Entry:
    """One snapshot: how it was made, when, and what it holds."""

    snapshot: str
    kind: str  # build, update or compaction
    current: bool
    made: datetime  # UTC
    manifest: Manifest


@dataclass(frozen=True, slots=True)
class Difference:
    """What another snapshot has and one has not, and the reverse."""

    one: str
    other: str
    entities_added: tuple[str, ...]
    entities_removed: tuple[str, ...]
    entities_changed: tuple[str, ...]
    triples_added: tuple[Key, ...]
    triples_removed: tuple[Key, ...]
    assertions_added: tuple[tuple[Key, Mapping[str, str]], ...]
    assertions_removed: tuple[tuple[Key, Mapping[str, str]], ...]

    @property
    def counts(self) -> dict[str, int]:
        """How much of each kind there is."""
        return {each.name: len(getattr(self, each.name)) for each in fields(self)[2:]}


def history(path: Path) -> list[Entry]:
    """The snapshots in a graph's directory: the current one, then what it was made from, then all others."""
    current = current_snapshot(path)
    found: dict[str, Entry] = {}
    for name in snapshots_of(path):
        folder = path / SNAPSHOTS / name
        try:
            manifest = read_manifest(folder)
            made = datetime.fromtimestamp((folder / MANIFEST).stat().st_mtime, UTC)
        except (GraphError, OSError):
            continue  # damaged, or removed just now: `clew doctor` says which
        kind = "build" if manifest.parent is None else "compaction" if manifest.delta is None else "update"
        found[name] = Entry(name, kind, name == current, made, manifest)
    lineage: list[Entry] = []
    following: str | None = current
    while following is not None and following in found:
        lineage.append(found.pop(following))
        following = lineage[-1].manifest.parent
    return [*lineage, *found.values()]


def compare_snapshots(path: Path, one: str, other: str | None = None) -> Difference:
    """What differs between two snapshots of a graph, given by name; `other` is the current one unless it is named."""
    return compare(Graph(path, snapshot=one), Graph(path, snapshot=other))


def compare(one: Graph, other: Graph) -> Difference:
    """What differs in `other`. Of two snapshots with the same base only what their deltas list is looked at."""
    entities, others = _described(one, other), _described(other, one)
    stated, statements = _stated(one, other), _stated(other, one)
    gained = {key: said - stated.get(key, frozenset()) for key, said in statements.items()}
    lost = {key: said - statements.get(key, frozenset()) for key, said in stated.items()}
    both = entities.keys() & others.keys()
    return Difference(
        one.manifest.snapshot,
        other.manifest.snapshot,
        tuple(sorted(others.keys() - entities.keys())),
        tuple(sorted(entities.keys() - others.keys())),
        tuple(sorted(each for each in both if entities[each] != others[each])),
        tuple(sorted(statements.keys() - stated.keys())),
        tuple(sorted(stated.keys() - statements.keys())),
        tuple(_listed(gained)),
        tuple(_listed(lost)),
    )


def _listed(found: Mapping[Key, frozenset[Statement]]) -> Iterator[tuple[Key, Mapping[str, str]]]:
    for key in sorted(found):
        for statement in sorted(found[key]):
            yield key, dict(statement)


def _same_base(one: Graph, other: Graph) -> bool:
    """Whether the stored numbers of two snapshots mean the same."""
    files = [{n: r for n, r in each.manifest.files.items() if n.startswith("segments/")} for each in (one, other)]
    return files[0] == files[1] and one.manifest.base == other.manifest.base


def _listed_by(one: Graph, other: Graph, what: str) -> Ints:
    """Stored numbers that the delta of either lists."""
    deltas = [each.delta for each in (one, other) if each.delta is not None]
    return np.unique(np.concatenate([np.empty(0, np.int64), *(getattr(each, what) for each in deltas)]))


def _described(one: Graph, other: Graph) -> dict[str, Any]:
    """Entities of one graph that may differ in the other, each as it is described."""
    chosen = np.arange(one.entity_count)
    if _same_base(one, other):
        stored = one.stored_entities
        unlike = np.isin(stored, _listed_by(one, other, "described")) | ~np.isin(stored, other.stored_entities)
        chosen = np.flatnonzero(unlike)
    found = one.entities.take(pa.array(chosen))
    details = one.details(chosen).drop_columns(["id"])
    rows = zip(found.to_pylist(), details.to_pylist() if details.num_columns else [{}] * len(chosen), strict=True)
    return {row["id"]: {k: v for k, v in {**row, **more}.items() if v is not None} for row, more in rows}


def _stated(one: Graph, other: Graph) -> dict[Key, frozenset[Statement]]:
    """Triples of one graph that may differ in the other, each with its statements."""
    chosen = np.arange(one.triple_count)
    if _same_base(one, other):
        stored = one.stored_triples
        unlike = np.isin(stored, _listed_by(one, other, "stated")) | ~np.isin(stored, other.stored_triples)
        chosen = np.flatnonzero(unlike)
    names = [relation.name for relation in one.schema.relations]
    ids = one.entities["id"]
    parts = one.triples_at(chosen)
    subject, object_ = (ids.take(pa.array(each)).to_pylist() for each in (parts[0], parts[2]))
    relation = [names[number] for number in parts[1].tolist()]
    offsets = one.assertions.offsets
    begin = offsets[chosen].astype(np.int64)
    length = offsets[chosen + 1] - begin
    said = one.assertions.rows(spans(begin, length)).to_pylist()
    found: dict[Key, frozenset[Statement]] = {}
    at = 0
    for key, count in zip(zip(subject, relation, object_, strict=True), length.tolist(), strict=True):
        found[key] = frozenset(map(_statement, said[at : at + count]))
        at += count
    return found


def _statement(row: Mapping[str, Any]) -> Statement:
    told = {name: value for name, value in row.items() if value not in (None, False, [])}
    return tuple(sorted((name, ", ".join(v) if isinstance(v, list) else str(v)) for name, v in told.items()))
