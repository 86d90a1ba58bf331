"""Paths in order, one after another: a best-first search that never holds more partial paths than it has looked at.

What is left from a place to the nearest target is known beforehand (`Onward`), so for walks no look is in vain. Simple
paths may not repeat an entity, which that knowledge ignores; when too many looks are in vain, it is worked out anew for
each partial path without the entities it has used, and every look leads to a path again.
"""

from collections.abc import Callable, Iterator
from heapq import heapify, heappop, heappush
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import gather
from clew.traverse.path_ways import Ways, block_cuts, distinct

__all__ = ["EFFORT", "Found", "Search"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
Numbers = tuple[int, ...]
Check = Callable[[], None]
EFFORT = 2_000_000  # partial paths looked at without finding another path before a search gives up
PATIENCE = 1_000  # the same, all in all, before what is left is worked out for each partial path
CHECKED = 1 << 10  # looks between two looks at the clock
TIGHT_LOOKS = 16  # looks in the time it takes to work out what is left for one partial path
STEPS_PER_LOOK = 256  # steps that `Onward` scans in the time of one look
FIRST_BATCH = 64  # options sorted at first; four times as many each time after
NEVER = np.iinfo(np.int32).max
NO_COST = np.iinfo(np.int64).max


class Found(NamedTuple):
    """A path in numbers: its triples and entities in walking order, and the summed weight of its inner entities."""

    numbers: Numbers
    entities: Numbers
    cost: int


class Onward:
    """The best way on from each place to a target, at least one step: its length, then its cost.

    `avoid` clears what was known and works it out anew, leaving out some entities; the arrays are used again, so that a
    small answer costs little in a large graph.
    """

    __slots__ = ("_avoided", "_check", "_levels", "_targets", "_ways", "avoided", "cost", "length", "scanned")

    def __init__(self, ways: Ways, check: Check) -> None:
        self._ways, self._check = ways, check
        self._targets = np.flatnonzero(ways.target)
        self._levels: list[Ints] = []
        self._avoided: Ints = np.empty(0, np.int64)
        self.length = np.full(ways.places, NEVER, np.int32)  # NEVER where no target can be reached
        self.cost = np.full(ways.places, NO_COST, np.int64)
        self.avoided = np.zeros(ways.places, bool)
        self.scanned = 0  # steps looked at to find out

    def avoid(self, entities: Numbers, longest: int) -> None:
        """Find out about ways of at most `longest` steps that touch none of these entities."""
        for level in self._levels:
            self.length[level] = NEVER
            self.cost[level] = NO_COST
        self.avoided[self._avoided] = False
        self._avoided = self._ways.places_of(entities)
        self.avoided[self._avoided] = True
        self.find(longest)

    def find(self, longest: int) -> None:
        """Search back from the targets, level by level."""
        ways, self._levels, self.scanned = self._ways, [], 0
        frontier: Ints = self._targets[~self.avoided[self._targets]]
        due = np.zeros(len(frontier), np.int64)  # what a path pays from each place of the frontier on
        while len(frontier) and len(self._levels) < longest:
            level = self._enter(frontier, due)
            self._levels.append(level)
            self.length[level] = len(self._levels)
            frontier = level[ways.inner[level] & ~ways.target[level]]
            due = self.cost[frontier] + ways.weight[frontier]

    def _enter(self, frontier: Ints, due: Ints) -> Ints:
        """The places not known before from which a step leads to the frontier; notes the least they pay."""
        offsets, fresh = self._ways.into_offsets, []
        cuts = block_cuts(offsets[frontier + 1] - offsets[frontier])
        for part, owed in zip(np.split(frontier, cuts), np.split(due, cuts), strict=True):
            self._check()
            position, owner = gather(offsets, part)
            self.scanned += len(position)
            start = self._ways.into_start[position]
            keep = (self.length[start] == NEVER) & ~self.avoided[start]
            np.minimum.at(self.cost, start[keep], owed[owner[keep]])
            fresh.append(start[keep])
        return distinct(fresh, self._ways.places)


class _Option(NamedTuple):
    """One way on: over a triple to an entity, to end there (place -1) or to pass it; what follows is at least this."""

    length: int
    cost: int
    triple: int
    entity: int
    place: int
    code: int


class _Options:
    """The ways on from a place, best first, sorted piece by piece: a hub's million need not be sorted for a few."""

    __slots__ = ("_batch", "_code", "_cost", "_length", "_ways", "ready")

    def __init__(self, ways: Ways, place: int, ahead: Onward) -> None:
        first, last = int(ways.offsets[place]), int(ways.offsets[place + 1])
        end = ways.end[first:last]
        stop = np.flatnonzero(ways.target[end] & ~ahead.avoided[end])
        go = np.flatnonzero(ways.inner[end] & (ahead.length[end] != NEVER))
        passed = end[go]
        self._ways = ways
        self._batch = FIRST_BATCH
        self.ready: list[_Option] = []
        self._length = np.concatenate((np.zeros(len(stop), np.int32), ahead.length[passed]))
        self._cost = np.concatenate((np.zeros(len(stop), np.int64), ahead.cost[passed] + ways.weight[passed]))
        self._code = np.concatenate((~(stop + first), go + first))  # the step; inverted where it is the last

    def at(self, index: int) -> _Option | None:
        """The option that comes index-th, sorting more of them when needed."""
        while index >= len(self.ready):
            if len(self._code) == 0:
                return None
            self._sort_more()
        return self.ready[index]

    def drop(self, codes: list[int]) -> None:
        """Leave out some options; only before any is asked for."""
        self._keep(~np.isin(self._code, codes))

    def _sort_more(self) -> None:
        """Move the next batch, exactly those that come first by length, cost and triple, to `ready`."""
        triple = self._ways.triple[np.where(self._code < 0, ~self._code, self._code)]
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
        end = self._ways.end[np.where(code < 0, ~code, code)]
        columns = (self._length[picked], self._cost[picked], triple[picked], self._ways.entity[end])
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
    """A partial path, its weight so far and its ways on; `tight` when those leave out what it has used."""

    numbers: Numbers
    entities: Numbers
    place: int
    weight: int
    options: _Options
    tight: bool


# (length, cost) of the best path this can become; triples and entities so far; which option of which partial path,
# or at the start which place
_Item = tuple[int, int, Numbers, Numbers, int, _Partial | None]


class Search:
    """Iterate to get paths of at most `longest` steps by length, cost, triple numbers and entities; once only.

    `simple` leaves out paths that repeat an entity; `shortest` stops after the least length. `gave_up` tells that the
    search stopped before the end, because EFFORT partial paths were looked at in vain.
    """

    def __init__(self, ways: Ways, longest: int, check: Check, *, simple: bool, shortest: bool) -> None:
        self._ways, self._check = ways, check
        self._longest = longest
        self._simple, self._shortest = simple, shortest
        self._looks = self._found_at = self._checked_at = 0
        self._vain = 0  # looks that did not become part of a path, about
        self._useful = 0  # those that did
        self._again = 0  # paths to be found again after a change to tight options
        self._options: dict[int, _Options] = {}
        self._ahead = Onward(ways, check)
        self._ahead.find(longest)
        self._tight: Onward | None = None
        self._heap: list[_Item] = self._roots()
        self.found = 0
        self.gave_up = False

    def __iter__(self) -> Iterator[Found]:
        while self._heap:
            self._look()
            if self.gave_up:
                return
            length, _, numbers, entities, index, partial = heappop(self._heap)
            if partial is None:
                self._grow(numbers, entities, index, 0)
                continue
            if self._tight is not None and not partial.tight:
                self._tighten(self._tight, partial, index)
                continue
            self._offer(partial, index + 1)
            place = partial.options.ready[index].place
            if place >= 0:
                self._grow(numbers, entities, place, partial.weight + int(self._ways.weight[place]))
            elif self._again:
                self._again -= 1
            else:
                self._note(length)
                yield Found(numbers, entities, partial.weight)

    def _roots(self) -> list[_Item]:
        ways, ahead = self._ways, self._ahead
        roots: list[_Item] = []
        for place in ways.sources[ahead.length[ways.sources] <= self._longest].tolist():
            entities = (int(ways.entity[place]),)
            roots.append((int(ahead.length[place]), int(ahead.cost[place]), (), entities, place, None))
        heapify(roots)
        return roots

    def _note(self, length: int) -> None:
        self.found += 1
        self._useful += length
        self._vain = max(0, self._vain - 2 * length)
        self._found_at = self._looks
        if self._shortest:
            self._longest = length

    def _look(self) -> None:
        """Count a look, change to tight options when many were in vain, give up when too many were."""
        self._looks += 1
        self._vain += 1
        if self._looks >= self._checked_at + CHECKED:
            self._check()
            self._checked_at = self._looks
        self.gave_up = self._looks - self._found_at > EFFORT
        patience = PATIENCE + self._ways.steps // STEPS_PER_LOOK + 2 * self._heap[0][0]
        if self._simple and self._tight is None and self._vain > patience:
            self._tight = Onward(self._ways, self._check)
            if self._useful < len(self._heap):  # to begin anew is cheaper than to tighten all that is waiting
                self._heap, self._again = self._roots(), self.found

    def _grow(self, numbers: Numbers, entities: Numbers, place: int, weight: int) -> None:
        """Find the ways on of a new partial path and offer the best."""
        if self._tight is not None:
            options = self._tight_options(self._tight, numbers, entities, place)
        elif place in self._options:
            options = self._options[place]
        else:
            options = self._options[place] = _Options(self._ways, place, self._ahead)
        self._offer(_Partial(numbers, entities, place, weight, options, self._tight is not None), 0)

    def _tighten(self, ahead: Onward, partial: _Partial, index: int) -> None:
        """Replace the ways on that are still to come by ones that leave out what the partial path has used."""
        options = self._tight_options(ahead, partial.numbers, partial.entities, partial.place)
        options.drop([option.code for option in partial.options.ready[:index]])
        self._offer(partial._replace(options=options, tight=True), 0)

    def _tight_options(self, ahead: Onward, numbers: Numbers, entities: Numbers, place: int) -> _Options:
        ahead.avoid(entities, self._longest - len(numbers))
        self._looks += TIGHT_LOOKS + ahead.scanned // STEPS_PER_LOOK
        return _Options(self._ways, place, ahead)

    def _offer(self, partial: _Partial, index: int) -> None:
        """Put the next usable option of a partial path on the heap."""
        numbers, entities, _, weight, options, _ = partial
        while (option := options.at(index)) is not None:
            if not self._simple or option.entity not in entities:
                length = len(entities) + option.length
                if length <= self._longest:
                    numbers, entities = (*numbers, option.triple), (*entities, option.entity)
                    heappush(self._heap, (length, weight + option.cost, numbers, entities, index, partial))
                return
            index += 1
            self._looks += 1
            self._vain += 1
