"""A walk resolved against one graph: names become numbers, and a `Step` defines the triples of a hop."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.graph import Graph, Where
from clew.graph.assertions import DEFAULT
from clew.graph.schema import Schema
from clew.traverse.walk import Walk

__all__ = ["Query", "Step", "read_walk"]

Mask = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Step:
    """The triples that one hop may use: relation numbers (None for all), conditions on assertions, the direction."""

    relations: frozenset[int] | None = None
    where: Where = DEFAULT
    direction: str = "out"


@dataclass(frozen=True, slots=True)
class Query:
    """A walk in the numbers of one graph: one step for every hop, or a list of k steps (a metapath)."""

    walk: Walk
    steps: tuple[Step, ...]  # one for all hops, or exactly k
    types: frozenset[int] | None = None  # result only
    through: frozenset[int] | None = None  # types of intermediates
    max_degree: int | None = None  # of intermediates

    @property
    def k(self) -> int:
        return self.walk.k

    @property
    def mode(self) -> str:
        return self.walk.mode

    def step(self, hop: int) -> Step:
        """The step of hop 1..k."""
        return self.steps[0] if len(self.steps) == 1 else self.steps[hop - 1]

    @property
    def uniform(self) -> bool:
        """Every hop uses the same step and any entity may be intermediate."""
        return len(self.steps) == 1 and self.through is None and self.max_degree is None

    def walkable(self, graph: Graph) -> Mask | None:
        """The entities that may be intermediate; None if all may."""
        if self.through is None and self.max_degree is None:
            return None
        mask = np.ones(graph.entity_count, bool)
        if self.through is not None:
            mask &= np.isin(graph.entity_types, sorted(self.through))
        if self.max_degree is not None:
            mask &= graph.degree <= self.max_degree
        return mask


def read_walk(schema: Schema, walk: Walk) -> Query:
    """The walk in numbers; an unknown relation or type is an error that lists similar ones."""
    sets = walk.relations if isinstance(walk.relations, tuple) else (walk.relations,)
    return Query(
        walk,
        tuple(Step(_relations(schema, names), walk.where, walk.direction) for names in sets),
        types=_types(schema, walk.types),
        through=_types(schema, walk.through),
        max_degree=walk.max_degree,
    )


def _relations(schema: Schema, names: Iterable[str] | None) -> frozenset[int] | None:
    return None if names is None else frozenset(schema.relation(name).number for name in names)


def _types(schema: Schema, names: Iterable[str] | None) -> frozenset[int] | None:
    return None if names is None else frozenset(schema.type_number(name) for name in names)
