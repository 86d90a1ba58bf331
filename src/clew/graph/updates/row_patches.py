"""The rows that an update rewrites: those of every entity whose triples or neighbours change, whole and sorted."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import TripleEntries
from clew.graph.model import Graph
from clew.graph.staging import Relation
from clew.graph.storage.segments import TRIPLES, Side
from clew.graph.updates.delta import RowPatch
from clew.graph.updates.statements import Restated

__all__ = ["StoredNumbers", "patch_rows"]

Ints = NDArray[np.integer]


@dataclass(frozen=True, slots=True, eq=False)
class StoredNumbers:
    """Stored numbers of the entities and triples of a graph and of those an update adds to it."""

    entity: Ints  # (n + new,) ascending
    known: Ints  # (t,) those of the graph's triples; new ones follow from `triples` on
    entities: int  # numbers given so far
    triples: int  # numbers given before this update
    removed: Ints  # ascending stored numbers: entities that were removed, and that the update removes

    def triple(self, triples: Ints) -> Ints:
        """The stored numbers of some triples of the graph, and of new ones."""
        new = triples >= len(self.known)
        stored = np.empty(len(triples), np.int64)
        stored[~new], stored[new] = self.known[triples[~new]], triples[new] - len(self.known) + self.triples
        return stored

    def number(self) -> Ints:
        """The entity of each stored number; -1 where there is none."""
        numbers = np.full(self.entities, -1, np.int64)
        numbers[self.entity] = np.arange(len(self.entity))
        return numbers


def patch_rows(
    graph: Graph, restated: Restated, relations: Sequence[Relation], numbers: StoredNumbers
) -> dict[str, RowPatch]:
    """The rows that a delta lists: those of the delta before it, and those that change."""
    subject, relation, object_ = _ends(graph, restated, np.flatnonzero(restated.dead))
    flips = _ends(graph, restated, restated.flipped)
    symmetric = np.array([each.symmetric for each in relations], bool)
    both = [np.concatenate(pair) for pair in zip((subject, relation, object_), flips, strict=True)]
    mirrored = symmetric[both[1]] if len(both[1]) else np.zeros(0, bool)
    touched = {
        "out": subject,
        "in": object_,
        "forward": np.concatenate((both[0], both[2][mirrored])),
        "backward": np.concatenate((both[2], both[0][mirrored])),
    }
    listed = {way: _listed(graph, way, entities, numbers) for way, entities in touched.items()}
    number = numbers.number()
    made: dict[str, RowPatch] = {}
    for side in TRIPLES:
        entries = _triples(graph, restated, side, number[listed[side]])
        made[side] = _triple_patch(listed[side], _sorted(entries), numbers)
    for way in ("forward", "backward"):
        made[way] = _neighbours(graph, restated, way, listed[way], number[listed[way]], symmetric, numbers)
    return made


def _ends(graph: Graph, restated: Restated, triples: Ints) -> tuple[Ints, Ints, Ints]:
    """Subject, relation and object of some triples of the graph, and of all new ones."""
    of_graph = graph.triples_at(triples)
    subject, relation, object_ = (
        np.concatenate((one.astype(np.int64), other)) for one, other in zip(of_graph, restated.fresh, strict=True)
    )
    return subject, relation, object_


def _listed(graph: Graph, way: str, touched: Ints, numbers: StoredNumbers) -> Ints:
    """Stored numbers of the entities whose rows the new delta lists."""
    before = np.empty(0, np.int64) if graph.delta is None else graph.delta.patches[way].entity.astype(np.int64)
    return np.unique(np.concatenate((before, numbers.entity[touched].astype(np.int64), numbers.removed)))


def _triples(graph: Graph, restated: Restated, way: Side, entities: Ints) -> TripleEntries:
    """The triples of some entities after the update, in any order; an entity that is no more (-1) has none."""
    here = np.flatnonzero((entities >= 0) & (entities < graph.entity_count))
    old = graph.triples_under(way, entities[here])
    kept = ~restated.dead[old.triple]
    subject, relation, object_ = restated.fresh
    start, end = (subject, object_) if way == "out" else (object_, subject)
    place = np.full(int(max(entities.max(initial=-1), start.max(initial=-1))) + 2, -1, np.int64)
    place[entities] = np.arange(len(entities))  # -1 is written to the last place, which is not asked for
    new = np.flatnonzero(place[start] >= 0) if len(start) else np.empty(0, np.int64)
    return TripleEntries(
        np.concatenate((here[old.owner[kept]], place[start[new]])),
        np.concatenate((old.end[kept].astype(np.int64), end[new])),
        np.concatenate((old.relation[kept].astype(np.int64), relation[new])),
        np.concatenate((old.triple[kept].astype(np.int64), graph.triple_count + new)),
    )


def _sorted(entries: TripleEntries) -> TripleEntries:
    order = np.lexsort((entries.relation, entries.end, entries.owner))
    return TripleEntries(entries.owner[order], entries.end[order], entries.relation[order], entries.triple[order])


def _triple_patch(listed: Ints, entries: TripleEntries, numbers: StoredNumbers) -> RowPatch:
    offsets = np.searchsorted(entries.owner, np.arange(len(listed) + 1))
    return RowPatch(listed, offsets, numbers.entity[entries.end], entries.relation, numbers.triple(entries.triple))


def _neighbours(
    graph: Graph,
    restated: Restated,
    way: str,
    listed: Ints,
    entities: Ints,
    symmetric: NDArray[np.bool_],
    numbers: StoredNumbers,
) -> RowPatch:
    """Distinct neighbours over triples that are walked by default; symmetric ones lead both ways."""
    along, against = TRIPLES if way == "forward" else TRIPLES[::-1]
    parts = []
    for side, every in ((along, True), (against, False)):
        if not (every or symmetric.any()):
            continue
        found = _triples(graph, restated, side, entities)
        kept = restated.positive[found.triple]
        if not every:
            kept &= symmetric[found.relation] if len(found.relation) else kept
        parts.append((found.owner[kept], found.end[kept]))
    owner, end = (np.concatenate([part[at] for part in parts]) for at in (0, 1))
    width = len(numbers.entity)
    pairs = np.unique(owner * width + end)
    owner, end = pairs // max(width, 1), pairs % max(width, 1)
    return RowPatch(listed, np.searchsorted(owner, np.arange(len(listed) + 1)), numbers.entity[end])
