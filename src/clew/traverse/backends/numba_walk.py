"""The compiled walk of one query: all hops in one call.

The frontier is a sorted list while it is small and one byte per entity when it is large. A small frontier pushes to its
neighbours; a large one is pulled: each entity asks whether any of its in-neighbours is in the frontier, hubs first, so
that the first or second question usually answers. Nothing here checks bounds: arrays come proved (`graph.arrays`).

Scratch arrays are all zero between calls. Capacities: marks and bits cover n + 1 entities, the last being a sentinel
that is never set; lists hold n + 64.
"""

from numba import njit
import numpy as np

from clew.traverse.backends.bits import (
    COMPILE,
    ONE,
    bits_to_ids,
    bits_to_marks,
    count_bits,
    lowest_bit,
    marks_to_bits,
)

__all__ = ["expand_few", "walk", "walk_each", "walk_levels"]

FEW = 16384  # neighbour entries up to which a push goes through bits, which need no pass over all entities
PULL_SHARE = 0.22  # of all pairs: a push that would look at more is done as a pull
SPARSE_SHARE = 32  # a dense frontier of fewer than n / 32 entities becomes a list again


@njit(**COMPILE)
def reach(offsets, frontier, count):  # type: ignore[no-untyped-def]
    """How many neighbour entries a frontier has."""
    total = 0
    for i in range(count):
        total += offsets[frontier[i] + 1] - offsets[frontier[i]]
    return total


@njit(**COMPILE)
def push_few(offsets, neighbour, frontier, count, total, bits, summary, out):  # type: ignore[no-untyped-def]
    """Neighbours of a small frontier with `total` entries, sorted; leaves `bits` and `summary` clear.

    A very small one also notes which words it touched, so that most of the set need not be looked through."""
    words = len(bits)
    if total * 4 > words:
        for i in range(count):
            u = frontier[i]
            for j in range(offsets[u], offsets[u + 1]):
                v = np.int64(neighbour[j])
                bits[v >> 6] |= ONE << np.uint64(v & 63)
        return take_ids(bits, words, out)
    for i in range(count):
        u = frontier[i]
        for j in range(offsets[u], offsets[u + 1]):
            v = np.int64(neighbour[j])
            bits[v >> 6] |= ONE << np.uint64(v & 63)
            summary[v >> 12] |= ONE << np.uint64((v >> 6) & 63)
    at = 0
    for block in range(len(summary)):
        touched = summary[block]
        if touched != 0:
            summary[block] = 0
            while touched != 0:
                word = (block << 6) + lowest_bit(touched)
                touched &= touched - ONE
                rest = bits[word]
                bits[word] = 0
                while rest != 0:
                    out[at] = (word << 6) + lowest_bit(rest)
                    at += 1
                    rest &= rest - ONE
    return at


@njit(**COMPILE)
def take_ids(bits, words, out):  # type: ignore[no-untyped-def]
    """Sorted list of a set; clears it."""
    count = bits_to_ids(bits, words, out, 0)
    bits[:words] = 0
    return count


@njit(**COMPILE)
def push_many(offsets, neighbour, frontier, count, marks):  # type: ignore[no-untyped-def]
    """Mark the neighbours of a frontier: stores only, no reads."""
    for i in range(count):
        u = frontier[i]
        for j in range(offsets[u], offsets[u + 1]):
            marks[neighbour[j]] = 1


@njit(**COMPILE)
def pull(back_offsets, back_neighbour, first, second, several, marks, answers, bits, missed):  # type: ignore[no-untyped-def]
    """`bits` becomes every entity with an in-neighbour in `marks`; returns how many those are.

    One pass over the first in-neighbours, a second over the second ones of those still missed, then row by row.
    """
    for v in range(len(first)):
        answers[v] = marks[first[v]]
    words = (len(first) >> 6) + 1
    answers[len(first) : words << 6] = 0
    marks_to_bits(answers.view(np.uint64), words << 3, bits.view(np.uint8))
    count = 0
    for word in range(words):
        rest = ~bits[word] & several[word]
        while rest != 0:
            missed[count] = (word << 6) + lowest_bit(rest)
            count += 1
            rest &= rest - ONE
    count = ask_column(second, marks, bits, missed, count)
    ask_rows(back_offsets, back_neighbour, 2, marks, bits, missed, count)
    total = 0
    for word in range(words):
        total += count_bits(bits[word])
    return total


