"""Absence: that nothing of the asked-for kind can be reached, decided by the engine before any model is called.

It is claimed only if no walk of 1 to `steps` hops over all allowed relations, in both directions, ends at such an
entity; what a search pruned never proves it. Asked for is an entity of some types or, in a graph without types, one
that the last relation leads to; where neither is known, any entity.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.answer.super_relations.steps import Allowed
from clew.graph import Where, read_triples
from clew.traverse import GraphEngine

__all__ = ["Wanted", "find_absence", "is_untyped"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is asked for: entities of one of some types, or at the far end of one of some relations."""

    types: tuple[str, ...] = ()
    relations: tuple[tuple[str, bool], ...] = ()  # name, and whether it is followed from subject to object

    def __str__(self) -> str:
        if self.types:
            return f"an entity of the type {' or '.join(self.types)}"
        if self.relations:
            return f"an entity that {' or '.join(name for name, _ in self.relations)} leads to"
        return "any entity"


def find_absence(
    engine: GraphEngine,
    topics: Sequence[int],
    wanted: Wanted,
    *,
    steps: int,
    allowed: Allowed | None = None,
) -> str | None:
    """Why there is no answer within some steps of the topics, in a sentence; None if what is wanted can be reached."""
    allowed = allowed or Allowed()
    relations, where = allowed.relations_of(engine), allowed.where
    ends = None if wanted.types or not wanted.relations else _far_ends(engine, wanted.relations, where)
    for k in range(1, steps + 1):
        reached = engine.hop(
            np.asarray(topics), k, direction="both", relations=relations, types=wanted.types or None, where=where
        ).ids
        if len(reached if ends is None else np.intersect1d(reached, ends)):
            return None
    hops = "1 hop" if steps == 1 else f"1 to {steps} hops"
    return f"no walk of {hops} over the allowed relations reaches {wanted} in this graph"


def is_untyped(engine: GraphEngine) -> bool:
    """Whether the types of a graph tell nothing: there is one at most."""
    return len(engine.schema.types) < 2


def _far_ends(engine: GraphEngine, relations: Iterable[tuple[str, bool]], where: Where | None) -> NDArray[np.int64]:
    """The entities that relations lead to."""
    found = [np.empty(0, np.int64)]
    for name, forward in relations:
        triples = read_triples(engine, relations=[name], where=where or Where())
        both = (
            ("subject", "object") if engine.schema.relation(name).symmetric else ("object" if forward else "subject",)
        )
        found += [np.asarray(triples[end].to_numpy(), np.int64) for end in both]
    return np.unique(np.concatenate(found))
