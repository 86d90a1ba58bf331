"""The two ends of an extracted triple as entities: of the seed where a name is known there, else minted."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from clew.extract.filter.assertions import mint
from clew.extract.seed.signatures import Signatures
from clew.graph import GraphContents
from clew.link import Linker
from clew.traverse import GraphEngine

__all__ = ["EntityResolver", "KnownTriples", "ResolvedEntity", "known_triples"]

Known = Sequence[str | None]
LAST_STAGE = "normalised"  # a tail is a name or it is not: what merely resembles one is another thing


@dataclass(frozen=True, slots=True)
class ResolvedEntity:
    """An entity: of the seed (`linked`), or a new one that has no type."""

    id: str
    name: str
    type: str | None
    linked: bool


class EntityResolver:
    """Makes ends of texts; texts repeat, so each is looked up once."""

    def __init__(self, graph: GraphEngine, signatures: Signatures) -> None:
        self._linker = Linker(graph)
        self._signatures = signatures
        self._known: dict[tuple[str, tuple[str, ...]], ResolvedEntity] = {}
        self._wanted: dict[tuple[str, str | None], tuple[str, ...]] = {}

    def objects(self, tails: Sequence[str], relations: Sequence[str], subject_types: Known) -> list[ResolvedEntity]:
        """Tails: linked to an entity of a type that the relation leads to, else to any, the others minted."""
        found = []
        for tail, relation, subject in zip(tails, relations, subject_types, strict=True):
            wanted = tail, self._types(relation, subject)
            if wanted not in self._known:
                self._known[wanted] = self._link(*wanted)
            found.append(self._known[wanted])
        return found

    def mentioned(self, texts: Sequence[str], entities: Known, types: Known) -> list[ResolvedEntity]:
        """Mentions: those that are linked by their entities, the others minted from their texts."""
        linked = sorted({entity for entity in entities if entity is not None})
        numbers = self._linker.engine.lookup(linked).tolist()
        names = {entity: self._linker.name_of(number) for entity, number in zip(linked, numbers, strict=True)}
        return [
            _minted(text) if entity is None else ResolvedEntity(entity, names[entity] or text, type, True)
            for text, entity, type in zip(texts, entities, types, strict=True)
        ]

    def _types(self, relation: str, subject: str | None) -> tuple[str, ...]:
        pair = relation, subject
        if pair not in self._wanted:
            self._wanted[pair] = tuple(sorted(self._signatures.types_of_tails(relation, subject)))
        return self._wanted[pair]

    def _link(self, tail: str, types: tuple[str, ...]) -> ResolvedEntity:
        link = partial(self._linker.link, tail, last_stage=LAST_STAGE, limit=1)
        best = link(type=types).best if types else None
        best = best or link().best  # a name of something that the relation does not lead to: for a filter to refuse
        return _minted(tail) if best is None else ResolvedEntity(best.id, best.name, best.type, True)


def _minted(text: str) -> ResolvedEntity:
    return ResolvedEntity(mint(text), text.lower(), None, False)


class KnownTriples:
    """Whether a graph states triples; its own are sorted once."""

    def __init__(self, graph: GraphContents) -> None:
        self._graph = graph
        self._numbers = {relation.name: relation.number for relation in graph.schema.relations}
        self._symmetric = np.array([each.symmetric for each in graph.schema.relations] + [False])
        columns = graph.triple_columns()
        self._stated = np.unique(
            self._key(*(each.astype(np.int64) for each in (columns.subject, columns.relation, columns.object)))
        )

    def find(self, subjects: Sequence[str], relations: Sequence[str], objects: Sequence[str]) -> list[bool]:
        """For each triple whether the graph states it; a symmetric one counts either way round."""
        start, end = (self._graph.lookup(each).astype(np.int64) for each in (subjects, objects))
        relation = np.array([self._numbers.get(name, -1) for name in relations], np.int64)
        there = (start >= 0) & (end >= 0) & (relation >= 0)
        hit = self._is_stated(self._key(start, relation, end))
        hit |= self._symmetric[relation] & self._is_stated(self._key(end, relation, start))
        found: list[bool] = (hit & there).tolist()
        return found

    def _key(self, one: np.ndarray, relation: np.ndarray, other: np.ndarray) -> np.ndarray:
        return np.asarray((one * len(self._numbers) + relation) * self._graph.counts["entities"] + other)

    def _is_stated(self, keys: np.ndarray) -> np.ndarray:
        if not len(self._stated):
            return np.zeros(len(keys), bool)
        places = np.searchsorted(self._stated, keys).clip(max=len(self._stated) - 1)
        return np.asarray(self._stated[places] == keys)


def known_triples(
    graph: GraphContents, subjects: Sequence[str], relations: Sequence[str], objects: Sequence[str]
) -> list[bool]:
    """Whether a graph states each triple; a symmetric one counts either way round."""
    return KnownTriples(graph).find(subjects, relations, objects)
