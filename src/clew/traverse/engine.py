"""The engine contract: a graph that can be read and traversed, whether local, partitioned or on another machine.

`clew.open` returns the local one (`traverse.local.Engine`). Everything above `traverse` receives an engine and uses
only this contract.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Protocol, Unpack

import numpy as np
from numpy.typing import NDArray

from clew.cancellation import Signal
from clew.errors import InputError
from clew.graph.contents import GraphContents, Reader, Seeds
from clew.graph.partitions.cache import CacheCounts
from clew.traverse.batch import BatchResult, Blocks
from clew.traverse.blocks import SeedLists
from clew.traverse.context import RETRIEVERS, Context
from clew.traverse.deadline import Deadline, deadline
from clew.traverse.paths.listing import Listing
from clew.traverse.paths.result import Paths
from clew.traverse.request import HopRequest, PathRequest, as_ends, check_snapshot
from clew.traverse.result import HopResult, Triples
from clew.traverse.walk import PathOptions, ReachOptions, StepOptions, TripleOptions, Walk, WalkOptions, as_walk

__all__ = ["GraphEngine"]

Ints = NDArray[np.integer]


class GraphEngine(GraphContents, Protocol):
    """Reads and traverses one snapshot of a graph. Safe to use from many threads.

    A method with `k` and options also accepts a `Walk` in place of `k`. Keywords become walks, requests and results
    here; an engine inherits from this class and provides the primitives below, which work on numbers alone.
    """

    _reader: Reader  # kept by results, which must not hold the engine
    kept: dict[str, Any]  # what others derived from the engine, by name: freed with it

    @property
    def cache(self) -> CacheCounts | None:
        """Hits, loads and evictions of an engine that loads a graph in parts; None for one that has all of it."""
        return None

    def hop(
        self,
        seeds: Seeds,
        k: int | Walk = 1,
        *,
        timeout: float | None = None,
        cancel: Signal | None = None,
        **options: Unpack[WalkOptions],
    ) -> HopResult:
        """The entities k hops from the seeds.

        `exact`: reached by walks of exactly k hops. `within`: distance at most k, seeds included. `shortest`: distance
        exactly k. `relations` is a name, a set of names for all hops, or a list of k sets (a metapath). `types` filters
        the result; `through` (types) and `max_degree` filter intermediate entities, except seeds.
        """
        walk = as_walk(k, options)
        start, ids = self._hop(seeds, walk, deadline(timeout, cancel))
        return HopResult(self._reader, start, walk, ids)

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
        """`hop` for many sets of seeds, many at a time if that is faster; keeps at most `memory` bytes of results."""
        walk = as_walk(k, options)
        seeds, blocks = self._batch(queries, walk, deadline(timeout, cancel))
        return BatchResult(self._reader, seeds, walk, blocks, memory=memory)

    def hop_triples(
        self, of: HopResult | HopRequest, hop: int | None = None, *, leading_to_result: bool = False
    ) -> Triples:
        """The permitted triples that leave the frontier of hop - 1 of a walk, or of every hop if `hop` is None.

        With `leading_to_result`, only those on a path to its result.
        """
        k = of.walk.k
        if hop is not None and (isinstance(hop, bool) or not isinstance(hop, int) or not 1 <= hop <= k):
            raise InputError(f"hop must be a number from 1 to {k}, not {hop!r}")
        check_snapshot(of.snapshot if isinstance(of, HopRequest) else of.snapshot.id, self.snapshot)
        return Triples(self._reader, self._hop_triples(of, hop, leading_to_result))

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
        walk = as_walk(k, options)
        if walk.metapath:
            raise InputError("here relations is one set of names, not a metapath")
        return self._distances(seeds, replace(walk, mode="within"), deadline(timeout, cancel))

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
        """Paths of 1 to k triples from a source to a target: shortest first, then through the rarest entities.

        `simple` paths repeat no entity, `walks` may, `shortest` are the simple paths of minimal length.
        """
        walk = as_walk(k, options)
        given = PathRequest(self.snapshot.id, as_ends(source), as_ends(target), walk, kind, limit)
        request, listing = self._paths(given, deadline(timeout, cancel))
        return Paths(self._reader, request, listing)

    def context(
        self,
        question: str,
        *,
        budget: int = 1500,
        style: str = "sentences",
        percentile: float = 0.0,
        floor: float = 0.0,
    ) -> Context:
        """What the graph states about a question, as ranked and cited lines of at most `budget` tokens.

        `style` is sentences, json or table. Lines below the `percentile` of all relevances or below `floor` are pruned.
        """
        retrieve = RETRIEVERS.load("neighbourhood")
        found: Context = retrieve(self, question, budget=budget, style=style, percentile=percentile, floor=floor)
        return found

    def numbered(self, numbers: Iterable[int]) -> Triples:
        """Triples by number in this snapshot."""
        wanted, count = np.unique(np.fromiter(numbers, np.int64)), self.counts["triples"]
        if len(wanted) and not 0 <= wanted[0] <= wanted[-1] < count:
            raise InputError(f"triples are numbered from 0 to {count - 1}")
        return Triples(self._reader, wanted)

    def triples(self, seeds: Seeds, **options: Unpack[StepOptions]) -> Triples:
        """Permitted triples that leave a set of entities."""

    def subgraph(self, seeds: Seeds, **options: Unpack[TripleOptions]) -> Triples:
        """Permitted triples with subject and object in a set of entities."""

    def degree(self, seeds: Seeds | None = None, **options: Unpack[StepOptions]) -> NDArray[np.int64]:
        """The number of permitted triples of each of some entities (or of all), in the order given."""

    # primitives -------------------------------------------------------------------------------------------------

    def _hop(self, seeds: Seeds, walk: Walk, deadline: Deadline) -> tuple[Ints, Ints]:
        """The numbers of the seeds, and the entities reached, ascending."""

    def _batch(self, queries: Sequence[Seeds], walk: Walk, deadline: Deadline) -> tuple[SeedLists, Blocks]:
        """The numbers of the seeds of each query, and the blocks of results, computed on demand."""

    def _hop_triples(self, of: HopResult | HopRequest, hop: int | None, leading_to_result: bool) -> NDArray[np.int64]:
        """The numbers of the triples of one hop or all, ascending."""

    def _distances(self, seeds: Seeds, walk: Walk, deadline: Deadline) -> tuple[Ints, Ints]:
        """Every entity within k hops, ascending, and its distance; the mode of the walk is `within`."""

    def _paths(self, request: PathRequest, deadline: Deadline) -> tuple[PathRequest, Listing]:
        """The request with its ends as numbers, and the paths."""
