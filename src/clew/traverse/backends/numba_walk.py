"""The compiled walk of one query: all hops in one call.

The frontier is a sorted list while it is small and a set of bits when it is large. A small frontier pushes to its
neighbours; for a large one each entity asks whether any of its in-neighbours is in the frontier (a pull), hubs first,
so that the first or second question usually answers. Nothing here checks bounds: arrays come proved (`graph.arrays`).
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from clew.traverse.backends.bits import (
    ONE,
    bits_to_ids,
    compiled,
    count_bits,
    marks_to_bits,
    prefetch,
    touched_to_ids,
)

__all__ = ["Pairs", "Scratch", "expand_each", "expand_few", "walk", "walk_each"]

Ints = NDArray[np.integer]
Marks = NDArray[np.uint8]
Words = NDArray[np.uint64]

FEW = 16384  # neighbour entries up to which a push goes through bits, which need no pass over all entities;
FEW_SHARE = 4  # in a large graph, where that pass costs more, up to n / 4
PULL_SHARE = 0.22  # of all pairs: a push that would look at more is done as a pull
SPARSE_SHARE = 32  # a set of fewer than n / 32 entities is walked as a list again
SAMPLE = 2048  # members of a large frontier whose rows are measured to choose between push and pull
AHEAD = 8  # rows by which memory is asked for in advance


class Pairs(NamedTuple):
    """An adjacency laid out for the kernels. `first` and `second` end at the last entity that has an in-neighbour."""

    offsets: Ints
    neighbour: Ints
    back_offsets: Ints
    back_neighbour: Ints
    first: Ints  # the first in-neighbour of each entity, n where there is none
    second: Ints
    several: Words  # bits: entities with two in-neighbours or more


class Scratch(NamedTuple):
    """What a walk works in: all zero between calls, the lists excepted. Entity n has room too, and is never set."""

    marks: Marks  # one byte per entity
    answers: Marks
    bits: Words
    visited: Words
    summary: Words  # one bit per word of `bits`
    here: Ints  # lists of up to n entities, with 64 to spare
    there: Ints


@compiled
def reach(offsets: Ints, neighbour: Ints, frontier: Ints, count: int) -> int:
    """How many neighbour entries a frontier has: exactly for a small one, else estimated from a sample of its rows.

    Asks for the rows it looks at to be brought near, since they are what is read next."""
    stride = max(1, count // SAMPLE)
    total = 0
    for i in range(0, count, stride):
        start = np.int64(offsets[frontier[i]])
        total += offsets[frontier[i] + 1] - start
        prefetch(neighbour, start)
    return total * stride


@compiled
def take_ids(bits: Words, words: int, out: Ints) -> int:
    """Sorted list of a set; clears it."""
    count = bits_to_ids(bits, words, out, 0)
    bits[:words] = 0
    return count


@compiled
def push_bits(offsets: Ints, neighbour: Ints, frontier: Ints, count: int, bits: Words) -> None:
    """Add the neighbours of a frontier to a set."""
    for i in range(count):
        u = frontier[i]
        for j in range(offsets[u], offsets[u + 1]):
            v = np.int64(neighbour[j])
            bits[v >> 6] |= ONE << np.uint64(v & 63)


@compiled
def push_few(
    offsets: Ints, neighbour: Ints, frontier: Ints, count: int, total: int, bits: Words, summary: Words, out: Ints
) -> int:
    """Neighbours of a small frontier with `total` entries, sorted.

    A very small one also notes which words it touched, so that most of the set need not be looked through."""
    words = len(bits)
    if total * 4 > words:
        push_bits(offsets, neighbour, frontier, count, bits)
        return take_ids(bits, words, out)
    for i in range(count):
        u = frontier[i]
        for j in range(offsets[u], offsets[u + 1]):
            v = np.int64(neighbour[j])
            bits[v >> 6] |= ONE << np.uint64(v & 63)
            summary[v >> 12] |= ONE << np.uint64((v >> 6) & 63)
    return touched_to_ids(bits, summary, out, 0)


@compiled
def push_many(offsets: Ints, neighbour: Ints, frontier: Ints, count: int, marks: Marks) -> None:
    """Mark the neighbours of a larger frontier: by stores alone, which do not wait for each other."""
    for i in range(count):
        if i + 2 * AHEAD < count:
            prefetch(offsets, np.int64(frontier[i + 2 * AHEAD]))
            prefetch(neighbour, np.int64(offsets[frontier[i + AHEAD]]))
        u = frontier[i]
        for j in range(offsets[u], offsets[u + 1]):
            marks[neighbour[j]] = 1


@compiled
def pull(pairs: Pairs, marks: Marks, answers: Marks, bits: Words, missed: Ints) -> int:
    """`answers` and `bits` become every entity with an in-neighbour in `marks`; returns how many those are.

    One pass over the first in-neighbours, a second over the second ones of those still missed, then row by row."""
    first, words = pairs.first, len(bits)
    for v in range(len(first)):
        answers[v] = marks[first[v]]
    answers[len(first) :] = 0
    marks_to_bits(answers.view(np.uint64), words << 3, bits.view(np.uint8))
    for word in range(words):
        bits[word] = ~bits[word] & pairs.several[word]
    count = bits_to_ids(bits, words, missed, 0)
    count = ask_column(pairs.second, marks, answers, missed, count)
    ask_rows(pairs.back_offsets, pairs.back_neighbour, marks, answers, missed, count)
    marks_to_bits(answers.view(np.uint64), words << 3, bits.view(np.uint8))
    total = 0
    for word in range(words):
        total += count_bits(bits[word])
    return total


@compiled
def ask_column(column: Ints, marks: Marks, answers: Marks, missed: Ints, count: int) -> int:
    """Ask one in-neighbour of each of the first `count` in `missed`; those without an answer stay there."""
    still = 0
    for i in range(count):
        v = np.int64(missed[i])
        hit = marks[column[v]]
        answers[v] = hit
        missed[still] = v
        still += 1 - hit
    return still


@compiled
def ask_rows(back_offsets: Ints, back_neighbour: Ints, marks: Marks, answers: Marks, missed: Ints, count: int) -> None:
    """Ask the in-neighbours of each entity in `missed`, from the third on, until one answers."""
    for i in range(count):
        if i + AHEAD < count:
            prefetch(back_neighbour, np.int64(back_offsets[missed[i + AHEAD]] + 2))
        v = np.int64(missed[i])
        for j in range(back_offsets[v] + 2, back_offsets[v + 1]):
            if marks[back_neighbour[j]]:
                answers[v] = 1
                break


@compiled
def expand_few(offsets: Ints, neighbour: Ints, frontier: Ints, bits: Words, summary: Words) -> tuple[Ints, int]:
    """One hop of a small frontier, the shortest way through the door: (ids, 1).

    (nothing, 0) if the frontier is not small, (nothing, -1) if it names an entity that is not there."""
    entities = len(offsets) - 1
    total = 0
    for i in range(len(frontier)):
        u = frontier[i]
        if u < 0 or u >= entities:
            return neighbour[:0].copy(), -1
        total += offsets[u + 1] - offsets[u]
        prefetch(neighbour, np.int64(offsets[u]))
    if total > FEW:
        return neighbour[:0].copy(), 0
    ids = np.empty(total + 8, neighbour.dtype)
    count = push_few(offsets, neighbour, frontier, len(frontier), total, bits, summary, ids)
    return ids[:count], 1


@compiled
def walk_into(pairs: Pairs, seeds: Ints, hops: int, scratch: Scratch) -> tuple[bool, int, bool, int]:
    """Ends of walks of exactly `hops` steps: (dense, how many, swapped, pending), for `collect` to take.

    A dense result stands in `scratch.bits`; a sparse one sorted in `scratch.there` if swapped, else in `here`. If
    `pending` is not negative, a small last hop of that many entries is still to be made from there."""
    offsets, neighbour = pairs.offsets, pairs.neighbour
    marks, answers, bits, here, there = scratch.marks, scratch.answers, scratch.bits, scratch.here, scratch.there
    few, few_pairs = max(FEW, len(offsets) // FEW_SHARE), int(len(neighbour) * PULL_SHARE)
    count = len(seeds)
    for i in range(count):
        here[i] = seeds[i]
    dense = False  # the frontier is in `bits`, not listed in `here`
    marked = False  # the frontier is in `marks`, which therefore are not clear
    pulled = False  # nor are `answers`
    swapped = False
    pending = -1
    for hop in range(hops):
        if count == 0:
            break
        if dense and count * SPARSE_SHARE < len(offsets):
            take_ids(bits, len(bits), here)
            dense = False
        total = 0 if dense else reach(offsets, neighbour, here, count)
        if dense or total > max(FEW, few_pairs):
            if not marked:
                for i in range(count):
                    marks[here[i]] = 1
            count = pull(pairs, marks, answers, bits, there)
            marks, answers = answers, marks
            dense = marked = pulled = True
            continue
        if marked:
            marks[:] = 0
        marked = total > few
        if marked:
            push_many(offsets, neighbour, here, count, marks)
            marks_to_bits(marks.view(np.uint64), len(marks) >> 3, bits.view(np.uint8))
            count = take_ids(bits, len(bits), there)
        elif hop == hops - 1 and count <= SAMPLE:  # then the total is exact
            pending = total
            break
        else:
            count = push_few(offsets, neighbour, here, count, total, bits, scratch.summary, there)
        here, there = there, here
        swapped = not swapped
    if marked:
        marks[:] = 0
    if pulled:
        answers[:] = 0
    return dense, count, swapped, pending


@compiled
def collect(
    pairs: Pairs, scratch: Scratch, dense: bool, count: int, swapped: bool, pending: int, ids: Ints
) -> tuple[Ints, int]:
    """Write what `walk_into` found into `ids`, or into a new array if it is too short; returns it and how many."""
    room = max(count, pending) + 8
    if len(ids) < room:
        ids = np.empty(room, ids.dtype)
    found = scratch.there if swapped else scratch.here
    if dense:
        bits_to_ids(scratch.bits, len(scratch.bits), ids, 0)
        scratch.bits[:] = 0
    elif pending >= 0:
        count = push_few(pairs.offsets, pairs.neighbour, found, count, pending, scratch.bits, scratch.summary, ids)
    else:
        ids[:count] = found[:count]
    return ids, count


@compiled
def walk(
    offsets: Ints, neighbour: Ints, back_offsets: Ints, back_neighbour: Ints, first: Ints, second: Ints, several: Words,
    marks: Marks, answers: Marks, bits: Words, visited: Words, summary: Words, here: Ints, there: Ints,
    seeds: Ints, hops: int,
) -> tuple[Ints, bool]:  # fmt: skip
    """Sorted ends of walks of exactly `hops` steps; (nothing, False) if a seed is not an entity.

    Takes the arrays of `Pairs` and `Scratch` one by one: as tuples they would take 5 µs longer to hand over."""
    pairs = Pairs(offsets, neighbour, back_offsets, back_neighbour, first, second, several)
    scratch = Scratch(marks, answers, bits, visited, summary, here, there)
    ids = np.empty(0, neighbour.dtype)
    for i in range(len(seeds)):
        if seeds[i] < 0 or seeds[i] >= len(offsets) - 1:
            return ids, False
    dense, count, swapped, pending = walk_into(pairs, seeds, hops, scratch)
    ids, count = collect(pairs, scratch, dense, count, swapped, pending, ids)
    return ids[:count], True


@compiled
def walk_each(pairs: Pairs, starts: Ints, seeds: Ints, hops: int, scratch: Scratch) -> tuple[Ints, Ints]:
    """`walk` for many queries, one after another: query q has seeds[starts[q]:starts[q + 1]].

    Returns all ends one after another and the offsets of each query's."""
    queries = len(starts) - 1
    ends = np.zeros(queries + 1, np.int64)
    ids = np.empty(reach(pairs.offsets, pairs.neighbour, seeds, len(seeds)) + 4096, pairs.neighbour.dtype)
    for q in range(queries):
        dense, count, swapped, pending = walk_into(pairs, seeds[starts[q] : starts[q + 1]], hops, scratch)
        at = ends[q]
        if at + max(count, pending) + 8 > len(ids):
            larger = np.empty(2 * (at + max(count, pending)) + 8, ids.dtype)
            larger[:at] = ids[:at]
            ids = larger
        ends[q + 1] = at + collect(pairs, scratch, dense, count, swapped, pending, ids[at:])[1]
    return ids[: ends[queries]], ends


@compiled
def expand_each(
    offsets: Ints, neighbour: Ints, starts: Ints, seeds: Ints, bits: Words, summary: Words
) -> tuple[Ints, Ints]:
    """One hop of many small frontiers, one after another; `walk_each` without what only later hops need."""
    queries = len(starts) - 1
    ends = np.zeros(queries + 1, np.int64)
    ids = np.empty(reach(offsets, neighbour, seeds, len(seeds)) + 4096, neighbour.dtype)
    for q in range(queries):
        frontier, at = seeds[starts[q] : starts[q + 1]], ends[q]
        total = 0
        for u in frontier:
            total += offsets[u + 1] - offsets[u]
        if at + total + 8 > len(ids):
            larger = np.empty(2 * (at + total) + 8, ids.dtype)
            larger[:at] = ids[:at]
            ids = larger
        ends[q + 1] = at + push_few(offsets, neighbour, frontier, len(frontier), total, bits, summary, ids[at:])
    return ids[: ends[queries]], ends
