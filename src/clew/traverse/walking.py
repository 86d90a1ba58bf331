"""Walking a local graph: a checked query and resolved seeds go in, sets of entities come out, on any backend."""

import time

import numpy as np
from numpy.typing import NDArray

from clew.graph import Graph
from clew.traverse import khop
from clew.traverse.backend import Backend, Walker
from clew.traverse.choice import Choice, Use
from clew.traverse.deadline import Deadline
from clew.traverse.plan import Plans
from clew.traverse.query import Query, Step
from clew.traverse.view import View, Views

__all__ = ["Walking"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]


class Walking:
    """The views of one graph and the backend that walks them. Safe to use from many threads."""

    def __init__(self, graph: Graph, backend: str | Backend) -> None:
        self.graph = graph
        self.plans = Plans()
        self.views = Views(graph, on_drop=self.plans.forget)
        self.choice = Choice(backend, self.views(Step()))

    def view(self, query: Query, hop: int) -> View:
        """The triples that hop 1..k of a query may use."""
        return self.views(query.step(hop))

    @property
    def use(self) -> Use:
        """The backend that walks now. Take it once for a piece of work: `auto` may change it at any time."""
        return self.choice.use

    def note_plan(self, query: Query) -> None:
        """After a walk: keep a plan for the next time, once compiled code walks this view."""
        view = self.view(query, 1)
        if self.choice.compiled and (view.is_base or view.compiled):
            use = self.choice.use
            self.plans.note(query, use.backend, use.prepared(view))

    def ends(self, seeds: Ints, query: Query, deadline: Deadline) -> Ints:
        """The entities a query reaches from distinct seeds."""
        begun = time.perf_counter()
        ids = self._ends(seeds, query, deadline)
        ids = ids[self.of_type(ids, query)] if query.types is not None else ids
        self.choice.note(time.perf_counter() - begun)
        return ids

    def _ends(self, seeds: Ints, query: Query, deadline: Deadline) -> Ints:
        """The result of a query before its type filter, by the fastest route."""
        use, k = self.choice.use, query.k
        if query.uniform and isinstance(use.backend, Walker) and not deadline.watched and 0 < k <= khop.LONG:
            view = self.view(query, 1)
            if not self.choice.scans(view):
                backend, prepared = use.backend, use.prepared(view)
                if query.mode == "exact":
                    return backend.walk(prepared, seeds, k)
                if query.mode == "within":
                    return backend.within(prepared, seeds, k)
                reached, offsets = backend.levels(prepared, seeds, k)
                return reached[offsets[k] : offsets[k + 1]] if len(offsets) > k + 1 else reached[:0]
        if query.mode == "exact":
            expand, permit = self._expander(query), self.permit(seeds, query)
            return khop.exact_ends(expand, permit, seeds, k, deadline.check, uniform=len(query.steps) == 1)
        return khop.select(self.sets(seeds, query, deadline), k, query.mode)

    def sets(self, seeds: Ints, query: Query, deadline: Deadline) -> list[Ints]:
        """The set of every hop (exact) or distance (within, shortest)."""
        expand, permit = self._expander(query), self.permit(seeds, query)
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

    def permit(self, seeds: Ints, query: Query) -> khop.Permit:
        """Leaves of a frontier what may be walked through; seeds always may."""
        walkable = query.walkable(self.graph)
        if walkable is None:
            return lambda frontier: frontier
        walkable[seeds] = True
        return lambda frontier: frontier[walkable[frontier]]

    def of_type(self, ids: Ints, query: Query) -> Mask:
        """Which entities have one of the types asked for."""
        if query.types is None:
            return np.ones(len(ids), bool)
        return np.isin(self.graph.entity_types[ids], sorted(query.types))

    def _expander(self, query: Query) -> khop.Expand:
        use = self.choice.use

        def expand(hop: int, frontier: Ints) -> Ints:
            view = self.view(query, hop)
            return (
                view.expand(frontier) if self.choice.scans(view) else use.backend.expand(use.prepared(view), frontier)
            )

        return expand
