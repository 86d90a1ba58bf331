"""The face of an opened graph: hops, distances, triples and paths, with every mode and filter, on any backend.

`auto`, the default backend, answers with NumPy at once and changes to compiled code after a few hops, when loading it
has become the cheaper choice; so a single hop on the command line never waits for a compiler.
"""

import time
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from clew.errors import InputError
from clew.graph import Graph, Where
from clew.graph.assertions import Assertion
from clew.graph.manifest import Manifest
from clew.graph.names import Found
from clew.graph.schema import Schema
from clew.traverse import khop
from clew.traverse.backend import Backend, Walker
from clew.traverse.batch import BatchResult, SeedLists
from clew.traverse.choice import Choice, Use
from clew.traverse.deadline import Deadline, Signal
from clew.traverse.hop_triples import triples_of_hop
from clew.traverse.paths import Paths, find_paths
from clew.traverse.plan import Plans, in_words
from clew.traverse.query import Query, Relations, Step, make_query
from clew.traverse.result import HopResult, Triples
from clew.traverse.view import View, Views

__all__ = ["Engine"]

Ints = NDArray[np.integer]
Seeds = int | str | Iterable[int | str] | Ints
Names = str | Iterable[str] | None


class Engine:
    """An opened graph that can be walked; `clew.open` makes one. Safe to use from many threads."""

    def __init__(self, graph: Graph, *, backend: str | Backend = "auto") -> None:
        self.graph = graph
        self._plans = Plans()
        self._views = Views(graph, on_drop=self._plans.forget)
        self._choice = Choice(backend, self._views(Step()))

    def __repr__(self) -> str:
        return f"Engine({self.graph!r}, backend={'auto' if self._choice.auto else self.backend!r})"

    # what the graph holds ---------------------------------------------------------------------------------------

    @property
    def schema(self) -> Schema:
        return self.graph.schema

    @property
    def manifest(self) -> Manifest:
        return self.graph.manifest

    @property
    def backend(self) -> str:
        """The name of the backend in use now."""
        return self._choice.use.name

    def find(self, text: str, *, limit: int = 10) -> list[Found]:
        """Entities that answer to a text, best first: exact, then prefix, then misspelt."""
        return self.graph.names.search(text, limit=limit)

    def resolve(self, seeds: Seeds) -> Ints:
        """Internal numbers of seeds, in the order given; every one must name exactly one entity."""
        if isinstance(seeds, np.ndarray) and seeds.dtype.kind in "iu":
            self.graph.resolve(seeds)
            return seeds.astype(self.manifest.widths.entity)
        if isinstance(seeds, str | int | np.integer):
            seeds = [seeds]
        return np.concatenate([self.graph.resolve(seed) for seed in seeds] or [self.graph.resolve([])])

    def describe(self, ids: ArrayLike) -> pa.Table:
        """Id, name and type of entities given by number."""
        return self.graph.describe(np.asarray(ids))

    def details(self, seeds: Seeds) -> pa.Table:
        """Synonyms, cross-references and properties of some entities."""
        return self.graph.details(self.resolve(seeds))

    def assertions(self, triple: int) -> list[Assertion]:
        """Every source's statement of a triple, given by its number."""
        if not 0 <= triple < self.graph.triple_count:
            raise InputError(f"no triple has the number {triple}: this graph has {self.graph.triple_count}")
        return self.graph.assertions.of(triple)

    def degree(
        self,
        seeds: Seeds,
        *,
        direction: str = "both",
        relations: Names = None,
        layer: str = "all",
        where: Where | None = None,
    ) -> NDArray[np.int64]:
        """How many permitted triples leave each of some entities, in the order given."""
        query = make_query(self.graph, 1, direction=direction, relations=_one_set(relations), layer=layer, where=where)
        entities = self.resolve(seeds)
        distinct, place = np.unique(entities, return_inverse=True)
        steps = self._views(query.step(1)).leaving(distinct)
        return np.bincount(np.searchsorted(distinct, steps.start), minlength=len(distinct))[place]

    # walking ----------------------------------------------------------------------------------------------------

    def hop(
        self,
        seeds: Seeds,
        k: int = 1,
        *,
        mode: str = "exact",
        direction: str = "out",
        relations: Relations = None,
        types: Names = None,
        through: Names = None,
        max_degree: int | None = None,
        layer: str = "all",
        where: Where | None = None,
        timeout: float | None = None,
        cancel: Signal | None = None,
    ) -> HopResult:
        """The entities k hops from the seeds.

        `exact`: ends of walks of exactly k steps. `within`: distance at most k, seeds included. `shortest`: distance
        exactly k. `relations` is a name, a set of names for all hops, or a list of k sets (a metapath). `types` filters
        the result; `through` (types) and `max_degree` filter what may be walked through, seeds excepted.
        """
        words = None
        if type(seeds) is np.ndarray and timeout is None and cancel is None and type(k) is int:
            words = (k, mode, direction, in_words(relations), types, through, max_degree, layer, where)
            plan = self._plans.get(words)
            if plan is not None:
                ids = plan.walk(seeds)
                if ids is not None:
                    return HopResult(self, seeds, plan.query, ids)
        query = make_query(
            self.graph, k, mode=mode, direction=direction, relations=relations, types=types, through=through,
            max_degree=max_degree, layer=layer, where=where,
        )  # fmt: skip
        start = self.graph.resolve(seeds)
        found = HopResult(self, start, query, self.ends(start, query, Deadline(timeout, cancel)))
        if words is not None:
            self._note_plan(words, query)
        return found

    def hop_batch(
        self,
        queries: Sequence[Seeds],
        k: int = 1,
        *,
        mode: str = "exact",
        direction: str = "out",
        relations: Relations = None,
        types: Names = None,
        through: Names = None,
        max_degree: int | None = None,
        layer: str = "all",
        where: Where | None = None,
        timeout: float | None = None,
        cancel: Signal | None = None,
        memory: int = 1 << 30,
    ) -> BatchResult:
        """`hop` for many sets of seeds, 64 at a time where that wins; keeps at most `memory` bytes of results."""
        query = make_query(
            self.graph, k, mode=mode, direction=direction, relations=relations, types=types, through=through,
            max_degree=max_degree, layer=layer, where=where,
        )  # fmt: skip
        self._choice.expect(len(queries))
        return BatchResult(self, self._starts(queries), query, Deadline(timeout, cancel), memory=memory)

    def distances(
        self,
        seeds: Seeds,
        k: int,
        *,
        direction: str = "out",
        relations: Names = None,
        types: Names = None,
        through: Names = None,
        max_degree: int | None = None,
        layer: str = "all",
        where: Where | None = None,
        timeout: float | None = None,
        cancel: Signal | None = None,
    ) -> tuple[Ints, Ints]:
        """Every entity within k hops, ascending, and its distance from the nearest seed."""
        query = make_query(
            self.graph, k, mode="within", direction=direction, relations=_one_set(relations), types=types,
            through=through, max_degree=max_degree, layer=layer, where=where,
        )  # fmt: skip
        sets = self._sets(self.graph.resolve(seeds), query, Deadline(timeout, cancel))
        ids = np.concatenate(sets)
        order = np.argsort(ids)
        distance = np.repeat(np.arange(len(sets)), [len(each) for each in sets])[order]
        ids = ids[order]
        keep = self._of_type(ids, query)
        return ids[keep], distance[keep]

    def paths(
        self,
        source: Seeds,
        target: Seeds,
        k: int = 3,
        *,
        kind: str = "simple",
        limit: int = 100,
        direction: str = "out",
        relations: Relations = None,
        through: Names = None,
        max_degree: int | None = None,
        layer: str = "all",
        where: Where | None = None,
        timeout: float | None = None,
        cancel: Signal | None = None,
    ) -> Paths:
        """Paths of 1 to k triples from a source to a target: shortest first, then through the rarest entities.

        `simple` paths repeat no entity, `walks` may, `shortest` are the simple ones of the least length.
        """
        query = make_query(
            self.graph, k, direction=direction, relations=relations, through=through, max_degree=max_degree,
            layer=layer, where=where,
        )  # fmt: skip
        sources = self.graph.resolve(source)
        walkable = query.walkable(self.graph)
        if walkable is not None:
            walkable[sources] = True
        return find_paths(
            self.graph, lambda hop: self.view(query, hop), sources, self.graph.resolve(target), query.k, kind=kind,
            walkable=walkable, limit=limit, deadline=Deadline(timeout, cancel),
        )  # fmt: skip

    def triples(
        self,
        seeds: Seeds,
        *,
        direction: str = "out",
        relations: Names = None,
        layer: str = "all",
        where: Where | None = None,
    ) -> Triples:
        """Permitted triples that leave a set of entities."""
        query = make_query(self.graph, 1, direction=direction, relations=_one_set(relations), layer=layer, where=where)
        return Triples(self.graph, np.unique(self._views(query.step(1)).leaving(self.graph.resolve(seeds)).triple))

    def numbered(self, numbers: Iterable[int]) -> Triples:
        """Triples given by their numbers inside this snapshot."""
        wanted = np.unique(np.fromiter(numbers, np.int64))
        if len(wanted) and not 0 <= wanted[0] <= wanted[-1] < self.graph.triple_count:
            raise InputError(f"triples are numbered from 0 to {self.graph.triple_count - 1}")
        return Triples(self.graph, wanted)

    def subgraph(
        self, seeds: Seeds, *, relations: Names = None, layer: str = "all", where: Where | None = None
    ) -> Triples:
        """Permitted triples with both ends in a set of entities."""
        query = make_query(self.graph, 1, relations=_one_set(relations), layer=layer, where=where)
        entities = self.graph.resolve(seeds)
        steps = self._views(query.step(1)).leaving(entities)
        return Triples(self.graph, np.unique(steps.triple[np.isin(steps.end, entities)]))

    # how --------------------------------------------------------------------------------------------------------

    def view(self, query: Query, hop: int) -> View:
        """The triples that hop 1..k of a query may use."""
        return self._views(query.step(hop))

    def _note_plan(self, words: tuple[Any, ...], query: Query) -> None:
        """After the long way: keep the short way for the next time, once compiled code walks this view."""
        view = self.view(query, 1)
        if self._choice.compiled and (view.is_base or view.compiled):
            use = self._choice.use
            self._plans.note(words, query, use.backend, use.prepared(view))

    def _starts(self, queries: Sequence[Seeds]) -> SeedLists:
        """The seeds of every query as numbers; arrays of numbers are checked together and used as they are."""
        dtype = np.dtype(self.manifest.widths.entity)
        arrays = [seeds for seeds in queries if type(seeds) is np.ndarray and seeds.dtype == dtype and seeds.ndim == 1]
        if len(arrays) == len(queries):
            joined = SeedLists.joined(arrays, dtype)
            if len(joined.flat) == 0 or (joined.flat.min() >= 0 and joined.flat.max() < self.graph.entity_count):
                return joined
        return SeedLists.joined([self.graph.resolve(seeds) for seeds in queries], dtype)

    @property
    def use(self) -> Use:
        """The backend that walks now. Take it once for a piece of work: `auto` may change it at any time."""
        return self._choice.use

    def ends(self, seeds: Ints, query: Query, deadline: Deadline) -> Ints:
        """The entities a checked query reaches from resolved seeds."""
        begun = time.perf_counter()
        ids = self._ends(seeds, query, deadline)
        ids = ids[self._of_type(ids, query)] if query.types is not None else ids
        self._choice.note(time.perf_counter() - begun)
        return ids

    def _ends(self, seeds: Ints, query: Query, deadline: Deadline) -> Ints:
        """The result of a query before its type filter, by the shortest way there is."""
        use, k = self._choice.use, query.k
        if query.uniform and isinstance(use.backend, Walker) and not deadline.watched and 0 < k <= khop.LONG:
            view = self.view(query, 1)
            if not self._choice.scans(view):
                backend, prepared = use.backend, use.prepared(view)
                if query.mode == "exact":
                    return backend.walk(prepared, seeds, k)
                if query.mode == "within":
                    return backend.within(prepared, seeds, k)
                reached, offsets = backend.levels(prepared, seeds, k)
                return reached[offsets[k] : offsets[k + 1]] if len(offsets) > k + 1 else reached[:0]
        if query.mode == "exact":
            expand, permit = self._expander(query), self._permit(seeds, query)
            return khop.exact_ends(expand, permit, seeds, k, deadline.check, uniform=len(query.steps) == 1)
        return khop.select(self._sets(seeds, query, deadline), k, query.mode)

    def _sets(self, seeds: Ints, query: Query, deadline: Deadline) -> list[Ints]:
        """The set of every hop (exact) or distance (within, shortest)."""
        expand, permit = self._expander(query), self._permit(seeds, query)
        if query.mode == "exact":
            return khop.exact_sets(expand, permit, seeds, query.k, deadline.check)
        if len(query.steps) == 1:
            return khop.distance_sets(expand, permit, seeds, query.k, self.graph.entity_count, deadline.check)
        # Along a metapath an entity may be needed again at a later hop: walk exactly, then keep first arrivals.
        sets = khop.exact_sets(expand, permit, seeds, query.k, deadline.check)
        seen = np.zeros(self.graph.entity_count, bool)
        firsts = []
        for each in sets:
            firsts.append(each[~seen[each]])
            seen[each] = True
        return firsts

    def _expander(self, query: Query) -> khop.Expand:
        use = self._choice.use

        def expand(hop: int, frontier: Ints) -> Ints:
            view = self.view(query, hop)
            return (
                view.expand(frontier) if self._choice.scans(view) else use.backend.expand(use.prepared(view), frontier)
            )

        return expand

    def _permit(self, seeds: Ints, query: Query) -> khop.Permit:
        walkable = query.walkable(self.graph)
        if walkable is None:
            return lambda frontier: frontier
        walkable[seeds] = True
        return lambda frontier: frontier[walkable[frontier]]

    def _of_type(self, ids: Ints, query: Query) -> NDArray[np.bool_]:
        if query.types is None:
            return np.ones(len(ids), bool)
        return np.isin(self.graph.entity_types[ids], sorted(query.types))

    def hop_triples(self, result: HopResult, hop: int, *, leading_to_result: bool) -> Triples:
        """See `HopResult.triples`."""
        query = result.query
        if isinstance(hop, bool) or not isinstance(hop, int) or not 1 <= hop <= query.k:
            raise InputError(f"hop is a number from 1 to {query.k}, not {hop!r}")
        sets = result._sets
        if sets is None:
            sets = result._sets = self._sets(result.seeds, query, Deadline())
        numbers = triples_of_hop(
            self.view,
            query,
            sets,
            hop,
            self._permit(result.seeds, query),
            result=result.ids if leading_to_result else None,
        )
        return Triples(self.graph, numbers)


def _one_set(relations: Names) -> Any:
    """Relations for a call that takes one set, not a metapath."""
    if relations is None or isinstance(relations, str):
        return relations
    listed = list(relations)
    if not all(isinstance(each, str) for each in listed):
        raise InputError("here relations is one set of names, not a metapath")
    return listed
