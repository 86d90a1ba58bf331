"""Paths between entities: sources and targets go in, `Paths` come out, one total order everywhere.

The order is length, then rarest first (the summed logarithms of inner degrees), then triple numbers, then entity
numbers. Paths are found when asked for, a limited number; how many there are is counted, not enumerated.
"""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError, UnknownName
from clew.graph import Graph
from clew.traverse.deadline import Deadline
from clew.traverse.path_counts import closed_walks, crude_bound, walks_by_length
from clew.traverse.path_search import EFFORT, Found, Search
from clew.traverse.path_ways import FINE, NO_WAYS, Ways, metapath_ways, uniform_ways
from clew.traverse.result import Triple, Triples
from clew.traverse.view import View

__all__ = ["KINDS", "Path", "PathStep", "Paths", "find_paths"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
KINDS = ("simple", "walks", "shortest")
LONGEST_WALK = 10_000  # hops of walks; and as far as views are compared hop by hop
COUNTED_WORK = 1 << 34  # steps times hops squared: beyond, simple paths are bounded crudely, not by counting walks
COUNTED_CYCLES = 64  # entities that are both source and target for which cycles are counted and left out


@dataclass(frozen=True, slots=True)
class PathStep:
    """One step of a path: from start to end over a triple, `forward` unless that is walked against its direction."""

    start: str
    start_name: str
    triple: Triple
    forward: bool
    end: str
    end_name: str

    def __str__(self) -> str:
        arrow = f"—{self.triple.relation}→" if self.forward else f"←{self.triple.relation}—"
        return f"{self.start_name} {arrow} {self.end_name}"


@dataclass(frozen=True, slots=True)
class Path:
    """Triples from a source to a target, in walking order. A symmetric triple points whichever way it is walked."""

    triples: tuple[Triple, ...]
    entities: tuple[int, ...]  # internal numbers, one more than triples
    ids: tuple[str, ...]
    names: tuple[str, ...]
    forward: tuple[bool, ...]  # whether each triple points the way it is walked
    cost: float  # the sum of log2 degree of the inner entities: low is rare

    @property
    def numbers(self) -> tuple[int, ...]:
        """The triples' numbers inside this snapshot."""
        return tuple(triple.number for triple in self.triples)

    @property
    def length(self) -> int:
        return len(self.triples)

    @property
    def steps(self) -> tuple[PathStep, ...]:
        """The path step by step, with ids and names."""
        ends = zip(self.ids[1:], self.names[1:], strict=True)
        starts = zip(self.ids, self.names, self.triples, self.forward, strict=False)
        return tuple(PathStep(*start, *end) for start, end in zip(starts, ends, strict=True))

    def __str__(self) -> str:
        arrows = (
            f" —{triple.relation}→ {name}" if forward else f" ←{triple.relation}— {name}"
            for triple, forward, name in zip(self.triples, self.forward, self.names[1:], strict=True)
        )
        return self.names[0] + "".join(arrows)


class Paths:
    """The first `limit` paths, found when asked for and kept; iterate as often as needed, from any thread.

    `count` is exact or, as `count_kind` says, an upper bound. The deadline of the call holds for everything done later
    as well; after a timeout or a cancellation the search begins anew when asked again.
    """

    def __init__(
        self, graph: Graph, ways: Ways, longest: int, *, k: int, kind: str, limit: int, alike: bool, deadline: Deadline
    ) -> None:
        self.k = k
        self.kind = kind
        self.limit = limit
        self._graph, self._ways, self._longest = graph, ways, longest
        self._alike = alike  # every hop may use the same triples
        self._check = deadline.check
        self._lock = threading.RLock()
        self._found: list[Found] = []  # one more than the limit, to know that there are more
        self._search: Search | None = None
        self._running: Iterator[Found] | None = None
        self._finished = False

    def __iter__(self) -> Iterator[Path]:
        index = 0
        while index < self.limit and self._has(index):
            yield _in_words(self._graph, self._found[index])
            index += 1

    def __bool__(self) -> bool:
        """Whether there is any path."""
        return self._has(0)

    def __repr__(self) -> str:
        return f"Paths(kind={self.kind!r}, k={self.k}, limit={self.limit})"

    @property
    def truncated(self) -> bool:
        """Whether there are, or may be, paths beyond the ones shown; `reason` says why."""
        return self.reason is not None

    @property
    def reason(self) -> str | None:
        """Why not every path is shown; None when every one is."""
        if self._has(self.limit):
            return f"there are more than the limit of {self.limit}"
        if self._search is not None and self._search.gave_up:
            return (
                f"the search stopped after {EFFORT:,} partial paths that led nowhere: ask for fewer hops or filter more"
            )
        return None

    @property
    def count(self) -> int:
        """How many paths there are: exactly or at most, as `count_kind` says. May have thousands of digits."""
        return self._counted[0]

    @property
    def count_kind(self) -> str:
        """Whether `count` is "exact" or an "upper_bound"."""
        return self._counted[1]

    @property
    def triples(self) -> Triples:
        """Every triple of the paths shown, ascending: the evidence."""
        self._has(self.limit - 1)
        numbers = [number for found in self._found[: self.limit] for number in found.numbers]
        return Triples(self._graph, np.unique(np.array(numbers, np.int64)))

    def to_networkx(self) -> Any:
        """The triples of the paths shown as a MultiDiGraph."""
        return self.triples.to_networkx()

    @cached_property
    def _counted(self) -> tuple[int, str]:
        ways, longest = self._ways, self._longest
        if self.kind == "walks":
            return sum(walks_by_length(ways, longest, self._check)), "exact"
        if not self._has(self.limit) and self.reason is None:
            return len(self._found), "exact"
        if self.kind == "shortest" and self._found:
            length = len(self._found[0].numbers)
            total = list(walks_by_length(ways, length, self._check))[-1]
            if self._alike and int(ways.target[ways.sources].sum()) <= COUNTED_CYCLES:
                return total - closed_walks(ways, length, self._check), "exact"
            return total, "upper_bound"
        if ways.steps * longest**2 > COUNTED_WORK:
            return crude_bound(ways, longest), "upper_bound"
        return sum(walks_by_length(ways, longest, self._check)), "upper_bound"

    def _has(self, index: int) -> bool:
        """Search on until the path of that index is found; False when there is none."""
        with self._lock:
            while len(self._found) <= index and not self._finished:
                self._advance()
            return len(self._found) > index

    def _advance(self) -> None:
        try:
            if self._running is None:
                simple, shortest = self.kind != "walks", self.kind == "shortest"
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


def find_paths(
    graph: Graph,
    view_of: Callable[[int], View],
    sources: Ints,
    targets: Ints,
    k: int,
    *,
    kind: str = "simple",
    walkable: Mask | None = None,
    limit: int = 100,
    deadline: Deadline,
) -> Paths:
    """Paths of 1 to k triples from any source to any target; hop h uses the triples of `view_of(h)`.

    `simple`: no entity repeats. `walks`: entities may repeat; k is at most 10,000. `shortest`: the simple paths of the
    least length that there is between any source and any target. Only `walkable` entities and sources are passed.
    Views that are alike for the first 10,000 hops are taken to be alike for all.
    """
    if kind not in KINDS:
        raise UnknownName(f"no kind of path is called {kind!r}: known: {', '.join(KINDS)}")
    if isinstance(limit, bool) or not isinstance(limit, int | np.integer) or limit < 0:
        raise InputError(f"limit is a number of paths, 0 or more, not {limit!r}")
    if kind == "walks" and k > LONGEST_WALK:
        raise InputError(f"walks can have up to {LONGEST_WALK:,} hops, not {k}: ask for fewer, or for simple paths")
    sources, targets = np.unique(sources), np.unique(targets)
    simple = kind != "walks"
    ways, longest, alike = NO_WAYS, 0, True
    none = simple and len(sources) == 1 and np.array_equal(sources, targets)
    if k > 0 and len(sources) and len(targets) and not none:
        inner = _inner(graph, sources, targets, walkable, simple=simple)
        first = view_of(1)
        alike = all(view_of(hop).step == first.step for hop in range(2, min(k, LONGEST_WALK) + 1))
        if alike:
            meet_only = kind == "shortest" and not np.isin(sources, targets).any()
            ways, longest = uniform_ways(
                first, sources, targets, k, inner, deadline.check, loops=not simple, meet_only=meet_only
            )
        else:
            views = [view_of(hop) for hop in range(1, k + 1)]
            ways, longest = metapath_ways(views, sources, targets, inner, deadline.check, loops=not simple), k
    return Paths(graph, ways, longest, k=k, kind=kind, limit=int(limit), alike=alike, deadline=deadline)


def _inner(graph: Graph, sources: Ints, targets: Ints, walkable: Mask | None, *, simple: bool) -> Mask:
    """Which entities may be passed: walkable ones and sources; a simple path never passes an only source or target."""
    inner = np.ones(graph.entity_count, bool) if walkable is None else walkable.copy()
    inner[sources] = True
    for ends in (sources, targets):
        if simple and len(ends) == 1:
            inner[ends] = False
    return inner


def _in_words(graph: Graph, found: Found) -> Path:
    ids, names = (
        tuple(graph.entities[column][entity].as_py() for entity in found.entities) for column in ("id", "name")
    )
    subjects = graph.subject_of(np.array(found.numbers)).tolist()
    triples, forward = [], []
    for at, (number, subject) in enumerate(zip(found.numbers, subjects, strict=True)):
        relation = graph.schema.relations[graph.forward.relation[number]]
        along = subject == found.entities[at]
        first, last = (at, at + 1) if along else (at + 1, at)
        triples.append(Triple(number, ids[first], relation.name, ids[last], names[first], names[last]))
        forward.append(along or relation.symmetric)
    return Path(tuple(triples), found.entities, ids, names, tuple(forward), found.cost / FINE)
