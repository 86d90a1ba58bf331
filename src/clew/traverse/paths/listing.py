"""The paths of a request: searched on demand, or already known.

Their number is counted, not enumerated, unless the enumeration was completed.
"""

import threading
from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from clew.traverse.deadline import Deadline
from clew.traverse.paths.counts import closed_walks, crude_bound, walks_by_length
from clew.traverse.paths.search import MAX_WASTED, Found, Search
from clew.traverse.paths.search_graph import SearchGraph

__all__ = ["KnownPaths", "Listing", "SearchedPaths"]

Ints = NDArray[np.integer]
COUNTED_WORK = 1 << 34  # steps times hops squared: above it, simple paths get a crude bound, not the number of walks
COUNTED_CYCLES = 64  # entities that are both source and target for which cycles are counted and subtracted


class Listing(Protocol):
    """The paths of one request in order, searched as far as requested."""

    def get(self, index: int) -> Found | None:
        """The path at an index; None if there is none."""

    @property
    def counted(self) -> tuple[int, str]:
        """The number of paths, and whether it is "exact" or an "upper_bound"."""

    @property
    def reason(self) -> str | None:
        """Why the list is incomplete; None if it is complete."""


class SearchedPaths:
    """Paths searched on demand and kept; safe to use from any thread.

    The deadline of the call also applies to later searches; after a timeout or a cancellation the search restarts on
    the next request.
    """

    def __init__(
        self, graph: SearchGraph, longest: int, *, kind: str, limit: int, alike: bool, deadline: Deadline
    ) -> None:
        self._graph, self._longest = graph, longest
        self._kind, self._limit = kind, limit
        self._alike = alike  # every hop may use the same triples
        self._check = deadline.check
        self._lock = threading.RLock()
        self._found: list[Found] = []  # one more than the limit, to detect that there are more
        self._search: Search | None = None
        self._running: Iterator[Found] | None = None
        self._finished = False

    def get(self, index: int) -> Found | None:
        """Search until the path at an index is found; None if there is none."""
        with self._lock:
            while len(self._found) <= index and not self._finished:
                self._advance()
            return self._found[index] if len(self._found) > index else None

    @property
    def reason(self) -> str | None:
        """Why the list is incomplete."""
        if self.get(self._limit) is not None:
            return f"there are more than the limit of {self._limit}"
        if self._search is not None and self._search.gave_up:
            return f"the search stopped after {MAX_WASTED:,} partial paths without a result: use fewer hops or filters"
        return None

    @cached_property
    def counted(self) -> tuple[int, str]:
        """The number of paths, exact or as an upper bound."""
        graph, longest = self._graph, self._longest
        if self._kind == "walks":
            return sum(walks_by_length(graph, longest, self._check)), "exact"
        if self.reason is None:
            return len(self._found), "exact"
        if self._kind == "shortest" and self._found:
            length = len(self._found[0].numbers)
            total = list(walks_by_length(graph, length, self._check))[-1]
            if self._alike and int(graph.target[graph.sources].sum()) <= COUNTED_CYCLES:
                return total - closed_walks(graph, length, self._check), "exact"
            return total, "upper_bound"
        if graph.steps * longest**2 > COUNTED_WORK:
            return crude_bound(graph, longest), "upper_bound"
        return sum(walks_by_length(graph, longest, self._check)), "upper_bound"

    def _advance(self) -> None:
        try:
            if self._running is None:
                simple, shortest = self._kind != "walks", self._kind == "shortest"
                self._search = Search(self._graph, self._longest, self._check, simple=simple, shortest=shortest)
                self._running = iter(self._search)
                for _ in self._found:
                    next(self._running)
            self._found.append(next(self._running))
        except StopIteration:
            self._finished = True
        except BaseException:
            self._running = None
            raise


class KnownPaths:
    """Paths that were already found."""

    def __init__(self, found: list[Found], counted: tuple[int, str], reason: str | None) -> None:
        self._found = found
        self.counted = counted
        self.reason = reason

    def get(self, index: int) -> Found | None:
        return self._found[index] if index < len(self._found) else None
