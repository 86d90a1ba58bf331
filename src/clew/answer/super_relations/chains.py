"""Chains of relations that really lead from the topics to entities, with the triples behind them."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from clew.answer.super_relations.scorers import Chain
from clew.answer.super_relations.steps import Steps

__all__ = ["FoundChain", "extend_chain", "name_relations", "places_by_code", "trace_back"]

Ints = NDArray[np.int64]
SMALL = 1 << 15


@dataclass(frozen=True, eq=False)
class FoundChain:
    """Relations in a row, in their directions, and the steps that follow them from the topics."""

    start: Ints
    relations: tuple[tuple[int, bool], ...] = ()  # number, forward
    steps: tuple[Steps, ...] = ()

    @cached_property
    def ends(self) -> Ints:
        """The entities that it leads to, ascending."""
        return np.unique(self.steps[-1].far) if self.steps else self.start


def extend_chain(chain: FoundChain, steps: Steps, inside: NDArray[np.bool_]) -> Iterable[FoundChain]:
    """The chain with each relation by which some steps leave its ends, but straight back by its last relation.

    `inside` is scratch, all False.
    """
    inside[chain.ends] = True
    leaving = steps.where(inside[steps.near])
    inside[chain.ends] = False
    if not len(leaving):
        return
    for places in places_by_code(leaving.relation * 2 + leaving.forward):
        own = (int(leaving.relation[places[0]]), bool(leaving.forward[places[0]]))
        if chain.relations and chain.relations[-1] == (own[0], not own[1]):
            continue  # straight back
        yield FoundChain(chain.start, (*chain.relations, own), (*chain.steps, leaving.where(places)))


def name_relations(chain: Iterable[tuple[int, bool]], names: Sequence[str]) -> Chain:
    """A chain with the names of its relations in place of their numbers."""
    return tuple((names[number], forward) for number, forward in chain)


def places_by_code(codes: Ints) -> list[Ints]:
    """The places of each code, codes ascending."""
    small = codes.astype(np.int16) if len(codes) and codes.max() < SMALL else codes  # is sorted by radix, far faster
    order = np.argsort(small, kind="stable")
    ordered = small[order]
    return np.split(order, np.flatnonzero(ordered[1:] != ordered[:-1]) + 1)


def trace_back(chain: FoundChain, entities: Sequence[int]) -> dict[int, tuple[int, ...]]:
    """One path for each entity at the end of a chain: the numbers of its triples, from the topic on."""
    firsts = [_first_step(steps) for steps in chain.steps]
    paths = {}
    for entity in entities:
        at, numbers = entity, []
        for first in reversed(firsts):
            at, number = first[at]
            numbers.append(number)
        paths[entity] = tuple(reversed(numbers))
    return paths


def _first_step(steps: Steps) -> dict[int, tuple[int, int]]:
    """For each far end the first step that leads there: its near end and its triple."""
    far, first = np.unique(steps.far, return_index=True)
    return dict(
        zip(far.tolist(), zip(steps.near[first].tolist(), steps.number[first].tolist(), strict=True), strict=True)
    )
