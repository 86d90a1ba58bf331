"""The short way: a query asked before, in the same words, walks without being read again.

A plan keeps the checked query and what the compiled backend made of its view. It serves uniform exact queries whose
seeds come as an array of numbers; whatever needs a closer look goes the long way, which also words the errors.
"""

from collections.abc import Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.traverse.khop import LONG
from clew.traverse.query import Query

__all__ = ["Plan", "Plans", "in_words"]

Ints = NDArray[np.integer]
MOST_PLANS = 256
MANY_SEEDS = 4096


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
    """Plans by the words they were asked in."""

    def __init__(self) -> None:
        self._plans: dict[Hashable, Plan] = {}

    def get(self, words: Hashable) -> Plan | None:
        try:
            return self._plans.get(words)
        except TypeError:  # a metapath of lists has no hash, and no plan
            return None

    def note(self, words: Hashable, query: Query, backend: Any, prepared: Any) -> None:
        """Keep a plan for the next time, if it is of the kind that plans serve."""
        if query.uniform and query.mode == "exact" and query.types is None and 0 < query.k <= LONG:
            if len(self._plans) >= MOST_PLANS:
                self.forget()
            try:
                self._plans[words] = Plan(query, backend, prepared)
            except TypeError:
                return

    def forget(self) -> None:
        """Drop all plans, and with them their hold on views."""
        self._plans = {}


def in_words(given: Any) -> Any:
    """A list of names as something that can be looked up."""
    return given if given is None or isinstance(given, str) else tuple(given)
