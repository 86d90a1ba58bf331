"""A trie of token sequences as one sorted array, walked along the most probable tokens of each slot.

A branch is a range of rows with the same prefix; its children are found by bisection. Half a million names take a few
megabytes, and a walk looks only at branches that the slots make likely.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew.extract.chains.graphs import PAD, SLOTS

__all__ = ["Trie"]


class Trie:
    """Texts with their tokens; sequences of more than seven tokens, and those without any, are left out.

    Of texts with the same tokens the first is kept.
    """

    def __init__(self, texts: Sequence[str], tokens: Sequence[Sequence[int]]) -> None:
        fitting = [at for at, each in enumerate(tokens) if 1 <= len(each) <= SLOTS]
        rows = np.full((len(fitting), SLOTS), PAD, np.uint16)
        for row, at in enumerate(fitting):
            rows[row, : len(tokens[at])] = tokens[at]
        rows, first = np.unique(rows, axis=0, return_index=True)  # sorted; PAD is 0, so a name stands before its longer
        self.rows: NDArray[np.uint16] = rows  # (n, 7)
        self.lengths: NDArray[np.int64] = (rows != PAD).sum(axis=1)
        self.texts = [texts[fitting[at]] for at in first.tolist()]
        self.left_out = len(texts) - len(fitting)

    def __len__(self) -> int:
        return len(self.rows)

    def walk(
        self,
        tokens: NDArray[np.integer],
        log_probs: NDArray[np.floating],
        ends: NDArray[np.floating],
        *,
        width: int,
    ) -> list[tuple[int, float]]:
        """Rows whose every token is among the predicted ones, with the sum of their log-probabilities.

        `tokens` and `log_probs` are (7, k), the likeliest of each slot; `ends` (7,) is the log-probability that the
        tail ends before a slot. At most `width` branches are followed from slot to slot, the likeliest.
        """
        found: list[tuple[int, float]] = []
        branches = [(0.0, 0, len(self.rows))] if len(self.rows) else []
        for slot in range(SLOTS):
            grown: list[tuple[float, int, int]] = []
            for score, low, high in branches:
                column = self.rows[low:high, slot]
                if slot and column[0] == PAD:  # at most one row ends here, the first
                    found.append((low, score + float(ends[slot])))
                starts = column.searchsorted(tokens[slot], "left")
                stops = column.searchsorted(tokens[slot], "right")
                grown += [
                    (score + float(log_probs[slot, at]), low + int(starts[at]), low + int(stops[at]))
                    for at in np.flatnonzero((stops > starts) & (tokens[slot] != PAD)).tolist()
                ]
            grown.sort(key=lambda branch: -branch[0])
            branches = grown[:width]
        return found + [(low, score) for score, low, _ in branches]
