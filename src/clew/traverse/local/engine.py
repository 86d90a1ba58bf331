"""The local engine: hops, distances, triples and paths over a graph directory, on any backend.

`auto`, the default backend, starts with NumPy and switches to compiled code after a few hops, when loading it has
become the cheaper choice; so a single hop on the command line never waits for a compiler.
"""

from collections.abc import Iterable, Sequence
from typing import Any, Unpack

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph import Graph
from clew.graph.contents import Seeds
from clew.graph.reading import GraphReader
from clew.graph.seeds import distinct
from clew.traverse.backend import Backend
from clew.traverse.batch import BatchResult
from clew.traverse.blocks import SeedLists
from clew.traverse.deadline import Deadline, Signal
from clew.traverse.local.batch_walk import WalkedBlocks
from clew.traverse.local.hop_triples import triples_of_hop
from clew.traverse.local.plan import plan_key
from clew.traverse.local.query import Query, read_walk
from clew.traverse.local.walking import Walking
from clew.traverse.paths.finding import find_paths
from clew.traverse.paths.result import Paths
from clew.traverse.request import HopRequest, PathRequest
from clew.traverse.result import HopResult, Triples
from clew.traverse.walk import PathOptions, ReachOptions, StepOptions, TripleOptions, Walk, WalkOptions, as_walk

__all__ = ["Engine"]

Ints = NDArray[np.integer]
NEVER = Deadline()


