"""One step of a search: the triples that leave a set of entities, forward and backward, found exactly by the engine."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.graph import Where
from clew.traverse import GraphEngine

__all__ = ["Allowed", "Steps", "steps_from"]

Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Allowed:
    """The triples that a search may follow: of some relations (None: all) and with some assertions.

    Negated relations are never followed, even if they are named.
    """

    relations: frozenset[str] | None = None
    where: Where | None = None

    def relations_of(self, engine: GraphEngine) -> frozenset[str] | None:
        """The relations that may be followed in a graph; None for all."""
        if self.relations is None:
            return None
        return frozenset(name for name in self.relations if not engine.schema.relation(name).negated)


@dataclass(frozen=True, slots=True, eq=False)
class Steps:
    """Triples as they are followed: from `near` to `far`, `forward` from subject to object; (n,) each."""

    near: Ints
    far: Ints
    relation: Ints
    forward: Mask
    number: Ints

    def __len__(self) -> int:
        return len(self.number)

    def where(self, chosen: "Mask | Ints | slice") -> "Steps":
        """Some of them."""
        return Steps(
            self.near[chosen], self.far[chosen], self.relation[chosen], self.forward[chosen], self.number[chosen]
        )


def steps_from(engine: GraphEngine, entities: Iterable[int] | Ints, allowed: Allowed) -> Steps:
    """Every permitted step from some entities; a symmetric relation is forward from either end."""
    start = np.unique(np.asarray(list(entities) if not isinstance(entities, np.ndarray) else entities, np.int64))
    triples = engine.triples(start, direction="both", relations=allowed.relations_of(engine), where=allowed.where)
    subject, object_ = triples.subject.astype(np.int64), triples.object.astype(np.int64)
    relation = triples.relation.astype(np.int64)
    symmetric = np.array([each.symmetric for each in engine.schema.relations], bool)
    inside = np.zeros(engine.counts["entities"], bool)
    inside[start] = True
    out, back = inside[subject], inside[object_]
    return Steps(
        near=np.concatenate((subject[out], object_[back])),
        far=np.concatenate((object_[out], subject[back])),
        relation=np.concatenate((relation[out], relation[back])),
        forward=np.concatenate((np.ones(int(out.sum()), bool), symmetric[relation[back]])),
        number=np.concatenate((triples.numbers[out], triples.numbers[back])),
    )
