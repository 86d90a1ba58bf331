"""The trigram index: every trigram (three bytes) of every key, and the keys that contain it.

A key is padded with two spaces before and one after, which gives its beginning more weight. Candidates are ranked by
the Jaccard similarity of their sets of trigrams.
"""

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from clew.link.names.strings import Bytes, Starts

__all__ = ["Trigrams", "trigram_arrays", "trigrams_of"]

Ints = NDArray[np.integer]
BEFORE, AFTER = 2, 1  # spaces around a key
SPACE = 32
MANY = 1 << 20


def trigrams_of(key: str) -> NDArray[np.uint32]:
    """The distinct trigrams of one padded key, as numbers, sorted."""
    raw = np.frombuffer((" " * BEFORE + key + " " * AFTER).encode("utf-8", "replace"), np.uint8).astype(np.uint32)
    return np.unique(raw[:-2] << 16 | raw[1:-1] << 8 | raw[2:])


def trigram_arrays(content: Bytes, starts: Starts) -> Mapping[str, NDArray[np.generic]]:
    """The trigrams of all keys (packed strings): code of each, the keys that contain it, and the number in each key."""
    lengths = np.diff(starts)
    count = len(lengths)
    padded_starts = starts[:-1] + np.arange(count, dtype=np.int64) * (BEFORE + AFTER)
    padded = np.full(len(content) + count * (BEFORE + AFTER), SPACE, np.uint8)
    padded[np.arange(len(content)) + np.repeat(padded_starts - starts[:-1] + BEFORE, lengths)] = content
    runs = lengths + BEFORE + AFTER - 2
    inside = np.ones(max(len(padded) - 2, 0), bool)
    inside[(padded_starts[1:, None] - [1, 2]).ravel()] = False  # trigrams across the boundary of two keys
    wide = padded.astype(np.uint32)
    code = (wide[:-2] << 16 | wide[1:-1] << 8 | wide[2:])[inside]
    del wide, inside
    codes, number = _numbered(code.astype(np.uint32))
    narrow = number.astype(np.uint16) if len(codes) < 1 << 16 else number  # 16 bits are sorted in one pass
    order = np.argsort(narrow, kind="stable")
    number, holders = number[order], np.repeat(np.arange(count, dtype=np.int32), runs)[order]
    first = np.ones(len(holders), bool)  # count a trigram once in a key
    first[1:] = (number[1:] != number[:-1]) | (holders[1:] != holders[:-1])
    number, holders = number[first], holders[first]
    return {
        "gram_code": codes,
        "gram_start": np.searchsorted(number, np.arange(len(codes) + 1)).astype(np.int64),
        "gram_key": holders,
        "key_grams": np.minimum(np.bincount(holders, minlength=count), 65535).astype(np.uint16),
    }


def _numbered(code: NDArray[np.uint32]) -> tuple[NDArray[np.uint32], NDArray[np.int32]]:
    """The distinct codes, sorted, and the row of each among them; large inputs are counted, which beats sorting."""
    if len(code) < MANY:
        codes, number = np.unique(code, return_inverse=True)
        return codes, number.astype(np.int32)
    seen = np.zeros(1 << 24, bool)
    seen[code] = True
    return np.flatnonzero(seen).astype(np.uint32), np.cumsum(seen, dtype=np.int32)[code] - 1


class Trigrams:
    """Finds the keys most similar to a text by trigrams."""

    def __init__(self, codes: Ints, starts: Ints, holders: Ints, sizes: Ints) -> None:
        self._codes = codes  # (g,) uint32, sorted
        self._starts = starts  # (g + 1,) into holders
        self._holders = holders  # key rows
        self._sizes = sizes  # (keys,) distinct trigrams of each key

    def nearest(self, key: str, *, limit: int, floor: float, most_read: int) -> list[tuple[int, float]]:
        """Key rows with at least `floor` Jaccard similarity, the most similar first.

        The rarest trigrams are read first, and at most `most_read` key rows in total: names that share only an ending
        such as "syndrome" do not justify reading the whole index. The overlap in unread trigrams is estimated.
        """
        grams = trigrams_of(key)
        if not len(self._codes):
            return []
        at = np.searchsorted(self._codes, grams)
        known = at[(at < len(self._codes)) & (self._codes[np.minimum(at, len(self._codes) - 1)] == grams)]
        if not len(known):
            return []
        starts, ends = self._starts[known], self._starts[known + 1]
        order = np.argsort(ends - starts, kind="stable")
        read = self._read(starts[order], ends[order], most_read)
        shared = np.bincount(np.concatenate(read), minlength=len(self._sizes))
        whole = len(grams) / (len(grams) - len(known) + len(read))  # unread trigrams are assumed to be shared as often
        rows = np.flatnonzero(shared >= max(1, int(floor * len(grams) / whole)))  # fewer cannot be similar enough
        common = shared[rows] * whole
        similarity = common / np.maximum(len(grams) + self._sizes[rows] - common, 1)
        keep = similarity >= floor
        rows, similarity = rows[keep], similarity[keep]
        if len(rows) > limit:
            least = np.partition(similarity, len(rows) - limit)[len(rows) - limit]
            keep = similarity >= least  # including ties with the last
            rows, similarity = rows[keep], similarity[keep]
        best = np.lexsort((rows, -similarity))
        return list(zip(rows[best].tolist(), similarity[best].tolist(), strict=True))

    def _read(self, starts: Ints, ends: Ints, most_read: int) -> Sequence[Ints]:
        read: list[Ints] = []
        total = 0
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            total += end - start
            if total > most_read and read:
                break
            read.append(self._holders[start:end])
        return read
