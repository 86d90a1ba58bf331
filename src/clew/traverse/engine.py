"""The engine contract: a graph that can be read and traversed, whether local, partitioned or on another machine.

`clew.open` returns the local one (`traverse.local.Engine`). Everything above `traverse` receives an engine and uses
only this contract.
"""

from collections.abc import Iterable, Sequence
from typing import Protocol, Unpack

import numpy as np
from numpy.typing import NDArray

from clew.graph.contents import GraphContents, Seeds
from clew.traverse.batch import BatchResult
from clew.traverse.deadline import Signal
from clew.traverse.paths.result import Paths
from clew.traverse.request import HopRequest
from clew.traverse.result import HopResult, Triples
from clew.traverse.walk import PathOptions, ReachOptions, StepOptions, TripleOptions, Walk, WalkOptions

__all__ = ["GraphEngine"]

Ints = NDArray[np.integer]


class GraphEngine(GraphContents, Protocol):
    """Reads and traverses one snapshot of a graph. Safe to use from many threads.

    A method with `k` and options also accepts a `Walk` in place of `k`.
    """

    def hop(
        self,
        seeds: Seeds,
        k: int | Walk = 1,
        *,
        timeout: float | None = None,
        cancel: Signal | None = None,
        **options: Unpack[WalkOptions],
    ) -> HopResult:
        """The entities k hops from the seeds."""

    def hop_batch(
        self,
        queries: Sequence[Seeds],
        k: int | Walk = 1,
        *,
        timeout: float | None = None,
        cancel: Signal | None = None,
        memory: int = 1 << 30,
        **options: Unpack[WalkOptions],
    ) -> BatchResult:
        """`hop` for many sets of seeds; keeps at most `memory` bytes of results."""

    def hop_triples(
        self, of: HopResult | HopRequest, hop: int | None = None, *, leading_to_result: bool = False
    ) -> Triples:
        """The permitted triples that leave the frontier of hop - 1 of a walk, or of every hop if `hop` is None.

        With `leading_to_result`, only those on a path to its result.
        """

    def distances(
        self,
        seeds: Seeds,
        k: int | Walk,
        *,
        timeout: float | None = None,
        cancel: Signal | None = None,
        **options: Unpack[ReachOptions],
    ) -> tuple[Ints, Ints]:
        """Every entity within k hops, ascending, and its distance from the nearest seed."""

    def paths(
        self,
        source: Seeds,
        target: Seeds,
        k: int | Walk = 3,
        *,
        kind: str = "simple",
        limit: int = 100,
        timeout: float | None = None,
        cancel: Signal | None = None,
        **options: Unpack[PathOptions],
    ) -> Paths:
        """Paths of 1 to k triples from a source to a target: shortest first, then through the rarest entities."""

    def triples(self, seeds: Seeds, **options: Unpack[StepOptions]) -> Triples:
        """Permitted triples that leave a set of entities."""

    def numbered(self, numbers: Iterable[int]) -> Triples:
        """Triples by number in this snapshot."""

    def subgraph(self, seeds: Seeds, **options: Unpack[TripleOptions]) -> Triples:
        """Permitted triples with subject and object in a set of entities."""

    def degree(self, seeds: Seeds | None = None, **options: Unpack[StepOptions]) -> NDArray[np.int64]:
        """The number of permitted triples of each of some entities (or of all), in the order given."""
