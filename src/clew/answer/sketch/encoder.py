"""The encoder of questions: reads pieces of words, each seeing those that it may see, and gives a state for each."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["BEGIN", "END", "UNKNOWN", "QuestionEncoder", "Read", "normed"]

Array = NDArray[np.float32]
BEGIN, END, UNKNOWN = 101, 102, 100  # pieces of BERT's vocabulary
TINY = 1e-5
REMEMBERED = 4096  # texts: words, and parts of schemas


@dataclass(frozen=True, slots=True)
class Read:
    """What the encoder reads: pieces, their places, whether they are of a schema, their marks, and who sees whom."""

    pieces: NDArray[np.int64]
    places: NDArray[np.int64]
    kinds: NDArray[np.int64]
    marks: NDArray[np.int64]
    sees: NDArray[np.bool_]


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
        named = {
            "pieces": given.pieces, "places": given.places, "kinds": given.kinds, "marks": given.marks,
            "sees": given.sees,
        }  # fmt: skip
        (states,) = self._session.run(None, {name: value[None] for name, value in named.items()})
        return np.asarray(states[0], np.float32)

    def read_question(self, pieces: list[int]) -> Array:
        """A state for each piece of a question alone."""
        count = len(pieces)
        zeros, places = np.zeros(count, np.int64), np.arange(count)
        return self.read(Read(np.array(pieces), places, zeros, zeros, np.ones((count, count), bool)))


def normed(states: Array, weight: Array, bias: Array) -> Array:
    """Rows of mean 0 and variance 1, scaled and shifted."""
    centred = states - states.mean(axis=-1, keepdims=True)
    scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + TINY)
    return np.asarray(scaled * weight + bias, np.float32)
