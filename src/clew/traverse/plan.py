"""Plans: a walk asked for before is not read again.

A plan keeps the query and what the compiled backend made of its view. It serves uniform exact walks; whatever needs a
closer look goes the long way, which also words the errors.
"""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.graph import Where
from clew.traverse.khop import LONG
from clew.traverse.query import Query

__all__ = ["Plan", "Plans", "plan_key"]

Ints = NDArray[np.integer]
MOST_PLANS = 256
MANY_SEEDS = 4096
PLAIN = (str, int, type(None), Where)  # values of options that mean the same whenever they compare equal


class Plan:
    """One query, ready to walk."""

    __slots__ = ("_backend", "_dtype", "_entities", "_prepared", "query")

    def __init__(self, query: Query, backend: Any, prepared: Any) -> None:
        self.query = query
        self._backend = backend
        self._prepared = prepared
        self._dtype = prepared.neighbour.dtype
        self._entities = len(prepared.offsets) - 1

    def walk(self, seeds: Ints) -> Ints | None:
        """The ends, or None if the seeds need a closer look."""
        if seeds.dtype != self._dtype:
            if seeds.dtype.kind not in "iu" or not len(seeds) or seeds.min() < 0 or seeds.max() >= self._entities:
                return None
            seeds = seeds.astype(self._dtype)
        flags = seeds.flags
        if len(seeds) > MANY_SEEDS or seeds.ndim != 1 or not (flags.c_contiguous and flags.writeable):
            return None
        if self.query.k == 1:
            ids, state = self._backend.expand_few(self._prepared, seeds)
            if state != 0:
                return ids if state > 0 else None
        ids, known = self._backend.try_walk(self._prepared, seeds, self.query.k)
        return ids if known else None


class Plans:
    """Plans by their walk, and by the keywords it was asked in."""

    def __init__(self) -> None:
        self._plans: dict[Hashable, Plan] = {}

    def get(self, key: Hashable) -> Plan | None:
        try:
            return self._plans.get(key)
        except TypeError:  # a list of names has no hash
            return None

    def note(self, query: Query, backend: Any, prepared: Any) -> None:
        """Keep a plan for the next time, if it is of the kind that plans serve."""
        if query.uniform and query.mode == "exact" and query.types is None and 0 < query.k <= LONG:
            if len(self._plans) >= MOST_PLANS:
                self.forget()
            self._plans[query.walk] = Plan(query, backend, prepared)

    def name(self, key: Hashable, plan: Plan) -> None:
        """Keep a plan under another key too."""
        if len(self._plans) < MOST_PLANS:
            self._plans[key] = plan

    def forget(self) -> None:
        """Drop all plans, and with them their hold on views."""
        self._plans = {}


def plan_key(k: Any, options: Mapping[str, Any]) -> Hashable | None:
    """The keywords of a walk as something to look up; None where equal keywords might not mean the same walk."""
    if type(k) is not int or not all(isinstance(value, PLAIN) for value in options.values()):
        return None
    return (k, *options.items())
