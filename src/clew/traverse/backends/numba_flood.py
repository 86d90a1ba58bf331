"""The compiled walk to everything near: breadth first, each entity once, at its distance from the nearest seed."""

import numpy as np
from numpy.typing import NDArray

from clew.traverse.backends.bits import ONE, bits_to_ids, compiled, marks_to_bits
from clew.traverse.backends.numba_walk import PULL_SHARE, Pairs, Scratch, ask_column, ask_rows, push_bits, reach

__all__ = ["walk_levels", "walk_within"]

Ints = NDArray[np.integer]


@compiled
def join_visited(scratch: Scratch, reached: Ints, at: int) -> int:
    """Move what is new in `bits` to `visited`, to `marks` and to the list `reached` from `at` on; clears `bits`."""
    bits, visited = scratch.bits, scratch.visited
    for word in range(len(bits)):
        bits[word] &= ~visited[word]
        visited[word] |= bits[word]
    end = bits_to_ids(bits, len(bits), reached, at)
    for i in range(at, end):
        scratch.marks[reached[i]] = 1
    bits[:] = 0
    return end


@compiled
def pull_unvisited(pairs: Pairs, scratch: Scratch, missed: Ints) -> None:
    """Set `bits` to whoever was not reached yet and has an in-neighbour that was."""
    bits, answers, words = scratch.bits, scratch.answers, len(scratch.bits)
    for word in range(words):
        bits[word] = ~scratch.visited[word]
    count = bits_to_ids(bits, words, missed, 0)
    while count > 0 and missed[count - 1] >= len(pairs.first):
        count -= 1
    count = ask_column(pairs.first, scratch.marks, answers, missed, count)
    count = ask_column(pairs.second, scratch.marks, answers, missed, count)
    ask_rows(pairs.back_offsets, pairs.back_neighbour, scratch.marks, answers, missed, count)
    marks_to_bits(answers.view(np.uint64), words << 3, bits.view(np.uint8))
    answers[:] = 0


@compiled
def flood(pairs: Pairs, seeds: Ints, hops: int, scratch: Scratch) -> Ints:
    """Breadth first: everything within `hops` steps into `here`, nearest first and sorted within a level.

    Returns the offsets of the levels. `marks` and `visited` hold what was reached so far, and are left to the caller.
    An entity not yet reached has in-neighbours among those only in the last level, so a pull may ask for any."""
    reached = scratch.here
    few_pairs = int(len(pairs.neighbour) * PULL_SHARE)
    for i in range(len(seeds)):
        v = np.int64(seeds[i])
        scratch.bits[v >> 6] |= ONE << np.uint64(v & 63)
    levels = np.zeros(min(hops, len(pairs.offsets)) + 2, np.int64)
    low = 0
    high = join_visited(scratch, reached, 0)
    levels[1] = high
    level = 0
    while level < hops and high > low:
        frontier = reached[low:high]
        if reach(pairs.offsets, pairs.neighbour, frontier, high - low) <= few_pairs:
            push_bits(pairs.offsets, pairs.neighbour, frontier, high - low, scratch.bits)
        else:
            pull_unvisited(pairs, scratch, scratch.there)
        low = high
        high = join_visited(scratch, reached, high)
        level += 1
        levels[level + 1] = high
    return levels[: level + 2]


@compiled
def walk_levels(pairs: Pairs, seeds: Ints, hops: int, scratch: Scratch) -> tuple[Ints, Ints]:
    """Everything within `hops` steps, nearest first and sorted within a level, and the offsets of the levels."""
    levels = flood(pairs, seeds, hops, scratch)
    scratch.marks[:] = 0
    scratch.visited[:] = 0
    return scratch.here[: levels[-1]].copy(), levels


@compiled
def walk_within(pairs: Pairs, seeds: Ints, hops: int, scratch: Scratch) -> Ints:
    """Everything within `hops` steps, sorted."""
    count = flood(pairs, seeds, hops, scratch)[-1]
    ids = np.empty(count + 8, pairs.neighbour.dtype)
    bits_to_ids(scratch.visited, len(scratch.visited), ids, 0)
    scratch.marks[:] = 0
    scratch.visited[:] = 0
    return ids[:count]
