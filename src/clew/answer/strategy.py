"""How a question is put and who answers it: the contract of every strategy, and the registry of those there are.

A strategy is one method. It takes what it needs from the resources, which open it once for everybody:

    class Degree:
        def answer(self, question, resources):
            return Answer(question.text, text=f"{resources.engine.counts['entities']:,} entities")
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from clew.answer.answer import Answer
from clew.answer.plans.assertions.filters import Filters
from clew.answer.resources import Resources
from clew.errors import InputError
from clew.registry import Entry, Registry

__all__ = ["MODEL_SECONDS", "SECONDS", "STRATEGIES", "Question", "Step", "Strategy"]

SECONDS, MODEL_SECONDS = 30.0, 120.0  # for a question that sets no limit: without a language model, and with one

STRATEGIES = Registry(
    "strategy",
    {
        "readers": Entry(
            "clew.answer.strategies.readers:ReadersStrategy",
            "plain English to Cypher by words, and by a sketch where these are not sure",
        ),
        "cypher": Entry(
            "clew.answer.cypher:CypherStrategy", "the first of these readers alone: link names, rank plans"
        ),
        "rag": Entry("clew.answer.strategies.rag:RagStrategy", "KG-RAG: a context of ranked facts, read by a model"),
        "adaptive": Entry(
            "clew.answer.strategies.adaptive:AdaptiveStrategy",
            "KG-RAG in six stages: four retrievals, judged, answered by their quality, and put to the vote",
        ),
        "local": Entry(
            "clew.answer.strategies.local:LocalStrategy", "local search: tables of entities and relationships"
        ),
        "super-relations": Entry(
            "clew.answer.strategies.super_relations:SuperRelationStrategy",
            "ReKnoS: step by step over groups of relations, at most 2L + 1 model calls",
        ),
        "tog": Entry("clew.answer.strategies.super_relations:TogStrategy", "Think-on-Graph: a beam of entities"),
        "two-rounds": Entry(
            "clew.answer.strategies.two_rounds:TwoRoundsStrategy",
            "diagnoses for the findings in a question: predicted, connected by the graph, and selected again",
        ),
    },
)


@dataclass(frozen=True, slots=True)
class Step:
    """A step on the way to an answer, as it happens: names, plans, query, evidence, second (reader) or text."""

    name: str
    text: str
    seconds: float  # since the question was asked


@dataclass(frozen=True, slots=True)
class Question:
    """A question in plain English, with what the asker says beside it."""

    text: str
    among: tuple[str, ...] = ()  # ids from which the answer is taken; empty: from all
    options: tuple[str, ...] = ()  # texts of which one is the answer, or none: a multiple-choice question
    meaning: Mapping[str, str] = field(default_factory=dict)  # name → id, for names that mean several entities
    filters: Filters = field(default_factory=Filters)  # which statements the answer may rest on
    subclasses: bool | None = None  # include subclasses of named terms; None: only if nothing matches directly
    timeout: float | None = None  # seconds from reading the question to the last triple; None: see `seconds`
    all_evidence: bool = False  # the triples behind every item, not only behind those that are shown first
    report: Callable[[Step], None] | None = None  # is called with each step, in the thread that answers

    def __post_init__(self) -> None:
        if self.timeout is not None and not self.timeout > 0:
            raise InputError(f"a question's time limit is a positive number of seconds, not {self.timeout:g}")

    def seconds(self, resources: Resources) -> float:
        """Its time limit; by default longer where a language model takes part, which may need a minute on few cores."""
        if self.timeout is not None:
            return self.timeout
        return SECONDS if resources.model is None else MODEL_SECONDS


class Strategy(Protocol):
    """A way to answer questions over a graph; one object serves many threads."""

    def answer(self, question: Question, resources: Resources) -> Answer:
        """Answer with evidence, or abstain with a reason; `ClewError` where something cannot be used."""
