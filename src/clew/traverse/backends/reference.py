"""The oracle: plain Python sets, slow and obvious. Every other backend must agree with it."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.graph.adjacency import Adjacency, Rows
from clew.traverse.blocks import Block, ListedBlock, SeedLists

__all__ = ["ReferenceBackend"]

Mask = NDArray[np.bool_]


class Frontier(NamedTuple):
    sets: list[set[int]]  # of each query
    dtype: np.dtype[np.integer]


class ReferenceBackend:
    """Follows every pair one by one."""

    width = capacity = 1 << 20
    fused = lists = None

    def prepare(self, rows: Adjacency, first: int, entities: int) -> tuple[Rows, int]:
        return rows.forward, first

    def start(self, seeds: SeedLists, entities: int) -> Frontier:
        return Frontier([set(seeds.of(query).tolist()) for query in range(len(seeds))], seeds.flat.dtype)

    def step(self, prepared: tuple[Rows, int], frontier: Frontier, into: Frontier | None) -> Frontier:
        rows, first = prepared
        found = [set() for _ in frontier.sets] if into is None else [set(each) for each in into.sets]
        for query, entities in enumerate(frontier.sets):
            for entity in entities:
                if first <= entity < first + len(rows.offsets) - 1:
                    begin, end = rows.offsets[entity - first], rows.offsets[entity - first + 1]
                    found[query].update(rows.neighbour[begin:end].tolist())
        return Frontier(found, frontier.dtype)

    def keep(self, frontier: Frontier, allowed: Mask, exempt: Frontier | None = None) -> Frontier:
        always: list[set[int]] = [set() for _ in frontier.sets] if exempt is None else exempt.sets
        pairs = zip(frontier.sets, always, strict=True)
        return Frontier([{e for e in each if allowed[e] or e in also} for each, also in pairs], frontier.dtype)

    def without(self, frontier: Frontier, other: Frontier) -> Frontier:
        return Frontier([a - b for a, b in zip(frontier.sets, other.sets, strict=True)], frontier.dtype)

    def union(self, frontier: Frontier, other: Frontier) -> Frontier:
        return Frontier([a | b for a, b in zip(frontier.sets, other.sets, strict=True)], frontier.dtype)

    def copy(self, frontier: Frontier) -> Frontier:
        return frontier  # sets are never changed here

    def touches(self, frontier: Frontier, first: int, rows: int) -> bool:
        return any(first <= entity < first + rows for each in frontier.sets for entity in each)

    def is_empty(self, frontier: Frontier) -> bool:
        return not any(frontier.sets)

    def collect(self, frontier: Frontier) -> Block:
        listed = [sorted(each) for each in frontier.sets]
        ids = np.array([entity for each in listed for entity in each], frontier.dtype)
        return ListedBlock(ids, np.cumsum([0, *map(len, listed)]))
