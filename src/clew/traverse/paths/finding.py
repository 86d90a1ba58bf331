"""Find paths: from sources, targets and views to a listing that searches on demand."""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError
from clew.traverse.deadline import Deadline
from clew.traverse.local.view import View
from clew.traverse.paths.listing import SearchedPaths
from clew.traverse.paths.search_graph import EMPTY, metapath_search_graph, uniform_search_graph

__all__ = ["find_paths"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
LONGEST_WALK = 10_000  # hops of walks; and as far as views are compared hop by hop


def find_paths(
    view_of: Callable[[int], View],
    sources: Ints,
    targets: Ints,
    k: int,
    *,
    kind: str = "simple",
    walkable: Mask | None = None,
    limit: int = 100,
    deadline: Deadline,
) -> SearchedPaths:
    """Paths of 1 to k triples from any source to any target; hop h uses the triples of `view_of(h)`.

    `simple`: no entity repeats. `walks`: entities may repeat; k is at most 10,000. `shortest`: the simple paths of the
    minimal length between any source and any target. Only `walkable` entities and sources are passed through.
    Views that are equal for the first 10,000 hops are assumed to be equal for all.
    """
    if kind == "walks" and k > LONGEST_WALK:
        raise InputError(f"walks can have up to {LONGEST_WALK:,} hops, not {k}: ask for fewer, or for simple paths")
    sources, targets = np.unique(sources), np.unique(targets)
    simple = kind != "walks"
    graph, longest, alike = EMPTY, 0, True
    none = simple and len(sources) == 1 and np.array_equal(sources, targets)
    if k > 0 and len(sources) and len(targets) and not none:
        first = view_of(1)
        inner = _inner(first.entities, sources, targets, walkable, simple=simple)
        alike = all(view_of(hop).step == first.step for hop in range(2, min(k, LONGEST_WALK) + 1))
        if alike:
            meet_only = kind == "shortest" and not np.isin(sources, targets).any()
            graph, longest = uniform_search_graph(
                first, sources, targets, k, inner, deadline.check, loops=not simple, meet_only=meet_only
            )
        else:
            views = [view_of(hop) for hop in range(1, k + 1)]
            graph, longest = metapath_search_graph(views, sources, targets, inner, deadline.check, loops=not simple), k
    return SearchedPaths(graph, longest, kind=kind, limit=int(limit), alike=alike, deadline=deadline)


def _inner(entities: int, sources: Ints, targets: Ints, walkable: Mask | None, *, simple: bool) -> Mask:
    """The entities that may be inner: walkable ones and sources; a simple path never passes a sole source or target."""
    inner = np.ones(entities, bool) if walkable is None else walkable.copy()
    inner[sources] = True
    for ends in (sources, targets):
        if simple and len(ends) == 1:
            inner[ends] = False
    return inner
