"""Walking a local graph: a query and resolved seeds go in, entities come out, on any backend and over any segments."""

import time
from collections.abc import Callable
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph import Graph
from clew.graph.segment import cut
from clew.traverse.backend import Backend
from clew.traverse.blocks import Block, SeedLists
from clew.traverse.deadline import Deadline
from clew.traverse.local import khop
from clew.traverse.local.choice import Choice, Use
from clew.traverse.local.plan import Plan, Plans, serves
from clew.traverse.local.query import Query, Step
from clew.traverse.local.view import View, Views

__all__ = ["MANY", "Walking"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
MANY = 1024  # queries in one block
TOGETHER_FROM = 3  # hops from which processing many queries at once is faster
TOGETHER_QUERIES = 8  # and at least this many of them
BRIEF = 1 << 25  # pairs that a fused walk may look at, hops times pairs, between two looks at the clock: some 30 ms


class Walking:
    """The views of one graph and the backend that walks them. Safe to use from many threads."""

    def __init__(self, graph: Graph, views: Views, choice: Choice) -> None:
        self.graph = graph
        self.plans = Plans()
        self.views = views
        self.choice = choice
        views.on_drop = self.plans.forget

    @classmethod
    def in_memory(cls, graph: Graph, backend: str | Backend, *, segments: int = 1) -> "Walking":
        """Over the rows of the whole graph, cut into `segments`."""
        views = Views(graph, cut(graph, segments))
        return cls(graph, views, Choice(backend, views(Step())))

    def view(self, query: Query, hop: int) -> View:
        """The triples that hop 1..k of a query may use."""
        return self.views(query.step(hop))

    @property
    def use(self) -> Use:
        """The backend that walks now. Take it once for a piece of work: `auto` may change it at any time."""
        return self.choice.use

    def note_plan(self, query: Query) -> None:
        """After a walk: keep a plan for the next time, if the backend has fused walks and the view is compiled."""
        view, use = self.view(query, 1), self.choice.use
        fused = use.fused(view) if serves(query) and (view.is_base or view.compiled) else None
        if fused is not None:
            self.plans.note(Plan(query, fused, use.prepared(view)[0], self.graph, brief=self._brief(query, view)))

    def find_ids(self, ids: list[str]) -> Ints | None:
        """The entities with exactly these ids by compiled code; None where there is none, or one is unknown."""
        fused = self.choice.use.backend.fused
        return None if fused is None else fused.find_ids(self.graph.names.id_arrays, ids)

    # results ----------------------------------------------------------------------------------------------------

    def ends(self, seeds: Ints, query: Query, deadline: Deadline) -> Ints:
        """The entities a query reaches from distinct seeds."""
        begun = time.perf_counter()
        deadline.check()
        ids = self._fused(seeds, query, deadline)
        if ids is None:
            ids = self.block(SeedLists.single(seeds), query, deadline).ids(0)
        elif query.types is not None:
            ids = ids[self.of_type(ids, query)]
        self.choice.note(time.perf_counter() - begun)
        return ids

    def _fused(self, seeds: Ints, query: Query, deadline: Deadline) -> Ints | None:
        """The result of a query before its type filter in one call; None where it needs the loop."""
        if not query.uniform or not 0 < query.k <= khop.LONG:
            return None
        view, use = self.view(query, 1), self.choice.use
        fused = None if self.choice.scans(view) else use.fused(view)
        if fused is None or (deadline.watched and not self._brief(query, view)):
            return None
        walk = {"exact": fused.exact, "within": fused.within, "shortest": fused.shortest}[query.mode]
        ids = walk(use.prepared(view)[0], seeds, query.k)
        deadline.check()
        return ids

    def _brief(self, query: Query, view: View) -> bool:
        return query.k == 1 or query.k * view.pairs <= BRIEF

    def exact_each(self, seeds: SeedLists, query: Query) -> Block | None:
        """Many queries one after another in one call; None where they need the loop."""
        view, use = self.view(query, 1), self.choice.use
        fused = use.fused(view) if serves(query) else None
        return None if fused is None else fused.exact_each(use.prepared(view)[0], seeds, query.k)

    def batch_width(self, query: Query, queries: int) -> int | None:
        """How many queries of a batch are walked together; None if they are faster one by one."""
        held = min(self.use.backend.width, MANY)
        return held if held > 1 and query.k >= TOGETHER_FROM and queries >= TOGETHER_QUERIES else None

    def block(self, seeds: SeedLists, query: Query, deadline: Deadline) -> Block:
        """The entities that some queries reach together; their seeds are distinct."""
        context, start = self._context(seeds, query, deadline)
        reached = khop.reach(context, start)
        if query.types is not None:
            reached = context.backend.keep(reached, np.isin(self.graph.entity_types, sorted(query.types)))
        return context.backend.collect(reached)

    def sets(self, seeds: Ints, query: Query, deadline: Deadline, *, count: int | None = None) -> list[Ints]:
        """The sets of hop 0 to k (exact) or distance 0 to k (within, shortest), or the first `count`, unless empty."""
        context, start = self._context(SeedLists.single(seeds), query, deadline)
        levels = islice(khop.levels(context, start), count)
        return [context.backend.collect(frontier).ids(0) for frontier in levels]

    # how --------------------------------------------------------------------------------------------------------

    def _context(self, seeds: SeedLists, query: Query, deadline: Deadline) -> tuple[khop.WalkContext, Any]:
        use = self.choice.use
        backend, start = use.backend, use.backend.start(seeds, self.graph.entity_count)
        walkable = query.walkable(self.graph)

        def permit(frontier: Any) -> Any:
            return frontier if walkable is None else backend.keep(frontier, walkable, exempt)

        exempt = None if walkable is None else backend.copy(start)
        advance = self._advance(query, use, deadline, single=len(seeds) == 1)
        made = khop.WalkContext(
            backend, advance, permit, deadline.check, k=query.k, mode=query.mode, uniform=len(query.steps) == 1
        )
        return made, start

    def _advance(self, query: Query, use: Use, deadline: Deadline, *, single: bool) -> Callable[[int, Any], Any]:
        """A hop over every segment; one query's hop over a view that is not compiled may be scanned instead."""
        backend = use.backend

        def advance(hop: int, frontier: Any) -> Any:
            view = self.view(query, hop)
            if single and self.choice.scans(view):
                found = view.expand(backend.collect(frontier).ids(0))
                return backend.start(SeedLists.single(found), view.entities)
            return self._step(use, view, frontier, deadline)

        return advance

    def _step(self, use: Use, view: View, frontier: Any, deadline: Deadline) -> Any:
        """One hop of all queries of a frontier over every segment."""
        into = None
        for prepared in use.prepared(view):
            into = use.backend.step(prepared, frontier, into)
        return into

    def permit(self, seeds: Ints, query: Query) -> Callable[[Ints], Ints]:
        """Leaves of a list of entities what may be walked through; seeds always may."""
        walkable = query.walkable(self.graph)
        if walkable is None:
            return lambda entities: entities
        walkable[seeds] = True
        return lambda entities: entities[walkable[entities]]

    def of_type(self, ids: Ints, query: Query) -> Mask:
        """Which entities have one of the types asked for."""
        if query.types is None:
            return np.ones(len(ids), bool)
        return np.isin(self.graph.entity_types[ids], sorted(query.types))
