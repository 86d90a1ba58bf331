"""Where the paths of a request come from: searched for one after another, or known already.

How many there are is counted, not enumerated, unless enumeration came to its end.
"""

import threading
from collections.abc import Iterator
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from clew.traverse.deadline import Deadline
from clew.traverse.path_counts import closed_walks, crude_bound, walks_by_length
from clew.traverse.path_search import EFFORT, Found, Search
from clew.traverse.path_ways import Ways

__all__ = ["KnownPaths", "Listing", "SearchedPaths"]

Ints = NDArray[np.integer]
COUNTED_WORK = 1 << 34  # steps times hops squared: beyond, simple paths are bounded crudely, not by counting walks
COUNTED_CYCLES = 64  # entities that are both source and target for which cycles are counted and left out


class Listing(Protocol):
    """The paths of one request in order, found as far as they were asked for."""

    def get(self, index: int) -> Found | None:
        """The path of that index; None when there is none."""

    @property
    def counted(self) -> tuple[int, str]:
        """How many there are, and whether that is "exact" or an "upper_bound"."""

    @property
    def reason(self) -> str | None:
        """Why not every path up to the limit is listed; None when every one is."""


class SearchedPaths:
    """Paths found when asked for and kept; from any thread.

    The deadline of the call holds for everything done later as well; after a timeout or a cancellation the search
    begins again when asked again.
    """

    def __init__(self, ways: Ways, longest: int, *, kind: str, limit: int, alike: bool, deadline: Deadline) -> None:
        self._ways, self._longest = ways, longest
        self._kind, self._limit = kind, limit
        self._alike = alike  # every hop may use the same triples
        self._check = deadline.check
        self._lock = threading.RLock()
        self._found: list[Found] = []  # one more than the limit, to know that there are more
        self._search: Search | None = None
        self._running: Iterator[Found] | None = None
        self._finished = False

    def get(self, index: int) -> Found | None:
        """Search on until the path of that index is found; None when there is none."""
        with self._lock:
            while len(self._found) <= index and not self._finished:
                self._advance()
            return self._found[index] if len(self._found) > index else None

    @property
    def reason(self) -> str | None:
        """Why not every path is listed."""
        if self.get(self._limit) is not None:
            return f"there are more than the limit of {self._limit}"
        if self._search is not None and self._search.gave_up:
            return (
                f"the search stopped after {EFFORT:,} partial paths that led nowhere: ask for fewer hops or filter more"
            )
        return None

    @cached_property
    def counted(self) -> tuple[int, str]:
        """How many paths there are, exactly or at most."""
        ways, longest = self._ways, self._longest
        if self._kind == "walks":
            return sum(walks_by_length(ways, longest, self._check)), "exact"
        if self.reason is None:
            return len(self._found), "exact"
        if self._kind == "shortest" and self._found:
            length = len(self._found[0].numbers)
            total = list(walks_by_length(ways, length, self._check))[-1]
            if self._alike and int(ways.target[ways.sources].sum()) <= COUNTED_CYCLES:
                return total - closed_walks(ways, length, self._check), "exact"
            return total, "upper_bound"
        if ways.steps * longest**2 > COUNTED_WORK:
            return crude_bound(ways, longest), "upper_bound"
        return sum(walks_by_length(ways, longest, self._check)), "upper_bound"

    def _advance(self) -> None:
        try:
            if self._running is None:
                simple, shortest = self._kind != "walks", self._kind == "shortest"
                self._search = Search(self._ways, self._longest, self._check, simple=simple, shortest=shortest)
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
    """Paths that were found elsewhere."""

    def __init__(self, found: list[Found], counted: tuple[int, str], reason: str | None) -> None:
        self._found = found
        self.counted = counted
        self.reason = reason

    def get(self, index: int) -> Found | None:
        return self._found[index] if index < len(self._found) else None
