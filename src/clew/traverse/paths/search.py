"""Paths in order: an A* search over partial paths, ordered by length, then cost, then triple numbers.

`Heuristic` is the exact length and cost from each place to the nearest target, so for walks every expansion is part of
a path. For simple paths it is a lower bound, because it ignores that entities may not repeat; when too many expansions
are wasted, it is recomputed for each partial path without the entities that path has used, and is exact again.
"""

from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import gather
from clew.graph.seeds import distinct
from clew.traverse.paths.search_graph import SearchGraph, block_cuts

__all__ = ["MAX_WASTED", "Found", "Search"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
Numbers = tuple[int, ...]
Check = Callable[[], None]
MAX_WASTED = 2_000_000  # partial paths expanded since the last path before a search gives up
RESTRICT_AFTER = 1_000  # wasted expansions in total before the heuristic is recomputed for each partial path
CHECK_EVERY = 1 << 10  # expansions between two checks of the deadline
RESTRICTED_COST = 16  # expansions in the time of one recomputation of the heuristic
STEPS_PER_EXPANSION = 256  # steps that `Heuristic` scans in the time of one expansion
FIRST_BATCH = 64  # options sorted at first; four times as many each further time
NEVER = np.iinfo(np.int32).max
NO_COST = np.iinfo(np.int64).max


class Found(NamedTuple):
    """A path as numbers: its triples and entities in path order, and the total weight of its inner entities."""

    numbers: Numbers
    entities: Numbers
    cost: int


class Heuristic:
    """The minimal length, then cost, from each place to a target, at least one step.

    `avoid` recomputes it without some entities; the arrays are reused, so a small result is cheap in a large graph.
    """

    __slots__ = ("_avoided", "_check", "_graph", "_levels", "_targets", "avoided", "cost", "length", "scanned")

    def __init__(self, graph: SearchGraph, check: Check) -> None:
        self._graph, self._check = graph, check
        self._targets = np.flatnonzero(graph.target)
        self._levels: list[Ints] = []
        self._avoided: Ints = np.empty(0, np.int64)
        self.length = np.full(graph.places, NEVER, np.int32)  # NEVER if no target is reachable
        self.cost = np.full(graph.places, NO_COST, np.int64)
        self.avoided = np.zeros(graph.places, bool)
        self.scanned = 0  # steps scanned by the last computation

    def avoid(self, entities: Numbers, longest: int) -> None:
        """Recompute for paths of at most `longest` steps that contain none of these entities."""
        for level in self._levels:
            self.length[level] = NEVER
            self.cost[level] = NO_COST
        self.avoided[self._avoided] = False
        self._avoided = self._graph.places_of(entities)
        self.avoided[self._avoided] = True
        self.find(longest)

    def find(self, longest: int) -> None:
        """Breadth-first search backwards from the targets."""
        graph, self._levels, self.scanned = self._graph, [], 0
        frontier: Ints = self._targets[~self.avoided[self._targets]]
        remaining = np.zeros(len(frontier), np.int64)  # the cost from each place of the frontier to a target
        while len(frontier) and len(self._levels) < longest:
            level = self._predecessors(frontier, remaining)
            self._levels.append(level)
            self.length[level] = len(self._levels)
            frontier = level[graph.inner[level] & ~graph.target[level]]
            remaining = self.cost[frontier] + graph.weight[frontier]

    def _predecessors(self, frontier: Ints, remaining: Ints) -> Ints:
        """The new places with a step into the frontier; records their minimal cost."""
        offsets, fresh = self._graph.into_offsets, []
        cuts = block_cuts(offsets[frontier + 1] - offsets[frontier])
        for part, cost_to_go in zip(np.split(frontier, cuts), np.split(remaining, cuts), strict=True):
            self._check()
            position, owner = gather(offsets, part)
            self.scanned += len(position)
            start = self._graph.into_start[position]
            keep = (self.length[start] == NEVER) & ~self.avoided[start]
            np.minimum.at(self.cost, start[keep], cost_to_go[owner[keep]])
            fresh.append(start[keep])
        return distinct(np.concatenate(fresh), below=self._graph.places)


class _Option(NamedTuple):
    """A continuation: over a triple to an entity, ending there (place -1) or passing it, with a bound on the rest."""

    length: int
    cost: int
    triple: int
    entity: int
    place: int
    code: int


class _Options:
    """The continuations from a place, best first, sorted in batches: a hub's million are not sorted for a few paths."""

    __slots__ = ("_batch", "_code", "_cost", "_graph", "_length", "ready")

    def __init__(self, graph: SearchGraph, place: int, heuristic: Heuristic) -> None:
        first, last = int(graph.offsets[place]), int(graph.offsets[place + 1])
        end = graph.end[first:last]
        stop = np.flatnonzero(graph.target[end] & ~heuristic.avoided[end])
        go = np.flatnonzero(graph.inner[end] & (heuristic.length[end] != NEVER))
        passed = end[go]
        self._graph = graph
        self._batch = FIRST_BATCH
        self.ready: list[_Option] = []
        self._length = np.concatenate((np.zeros(len(stop), np.int32), heuristic.length[passed]))
        self._cost = np.concatenate((np.zeros(len(stop), np.int64), heuristic.cost[passed] + graph.weight[passed]))
        self._code = np.concatenate((~(stop + first), go + first))  # the step; inverted if it is the last

    def at(self, index: int) -> _Option | None:
        """The option at an index, sorting more of them if needed."""
        while index >= len(self.ready):
            if len(self._code) == 0:
                return None
            self._sort_more()
        return self.ready[index]

    def drop(self, codes: list[int]) -> None:
        """Remove some options; only before any is requested."""
        self._keep(~np.isin(self._code, codes))

    def _sort_more(self) -> None:
        """Move the next batch, the first by length, cost and triple, to `ready`."""
        triple = self._graph.triple[np.where(self._code < 0, ~self._code, self._code)]
        group, need, chosen = np.arange(len(self._code)), self._batch, []
        for key in (self._length, self._cost, triple):
            if len(group) <= need:
                break
            values = key[group]
            bound = np.partition(values, need - 1)[need - 1]
            chosen.append(group[values < bound])
            need -= len(chosen[-1])
            group = group[values == bound]
        picked = np.concatenate((*chosen, group))
        picked = picked[np.lexsort((triple[picked], self._cost[picked], self._length[picked]))]
        code = self._code[picked]
        end = self._graph.end[np.where(code < 0, ~code, code)]
        columns = (self._length[picked], self._cost[picked], triple[picked], self._graph.entity[end])
        place = np.where(code < 0, -1, end)
        rows = zip(*(column.tolist() for column in (*columns, place, code)), strict=True)
        self.ready.extend(_Option(*row) for row in rows)
        rest = np.ones(len(self._code), bool)
        rest[picked] = False
        self._keep(rest)
        self._batch *= 4

    def _keep(self, mask: Mask) -> None:
        self._length, self._cost, self._code = self._length[mask], self._cost[mask], self._code[mask]


class _Partial(NamedTuple):
    """A partial path, its weight and its continuations; `restricted` if those exclude the entities it has used."""

    numbers: Numbers
    entities: Numbers
    place: int
    weight: int
    options: _Options
    restricted: bool


# (length, cost) bound of the paths it can become; triples and entities so far; the option of a partial path, or the
# place of a root
_Item = tuple[int, int, Numbers, Numbers, int, _Partial | None]


class Search:
    """Iterate to get paths of at most `longest` steps by length, cost, triple numbers and entities; once only.

    `simple` excludes paths that repeat an entity; `shortest` stops after the minimal length. `gave_up`: the search
    stopped early, because MAX_WASTED expansions in a row found no path.
    """

    def __init__(self, graph: SearchGraph, longest: int, check: Check, *, simple: bool, shortest: bool) -> None:
        self._graph, self._check = graph, check
        self._longest = longest
        self._simple, self._shortest = simple, shortest
        self._expansions = self._found_at = self._checked_at = 0
        self._wasted = 0  # approximate number of expansions that did not become part of a path
        self._useful = 0  # those that did
        self._to_repeat = 0  # paths to be found again after a restart
        self._options: dict[int, _Options] = {}
        self._heuristic = Heuristic(graph, check)
        self._heuristic.find(longest)
        self._restricted: Heuristic | None = None
        self._heap: list[_Item] = self._roots()
        self.found = 0
        self.gave_up = False

    def __iter__(self) -> Iterator[Found]:
        while self._heap:
            self._count_expansion()
            if self.gave_up:
                return
            length, _, numbers, entities, index, partial = heappop(self._heap)
            if partial is None:
                self._extend(numbers, entities, index, 0)
                continue
            if self._restricted is not None and not partial.restricted:
                self._restrict(self._restricted, partial, index)
                continue
            self._push(partial, index + 1)
            place = partial.options.ready[index].place
            if place >= 0:
                self._extend(numbers, entities, place, partial.weight + int(self._graph.weight[place]))
            elif self._to_repeat:
                self._to_repeat -= 1
            else:
                self._note(length)
                yield Found(numbers, entities, partial.weight)

    def _roots(self) -> list[_Item]:
        graph, heuristic = self._graph, self._heuristic
        roots: list[_Item] = []
        for place in graph.sources[heuristic.length[graph.sources] <= self._longest].tolist():
            entities = (int(graph.entity[place]),)
            roots.append((int(heuristic.length[place]), int(heuristic.cost[place]), (), entities, place, None))
        heapify(roots)
        return roots

    def _note(self, length: int) -> None:
        self.found += 1
        self._useful += length
        self._wasted = max(0, self._wasted - 2 * length)
        self._found_at = self._expansions
        if self._shortest:
            self._longest = length

    def _count_expansion(self) -> None:
        """Count an expansion; restrict the heuristic if many were wasted, give up if too many were."""
        self._expansions += 1
        self._wasted += 1
        if self._expansions >= self._checked_at + CHECK_EVERY:
            self._check()
            self._checked_at = self._expansions
        self.gave_up = self._expansions - self._found_at > MAX_WASTED
        allowed = RESTRICT_AFTER + self._graph.steps // STEPS_PER_EXPANSION + 2 * self._heap[0][0]
        if self._simple and self._restricted is None and self._wasted > allowed:
            self._restricted = Heuristic(self._graph, self._check)
            if self._useful < len(self._heap):  # restarting is cheaper than restricting every queued path
                self._heap, self._to_repeat = self._roots(), self.found

    def _extend(self, numbers: Numbers, entities: Numbers, place: int, weight: int) -> None:
        """Find the continuations of a new partial path and push the best."""
        if self._restricted is not None:
            options = self._restricted_options(self._restricted, numbers, entities, place)
        elif place in self._options:
            options = self._options[place]
        else:
            options = self._options[place] = _Options(self._graph, place, self._heuristic)
        self._push(_Partial(numbers, entities, place, weight, options, self._restricted is not None), 0)

    def _restrict(self, heuristic: Heuristic, partial: _Partial, index: int) -> None:
        """Replace the remaining continuations by ones that exclude the entities the partial path has used."""
        options = self._restricted_options(heuristic, partial.numbers, partial.entities, partial.place)
        options.drop([option.code for option in partial.options.ready[:index]])
        self._push(partial._replace(options=options, restricted=True), 0)

    def _restricted_options(self, heuristic: Heuristic, numbers: Numbers, entities: Numbers, place: int) -> _Options:
        heuristic.avoid(entities, self._longest - len(numbers))
        self._expansions += RESTRICTED_COST + heuristic.scanned // STEPS_PER_EXPANSION
        return _Options(self._graph, place, heuristic)

    def _push(self, partial: _Partial, index: int) -> None:
        """Push the next usable option of a partial path onto the heap."""
        numbers, entities, _, weight, options, _ = partial
        while (option := options.at(index)) is not None:
            if not self._simple or option.entity not in entities:
                length = len(entities) + option.length
                if length <= self._longest:
                    numbers, entities = (*numbers, option.triple), (*entities, option.entity)
                    heappush(self._heap, (length, weight + option.cost, numbers, entities, index, partial))
                return
            index += 1
            self._expansions += 1
            self._wasted += 1
