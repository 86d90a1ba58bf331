"""The backend protocol: operations on frontiers from hop to hop over the rows of a graph.

A frontier is the current set of entities of one or more queries. It is opaque and stays where the backend keeps it,
such as on a device; only `collect` returns entities. The k-hop loop is written once, in `khop`, over these operations.
A graph comes as segments: the rows of a range of entities, numbered from the start of the range, with global
neighbours.
"""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency, Rows
from clew.graph.names import IdArrays
from clew.registry import Entry, Registry
from clew.traverse.blocks import Block, SeedLists

__all__ = ["BACKENDS", "Backend", "Frontiers", "FusedWalk", "Lists"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]


class FusedWalk(Protocol):
    """Optional: all hops of a walk in one call, over one segment that contains every entity."""

    def exact(self, prepared: Any, seeds: Ints, k: int) -> Ints | None:
        """Entities reached by walks of exactly k hops, sorted; None if a seed is not an entity. Seeds may repeat."""

    def within(self, prepared: Any, seeds: Ints, k: int) -> Ints:
        """Entities within k hops, sorted."""

    def shortest(self, prepared: Any, seeds: Ints, k: int) -> Ints:
        """Entities at distance exactly k, sorted."""

    def find_ids(self, arrays: IdArrays, ids: list[str]) -> Ints | None:
        """The entities with exactly these ids; None if one is unknown or needs the general look-up."""

    def exact_each(self, prepared: Any, seeds: SeedLists, k: int) -> Block:
        """`exact` for many queries, one after another; every seed is an entity."""


class Lists(Protocol):
    """Optional: one hop of many small frontiers, which are lists of entities, over one segment after another."""

    def touches(self, lists: SeedLists, first: int, rows: int) -> bool:
        """Whether any query has one of the `rows` entities from `first` on; lists are sorted."""

    def expand(self, rows: Rows, first: int, lists: SeedLists) -> SeedLists:
        """The neighbours over the rows of the entities from `first` on, in any order; some may repeat."""

    def distinct(self, found: Sequence[SeedLists], entities: int) -> SeedLists:
        """Everything that was found for the same queries, sorted and distinct."""


class Frontiers(Protocol):
    """Sets of entities for some queries, wherever they are kept, and hops of them. Frontiers are opaque values.

    A method that takes frontiers may reuse the memory of the first for its result: the first must not be used again.
    """

    @property
    def width(self) -> int:
        """How many queries one frontier should hold."""

    @property
    def capacity(self) -> int:
        """How many queries one frontier can hold."""

    @property
    def fused(self) -> FusedWalk | None:
        """Fused walks, if the backend has them."""

    @property
    def lists(self) -> Lists | None:
        """Hops of lists, if the backend has its own."""

    def start(self, seeds: SeedLists, entities: int) -> Any:
        """A frontier: each query at its seeds, which are sorted and distinct."""

    def step(self, prepared: Any, frontier: Any, into: Any | None) -> Any:
        """The neighbours over one segment's rows, added to `into`; the frontier is not changed."""

    def keep(self, frontier: Any, allowed: Mask, exempt: Any | None = None) -> Any:
        """The allowed entities of a frontier, and those in `exempt`."""

    def without(self, frontier: Any, other: Any) -> Any:
        """The entities of a frontier that are not in `other`."""

    def union(self, frontier: Any, other: Any) -> Any:
        """The union of two frontiers."""

    def copy(self, frontier: Any) -> Any:
        """A copy of a frontier."""

    def touches(self, frontier: Any, first: int, rows: int) -> bool:
        """Whether any query has one of the `rows` entities from `first` on in its frontier."""

    def is_empty(self, frontier: Any) -> bool:
        """Whether the frontier of every query is empty."""

    def collect(self, frontier: Any) -> Block:
        """The entities of each query."""


class Backend(Frontiers, Protocol):
    """An implementation of hops over rows in memory; `step` takes what `prepare` makes of them."""

    def prepare(self, rows: Adjacency, first: int, entities: int) -> Any:
        """The rows of the entities from `first` on, of `entities` in total, in the backend's own form."""


BACKENDS = Registry(
    "backend",
    {
        "numba": Entry("clew.traverse.backends.numba:NumbaBackend", "compiled push and pull, 64 queries a word"),
        "numpy": Entry("clew.traverse.backends.numpy:NumpyBackend", "array gathers; starts at once"),
        "scipy": Entry("clew.traverse.backends.scipy:ScipyBackend", "incidence products, as in the LogosKG paper"),
        "torch": Entry("clew.traverse.backends.torch:TorchBackend", "tensor gathers, on CPU or GPU", extra="torch"),
        "reference": Entry("clew.traverse.backends.reference:ReferenceBackend", "plain Python sets: slow and obvious"),
    },
)
