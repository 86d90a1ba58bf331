"""KG-RAG: retrieve facts about the entities of a question, prune them by similarity, and let a model read them.

Modes of the context: 0 sentences, 1 JSON, 2 sentences and the graph's prior knowledge, 3 both in one JSON object.
"""

from dataclasses import dataclass
from time import perf_counter

from clew.answer.answer import Answer
from clew.answer.context.retrieval import LINKING, Retrieval
from clew.answer.context.retrieve import search
from clew.answer.resources import Resources
from clew.answer.strategies.answering import ContextAnswer, answer_from_context
from clew.answer.strategies.prior import load_prior
from clew.answer.strategy import Question
from clew.errors import InputError

__all__ = ["RagStrategy"]

MODES = (0, 1, 2, 3)
JSON, PRIOR = (1, 3), (2, 3)  # modes
MOST = 150  # facts


@dataclass(frozen=True, slots=True)
class RagStrategy:
    """Without a model the facts decide: the option, or the entities of the asked-for type, that they support best.

    `linking` finds entities by name, by vectors, or by both; `percentile` and `floor` prune as published KG-RAG does.
    """

    mode: int = 0
    linking: str = "both"
    budget: int = 512
    percentile: float = 75.0
    floor: float = 0.5

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise InputError(f"a mode of rag is 0, 1, 2 or 3, not {self.mode!r}")
        if self.linking not in LINKING:
            raise InputError(f"linking must be {', '.join(LINKING)}, not {self.linking!r}")

    def answer(self, question: Question, resources: Resources) -> Answer:
        """Answer a question, or abstain with a reason."""
        begun = perf_counter()
        retrieval = Retrieval(
            budget=self.budget,
            style="json" if self.mode in JSON else "sentences",
            percentile=self.percentile,
            floor=self.floor if resources.encoder is not None else 0.0,  # a floor of similarities between vectors
            linking=self.linking,
            most=MOST,
            filters=question.filters,
        )
        found = search(question.text, resources, retrieval)
        prior = load_prior(resources.engine.snapshot) if self.mode in PRIOR else ""
        asked = ContextAnswer(question, found, resources, prior=prior, nested=self.mode == 3)
        return answer_from_context(asked, begun=begun)