class Engine(GraphReader):
    """The engine of a graph directory, returned by `clew.open`. Safe to use from many threads."""

    def __init__(self, graph: Graph, *, backend: str | Backend = "auto", segments: int = 1) -> None:
        super().__init__(graph)
        self._reader = GraphReader(graph)  # kept by results, which must not hold the engine
        self._walking = Walking(graph, backend, segments=segments)

    def __repr__(self) -> str:
        return f"Engine({self._graph!r}, backend={'auto' if self._walking.choice.auto else self.backend!r})"

    @property
    def backend(self) -> str:
        """The name of the backend in use now."""
        return self._walking.use.name

    def resolve(self, seeds: Seeds) -> Ints:
        """Numbers of seeds, in the order given; every one must name exactly one entity."""
        if type(seeds) is list and set(map(type, seeds)) == {str}:
            found = self._walking.find_ids(seeds)
            if found is not None:
                return found
        return super().resolve(seeds)

    # walking ----------------------------------------------------------------------------------------------------

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
        plans = self._walking.plans
        key = plan_key(k, options)
        plan = None if key is None else plans.get(key)
        deadline = NEVER if timeout is None and cancel is None else Deadline(timeout, cancel)
        if plan is not None and (plan.brief or deadline is NEVER):
            deadline.check()
            numbers = plan.seeds(seeds)
            ids = None if numbers is None else plan.walk(numbers)
            if numbers is not None and ids is not None:
                deadline.check()
                return HopResult(self._reader, numbers, plan.query.walk, ids)
        walk = as_walk(k, options)
        query = read_walk(self.schema, walk)
        start = distinct(self.resolve(seeds))
        found = HopResult(self._reader, start, walk, self._walking.ends(start, query, deadline))
        plan = plans.get(walk)
        if plan is None:
            self._walking.note_plan(query)
        elif key is not None:
            plans.name(key, plan)
        return found

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
        """`hop` for many sets of seeds, 64 at a time if that is faster; keeps at most `memory` bytes of results."""
        walk = as_walk(k, options)
        query = read_walk(self.schema, walk)
        self._walking.choice.expect(len(queries))
        seeds = self._starts(queries)
        blocks = WalkedBlocks(self._walking, seeds, query, Deadline(timeout, cancel))
        return BatchResult(self._reader, seeds, walk, blocks, memory=memory)

    def hop_triples(
        self, of: HopResult | HopRequest, hop: int | None = None, *, leading_to_result: bool = False
    ) -> Triples:
        """The permitted triples that leave the frontier of hop - 1 of a walk, or of every hop if `hop` is None.

        With `leading_to_result`, only those on a path to its result.
        """
        query = read_walk(self.schema, of.walk)
        if hop is not None and (isinstance(hop, bool) or not isinstance(hop, int) or not 1 <= hop <= query.k):
            raise InputError(f"hop must be a number from 1 to {query.k}, not {hop!r}")
        self._check_snapshot(of.snapshot if isinstance(of, HopRequest) else of.snapshot.id)
        seeds = distinct(self.resolve(of.seeds))
        sets = self._walking.sets(seeds, query, Deadline())
        result = None
        if leading_to_result:
            result = of.ids if isinstance(of, HopResult) else self._walking.ends(seeds, query, Deadline())
        permit = self._walking.permit(seeds, query)
        wanted = range(1, query.k + 1) if hop is None else (hop,)
        found = [triples_of_hop(self._walking.view, query, sets, each, permit, result=result) for each in wanted]
        numbers = found[0] if len(found) == 1 else np.unique(np.concatenate([np.empty(0, np.int64), *found]))
        return Triples(self._reader, numbers)

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
        given = as_walk(k, options)
        if given.metapath:
            raise InputError("here relations is one set of names, not a metapath")
        query = read_walk(self.schema, Walk.from_record(given.to_record() | {"mode": "within"}))
        sets = self._walking.sets(distinct(self.resolve(seeds)), query, Deadline(timeout, cancel))
        ids = np.concatenate(sets)
        order = np.argsort(ids)
        distance = np.repeat(np.arange(len(sets)), [len(each) for each in sets])[order]
        ids = ids[order]
        keep = self._walking.of_type(ids, query)
        return ids[keep], distance[keep]

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
        query = read_walk(self.schema, walk)
        sources, targets = distinct(self.resolve(source)), distinct(self.resolve(target))
        request = PathRequest(self.snapshot.id, tuple(sources.tolist()), tuple(targets.tolist()), walk, kind, limit)
        walkable = query.walkable(self._graph)
        if walkable is not None:
            walkable[sources] = True
        listing = find_paths(
            lambda hop: self._walking.view(query, hop), sources, targets, query.k, kind=kind, walkable=walkable,
            limit=limit, deadline=Deadline(timeout, cancel),
        )  # fmt: skip
        return Paths(self._reader, request, listing)

    # triples ----------------------------------------------------------------------------------------------------

    def triples(self, seeds: Seeds, **options: Unpack[StepOptions]) -> Triples:
        """Permitted triples that leave a set of entities."""
        steps = self._walking.view(self._one_step(options), 1).leaving(distinct(self.resolve(seeds)))
        return Triples(self._reader, np.unique(steps.triple))

    def numbered(self, numbers: Iterable[int]) -> Triples:
        """Triples by number in this snapshot."""
        wanted = np.unique(np.fromiter(numbers, np.int64))
        if len(wanted) and not 0 <= wanted[0] <= wanted[-1] < self._graph.triple_count:
            raise InputError(f"triples are numbered from 0 to {self._graph.triple_count - 1}")
        return Triples(self._reader, wanted)

    def subgraph(self, seeds: Seeds, **options: Unpack[TripleOptions]) -> Triples:
        """Permitted triples with subject and object in a set of entities."""
        entities = distinct(self.resolve(seeds))
        steps = self._walking.view(self._one_step(options), 1).leaving(entities)
        return Triples(self._reader, np.unique(steps.triple[np.isin(steps.end, entities)]))

    def degree(self, seeds: Seeds | None = None, **options: Unpack[StepOptions]) -> NDArray[np.int64]:
        """The number of permitted triples of each of some entities (or of all), in the order given."""
        query = self._one_step({"direction": "both", **options})
        entities = np.arange(self._graph.entity_count) if seeds is None else self.resolve(seeds)
        view = self._walking.view(query, 1)
        if view.is_whole:
            return self._graph.degree[entities]
        distinct_entities, place = np.unique(entities, return_inverse=True)
        steps = view.leaving(distinct_entities)
        at = np.searchsorted(distinct_entities, steps.start)
        return np.bincount(at, minlength=len(distinct_entities))[place]

    # how --------------------------------------------------------------------------------------------------------

    def _one_step(self, options: Any) -> Query:
        """The query of a single hop; `relations` is one set."""
        walk = Walk(1, **options)
        if walk.metapath:
            raise InputError("here relations is one set of names, not a metapath")
        return read_walk(self.schema, walk)

    def _check_snapshot(self, snapshot: str) -> None:
        if snapshot != self.snapshot.id:
            raise InputError(
                f"the request is for snapshot {snapshot}, but {self.snapshot} is snapshot {self.snapshot.id}"
            )

    def _starts(self, queries: Sequence[Seeds]) -> SeedLists:
        """The seeds of every query as numbers; arrays of numbers are checked together and used as they are."""
        dtype = np.dtype(self.snapshot.widths.entity)
        arrays = [seeds for seeds in queries if type(seeds) is np.ndarray and seeds.dtype == dtype and seeds.ndim == 1]
        if len(arrays) == len(queries):
            joined = SeedLists.joined(arrays, dtype)
            if len(joined.flat) == 0 or (joined.flat.min() >= 0 and joined.flat.max() < self._graph.entity_count):
                return joined
        return SeedLists.joined([distinct(self.resolve(seeds)) for seeds in queries], dtype)
