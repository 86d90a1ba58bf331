"""Where the tokens of sequences stand in their documents: which of them spell a span, and the text of a sequence."""

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["SequenceTokens", "Span"]

Ints = NDArray[np.integer]
Span = tuple[int, int]
WIDEST_GAP = 2  # letters between two tokens of one sentence


class SequenceTokens:
    """The tokens of all sequences as flat arrays, to find which of them spell a stretch of a document."""

    def __init__(self, sequences: pa.Table) -> None:
        lists = sequences["starts"].combine_chunks()
        self._offsets: Ints = lists.offsets.to_numpy()
        self._starts: Ints = lists.flatten().to_numpy()
        self._ends: Ints = sequences["ends"].combine_chunks().flatten().to_numpy()
        names = sequences["document"].to_pylist()
        self.rows: dict[str, range] = {}  # document → its sequences, which are adjacent
        start = 0
        for row in range(1, len(names) + 1):
            if row == len(names) or names[row] != names[start]:
                self.rows[names[start]] = range(start, row)
                start = row

    def text(self, sequence: int, text: str) -> str:
        """The words of a sequence, given its document's text; what was left out between sentences is skipped."""
        return " ".join(text[start:end] for start, end in self.segments(sequence))

    def segments(self, sequence: int) -> list[Span]:
        """The stretches of a document that a sequence is made of, in order."""
        first, last = self._offsets[sequence], self._offsets[sequence + 1]
        starts, ends = self._starts[first:last], self._ends[first:last]
        breaks = np.flatnonzero(starts[1:] - ends[:-1] > WIDEST_GAP)
        begins, stops = starts[np.append(0, breaks + 1)].tolist(), ends[np.append(breaks, len(ends) - 1)].tolist()
        return list(zip(begins, stops, strict=True))

    def place(self, document: str, spans: list[Span]) -> list[tuple[int, int, int] | None]:
        """For each span sequence, first and last token (exclusive); None where no sequence spells exactly it."""
        rows = self.rows.get(document, range(0))
        if not rows or not spans:
            return [None] * len(spans)
        low, high = int(self._offsets[rows.start]), int(self._offsets[rows.stop])
        wanted = np.array(spans)  # (n, 2)
        first = low + np.searchsorted(self._starts[low:high], wanted[:, 0])
        last = low + np.searchsorted(self._ends[low:high], wanted[:, 1])  # its last token
        inside = (first < high) & (last < high) & (first <= last)
        first, last = np.minimum(first, high - 1), np.minimum(last, high - 1)
        inside &= (self._starts[first] == wanted[:, 0]) & (self._ends[last] == wanted[:, 1])
        owner = np.searchsorted(self._offsets, first, side="right") - 1
        inside &= owner == np.searchsorted(self._offsets, last, side="right") - 1
        begin = self._offsets[owner]
        columns = (inside, owner, first - begin, last - begin + 1)
        return [
            (sequence, one, other) if fits else None
            for fits, sequence, one, other in zip(*(column.tolist() for column in columns), strict=True)
        ]
