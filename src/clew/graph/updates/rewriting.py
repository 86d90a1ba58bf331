"""From a graph and the changes to it to the delta of its next snapshot."""

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph.adjacency import spans
from clew.graph.model import Graph
from clew.graph.schema import Schema, count_joins, joins_of, schema_of_joins, sum_joins
from clew.graph.staging import Source
from clew.graph.storage.statements import decoded, stored_statements
from clew.graph.updates.additions import Additions
from clew.graph.updates.delta import Delta
from clew.graph.updates.descriptions import Described, describe
from clew.graph.updates.retractions import Retractions
from clew.graph.updates.row_patches import StoredNumbers, patch_rows
from clew.graph.updates.statements import Restated, restate

__all__ = ["Rewritten", "rewrite"]

Ints = NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class Rewritten:
    """The next snapshot: its delta over the base, its schema, and what it counts."""

    delta: Delta
    schema: Schema
    counts: dict[str, int]
    sources: tuple[Source, ...]
    changes: dict[str, int]


def rewrite(graph: Graph, additions: Additions, retractions: Retractions) -> Rewritten | None:
    """The graph after retractions and then additions; None if they change nothing."""
    removed = retractions.entities
    _check_removed(graph, additions, removed)
    restated = restate(graph, additions, retractions.gone)
    described = describe(graph, additions, removed)
    changes = {
        "entities added": described.new,
        "entities changed": described.changed,
        "entities removed": len(removed),
        "triples added": len(restated.fresh[0]),
        "triples removed": int(restated.dead.sum()),
        "assertions added": restated.added,
        "assertions removed": restated.removed,
    }
    if not any(changes.values()) and not len(restated.changed):
        return None
    numbers = _numbers(graph, described, removed)
    patches = patch_rows(graph, restated, additions.relations, numbers)
    stated, offsets, statements = _statements(graph, restated, numbers)
    delta = Delta(
        numbers.entities, numbers.triples + changes["triples added"], numbers.entity[described.entity],
        described.table, described.details, numbers.removed, patches, stated, offsets, statements,
    )  # fmt: skip
    schema = _schema(graph, additions, restated, described, removed)
    counts = {
        "entities": graph.entity_count + described.new - len(removed),
        "triples": graph.triple_count + changes["triples added"] - changes["triples removed"],
        "assertions": len(graph.assertions) + restated.added - restated.removed,
        "pairs": _pairs(graph, delta),
        "names": described.names,
        "relations": len(schema.relations),
        "types": len(schema.types),
    }
    return Rewritten(delta, schema, counts, additions.sources, {name: n for name, n in changes.items() if n})


def _check_removed(graph: Graph, additions: Additions, removed: Ints) -> None:
    named = np.concatenate((additions.entity, additions.subject, additions.object))
    both = np.intersect1d(removed, named)
    if len(both):
        identifier = graph.entities["id"][int(both[0])].as_py()
        raise InputError(f"{identifier!r} is retracted and described by the same update: make two updates of it")


def _numbers(graph: Graph, described: Described, removed: Ints) -> StoredNumbers:
    """New entities and triples get the next stored numbers."""
    entities, triples = graph.manifest.base["entities"], graph.manifest.base["triples"]
    gone = np.empty(0, np.int64)
    if graph.delta is not None:
        entities, triples, gone = graph.delta.entities, graph.delta.triples, graph.delta.removed.astype(np.int64)
    entity = np.concatenate((graph.stored_entities, entities + np.arange(described.new)), dtype=np.int64)
    removed = np.union1d(gone, entity[removed])
    return StoredNumbers(entity, graph.stored_triples, entities + described.new, triples, removed)


def _statements(graph: Graph, restated: Restated, numbers: StoredNumbers) -> tuple[Ints, Ints, pa.Table]:
    """Stored triples whose statements the new delta lists, and those: of the delta before it, and of this update."""
    kept = np.empty(0, np.int64)
    if graph.delta is not None:
        listed = graph.triple_numbers(graph.delta.stated)
        kept = np.setdiff1d(listed[~restated.dead[listed]], restated.changed)
    offsets = graph.assertions.offsets
    begin, length = offsets[kept].astype(np.int64), np.diff(offsets)[kept].astype(np.int64)
    old = graph.assertions.rows(spans(begin, length))
    table = pa.concat_tables([old, decoded(restated.statements)], promote_options="default").combine_chunks()
    begin = np.concatenate((np.cumsum(length) - length, old.num_rows + restated.offsets[:-1]))
    length = np.concatenate((length, np.diff(restated.offsets)))
    stored = numbers.triple(np.concatenate((kept, restated.changed)))
    order = np.argsort(stored)
    span = np.zeros(len(order) + 1, np.int64)
    np.cumsum(length[order], out=span[1:])
    return stored[order], span, stored_statements(table, spans(begin[order], length[order]))


def _schema(graph: Graph, additions: Additions, restated: Restated, described: Described, removed: Ints) -> Schema:
    """The counts of the schema before, less those of triples that go, and those of new ones."""
    kind, types = described.kind, described.types
    if np.array_equal(kind[: graph.entity_count], graph.entity_types):
        dead = graph.triples_at(np.flatnonzero(restated.dead))
        joins = [joins_of(graph.schema), count_joins(*dead, kind, len(types)) * (1, 1, 1, -1)]
    else:  # other types of an entity change the counts of all its triples
        alive = graph.triples_at(np.flatnonzero(~restated.dead))
        joins = [count_joins(*alive, kind, len(types))]
    joins.append(count_joins(*restated.fresh, kind, len(types)))
    left = np.bincount(np.delete(kind, removed), minlength=len(types)).tolist()
    return schema_of_joins(sum_joins(joins), additions.relations, dict(zip(types, left, strict=True)))


def _pairs(graph: Graph, delta: Delta) -> int:
    """How many neighbours there are forward: those of listed rows, and of all others of the base."""
    patch, offsets = delta.patches["forward"], graph.base_neighbours("forward").offsets
    listed = patch.entity[patch.entity < len(offsets) - 1]
    replaced = int((offsets[listed + 1].astype(np.int64) - offsets[listed]).sum())
    return graph.manifest.base["pairs"] - replaced + len(patch.end)
