"""The encoder of questions: reads pieces of words, alone or with parts of a schema, and gives a state for each.

A part of a schema sees the question and itself alone, so that one row over all pieces would be hidden for the most
part. The question's pieces see everything, and parts see the question and their own block: a few parts side by side.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BEGIN", "END", "UNKNOWN", "QuestionEncoder", "Read", "blocks_of", "normed"]

Array = NDArray[np.float32]
BEGIN, END, UNKNOWN = 101, 102, 100  # pieces of BERT's vocabulary
TINY = 1e-5
REMEMBERED = 4096  # texts: words, and parts of schemas
LANES = 4  # in which onnxruntime sums the exponentials of a row on ARM; the remainder is summed separately
MOST_IN_BLOCK = 24  # pieces of a block, where no single part is longer


@dataclass(frozen=True, slots=True)
class Read:
    """What the encoder reads: pieces, their places, whether they are of a schema, and their marks.

    `lengths` are those of the question and of each part of a schema, which sees itself and the question.
    """

    pieces: NDArray[np.int64]
    places: NDArray[np.int64]
    kinds: NDArray[np.int64]
    marks: NDArray[np.int64]
    lengths: Sequence[int]


class QuestionEncoder:
    """One encoder for sketches and for linking with schemas; one object serves many threads."""

    def __init__(self, session: Any, tokenizer: Any) -> None:
        self._session, self._tokenizer = session, tokenizer
        self.pieces = lru_cache(REMEMBERED)(self._pieces)

    def _pieces(self, text: str) -> tuple[int, ...]:
        """The pieces of a text."""
        return tuple(self._tokenizer.encode(text, add_special_tokens=False).ids)

    def read(self, given: Read) -> Array:
        """A state for each piece."""
        named = {"pieces": given.pieces, "places": given.places, "kinds": given.kinds, "marks": given.marks}
        (states,) = self._session.run(None, {**named, **blocks_of(given.lengths)})
        return np.asarray(states, np.float32)

    def read_question(self, pieces: list[int]) -> Array:
        """A state for each piece of a question alone."""
        count = len(pieces)
        zeros, places = np.zeros(count, np.int64), np.arange(count)
        return self.read(Read(np.array(pieces), places, zeros, zeros, [count]))


def blocks_of(lengths: Sequence[int]) -> dict[str, NDArray[np.int64] | NDArray[np.bool_]]:
    """What the encoder is told of who sees whom, from the lengths of a question and of each part of a schema.

    Every piece stays in the lane that it has in one row over all pieces, unless the last part is shorter than what is
    left over: sums, and so the states, are the same to the bit. Their last digit would not matter, but 8 bits at run
    time make more of it.
    """
    asked, *parts = lengths
    number = np.repeat(np.arange(len(lengths)), lengths)  # (pieces,) 0 for the question, then its part
    sizes = np.array(_sizes(parts), np.int64)  # (blocks,)
    starts = asked + np.cumsum(sizes) - sizes
    first = asked + (starts - asked) % LANES  # the place of each block in what it sees
    left_over = len(number) % LANES
    width = int(-(-(first + sizes).max(initial=asked) // LANES) * LANES + left_over)
    first[-1:] = width - sizes[-1:]
    place = np.arange(sizes.max(initial=1))[None]
    filled = place < sizes[:, None]
    inside = np.where(filled, starts[:, None] + place, 0)  # (blocks, longest)
    column = np.arange(width)[None]
    own = (column >= first[:, None]) & (column < (first + sizes)[:, None])
    seen = np.where(own, starts[:, None] + column - first[:, None], np.where(column < asked, column, 0))
    of = np.where(own, number[seen], np.where(column < asked, 0, -1))[:, None]
    return {
        "asked": np.arange(asked)[None],
        "inside": inside,
        "seen": seen,
        "hidden": (of != 0) & (of != number[inside][..., None]),
        "back": np.flatnonzero(filled),
    }


def _sizes(parts: Sequence[int]) -> list[int]:
    """The pieces of each block, from those of the parts in their order."""
    sizes: list[int] = []
    for length in parts:
        if sizes and sizes[-1] + length <= MOST_IN_BLOCK:
            sizes[-1] += length
        else:
            sizes.append(length)
    return sizes


def normed(states: Array, weight: Array, bias: Array) -> Array:
    """Rows of mean 0 and variance 1, scaled and shifted."""
    centred = states - states.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + TINY)
    return np.asarray(scaled * weight + bias, np.float32)
