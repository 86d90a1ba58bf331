"""Which relation of a graph some words of a question mean, if any: nearness of vectors that were tuned for that.

MiniLM with other biases and norms (`matching.npz`, 50,000 numbers) makes vectors of words in their question and of
relations in plain words; six cosines, weighted, give the probability of each relation and of none. Trained on
benchmarks/questions/matching by benchmarks/matching; figures in docs/asking.md.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from clew.answer.lexicon.forms import word_table

__all__ = ["Matcher", "Rendered", "WordEncoder", "tuned_initialisers"]

Array = NDArray[np.float32]
WEIGHTS = "matching.npz"
OWN = ("mix", "none")  # the weights of the cosines and of no relation; all else is MiniLM's
REMEMBERED = 32  # questions


class WordEncoder(Protocol):
    """An encoder that gives the vectors of single words in their context."""

    def word_vectors(self, texts: Sequence[Sequence[str]]) -> list[Array]:
        """For each text, given as words: the mean vector of the text, then one vector for each word."""
        ...


@dataclass(frozen=True, slots=True)
class Rendered:
    """A relation or attribute in plain words between the types at its ends: "ship", "calls at", "port"."""

    subject: str
    words: str
    object: str

    @property
    def texts(self) -> tuple[list[str], list[str]]:
        """Its words alone, and with the types."""
        return self.words.split(), f"{self.subject} {self.words} {self.object}".split()


class Matcher:
    """Judges words against relations; the vectors of relations are computed once."""

    def __init__(self, encoder: WordEncoder) -> None:
        self._encoder = encoder
        self._relations: dict[Rendered, tuple[Array, Array]] = {}
        self._question = lru_cache(REMEMBERED)(lambda words: encoder.word_vectors([words])[0])

    def match(self, words: tuple[str, ...], meant: Sequence[int], relations: Sequence[Rendered]) -> Array:
        """The probabilities that the words at some places of a question mean each of some relations; the last: none."""
        small = small_words()
        vectors = self._question(words)
        own = [at for at in meant if words[at] not in small] or list(meant)
        content = [at for at, word in enumerate(words) if word not in small and word.isalnum()] or own
        parts = np.stack([vectors[0], vectors[1:][own].mean(axis=0), vectors[1:][content].mean(axis=0)])
        text, word, around = _unit(parts)
        named, typed = self._vectors(relations)
        cosines = [typed @ text, named @ text, named @ word, typed @ word, named @ around, typed @ around]
        mix, none = _weights()
        scores = np.append(np.stack(cosines, axis=1) @ mix, none)
        raised = np.exp(scores - scores.max())
        return np.asarray(raised / raised.sum(), np.float32)

    def _vectors(self, relations: Sequence[Rendered]) -> tuple[Array, Array]:
        """Of the words of each relation, and of the words with its types, (relations, dimension)."""
        new = [each for each in dict.fromkeys(relations) if each not in self._relations]
        if new:
            found = self._encoder.word_vectors([text for each in new for text in each.texts])
            rows = _unit(np.stack([each[0] for each in found]))
            self._relations |= dict(zip(new, zip(rows[0::2], rows[1::2], strict=True), strict=True))
        return (
            np.stack([self._relations[each][0] for each in relations]),
            np.stack([self._relations[each][1] for each in relations]),
        )


def _unit(rows: Array) -> Array:
    """Rows of length 1; one of zeros, such as of a word behind the encoder's limit, stays so."""
    lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    return np.asarray(rows / np.where(lengths == 0, 1, lengths), np.float32)


@cache
def small_words() -> frozenset[str]:
    """Words that mean no relation by themselves, as in training."""
    return frozenset(word_table("matching.json")["small words"])


def tuned_initialisers() -> dict[str, Array]:
    """The numbers that replace those of MiniLM, by their names in its file."""
    with files("clew.answer.lexicon").joinpath(WEIGHTS).open("rb") as file, np.load(file) as stored:
        return {name: stored[name].astype(np.float32) for name in stored.files if name not in OWN}


@cache
def _weights() -> tuple[Array, float]:
    with files("clew.answer.lexicon").joinpath(WEIGHTS).open("rb") as file, np.load(file) as stored:
        return stored["mix"], float(stored["none"])
