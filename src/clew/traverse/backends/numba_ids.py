"""The compiled look-up of ids: hash, bisect, compare, for all ids in one call."""

import numpy as np
from numpy.typing import NDArray

from clew.graph.names import MULTIPLIER
from clew.traverse.backends.bits import ONE, compiled, prefetch

__all__ = ["find_ids", "lower_bound"]

Ints = NDArray[np.integer]
Bytes = NDArray[np.uint8]
FACTOR = np.uint64(MULTIPLIER)
SEPARATOR = 0
HALF = np.uint64(32)
NEAR = 32  # hashes looked through around the expected place at first


@compiled
def lower_bound(hashes: NDArray[np.uint64], value: np.uint64) -> int:
    """Where a value stands in sorted hashes, or would. Hashes are spread evenly, so the search begins where it should
    be and widens from there: few pages are touched in a table of any size."""
    size = len(hashes)
    if size == 0:
        return 0
    low = high = int(np.int64(((value >> HALF) * np.uint64(size)) >> HALF))
    step = NEAR
    if hashes[low] < value:
        while high < size and hashes[high] < value:
            low = high + 1
            high += step
            step <<= 1
        high = min(high, size)
    else:
        while low > 0 and hashes[low] >= value:
            high = low
            low = max(low - step, 0)
            step <<= 1
    while low < high:
        middle = (low + high) >> 1
        if hashes[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@compiled
def find_ids(text: bytes, found: Ints, id_hash: NDArray[np.uint64], id_entity: Ints, starts: Ints, ids: Bytes) -> bool:
    """Fill `found` with the entities whose ids are in `text`, separated by zero bytes; False if one is unknown.

    `starts` and `ids` are the texts of all ids one after another, by entity; `id_hash` is sorted. Each pass asks for
    the memory that the next one reads, so that the ids do not wait for each other."""
    count = len(found)
    hashes = np.empty(count, np.uint64)
    begins, places = np.empty((2, count + 1), np.int64)
    at = 0
    for number in range(count):
        begins[number] = at
        value, power = np.uint64(0), FACTOR
        while at < len(text) and text[at] != SEPARATOR:
            value += (np.uint64(text[at]) + ONE) * power
            power *= FACTOR
            at += 1
        at += 1
        hashes[number] = value
        prefetch(id_hash, np.int64(((value >> HALF) * np.uint64(len(id_hash))) >> HALF))
    begins[count] = at
    if at != len(text) + 1:
        return False
    for number in range(count):
        places[number] = lower_bound(id_hash, hashes[number])
        prefetch(id_entity, places[number])
    for number in range(count):
        if places[number] < len(id_hash):
            prefetch(starts, np.int64(id_entity[places[number]]))
    for number in range(count):
        low, begin = places[number], begins[number]
        length = begins[number + 1] - 1 - begin
        entity = np.int64(-1)
        while low < len(id_hash) and id_hash[low] == hashes[number]:
            candidate = np.int64(id_entity[low])
            first = np.int64(starts[candidate])
            if np.int64(starts[candidate + 1]) - first == length:
                same = True
                for offset in range(length):
                    if ids[first + offset] != text[begin + offset]:
                        same = False
                        break
                if same:
                    entity = candidate
                    break
            low += 1
        if entity < 0:
            return False
        found[number] = entity
    return True
