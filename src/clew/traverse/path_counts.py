"""How many walks there are, exactly, however many: one pass back from the targets for each hop.

Numbers beyond 64 bits are kept as rows of 31-bit digits, so that every sum is a NumPy sum of whole numbers.
"""

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray

from clew.traverse.path_ways import Ways

__all__ = ["closed_walks", "crude_bound", "walks_by_length"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
Check = Callable[[], None]
DIGIT = 31  # bits: a sum of 2**31 digits still fits in 63
TOGETHER = 1 << 22  # entries summed at once


def walks_by_length(ways: Ways, longest: int, check: Check) -> Iterator[int]:
    """The number of walks of length 1, 2, … up to `longest`, from any source to any target."""
    return _walks(ways, ways.sources, ways.target, longest, check)


def closed_walks(ways: Ways, length: int, check: Check) -> int:
    """The number of walks of one length that end where they began, at a source that is a target too."""
    total = 0
    for place in ways.sources[ways.target[ways.sources]]:
        target = np.zeros(ways.places, bool)
        target[place] = True
        counts = list(_walks(ways, np.array([place]), target, length, check))
        total += counts[length - 1] if len(counts) == length else 0
    return total


def crude_bound(ways: Ways, longest: int) -> int:
    """A bound on the number of walks that needs no walking: the most steps of any place, to the power of the length."""
    most = int(np.diff(ways.offsets).max(initial=0))
    if most < 2:
        return len(ways.sources) * most * longest
    return len(ways.sources) << (most.bit_length() * longest + 1)  # a power of two, for these have millions of digits


def _walks(ways: Ways, sources: Ints, target: Mask, longest: int, check: Check) -> Iterator[int]:
    filled = np.flatnonzero(np.diff(ways.offsets))
    rows = ways.offsets[filled]
    onward: Ints = target[None, :].astype(
        np.int64
    )  # (digits, p) walks of this many steps from each place, low digits first
    for _ in range(longest):
        check()
        onward = _carried(_summed(onward, ways.end, rows, filled, check))
        if not onward.any():
            return
        yield sum(int(digit[sources].sum()) << (DIGIT * power) for power, digit in enumerate(onward))
        onward[:, ~ways.inner] = 0  # from here on the place is passed


def _summed(onward: Ints, end: Ints, rows: Ints, filled: Ints, check: Check) -> Ints:
    """For each place the sum over its steps, digit by digit."""
    made = np.zeros_like(onward)
    together = max(1, TOGETHER // max(1, len(end)))
    for first in range(0, len(onward) if len(rows) else 0, together):
        check()
        digits = slice(first, first + together)
        made[digits, filled] = np.add.reduceat(onward[digits].take(end, axis=1), rows, axis=1)
    return made


def _carried(digits: Ints) -> Ints:
    """The same numbers with every digit below 2**31; as many digits as they need."""
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
