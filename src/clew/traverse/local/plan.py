"""Plans: a repeated walk is not parsed again.

A plan keeps the query, the backend's fused walk and its prepared view. It serves uniform exact walks; anything else
takes the general code path, which also raises the errors.
"""

from collections.abc import Callable, Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph import Where
from clew.graph.names import IdArrays
from clew.traverse.backend import FusedWalk
from clew.traverse.local.khop import LONG
from clew.traverse.local.query import Query

__all__ = ["Plan", "Plans", "plan_key", "serves"]

Ints = NDArray[np.integer]
MOST_PLANS = 256
MANY_SEEDS = 4096
PLAIN = (str, int, type(None), Where)  # option values that mean the same if they compare equal


class Plan:
    """One query, ready to walk. `brief` says that a walk takes so little time that a deadline need not interrupt it."""

    __slots__ = ("_dtype", "_exact", "_find", "_ids", "_k", "_prepared", "brief", "query")

    def __init__(
        self,
        query: Query,
        fused: FusedWalk,
        prepared: Any,
        ids: Callable[[], IdArrays],
        *,
        dtype: np.dtype[np.integer],
        brief: bool,
    ) -> None:
        self.query = query
        self._find, self._ids = fused.find_ids, ids
        self.brief = brief
        self._k = query.k
        self._exact = fused.exact
        self._prepared = prepared
        self._dtype = dtype

    def seeds(self, given: Any) -> Ints | None:
        """Seeds as an array of numbers, which need not all be entities; None if they need the general code path."""
        if type(given) is np.ndarray:
            return given
        if type(given) is str:
            given = [given]
        if type(given) is not list or not given:
            return None
        if type(given[0]) is str:
            return self._find(self._ids(), given)
        if set(map(type, given)) != {int}:
            return None
        try:
            return np.array(given, self._dtype)
        except OverflowError:
            return None

    def walk(self, seeds: Ints) -> Ints | None:
        """The result, or None if the seeds need the general code path."""
        if seeds.dtype != self._dtype:
            if seeds.dtype.kind not in "iu" or not len(seeds) or seeds.min() < 0 or seeds.max() >= 2**31 - 1:
                return None
            seeds = seeds.astype(self._dtype)
        flags = seeds.flags
        if len(seeds) > MANY_SEEDS or seeds.ndim != 1 or not (flags.c_contiguous and flags.writeable):
            return None
        return self._exact(self._prepared, seeds, self._k)


class Plans:
    """Plans by their walk, and by the keywords of the call."""

    def __init__(self) -> None:
        self._plans: dict[Hashable, Plan] = {}

    def get(self, key: Hashable) -> Plan | None:
        return self._plans.get(key)

    def note(self, plan: Plan) -> None:
        """Keep a plan for the next time."""
        if len(self._plans) >= MOST_PLANS:
            self.forget()
        self._plans[plan.query.walk] = plan

    def name(self, key: Hashable, plan: Plan) -> None:
        """Keep a plan under another key too."""
        if len(self._plans) < MOST_PLANS:
            self._plans[key] = plan

    def forget(self) -> None:
        """Drop all plans, and their references to views."""
        self._plans = {}


def serves(query: Query) -> bool:
    """Whether a plan can serve a query."""
    return query.uniform and query.mode == "exact" and query.types is None and 0 < query.k <= LONG


def plan_key(k: Any, options: Mapping[str, Any]) -> Hashable | None:
    """The keywords of a walk as a key; None if equal keywords might not mean the same walk."""
    if type(k) is not int:
        return None
    if not options:
        return k
    key: list[Hashable] = [k]
    for name, value in options.items():
        if isinstance(value, list | tuple | set | frozenset) and all(type(each) is str for each in value):
            key.append((name, frozenset(value)))  # one set for all hops; a metapath holds sets
        elif isinstance(value, PLAIN):
            key.append((name, value))
        else:
            return None
    return tuple(key)
