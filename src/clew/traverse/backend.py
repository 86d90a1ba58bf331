"""What a backend is: something that carries frontiers from hop to hop over the rows of a graph.

A frontier is the set where each of some queries stands. It is opaque and stays where the backend keeps it, on a device
for instance; only `collect` brings entities back. The k-hop loop is written once, in `khop`, over these operations.
A graph comes as segments: the rows of a range of entities, numbered from the range's first, with global neighbours.
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency
from clew.graph.names import IdArrays
from clew.registry import Entry, Registry
from clew.traverse.blocks import Block, SeedLists

__all__ = ["BACKENDS", "Backend", "FusedWalk"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]


class FusedWalk(Protocol):
    """All hops of a walk in one call, over one segment that holds every entity; it earns its place in the benchmark."""

    def exact(self, prepared: Any, seeds: Ints, k: int) -> Ints | None:
        """Ends of walks of exactly k steps, sorted; None if a seed is no entity. Seeds need not be distinct."""

    def within(self, prepared: Any, seeds: Ints, k: int) -> Ints:
        """Everything within k steps, sorted."""

    def shortest(self, prepared: Any, seeds: Ints, k: int) -> Ints:
        """Everything at distance exactly k, sorted."""

    def find_ids(self, arrays: IdArrays, ids: list[str]) -> Ints | None:
        """The entities with exactly these ids; None if one is unknown or needs a closer look."""

    def exact_each(self, prepared: Any, seeds: SeedLists, k: int) -> Block:
        """`exact` for many queries, one after another; every seed is an entity."""


class Backend(Protocol):
    """One way to compute hops. What `prepare` and `start` return is handed back to the other methods, never looked at.

    A method that takes frontiers may reuse the first one's memory for its result: the first is given away.
    """

    @property
    def width(self) -> int:
        """How many queries one frontier can hold."""

    @property
    def fused(self) -> FusedWalk | None:
        """Whole walks in one call, if the backend has them."""

    def prepare(self, rows: Adjacency, first: int, entities: int) -> Any:
        """The rows of entities `first` and following, of `entities` in all, in the form the backend works on."""

    def start(self, seeds: SeedLists, entities: int) -> Any:
        """A frontier: each query at its seeds, which are sorted and distinct."""

    def step(self, prepared: Any, frontier: Any, into: Any | None) -> Any:
        """Neighbours over one segment's rows, added to `into`; the frontier itself is not changed."""

    def keep(self, frontier: Any, allowed: Mask, exempt: Any | None = None) -> Any:
        """Only allowed entities and those of `exempt`."""

    def without(self, frontier: Any, other: Any) -> Any:
        """Only entities that `other` does not have."""

    def union(self, frontier: Any, other: Any) -> Any:
        """Both together."""

    def copy(self, frontier: Any) -> Any:
        """The same frontier in memory of its own."""

    def is_empty(self, frontier: Any) -> bool:
        """Whether no query stands anywhere."""

    def collect(self, frontier: Any) -> Block:
        """The entities of each query."""


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
