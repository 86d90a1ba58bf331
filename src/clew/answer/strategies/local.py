"""Local search: the entities nearest to a question and their most relevant relationships, as tables with record ids."""

from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from clew.answer.answer import Answer
from clew.answer.context.facts import Fact, FoundFacts, find_facts, triples_around
from clew.answer.context.linked import LinkedQuestion, link_question
from clew.answer.context.relevance import relevance_of
from clew.answer.context.retrieval import Retrieval
from clew.answer.context.retrieve import Retrieved, pack
from clew.answer.context.sentences import spaced
from clew.answer.context.tokens import estimate_tokens
from clew.answer.resources import Resources
from clew.answer.strategies.answering import ContextAnswer, answer_from_context
from clew.answer.strategy import Question

__all__ = ["LocalStrategy"]

ENTITIES = 0.25  # share of the budget for the table of entities


@dataclass(frozen=True, slots=True)
class LocalStrategy:
    """30 entities with 10 relationships each, packed into a budget; a model answers from the tables alone."""

    entities: int = 30
    relationships: int = 10
    budget: int = 512

    def answer(self, question: Question, resources: Resources) -> Answer:
        """Answer a question, or abstain with a reason."""
        begun = perf_counter()
        return answer_from_context(ContextAnswer(question, self.retrieve(question, resources), resources), begun=begun)

    def retrieve(self, question: Question, resources: Resources) -> Retrieved:
        """The tables that the answer is read from."""
        begun = perf_counter()
        retrieval = Retrieval(budget=self.budget, style="table", hops=1, filters=question.filters)
        linked = link_question(question.text, resources, retrieval)
        nearest, notes = self._nearest(linked, resources, retrieval)
        facts = self._relationships(nearest, linked, resources, question)
        head = _entity_table(nearest, resources, most=int(ENTITIES * self.budget)) if facts else ""
        context = pack(question.text, linked, facts, resources, retrieval, head)
        return Retrieved(linked, replace(context, notes=notes, seconds=perf_counter() - begun))

    def _nearest(
        self, linked: LinkedQuestion, resources: Resources, retrieval: Retrieval
    ) -> tuple[list[int], tuple[str, ...]]:
        """The entities of the question, then those that its most relevant facts lead to; and notes of the search."""
        ids = [id for mention in linked.mentions for id in mention]
        named = [number for number in resources.engine.lookup(ids).tolist() if number >= 0] if ids else []
        found = find_facts(linked, resources, retrieval) if named else FoundFacts()
        near = dict.fromkeys([*named, *(fact.far for fact in found.facts if fact.far >= 0)])
        return list(near)[: self.entities], found.notes

    def _relationships(
        self, nearest: list[int], linked: LinkedQuestion, resources: Resources, question: Question
    ) -> list[Fact]:
        """The most relevant triples of each entity, the most relevant of all first.

        All are scored together, as seen from the first entity that has them: names that are far from several entities
        are compared with the question once, and no more of them than around one entity.
        """
        around = [triples_around(np.array([each]), linked, resources, question.filters) for each in nearest]
        if not around:
            return []
        numbers, first = np.unique(np.concatenate([own for own, _ in around]), return_index=True)
        far = np.concatenate([ends for _, ends in around])[first]
        scores = relevance_of(resources.engine.triple_columns(numbers), far, linked, resources)
        kept: set[int] = set()
        for own, _ in around:
            places = np.searchsorted(numbers, own)
            kept.update(places[np.argsort(-scores[places], kind="stable")[: self.relationships]].tolist())
        facts = [Fact((int(numbers[at]),), int(far[at]), float(scores[at])) for at in kept]
        return sorted(facts, key=lambda fact: (-fact.score, fact.triples))


def _entity_table(entities: list[int], resources: Resources, *, most: int) -> str:
    """Names and types of the first entities, as many as fit."""
    rows = resources.engine.describe(entities).to_pylist()
    table = "entity | type\n"
    for row in rows:
        longer = f"{table}{' '.join(row['name'].split()) or row['id']} | {spaced(row['type'])}\n"
        if estimate_tokens(longer) > most:
            break
        table = longer
    return f"{table}\n"
