"""The triples of a hop: those that leave the previous frontier (the LogosKG paper's equation 5).

Pruned, they are only those on a path to the result: the frontiers are traced backward from it.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from clew.traverse.local.query import Query
from clew.traverse.local.view import View

__all__ = ["leading_entities", "triples_of_hop"]

Ints = NDArray[np.integer]
Permit = Callable[[Ints], Ints]
ViewOf = Callable[[Query, int], View]


def triples_of_hop(
    view_of: ViewOf, query: Query, sets: list[Ints], hop: int, permit: Permit, *, result: Ints | None
) -> NDArray[np.int64]:
    """Numbers of permitted triples that leave the frontier of hop - 1; with `result`, only those on a path to it."""
    if hop > len(sets):
        return np.empty(0, np.int64)
    steps = view_of(query, hop).leaving(permit(sets[hop - 1]))
    numbers = steps.triple
    if result is not None:
        numbers = numbers[np.isin(steps.end, leading_entities(view_of, query, sets, hop, permit, result))]
    return np.unique(numbers)


def leading_entities(view_of: ViewOf, query: Query, sets: list[Ints], hop: int, permit: Permit, result: Ints) -> Ints:
    """Entities that, reached at `hop`, are in the result or lead to it in the remaining hops."""
    leading = result
    for later in range(query.k, hop, -1):
        if query.mode == "within":  # an entity may be passed through later than it was first reached
            candidates = permit(np.unique(np.concatenate(sets[:later])))
        else:
            candidates = permit(sets[later - 1]) if later - 1 < len(sets) else result[:0]
        steps = view_of(query, later).leaving(candidates)
        before = np.unique(steps.start[np.isin(steps.end, leading)])
        leading = np.union1d(before, result) if query.mode == "within" else before
    return leading
