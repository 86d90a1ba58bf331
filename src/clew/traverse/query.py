"""What is asked of a walk, checked once and turned into numbers: `Step` says which triples a hop may use.

Words come from the caller as strings; unknown ones are errors that list what is known.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError, UnknownName
from clew.graph import Graph, Where
from clew.graph.assertions import DEFAULT

__all__ = ["DIRECTIONS", "MODES", "Query", "Step", "make_query"]

MODES = ("exact", "within", "shortest")
DIRECTIONS = ("out", "in", "both")
Mask = NDArray[np.bool_]
Relations = str | Iterable[str] | Sequence[Iterable[str] | None] | None


@dataclass(frozen=True, slots=True)
class Step:
    """Which triples one hop may use: relation numbers (None for all), conditions on assertions, and the direction."""

    relations: frozenset[int] | None = None
    where: Where = DEFAULT
    direction: str = "out"


@dataclass(frozen=True, slots=True)
class Query:
    """A checked query: one step for every hop, or a list of k steps (a metapath)."""

    k: int
    mode: str
    steps: tuple[Step, ...]  # one for all hops, or exactly k
    types: frozenset[int] | None = None  # result only
    through: frozenset[int] | None = None  # types of intermediates
    max_degree: int | None = None  # of intermediates

    def step(self, hop: int) -> Step:
        """The step of hop 1..k."""
        return self.steps[0] if len(self.steps) == 1 else self.steps[hop - 1]

    @property
    def uniform(self) -> bool:
        """Every hop uses the same step and any entity may be walked through."""
        return len(self.steps) == 1 and self.through is None and self.max_degree is None

    def walkable(self, graph: Graph) -> Mask | None:
        """Which entities may be walked through; None when all may."""
        if self.through is None and self.max_degree is None:
            return None
        mask = np.ones(graph.entity_count, bool)
        if self.through is not None:
            mask &= np.isin(graph.entity_types, sorted(self.through))
        if self.max_degree is not None:
            mask &= graph.degree <= self.max_degree
        return mask


def make_query(
    graph: Graph,
    k: int,
    *,
    mode: str = "exact",
    direction: str = "out",
    relations: Relations = None,
    types: str | Iterable[str] | None = None,
    through: str | Iterable[str] | None = None,
    max_degree: int | None = None,
    layer: str = "all",
    where: Where | None = None,
) -> Query:
    """Check the words of a query against the graph's schema."""
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 0:
        raise InputError(f"k is a number of hops, 0 or more, not {k!r}")
    if mode not in MODES:
        raise UnknownName(f"no mode is called {mode!r}: known: {', '.join(MODES)}")
    if direction not in DIRECTIONS:
        raise UnknownName(f"no direction is called {direction!r}: known: {', '.join(DIRECTIONS)}")
    if max_degree is not None and (isinstance(max_degree, bool) or not isinstance(max_degree, int) or max_degree < 0):
        raise InputError(f"max_degree is a number of triples, 0 or more, not {max_degree!r}")
    if where is None:
        where = Where(layer=layer)
    elif layer != "all":
        raise InputError("give the layer inside where=Where(layer=…) or as layer=, not both")
    return Query(
        k=int(k),
        mode=mode,
        steps=tuple(Step(chosen, where, direction) for chosen in _relation_sets(graph, relations, int(k))),
        types=_types(graph, types),
        through=_types(graph, through),
        max_degree=max_degree,
    )


def _relation_sets(graph: Graph, relations: Relations, k: int) -> list[frozenset[int] | None]:
    if relations is None or isinstance(relations, str):
        return [_relation_set(graph, relations)]
    listed = list(relations)
    if not any(each is None or (not isinstance(each, str) and isinstance(each, Iterable)) for each in listed):
        return [_relation_set(graph, listed)]  # type: ignore[arg-type]
    if isinstance(relations, set | frozenset):
        raise InputError("a metapath is a list of relation sets, one for each hop, in order; a set has no order")
    if len(listed) != k:
        raise InputError(f"a metapath has one relation set for each hop: {len(listed)} were given for k={k}")
    return [_relation_set(graph, each) for each in listed]


def _relation_set(graph: Graph, relations: str | Iterable[str] | None) -> frozenset[int] | None:
    if relations is None:
        return None
    named = [relations] if isinstance(relations, str) else list(relations)
    return frozenset(graph.schema.relation(name).number for name in named)


def _types(graph: Graph, types: str | Iterable[str] | None) -> frozenset[int] | None:
    if types is None:
        return None
    return frozenset(graph.schema.type_number(name) for name in ([types] if isinstance(types, str) else types))
