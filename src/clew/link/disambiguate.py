"""Which of several namesakes a text is about: each is put into words and compared with the context.

A candidate's words are its name, its type and the names of its neighbours (or its definition, where the graph has one).
With an encoder they are compared by meaning, without one by the share of their words that the context holds. Scores
stay as they are; only the order changes, and the reason says why. Ties keep the order they came in.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from clew.link.candidates import Candidate
from clew.link.normalise import SMALL_WORDS, words_of

if TYPE_CHECKING:
    from clew.embed import Encoder
    from clew.graph import Graph

__all__ = ["describe", "order_by_context"]

NEIGHBOURS = 12  # named in a description: the best connected, which stand first
LONGEST = 600  # letters of a description; encoders read little more
DESCRIPTIONS = ("definition", "description")


def order_by_context(
    graph: "Graph", candidates: Sequence[Candidate], context: str, encoder: "Encoder | None"
) -> list[Candidate]:
    """The same candidates, the one nearest to the context first."""
    described = [describe(graph, each) for each in candidates]
    nearness = _by_words(described, context) if encoder is None else _by_meaning(described, context, encoder)
    if len(set(nearness)) == 1:
        return list(candidates)
    how = "shares most words with the text" if encoder is None else "nearest to the text in meaning"
    order = sorted(range(len(candidates)), key=lambda at: (-nearness[at], at))
    first = candidates[order[0]]
    chosen = replace(first, reason=f"{first.reason}; {how} ({nearness[order[0]]:.2f})")
    return [chosen, *(candidates[at] for at in order[1:])]


def describe(graph: "Graph", candidate: Candidate) -> str:
    """A candidate in words: name, type, and its definition or its neighbours."""
    details = graph.details([candidate.entity])
    for column in DESCRIPTIONS:
        if column in details.column_names and (text := details[column][0].as_py()):
            return f"{candidate.name} ({candidate.type}): {text}"[:LONGEST]
    rows = (graph.adjacency.forward, graph.adjacency.backward)
    near = np.concatenate(
        [row.neighbour[row.offsets[candidate.entity] : row.offsets[candidate.entity + 1]] for row in rows]
    )
    names = graph.entities["name"]
    listed = ", ".join(str(names[entity].as_py()) for entity in np.unique(near)[:NEIGHBOURS].tolist())
    return f"{candidate.name} ({candidate.type}): {listed}"[:LONGEST]


def _by_meaning(described: Sequence[str], context: str, encoder: "Encoder") -> list[float]:
    vectors = encoder.encode([context, *described])
    return [round(float(score), 4) for score in vectors[1:] @ vectors[0]]


def _by_words(described: Sequence[str], context: str) -> list[float]:
    wanted = set(words_of(context)) - SMALL_WORDS
    shares = []
    for text in described:
        words = set(words_of(text)) - SMALL_WORDS
        shares.append(round(len(words & wanted) / len(words), 4) if words else 0.0)
    return shares
