"""Frontiers that stay with the actors: here they are numbers, and every operation is a call to each part."""

import threading
from collections import deque
from collections.abc import Sequence
from itertools import count
from typing import Any
from weakref import finalize

import numpy as np
from numpy.typing import NDArray

from clew.traverse.backend import FusedWalk, Lists
from clew.traverse.blocks import Block, SeedLists
from clew.traverse.cluster.actors import Actors
from clew.traverse.cluster.exchange import WordBackend, cut_frontier, join_frontier
from clew.traverse.local.query import Step
from clew.traverse.partitioned.many import ManyQueries

__all__ = ["ClusterFrontiers", "Held"]

Mask = NDArray[np.bool_]
TOGETHER = 256  # queries that are walked as one block if memory allows; the next is walked while this one waits


class Held:
    """A frontier that the actors have under a number, until this object is gone."""

    __slots__ = ("__weakref__", "empty", "number", "queries")

    def __init__(self, number: int, queries: int, empty: Sequence[Any]) -> None:
        self.number, self.queries = number, queries
        self.empty = empty  # references: whether each part has none of it


class ClusterFrontiers:
    """Carries frontiers from hop to hop on actors. Safe to use from many threads."""

    fused: FusedWalk | None = None
    lists: Lists | None = None

    def __init__(self, actors: Actors, dtype: np.dtype[np.integer]) -> None:
        self._actors, self._dtype = actors, dtype
        self._bounds, self._parts = actors.placement.bounds, len(actors.placement.plans)
        self._many = ManyQueries(WordBackend(), int(self._bounds[-1]))
        self.width = self.capacity = min(TOGETHER, self._many.width)
        self._numbers = count()
        self._dropped: deque[int] = deque()  # the next step tells the parts to drop them
        self._masks = threading.local()  # the last mask that was sent, and the references to its parts

    def start(self, seeds: SeedLists, entities: int) -> Held:
        pieces = cut_frontier(self._many.start(seeds, entities), self._bounds)
        return self._make("start", [(piece,) for piece in pieces], len(seeds))

    def step(self, prepared: Step, frontier: Held, into: Held | None) -> Held:
        """One hop over the rows of all parts, which exchange what they found."""
        assert into is None, "all parts are visited at once"
        new, call, parts = next(self._numbers), self._actors.call, range(self._parts)
        dropped = [self._dropped.popleft() for _ in range(len(self._dropped))]
        found = [call(at, "expand", new, frontier.number, prepared, dropped, returns=self._parts) for at in parts]
        sent = [[found[other][at] for other in parts if other != at] for at in parts]
        return self._held(new, frontier.queries, [call(at, "receive", new, *sent[at]) for at in parts])

    def keep(self, frontier: Held, allowed: Mask, exempt: Held | None = None) -> Held:
        also = None if exempt is None else exempt.number
        return self._make("keep", [(frontier.number, mask, also) for mask in self._sent(allowed)], frontier.queries)

    def without(self, frontier: Held, other: Held) -> Held:
        return self._make("without", [(frontier.number, other.number)] * self._parts, frontier.queries)

    def union(self, frontier: Held, other: Held) -> Held:
        return self._make("union", [(frontier.number, other.number)] * self._parts, frontier.queries)

    def copy(self, frontier: Held) -> Held:
        return self._make("copy", [(frontier.number,)] * self._parts, frontier.queries)

    def touches(self, frontier: Held, first: int, rows: int) -> bool:
        asked = [self._actors.call(at, "touches", frontier.number, first, rows) for at in range(self._parts)]
        return any(self._actors.get(asked))

    def is_empty(self, frontier: Held) -> bool:
        return all(self._actors.get(frontier.empty))

    def collect(self, frontier: Held) -> Block:
        pieces = self._actors.get([self._actors.call(at, "collect", frontier.number) for at in range(self._parts)])
        return self._many.collect(join_frontier(pieces, self._bounds, frontier.queries, self._dtype))

    def _make(self, method: str, arguments: Sequence[tuple[Any, ...]], queries: int) -> Held:
        """A new frontier, made by a call to each part."""
        new = next(self._numbers)
        calls = [self._actors.call(at, method, new, *each) for at, each in enumerate(arguments)]
        return self._held(new, queries, calls)

    def _held(self, number: int, queries: int, empty: Sequence[Any]) -> Held:
        made = Held(number, queries, empty)
        finalize(made, self._dropped.append, number).atexit = False
        return made

    def _sent(self, allowed: Mask) -> Sequence[Any]:
        """References to the parts of a mask; a walk uses the same one at every hop."""
        held, sent = getattr(self._masks, "last", (None, ()))
        if held is not allowed:
            sent = [self._actors.put(mask) for mask in self._actors.placement.masks(allowed)]
            self._masks.last = allowed, sent
        return sent
