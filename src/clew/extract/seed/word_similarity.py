"""The similarity of a triple and a sequence: the tf-idf cosine of their words and linked entities.

Words are folded as names are; an entity that is linked in a sequence counts as one more word of it, and of every triple
that it stands in, so that a synonym in the text is as good as the name. Rare words have more
weight (inverse frequency).
"""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from clew.link.normalise import SMALL_WORDS, words_of

__all__ = ["WordSimilarity", "relation_words"]

Ints = NDArray[np.integer]
Floats = NDArray[np.float32]
TINY = 1e-12
SHORTEST = 3  # letters of a word that tells something: not the A of hepatitis A, nor numbers


def relation_words(relation: str) -> str:
    """A relation as it stands in a sentence.

    >>> relation_words("has_phenotype")
    'has phenotype'
    """
    return relation.replace("_", " ")


class WordSimilarity:
    """Made for entities (by number), relations and sequences; then scores triples of one sequence at a time.

    `texts` and `linked` are the text of every sequence and the entities linked in it.
    """

    def __init__(
        self,
        names: Sequence[str],
        relations: Sequence[str],
        texts: Sequence[str],
        linked: Sequence[Iterable[int]],
    ) -> None:
        vocabulary: dict[str, int] = {}
        content = _word_rows(names, vocabulary)
        self._relations = _word_rows(map(relation_words, relations), vocabulary)
        known = len(vocabulary)
        sequences = _word_rows(texts, vocabulary, grow=False)
        # Words come first, then one place for each entity.
        self._places = [np.append(row, known + at) for at, row in enumerate(content)]
        self._sequences = [
            np.concatenate((row, known + np.unique(np.fromiter(entities, np.int64))))
            for row, entities in zip(sequences, linked, strict=True)
        ]
        seen = np.bincount(np.concatenate([*self._sequences, np.zeros(0, np.int64)]), minlength=known + len(names))
        self._weight = np.log1p(len(texts) / (1.0 + seen)).astype(np.float32)  # (words + entities,)
        self._lengths = np.fromiter(map(len, self._places), np.int64, len(self._places))
        self._starts = np.concatenate(([0], np.cumsum(self._lengths)))
        self._flat = np.concatenate([*self._places, np.zeros(0, np.int64)])
        self._squares = self._weight**2
        self._relation_squares = np.array([self._squares[row].sum() for row in self._relations], np.float32)
        self._present = np.zeros(len(self._weight), np.float32)  # squared weights of the current sequence
        self._known = known

    def score(self, sequence: int, subject: int, relation: Ints, object_: Ints) -> tuple[Floats, Floats]:
        """The cosine of one sequence and each triple of one subject (entities and relations by number).

        A word that subject and object share counts once. Beside it, how much of the object the sequence has: 1 where
        it is linked there, else the share of its words that are not the subject's too, by their weights.
        """
        if not len(object_):
            return np.zeros(0, np.float32), np.zeros(0, np.float32)
        places, own = self._sequences[sequence], self._places[subject]
        squares, present = self._squares, self._present
        present[places] = squares[places]
        whole = present[places].sum()
        shared = np.array([present[row].sum() for row in self._relations], np.float32)[relation] + present[own].sum()
        lengths = self._lengths[object_]
        ends = np.cumsum(lengths)
        starts = ends - lengths
        words = self._flat[np.repeat(self._starts[object_] - starts, lengths) + np.arange(ends[-1])]
        present[own] = 0
        tail = np.add.reduceat(present[words], starts)  # an entity has its own place at least: no row is empty
        linked = present[self._known + object_] > 0
        present[places] = 0
        kept = squares[own]
        squares[own] = 0
        size = np.add.reduceat(squares[words], starts)
        told = np.where(linked, 1, tail / np.maximum(size - squares[self._known + object_], TINY))
        size += kept.sum() + self._relation_squares[relation]
        squares[own] = kept
        return (shared + tail) / np.sqrt(np.maximum(size * whole, TINY)), told.astype(np.float32)


def _word_rows(texts: Iterable[str], vocabulary: dict[str, int], *, grow: bool = True) -> list[NDArray[np.int64]]:
    """The distinct content words of each text as numbers; `vocabulary` takes in new words while it may grow."""
    rows = []
    for text in texts:
        words = dict.fromkeys(word for word in words_of(text) if _is_telling(word))
        if grow:
            numbers = [vocabulary.setdefault(word, len(vocabulary)) for word in words]
        else:
            numbers = [vocabulary[word] for word in words if word in vocabulary]
        rows.append(np.array(numbers, np.int64))
    return rows


def _is_telling(word: str) -> bool:
    return len(word) >= SHORTEST and not word.isdecimal() and word not in SMALL_WORDS
