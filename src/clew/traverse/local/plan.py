"""Plans: a repeated walk is not parsed again.

A plan keeps the query, the backend's fused walk and its prepared view. It serves uniform exact walks; anything else
takes the general code path, which also raises the errors.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph import Graph
from clew.traverse.backend import FusedWalk
from clew.traverse.local.khop import LONG
from clew.traverse.local.query import Query
from clew.traverse.walk import Walk

__all__ = ["Plan", "Plans", "serves"]

Ints = NDArray[np.integer]
MOST_PLANS = 256
MANY_SEEDS = 4096


class Plan:
    """One query, ready to walk. `brief` says that a walk takes so little time that a deadline need not interrupt it."""

    __slots__ = ("_dtype", "_exact", "_find", "_graph", "_k", "_prepared", "brief", "query")

    def __init__(self, query: Query, fused: FusedWalk, prepared: Any, graph: Graph, *, brief: bool) -> None:
        self.query = query
        self.brief = brief
        self._exact, self._find = fused.exact, fused.find_ids
        self._prepared = prepared
        self._k = query.k
        self._graph = graph
        self._dtype = np.dtype(graph.manifest.widths.entity)

    def walk(self, seeds: Any) -> tuple[Ints, Ints] | None:
        """The numbers of the seeds and the result; None if the seeds need the general code path."""
        numbers = self._array(seeds) if type(seeds) is np.ndarray else self._listed(seeds)
        if numbers is None:
            return None
        ids = self._exact(self._prepared, numbers, self._k)
        return None if ids is None else (numbers, ids)

    def _array(self, given: Ints) -> Ints | None:
        """Seeds given as an array, as the kernels take them; they need not all be entities."""
        if given.dtype != self._dtype:
            if given.dtype.kind not in "iu" or not len(given) or given.min() < 0 or given.max() >= 2**31 - 1:
                return None
            given = given.astype(self._dtype)
        flags = given.flags
        if len(given) > MANY_SEEDS or given.ndim != 1 or not (flags.c_contiguous and flags.writeable):
            return None
        return given

    def _listed(self, given: Any) -> Ints | None:
        """Seeds given as an id or a list of ids or numbers."""
        if type(given) is str:
            given = [given]
        if type(given) is not list or not 0 < len(given) <= MANY_SEEDS:
            return None
        if type(given[0]) is str:
            return self._find(self._graph.names.id_arrays, given)
        if set(map(type, given)) != {int}:
            return None
        try:
            return np.array(given, self._dtype)
        except OverflowError:
            return None


class Plans:
    """Plans by their walk."""

    def __init__(self) -> None:
        self._plans: dict[Walk, Plan] = {}

    def get(self, walk: Walk) -> Plan | None:
        return self._plans.get(walk)

    def note(self, plan: Plan) -> None:
        """Keep a plan for the next time."""
        if len(self._plans) >= MOST_PLANS:
            self.forget()
        self._plans[plan.query.walk] = plan

    def forget(self) -> None:
        """Drop all plans, and their references to views."""
        self._plans = {}


def serves(query: Query) -> bool:
    """Whether a plan can serve a query."""
    return query.uniform and query.mode == "exact" and query.types is None and 0 < query.k <= LONG
