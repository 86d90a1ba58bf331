"""The k-hop loop over a backend's frontiers: every mode, one query or many, one segment or many.

`advance(hop, frontier)` gives the neighbours at hop 1, 2, …; `permit(frontier)` keeps entities that may be
intermediate.
"""

import hashlib
from collections.abc import Callable, Iterator
from typing import Any

from clew.traverse.backend import Frontiers

__all__ = ["LONG", "WalkContext", "levels", "reach"]

LONG = 64  # hops from which cycles of frontiers are detected


class WalkContext:
    """The functions and options that the loop needs."""

    __slots__ = ("advance", "backend", "check", "k", "mode", "permit", "uniform")

    def __init__(
        self,
        backend: Frontiers,
        advance: Callable[[int, Any], Any],
        permit: Callable[[Any], Any],
        check: Callable[[], None],
        *,
        k: int,
        mode: str,
        uniform: bool,
    ) -> None:
        self.backend = backend
        self.advance = advance
        self.permit = permit
        self.check = check
        self.k = k
        self.mode = mode
        self.uniform = uniform  # every hop may use the same triples


def reach(context: WalkContext, start: Any) -> Any:
    """The final frontier: the result before the type filter."""
    if context.mode == "exact":
        return _exact(context, start)
    backend, reached, frontier = context.backend, context.backend.copy(start), start
    for hop in range(1, context.k + 1):
        context.check()
        frontier = context.permit(frontier)
        if backend.is_empty(frontier):
            break
        frontier = context.advance(hop, frontier)
        if context.uniform or hop == context.k:
            frontier = backend.without(frontier, reached)  # first arrivals
        if context.mode == "within" or hop < context.k:
            reached = backend.union(reached, frontier)
    return reached if context.mode == "within" else frontier


def _exact(context: WalkContext, start: Any) -> Any:
    """Entities reached by walks of exactly k hops. If all hops are equal, a repeated frontier is a cycle."""
    backend, frontier = context.backend, start
    seen: dict[bytes, int] = {}
    hop, last = 0, context.k
    while hop < last:
        context.check()
        frontier = context.permit(frontier)
        if backend.is_empty(frontier):
            break
        hop += 1
        frontier = context.advance(hop, frontier)
        if context.uniform and context.k > LONG and last == context.k:
            before = seen.setdefault(_fingerprint(backend, frontier), hop)
            if before < hop:
                last = hop + (context.k - hop) % (hop - before)
    return frontier


def levels(context: WalkContext, start: Any) -> Iterator[Any]:
    """The frontiers of hop 0, 1, … k: of walks (exact) or of first arrivals (within, shortest), while not empty.

    Each frontier is valid until the next is requested.
    """
    backend, frontier = context.backend, start
    exact = context.mode == "exact"
    reached = None if exact else backend.copy(start)
    yield frontier
    for hop in range(1, context.k + 1):
        context.check()
        frontier = context.permit(frontier)
        if backend.is_empty(frontier):
            return
        frontier = context.advance(hop, frontier)
        if exact:
            yield frontier
            continue
        first = backend.without(frontier if context.uniform else backend.copy(frontier), reached)
        if context.uniform and backend.is_empty(first):
            return
        yield first
        reached = backend.union(reached, first)
        frontier = first if context.uniform else frontier  # along a metapath an entity may be passed through again


def _fingerprint(backend: Frontiers, frontier: Any) -> bytes:
    block = backend.collect(frontier)
    digest = hashlib.sha256()
    for query in range(len(block.counts)):
        ids = block.ids(query)
        digest.update(len(ids).to_bytes(8, "little") + ids.tobytes())
    return digest.digest()
