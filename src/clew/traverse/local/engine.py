"""The local engine: hops, distances, triples and paths over a graph directory, on any backend.

`auto`, the default backend, starts with NumPy and switches to compiled code after a few hops, when loading it has
become the cheaper choice; so a single hop on the command line never waits for a compiler.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Unpack

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import InputError
from clew.graph import Graph
from clew.graph.contents import Seeds
from clew.graph.reading import GraphReader
from clew.graph.seeds import distinct
from clew.traverse.backend import Backend
from clew.traverse.blocks import SeedLists
from clew.traverse.deadline import Deadline, deadline
from clew.traverse.engine import GraphEngine
from clew.traverse.local.batch_walk import WalkedBlocks
from clew.traverse.local.hop_triples import triples_of_hop
from clew.traverse.local.query import Query, read_walk
from clew.traverse.local.walking import Walking
from clew.traverse.paths.finding import find_paths
from clew.traverse.paths.listing import SearchedPaths
from clew.traverse.request import HopRequest, PathRequest
from clew.traverse.result import HopResult, Triples
from clew.traverse.walk import StepOptions, TripleOptions, Walk

__all__ = ["Engine"]

Ints = NDArray[np.integer]


class Engine(GraphReader, GraphEngine):
    """The engine of a graph directory, returned by `clew.open`. Safe to use from many threads."""

    def __init__(
        self, graph: Graph, *, backend: str | Backend = "auto", segments: int = 1, walking: Walking | None = None
    ) -> None:
        super().__init__(graph)
        self._reader = GraphReader(graph)  # kept by results, which must not hold the engine
        self.kept = {}
        self._walking = walking or Walking.in_memory(graph, backend, segments=segments)

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

    def lookup(self, ids: Sequence[str] | pa.Array | pa.ChunkedArray) -> Ints:
        """The entity with exactly each of these ids, -1 where there is none."""
        found = self._walking.find_ids(ids) if type(ids) is list and set(map(type, ids)) == {str} else None
        return super().lookup(ids) if found is None else found

    # walking ----------------------------------------------------------------------------------------------------

    def _hop(self, seeds: Seeds, walk: Walk, deadline: Deadline) -> tuple[Ints, Ints]:
        plan = self._walking.plans.get(walk)
        if plan is not None and (plan.brief or not deadline.watched):
            deadline.check()
            found = plan.walk(seeds)
            if found is not None:
                deadline.check()
                return found
        query = read_walk(self.schema, walk)
        start = distinct(self.resolve(seeds))
        ids = self._walking.ends(start, query, deadline)
        if plan is None:
            self._walking.note_plan(query)
        return start, ids

    def _batch(self, queries: Sequence[Seeds], walk: Walk, deadline: Deadline) -> tuple[SeedLists, WalkedBlocks]:
        query = read_walk(self.schema, walk)
        self._walking.choice.expect(len(queries))
        seeds = self._starts(queries)
        return seeds, WalkedBlocks(self._walking, seeds, query, deadline)

    def _hop_triples(self, of: HopResult | HopRequest, hop: int | None, leading_to_result: bool) -> NDArray[np.int64]:
        query = read_walk(self.schema, of.walk)
        seeds = distinct(self.resolve(of.seeds))
        watch = deadline(None, None)
        last = query.k if hop is None or leading_to_result else hop
        sets = self._walking.sets(seeds, query, watch, count=last)  # before the last hop: the seeds alone if it is 1
        result = None
        if leading_to_result:
            result = of.ids if isinstance(of, HopResult) else self._walking.ends(seeds, query, watch)
        permit = self._walking.permit(seeds, query)
        wanted = range(1, query.k + 1) if hop is None else (hop,)
        found = [triples_of_hop(self._walking.view, query, sets, each, permit, result=result) for each in wanted]
        return found[0] if len(found) == 1 else np.unique(np.concatenate([np.empty(0, np.int64), *found]))

    def _distances(self, seeds: Seeds, walk: Walk, deadline: Deadline) -> tuple[Ints, Ints]:
        query = read_walk(self.schema, walk)
        sets = self._walking.sets(distinct(self.resolve(seeds)), query, deadline)
        ids = np.concatenate(sets)
        order = np.argsort(ids)
        distance = np.repeat(np.arange(len(sets)), [len(each) for each in sets])[order]
        ids = ids[order]
        keep = self._walking.of_type(ids, query)
        return ids[keep], distance[keep]

    def _paths(self, request: PathRequest, deadline: Deadline) -> tuple[PathRequest, SearchedPaths]:
        query = read_walk(self.schema, request.walk)
        sources, targets = distinct(self.resolve(request.sources)), distinct(self.resolve(request.targets))
        walkable = query.walkable(self._graph)
        if walkable is not None:
            walkable[sources] = True
        listing = find_paths(
            lambda hop: self._walking.view(query, hop), sources, targets, query.k, kind=request.kind,
            walkable=walkable, limit=request.limit, deadline=deadline,
        )  # fmt: skip
        return replace(request, sources=tuple(sources.tolist()), targets=tuple(targets.tolist())), listing

    # triples ----------------------------------------------------------------------------------------------------

    def triples(self, seeds: Seeds, **options: Unpack[StepOptions]) -> Triples:
        """Permitted triples that leave a set of entities."""
        steps = self._walking.view(self._one_step(options), 1).leaving(distinct(self.resolve(seeds)))
        numbers = distinct(steps.triple, below=self._graph.triple_count)
        return Triples(self._reader, numbers.astype(np.int64, copy=False))

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

    def _starts(self, queries: Sequence[Seeds]) -> SeedLists:
        """The seeds of every query as numbers; arrays of numbers are checked together and used as they are."""
        dtype = np.dtype(self.snapshot.widths.entity)
        arrays = [seeds for seeds in queries if type(seeds) is np.ndarray and seeds.dtype == dtype and seeds.ndim == 1]
        if len(arrays) == len(queries):
            joined = SeedLists.joined(arrays, dtype)
            if len(joined.flat) == 0 or (joined.flat.min() >= 0 and joined.flat.max() < self._graph.entity_count):
                return joined
        return SeedLists.joined([distinct(self.resolve(seeds)) for seeds in queries], dtype)
