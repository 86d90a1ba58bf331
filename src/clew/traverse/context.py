"""What a graph states about a question, as lines of text for a language model or a person: the result of a retrieval.

A context is data: its text, its lines with the triples and sources behind each, and what it was chosen from. Reading
a question needs more than an engine has; `RETRIEVERS` names who does it.
"""

from dataclasses import dataclass

from clew.registry import Entry, Registry
from clew.traverse.result import Triple

__all__ = ["RETRIEVERS", "Context", "ContextLine"]

RETRIEVERS = Registry(
    "retriever",
    {"neighbourhood": Entry("clew.answer.context.opening:retrieve_for", "ranked triples around the linked entities")},
)


@dataclass(frozen=True, slots=True)
class ContextLine:
    """One line: what it says, the triples it states, their sources and documents, and its relevance from 0 to 1."""

    text: str
    triples: tuple[Triple, ...]
    sources: tuple[str, ...]
    documents: tuple[str, ...]
    score: float


@dataclass(frozen=True, slots=True)
class Context:
    """The lines that fit a budget of tokens, the most relevant first; `text` is what a model reads."""

    question: str
    text: str
    lines: tuple[ContextLine, ...]
    entities: tuple[str, ...]  # ids of the entities that the question was linked to
    style: str
    budget: int
    tokens: int  # of `text`; never more than the budget
    found: int  # triples, or chains of them, before pruning
    pruned: int  # those below the percentile or the floor
    left_out: int  # relevant triples, or chains of them, that did not fit the budget
    ranking: str  # embeddings or words
    seconds: float
    notes: tuple[str, ...] = ()  # what was not searched to the end
