"""The compiled walk of up to 64 queries at once: bit q of word v says that query q stands at entity v.

A hop is one pass over the pairs for all queries together. Results leave by transposing 64 entities × 64 queries at a
time, so that each query's members become a set of its own and are listed like any other.
"""

import numpy as np
from numpy.typing import NDArray

from clew.traverse.backends.bits import ONE, bits_to_ids, compiled, count_bits, prefetch

Ints = NDArray[np.integer]
Words = NDArray[np.uint64]

__all__ = ["list_sets", "push_rows", "push_wide", "seed_wide", "seed_words", "sets_of_words", "spread"]

AHEAD = 16  # entries by which memory is asked for in advance
PUSH_SHARE = 0.15  # of all pairs: below this the active entities push, above it everyone pulls


@compiled
def seed_words(entities: int, starts: Ints, seeds: Ints) -> Words:
    """Words of the seeds: query q has seeds[starts[q]:starts[q + 1]]."""
    words = np.zeros(entities + 1, np.uint64)
    for q in range(len(starts) - 1):
        for i in range(starts[q], starts[q + 1]):
            words[seeds[i]] |= ONE << np.uint64(q)
    return words


@compiled
def seed_wide(entities: int, starts: Ints, seeds: Ints) -> Words:
    """The same for more queries, 64 in a word: (entities + 1, words)."""
    words = np.zeros((entities + 1, (len(starts) + 62) >> 6), np.uint64)
    for q in range(len(starts) - 1):
        for i in range(starts[q], starts[q + 1]):
            words[seeds[i], q >> 6] |= ONE << np.uint64(q & 63)
    return words


@compiled
def spread(offsets: Ints, neighbour: Ints, back_offsets: Ints, back_neighbour: Ints, words: Words) -> Words:
    """One hop of all queries: push when few entries leave the active entities, else pull."""
    entities = len(offsets) - 1
    reached = np.zeros(entities + 1, np.uint64)
    total = 0
    everyone = np.uint64(0)
    for u in range(entities):
        if words[u] != 0:
            everyone |= words[u]
            total += offsets[u + 1] - offsets[u]
    if total < PUSH_SHARE * len(neighbour):
        for u in range(entities):
            word = words[u]
            if word != 0:
                for j in range(offsets[u], offsets[u + 1]):
                    reached[neighbour[j]] |= word
    else:
        for v in range(entities):
            word = np.uint64(0)
            for j in range(back_offsets[v], back_offsets[v + 1]):
                word |= words[back_neighbour[j]]
                if word == everyone:
                    break
            reached[v] = word
    return reached


@compiled
def push_rows(offsets: Ints, neighbour: Ints, first: int, words: Words, reached: Words) -> None:
    """One hop of all queries over the rows of entities `first` and following, added to `reached`."""
    for u in range(len(offsets) - 1):
        word = words[first + u]
        if word != 0:
            for j in range(offsets[u], offsets[u + 1]):
                reached[neighbour[j]] |= word


@compiled
def push_wide(offsets: Ints, neighbour: Ints, first: int, words: Words, reached: Words) -> None:
    """The same for several words an entity: a neighbour is brought near once for all of them."""
    wide, last = words.shape[1], len(neighbour) - 1
    flat = reached.reshape(-1)
    for u in range(len(offsets) - 1):
        word = np.uint64(0)
        for g in range(wide):
            word |= words[first + u, g]
        if word != 0:
            for j in range(offsets[u], offsets[u + 1]):
                prefetch(flat, np.int64(neighbour[min(j + AHEAD, last)]) * wide)
                at = np.int64(neighbour[j]) * wide
                for g in range(wide):
                    flat[at + g] |= words[first + u, g]


@compiled
def transpose_block(block: Words) -> None:
    """Transpose 64 words of 64 bits in place: bit q of word v becomes bit v of word q."""
    width = 32
    mask = np.uint64(0x00000000FFFFFFFF)
    while width != 0:
        shift = np.uint64(width)
        low = 0
        while low < 64:
            for i in range(low, low + width):
                swap = ((block[i] >> shift) ^ block[i + width]) & mask
                block[i] ^= swap << shift
                block[i + width] ^= swap
            low += 2 * width
        width >>= 1
        mask ^= mask << np.uint64(width)


@compiled
def sets_of_words(words: Words, queries: int) -> tuple[Words, Ints]:
    """Each query's members as a set of bits, (queries, blocks), and how many they are."""
    blocks = (len(words) - 1 >> 6) + 1
    sets = np.empty((queries, blocks), np.uint64)
    counts = np.zeros(queries, np.int64)
    block = np.empty(64, np.uint64)
    for b in range(blocks):
        here = min(64, len(words) - (b << 6))
        block[:here] = words[b << 6 : (b << 6) + here]
        block[here:] = 0
        transpose_block(block)
        for q in range(queries):
            sets[q, b] = block[q]
            counts[q] += count_bits(block[q])
    return sets, counts


@compiled
def list_sets(sets: Words, ids: Ints, at: int) -> int:
    """Write the members of each set, sorted, one set after another, into `ids` from `at` on; it has 8 to spare."""
    for q in range(len(sets)):
        at = bits_to_ids(sets[q], sets.shape[1], ids, at)
    return at
