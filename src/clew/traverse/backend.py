"""What a backend is: something that expands a frontier by one hop over an adjacency.

The k-hop loop is written once, in `khop`, over `expand`. A backend that can do several hops in one call, or many
queries at once, also is a `Walker` or a `BatchWalker`; those earn their place in the benchmark.
"""

from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency
from clew.registry import Entry, Registry

__all__ = ["BACKENDS", "Backend", "BatchWalker", "Walker"]

Ints = NDArray[np.integer]


class Backend(Protocol):
    """One way to compute a hop. `prepare` is called once for an adjacency; its result is handed back to every call."""

    def prepare(self, adjacency: Adjacency) -> Any: ...

    def expand(self, prepared: Any, frontier: Ints) -> Ints:
        """Neighbours of a sorted, distinct frontier: sorted, distinct, of the same type."""


@runtime_checkable
class Walker(Protocol):
    """A backend that does all hops in one call."""

    def walk(self, prepared: Any, seeds: Ints, k: int) -> Ints:
        """Ends of walks of exactly k steps, sorted."""

    def within(self, prepared: Any, seeds: Ints, k: int) -> Ints:
        """Everything within k steps, sorted."""

    def levels(self, prepared: Any, seeds: Ints, k: int) -> tuple[Ints, Ints]:
        """Everything within k steps, by distance and then by id, and the offsets of each distance."""


@runtime_checkable
class BatchWalker(Protocol):
    """A backend that walks many queries together."""

    def walk_each(self, prepared: Any, starts: Ints, seeds: Ints, k: int) -> tuple[Ints, Ints]:
        """`walk` from seeds[starts[q]:starts[q + 1]] for every query q: all ends, and the offsets of each query's."""

    def seed_words(self, prepared: Any, starts: Ints, seeds: Ints) -> NDArray[np.uint64]:
        """Up to 64 queries as bits: word v has bit q set when v is a seed of query q."""

    def spread(self, prepared: Any, words: NDArray[np.uint64]) -> NDArray[np.uint64]:
        """One hop of up to 64 queries at once."""

    def sets_of_words(self, words: NDArray[np.uint64], queries: int) -> tuple[NDArray[np.uint64], Ints]:
        """Each query's members as a set of bits, (queries, n // 64 + 1), and how many they are."""

    def list_sets(self, sets: NDArray[np.uint64], ids: Ints, at: int) -> None:
        """Write the members of each set, sorted, one set after another, into `ids` from `at` on; it has 8 to spare."""


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