@njit(**COMPILE)
def ask_column(column, marks, bits, missed, count):  # type: ignore[no-untyped-def]
    """Ask one in-neighbour of each of the first `count` in `missed`; those answered join `bits`, the others stay."""
    still = 0
    for i in range(count):
        v = np.int64(missed[i])
        hit = marks[column[v]]
        bits[v >> 6] |= np.uint64(hit) << np.uint64(v & 63)
        missed[still] = v
        still += 1 - hit
    return still


@njit(**COMPILE)
def ask_rows(back_offsets, back_neighbour, skip, marks, bits, missed, count):  # type: ignore[no-untyped-def]
    """Ask the in-neighbours of each entity in `missed`, all but the first `skip`, until one answers."""
    for i in range(count):
        v = np.int64(missed[i])
        for j in range(back_offsets[v] + skip, back_offsets[v + 1]):
            if marks[back_neighbour[j]]:
                bits[v >> 6] |= ONE << np.uint64(v & 63)
                break


@njit(**COMPILE)
def expand_few(offsets, neighbour, frontier, bits, summary, out):  # type: ignore[no-untyped-def]
    """One hop of a small frontier as a new array and 1; the array is empty and the number 0 if it is not small,
    -1 if it names an entity that is not there. The shortest way through the door for a single hop."""
    entities = len(offsets) - 1
    total = 0
    for i in range(len(frontier)):
        u = frontier[i]
        if u < 0 or u >= entities:
            return out[:0], -1
        total += offsets[u + 1] - offsets[u]
    if total > FEW:
        return out[:0], 0
    count = push_few(offsets, neighbour, frontier, len(frontier), total, bits, summary, out)
    return out[:count].copy(), 1


@njit(**COMPILE)
def walk_into(
    offsets, neighbour, back_offsets, back_neighbour, first, second, several,
    seeds, hops, marks, answers, bits, summary, here, there,
):  # type: ignore[no-untyped-def]  # fmt: skip
    """Ends of walks of exactly `hops` steps: returns (dense, count, swapped). A dense result stands in `bits`, a sparse one
    sorted in `there` if swapped, else in `here`."""
    entities = len(offsets) - 1
    words = (entities >> 6) + 1
    few_pairs = np.int64(len(neighbour) * PULL_SHARE)
    count = len(seeds)
    for i in range(count):
        here[i] = seeds[i]
    dense = False
    swapped = False
    for _ in range(hops):
        if count == 0:
            break
        if dense and count * SPARSE_SHARE < entities:
            take_ids(bits, words, here)
            dense = False
        if not dense:
            total = reach(offsets, here, count)
            if total <= FEW or total <= few_pairs:
                if total <= FEW:
                    count = push_few(offsets, neighbour, here, count, total, bits, summary, there)
                else:
                    push_many(offsets, neighbour, here, count, marks)
                    marks_to_bits(marks.view(np.uint64), words << 3, bits.view(np.uint8))
                    marks[: words << 6] = 0
                    count = take_ids(bits, words, there)
                here, there = there, here
                swapped = not swapped
                continue
            for i in range(count):
                marks[here[i]] = 1
            dense = True
        else:
            bits_to_marks(bits.view(np.uint8), words << 3, marks.view(np.uint64))
        count = pull(back_offsets, back_neighbour, first, second, several, marks, answers, bits, there)
        marks[: words << 6] = 0
    return dense, count, swapped


@njit(**COMPILE)
def collect(dense, count, swapped, bits, words, here, there, ids, at):  # type: ignore[no-untyped-def]
    """Copy what `walk_into` found into `ids` from `at` on, and clear it."""
    if dense:
        bits_to_ids(bits, words, ids, at)
        bits[:words] = 0
    else:
        ids[at : at + count] = there[:count] if swapped else here[:count]


