"""Disambiguation of entities that share a name: each is described in words and compared with the context.

The description of a candidate is its name, its type and the names of its neighbours (or its definition, if the graph
has one). It is compared with the context by embedding similarity, or by shared words if there is no encoder. Scores do
not change, only the order, and the reason says why. Ties keep their order.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from clew.embed import Encoder
from clew.link.candidates import Candidate
from clew.link.normalise import SMALL_WORDS, words_of
from clew.traverse.engine import GraphEngine

__all__ = ["describe", "order_by_context"]

NEIGHBOURS = 12  # neighbours in a description: the best connected, which come first
LONGEST = 600  # characters of a description; encoders truncate beyond that
DESCRIPTIONS = ("definition", "description")


def order_by_context(
    engine: GraphEngine, candidates: Sequence[Candidate], context: str, encoder: Encoder | None
) -> list[Candidate]:
    """The same candidates, the one most similar to the context first."""
    described = [describe(engine, each) for each in candidates]
    similarity = _by_words(described, context) if encoder is None else _by_embedding(described, context, encoder)
    if len(set(similarity)) == 1:
        return list(candidates)
    how = "shares most words with the text" if encoder is None else "most similar to the text by embedding"
    order = sorted(range(len(candidates)), key=lambda at: (-similarity[at], at))
    first = candidates[order[0]]
    chosen = replace(first, reason=f"{first.reason}; {how} ({similarity[order[0]]:.2f})")
    return [chosen, *(candidates[at] for at in order[1:])]


def describe(engine: GraphEngine, candidate: Candidate) -> str:
    """Describe a candidate: its name, its type, and its definition or its neighbours."""
    details = engine.details([candidate.entity])
    for column in DESCRIPTIONS:
        if column in details.column_names and (text := details[column][0].as_py()):
            return f"{candidate.name} ({candidate.type}): {text}"[:LONGEST]
    near = engine.hop(np.array([candidate.entity]), direction="both").ids[:NEIGHBOURS]
    listed = ", ".join(engine.describe(near)["name"].to_pylist())
    return f"{candidate.name} ({candidate.type}): {listed}"[:LONGEST]


def _by_embedding(described: Sequence[str], context: str, encoder: Encoder) -> list[float]:
    vectors = encoder.encode([context, *described])
    return [round(float(score), 4) for score in vectors[1:] @ vectors[0]]


def _by_words(described: Sequence[str], context: str) -> list[float]:
    wanted = set(words_of(context)) - SMALL_WORDS
    shares = []
    for text in described:
        words = set(words_of(text)) - SMALL_WORDS
        shares.append(round(len(words & wanted) / len(words), 4) if words else 0.0)
    return shares
