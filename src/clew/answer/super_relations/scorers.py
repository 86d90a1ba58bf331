"""How well candidates of a step fit a question: by embedding, by shared words, or at random.

A scorer rates all candidates of a step in one call. `fit` rates whole chains of relations, to choose among those that
were found, and never calls a language model.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from clew.answer.lexicon.forms import stem, tokens_of
from clew.answer.super_relations.texts import chain_text, relation_text, step_text
from clew.embed import CachedEncoder, Encoder

__all__ = ["Candidate", "Chain", "EmbeddingScorer", "RandomScorer", "Scorer", "Scores", "WordScorer"]

STEP_PRICE = 0.03  # chosen on the development part of the questions of `clew eval paths`, for both searches
RIDGE = 1e-3  # for a relation that is followed twice
Scores = NDArray[np.float64]
Vector = NDArray[np.float32]
Chain = tuple[tuple[str, bool], ...]  # relations, and whether each is followed from subject to object


@dataclass(frozen=True, slots=True)
class Candidate:
    """A super-relation, or a relation, that leaves the frontier in one direction; an entity has no relations."""

    label: str
    forward: bool
    relations: tuple[str, ...]  # those of its relations that leave the frontier

    def __str__(self) -> str:
        return step_text(self.label, forward=self.forward)


class Scorer(Protocol):
    """Rates candidates and chains; higher is better, 0 is none."""

    def score(self, question: str, candidates: Sequence[Candidate]) -> Scores:
        """One score of 0 or more for each candidate, in one call."""

    def fit(self, question: str, chains: Sequence[Chain]) -> Scores:
        """How well each chain fits; compared with each other only."""


class EmbeddingScorer:
    """The cosine of a question with the words of a relation; a super-relation scores as its best relation does.

    A chain fits by how much of the question its relations explain together: the length of the question's projection on
    the span of their vectors, less a price for each step, since more vectors always explain a little more.
    """

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = CachedEncoder(encoder)
        self._relations: dict[str, Vector] = {}  # as many as the graph has

    def score(self, question: str, candidates: Sequence[Candidate]) -> Scores:
        asked = self._encoder.encode([question])[0]
        self._learn([name for each in candidates for name in each.relations])
        return np.array([self._best(asked, each) for each in candidates], np.float64)

    def fit(self, question: str, chains: Sequence[Chain]) -> Scores:
        if not chains:
            return np.zeros(0)
        self._learn([name for chain in chains for name, _ in chain])
        asked = self._encoder.encode([question])[0]
        fits = np.zeros(len(chains))
        lengths = np.array([len(chain) for chain in chains])
        for length in np.unique(lengths[lengths > 0]).tolist():
            own = np.flatnonzero(lengths == length)
            spans = np.array(
                [[self._relations[name] for name, _ in chains[at]] for at in own.tolist()]
            )  # (m, length, d)
            inner = spans @ spans.transpose(0, 2, 1) + RIDGE * np.eye(length)
            along = spans @ asked  # (m, length)
            explained = np.einsum("ml,ml->m", along, np.linalg.solve(inner, along[..., None])[..., 0])
            fits[own] = np.sqrt(explained.clip(0.0)) - STEP_PRICE * length
        return fits

    def _best(self, asked: Vector, candidate: Candidate) -> float:
        if not candidate.relations:
            return max(0.0, float(self._encoder.encode([candidate.label])[0] @ asked))
        return max(0.0, *(float(self._relations[name] @ asked) for name in candidate.relations))

    def _learn(self, names: Sequence[str]) -> None:
        missing = [name for name in dict.fromkeys(names) if name not in self._relations]
        if missing:
            vectors = self._encoder.encode([relation_text(name) for name in missing])
            self._relations.update(zip(missing, vectors, strict=True))


@dataclass(frozen=True, slots=True)
class WordScorer:
    """The share of a relation's words that the question has: where there is neither encoder nor model."""

    def score(self, question: str, candidates: Sequence[Candidate]) -> Scores:
        asked = _stems(question)
        return np.array([max(_shared(asked, name) for name in each.relations or (each.label,)) for each in candidates])

    def fit(self, question: str, chains: Sequence[Chain]) -> Scores:
        asked = _stems(question)
        return np.array([np.mean([_shared(asked, name) for name, _ in chain]) if chain else 0.0 for chain in chains])


@dataclass(frozen=True, slots=True)
class RandomScorer:
    """Scores that depend on the seed, the question and the candidate alone: the row that keeps others honest."""

    seed: int = 0

    def score(self, question: str, candidates: Sequence[Candidate]) -> Scores:
        return np.array([self._draw(question, f"{each.label}|{each.forward}") for each in candidates])

    def fit(self, question: str, chains: Sequence[Chain]) -> Scores:
        return np.array([self._draw(question, chain_text(chain)) for chain in chains])

    def _draw(self, question: str, text: str) -> float:
        digest = hashlib.sha256(f"{self.seed}\0{question}\0{text}".encode()).digest()
        return (int.from_bytes(digest[:6], "big") + 1) / 2**48


def _stems(text: str) -> frozenset[str]:
    return frozenset(stem(token.text) for token in tokens_of(text))


def _shared(asked: frozenset[str], relation: str) -> float:
    own = _stems(relation_text(relation))
    return len(own & asked) / len(own) if own else 0.0