@njit(**COMPILE)
def walk(
    offsets, neighbour, back_offsets, back_neighbour, first, second, several,
    seeds, hops, marks, answers, bits, summary, here, there,
):  # type: ignore[no-untyped-def]  # fmt: skip
    """Sorted ends of walks of exactly `hops` steps."""
    dense, count, swapped = walk_into(
        offsets, neighbour, back_offsets, back_neighbour, first, second, several,
        seeds, hops, marks, answers, bits, summary, here, there,
    )  # fmt: skip
    ids = np.empty(count + 8, neighbour.dtype)
    collect(dense, count, swapped, bits, (len(offsets) - 1 >> 6) + 1, here, there, ids, 0)
    return ids[:count]


@njit(**COMPILE)
def walk_each(
    offsets, neighbour, back_offsets, back_neighbour, first, second, several,
    starts, seeds, hops, marks, answers, bits, summary, here, there,
):  # type: ignore[no-untyped-def]  # fmt: skip
    """`walk` for many queries, one after another: query q has seeds[starts[q]:starts[q + 1]].

    Returns all ends one after another and the offsets of each query's."""
    queries = len(starts) - 1
    ends = np.zeros(queries + 1, np.int64)
    ids = np.empty(max(1024, 4 * len(seeds)), neighbour.dtype)
    for q in range(queries):
        dense, count, swapped = walk_into(
            offsets, neighbour, back_offsets, back_neighbour, first, second, several,
            seeds[starts[q] : starts[q + 1]], hops, marks, answers, bits, summary, here, there,
        )  # fmt: skip
        at = ends[q]
        if at + count + 8 > len(ids):
            larger = np.empty(2 * (at + count) + 8, neighbour.dtype)
            larger[:at] = ids[:at]
            ids = larger
        collect(dense, count, swapped, bits, (len(offsets) - 1 >> 6) + 1, here, there, ids, at)
        ends[q + 1] = at + count
    return ids[: ends[queries]], ends


@njit(**COMPILE)
def walk_levels(
    offsets, neighbour, back_offsets, back_neighbour, first, second,
    seeds, hops, marks, bits, visited, reached, missed,
):  # type: ignore[no-untyped-def]  # fmt: skip
    """Breadth first: everything within `hops` steps, nearest first and sorted within a level, with the level offsets.

    `marks` and `visited` hold the same set, what was reached so far, as bytes and as bits."""
    entities = len(offsets) - 1
    words = (entities >> 6) + 1
    few_pairs = np.int64(len(neighbour) * PULL_SHARE)
    for i in range(len(seeds)):
        v = np.int64(seeds[i])
        bits[v >> 6] |= ONE << np.uint64(v & 63)
    levels = np.zeros(min(hops, entities) + 2, np.int64)
    low = 0
    high = 0
    level = 0
    while True:
        for word in range(words):  # what is new joins the visited
            fresh = bits[word] & ~visited[word]
            bits[word] = 0
            visited[word] |= fresh
            while fresh != 0:
                v = (word << 6) + lowest_bit(fresh)
                reached[high] = v
                marks[v] = 1
                high += 1
                fresh &= fresh - ONE
        levels[level + 1] = high
        if high == low or level == hops:
            break
        if reach(offsets, reached[low:high], high - low) <= few_pairs:
            for i in range(low, high):
                u = reached[i]
                for j in range(offsets[u], offsets[u + 1]):
                    v = np.int64(neighbour[j])
                    bits[v >> 6] |= ONE << np.uint64(v & 63)
        else:
            count = 0  # whoever was not reached yet asks its in-neighbours: those visited are all of the last level
            for word in range((len(first) >> 6) + 1):
                rest = ~visited[word]
                while rest != 0:
                    missed[count] = (word << 6) + lowest_bit(rest)
                    count += 1
                    rest &= rest - ONE
            while count > 0 and missed[count - 1] >= len(first):
                count -= 1
            count = ask_column(first, marks, bits, missed, count)
            count = ask_column(second, marks, bits, missed, count)
            ask_rows(back_offsets, back_neighbour, 2, marks, bits, missed, count)
        low = high
        level += 1
    for i in range(high):
        marks[reached[i]] = 0
    visited[:words] = 0
    return reached[:high].copy(), levels[: level + 2]
