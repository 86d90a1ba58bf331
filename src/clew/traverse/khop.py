"""The k-hop loop, written once over `expand`: the sets of every mode, whatever the backend.

`expand(hop, frontier)` gives the neighbours at hop 1, 2, …; `permit(frontier)` leaves those that may be walked through.
"""

import hashlib
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

__all__ = ["distance_sets", "exact_ends", "exact_sets", "select"]

Ints = NDArray[np.integer]
Expand = Callable[[int, Ints], Ints]
Permit = Callable[[Ints], Ints]
Check = Callable[[], None]
LONG = 64  # hops from which on a walk looks whether it goes in circles


def exact_sets(expand: Expand, permit: Permit, seeds: Ints, k: int, check: Check) -> list[Ints]:
    """Ends of walks of exactly 0, 1, … k steps. Stops early, with fewer sets, when a set is empty."""
    sets = [seeds]
    for hop in range(1, k + 1):
        check()
        frontier = permit(sets[-1])
        if len(frontier) == 0:
            break
        sets.append(expand(hop, frontier))
    return sets


def exact_ends(expand: Expand, permit: Permit, seeds: Ints, k: int, check: Check, *, uniform: bool) -> Ints:
    """Ends of walks of exactly k steps. When every hop is alike, a set seen before closes a circle, and k is cut."""
    ends = seeds
    seen: dict[bytes, int] = {}
    hop, last = 0, k
    while hop < last:
        check()
        frontier = permit(ends)
        if len(frontier) == 0:
            return ends[:0]
        hop += 1
        ends = expand(hop, frontier)
        if uniform and k > LONG and last == k:
            before = seen.setdefault(hashlib.sha256(ends.tobytes()).digest(), hop)
            if before < hop:
                last = hop + (k - hop) % (hop - before)
    return ends


def distance_sets(expand: Expand, permit: Permit, seeds: Ints, k: int, entities: int, check: Check) -> list[Ints]:
    """Entities at distance exactly 0, 1, … up to k from the nearest seed, as far as there are any."""
    visited = np.zeros(entities, bool)
    visited[seeds] = True
    sets = [seeds]
    for hop in range(1, k + 1):
        check()
        frontier = permit(sets[-1])
        if len(frontier) == 0:
            break
        found = expand(hop, frontier)
        found = found[~visited[found]]
        if len(found) == 0:
            break
        visited[found] = True
        sets.append(found)
    return sets


def select(sets: list[Ints], k: int, mode: str) -> Ints:
    """The result of a mode, from the sets of every hop (exact) or of every distance (within, shortest)."""
    if mode == "within":
        return np.unique(np.concatenate(sets))
    return sets[k] if len(sets) > k else sets[0][:0]
