"""The exact number of walks, by dynamic programming: one backward pass from the targets for each hop.

Numbers beyond 64 bits are stored as rows of 31-bit digits, so that every sum is a NumPy sum of integers.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from clew.traverse.paths.search_graph import SearchGraph

__all__ = ["closed_walks", "crude_bound", "walks_by_length"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
Check = Callable[[], None]
DIGIT = 31  # bits: a sum of 2**31 digits still fits in 63
BLOCK_ENTRIES = 1 << 22  # entries summed at once


def walks_by_length(graph: SearchGraph, longest: int, check: Check) -> Iterator[int]:
    """The number of walks of length 1, 2, … up to `longest`, from any source to any target."""
    return _walks(graph, graph.sources, graph.target, longest, check)


def closed_walks(graph: SearchGraph, length: int, check: Check) -> int:
    """The number of walks of one length that end where they began, at a source that is also a target."""
    total = 0
    for place in graph.sources[graph.target[graph.sources]]:
        target = np.zeros(graph.places, bool)
        target[place] = True
        counts = list(_walks(graph, np.array([place]), target, length, check))
        total += counts[length - 1] if len(counts) == length else 0
    return total


def crude_bound(graph: SearchGraph, longest: int) -> int:
    """An upper bound on the number of walks without counting: the maximum out-degree to the power of the length."""
    most = int(np.diff(graph.offsets).max(initial=0))
    if most < 2:
        return len(graph.sources) * most * longest
    return len(graph.sources) << (most.bit_length() * longest + 1)  # a power of two: it may have millions of digits


def _walks(graph: SearchGraph, sources: Ints, target: Mask, longest: int, check: Check) -> Iterator[int]:
    filled = np.flatnonzero(np.diff(graph.offsets))
    rows = graph.offsets[filled]
    onward: Ints = target[None, :].astype(
        np.int64
    )  # (digits, p) walks of this many steps from each place, low digits first
    for _ in range(longest):
        check()
        onward = _carried(_summed(onward, graph.end, rows, filled, check))
        if not onward.any():
            return
        yield sum(int(digit[sources].sum()) << (DIGIT * power) for power, digit in enumerate(onward))
        onward[:, ~graph.inner] = 0  # from here on, the place is passed through


def _summed(onward: Ints, end: Ints, rows: Ints, filled: Ints, check: Check) -> Ints:
    """For each place the sum over its steps, digit by digit."""
    made = np.zeros_like(onward)
    rows_at_once = max(1, BLOCK_ENTRIES // max(1, len(end)))
    for first in range(0, len(onward) if len(rows) else 0, rows_at_once):
        check()
        digits = slice(first, first + rows_at_once)
        made[digits, filled] = np.add.reduceat(onward[digits].take(end, axis=1), rows, axis=1)
    return made


def _carried(digits: Ints) -> Ints:
    """The same numbers with carries propagated, so that every digit is below 2**31."""
    carry = np.zeros_like(digits[0])
    for digit in digits:
        digit += carry
        carry = digit >> DIGIT
        digit &= (1 << DIGIT) - 1
    more = [digits]
    while carry.any():
        more.append((carry & ((1 << DIGIT) - 1))[None, :])
        carry = carry >> DIGIT
    return np.concatenate(more) if len(more) > 1 else digits
