"""The hierarchy of the seed graph, and which new is_a triples contradict it.

An ontology states its hierarchy as a whole: of two entities that are both in it, one is hardly ever a subclass of the
other unless the hierarchy says so, whatever a text mentions together.
"""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew.graph import GraphContents

__all__ = ["IS_A", "TAXONOMIC", "Closure", "Hierarchy"]

IS_A = "is_a"
TAXONOMIC = frozenset((IS_A, "subclass_of"))


class Closure:
    """The superclasses (or subclasses) of an entity, itself included; cached, since triples share their ends."""

    def __init__(self, graph: GraphContents, relation: int, *, up: bool) -> None:
        self._next: dict[int, list[int]] = defaultdict(list)
        below, above = _pairs_of(graph, relation)
        starts, ends = (below, above) if up else (above, below)
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            self._next[start].append(end)
        self._known: dict[int, frozenset[int]] = {}

    def __call__(self, entity: int) -> frozenset[int]:
        if entity not in self._known:
            found, pending = {entity}, [entity]
            while pending:
                for each in self._next.get(pending.pop(), ()):
                    if each not in found:
                        found.add(each)
                        pending.append(each)
            self._known[entity] = frozenset(found)
        return self._known[entity]


class Hierarchy:
    """The hierarchies of a seed graph, one for each of its taxonomic relations."""

    def __init__(self, graph: GraphContents) -> None:
        self._graph = graph
        self._above: dict[str, Closure] = {}
        self._placed: dict[str, NDArray[np.bool_]] = {}
        for relation in graph.schema.relations:
            if relation.name in TAXONOMIC:
                self._above[relation.name] = Closure(graph, relation.number, up=True)
                self._placed[relation.name] = _ends_of(graph, relation.number)

    def has_room_for(
        self, subjects: Sequence[str], relations: Sequence[str], objects: Sequence[str]
    ) -> NDArray[np.bool_]:
        """Which triples the hierarchy entails or says nothing about: another relation, or an end outside of it."""
        starts, ends = (self._numbers(each) for each in (subjects, objects))
        fits = map(self._has_room, starts, relations, ends)
        return np.fromiter(fits, bool, len(subjects))

    def _numbers(self, entities: Sequence[str]) -> list[int | None]:
        return [None if number < 0 else number for number in self._graph.lookup(entities).tolist()]

    def _has_room(self, start: int | None, relation: str, end: int | None) -> bool:
        if relation not in self._above or start is None or end is None:
            return True
        placed = self._placed[relation]
        return not (placed[start] and placed[end]) or end in self._above[relation](start)


def _ends_of(graph: GraphContents, relation: int) -> NDArray[np.bool_]:
    """Which entities are an end of some triple of a relation."""
    placed = np.zeros(graph.counts["entities"], bool)
    for ends in _pairs_of(graph, relation):
        placed[ends] = True
    return placed


def _pairs_of(graph: GraphContents, relation: int) -> tuple[NDArray[np.integer], NDArray[np.integer]]:
    """Subjects and objects of the triples of a relation."""
    stated = graph.triple_columns()
    chosen = np.flatnonzero(stated.relation == relation)
    return stated.subject[chosen], stated.object[chosen]
