"""Random numbers that depend on what they are for and on nothing else.

Each number is a hash (SplitMix64) of a key and of counters such as the sequence and the place in it, so the masks of a
sequence are the same in whatever batch, process or order it is drawn.
"""

import numpy as np
from numpy.typing import NDArray

__all__ = ["draw", "make_key"]

GOLDEN = 0x9E3779B97F4A7C15
ALL = (1 << 64) - 1


def make_key(*parts: int) -> int:
    """One key from several numbers, such as the seed, the epoch and what the numbers are for."""
    state = 0
    for part in parts:
        state = int(_mix(np.array([(state + (part + 1) * GOLDEN) & ALL], np.uint64))[0])
    return state


def draw(key: int, *counters: NDArray[np.integer]) -> NDArray[np.float64]:
    """Uniform numbers in [0, 1), one for each row of the counters (which broadcast)."""
    state = np.full(1, key, np.uint64)
    for counter in counters:
        state = _mix(state + (counter.astype(np.uint64) + np.uint64(1)) * np.uint64(GOLDEN))
    return (state >> np.uint64(11)).astype(np.float64) * 2.0**-53


def _mix(state: NDArray[np.uint64]) -> NDArray[np.uint64]:
    state = (state ^ (state >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    state = (state ^ (state >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return state ^ (state >> np.uint64(31))
