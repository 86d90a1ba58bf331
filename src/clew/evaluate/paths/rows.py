"""The rows of a table of path questions: a search, its grouping, its scorer and its limits, and what one answer scores.

strict: the answer has exactly the gold entities. lenient: it has one of them. containment: one is at the end of a path
that the search kept. read: one was among the entities that it read.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from time import perf_counter

import numpy as np

from clew.answer.super_relations.chains import FoundChain, name_relations
from clew.answer.super_relations.grouping import group_by_clusters
from clew.answer.super_relations.model_scorer import MOST_CHOICES, ModelJudge, ModelScorer
from clew.answer.super_relations.scorers import EmbeddingScorer, RandomScorer, Scorer
from clew.answer.super_relations.search import Found, SearchLimits, SearchTask, search_super_relations
from clew.answer.super_relations.steps import Allowed
from clew.answer.super_relations.tog import search_tog
from clew.embed import Encoder
from clew.errors import InputError
from clew.evaluate.paths.generate import PathQuestion
from clew.graph.super_relations import SuperRelations, group_by_names, group_by_types, group_randomly, group_singly
from clew.lm import LanguageModel, Metered, Usage
from clew.traverse import GraphEngine

__all__ = ["ROWS", "WITH_MODEL", "Asked", "PathRow", "Searcher"]

TOG = "tog"
SIZES = (1, 3, 5)  # of N and L
UNLIMITED = SearchLimits(triples=None)


@dataclass(frozen=True, slots=True)
class PathRow:
    """How a row searches; `equal_triples`: it may follow as many triples as ToG does on the same question."""

    groups: str = "names"  # names, types, clusters, random, single, or tog: the search without groups
    random: bool = False  # a random scorer
    limits: SearchLimits = UNLIMITED
    equal_triples: bool = False
    removed: bool = False  # the last relation of the gold chain is not allowed
    model: bool = False  # a language model scores the steps, says when they are enough, and chooses the chain


def _rows() -> dict[str, PathRow]:
    rows = {
        "random": PathRow(random=True),
        TOG: PathRow(TOG),
        "tog, 7 calls": PathRow(TOG, limits=replace(UNLIMITED, calls=7)),
        "names": PathRow(),
        "clusters": PathRow("clusters"),
        "random groups": PathRow("random"),
        "single relations": PathRow("single"),
        "names, triples of tog": PathRow(equal_triples=True),
        "clusters, triples of tog": PathRow("clusters", equal_triples=True),
        "single relations, triples of tog": PathRow("single", equal_triples=True),
        "names, last relation removed": PathRow(removed=True),
        "tog, last relation removed": PathRow(TOG, removed=True),
    }
    rows |= {
        "names, model": PathRow(model=True),
        "single relations, model": PathRow("single", model=True),
        "tog, model": PathRow(TOG, model=True),
        "tog, model, 7 calls": PathRow(TOG, limits=replace(UNLIMITED, calls=7), model=True),
    }
    for width in SIZES:
        for steps in SIZES:
            if (width, steps) != (3, 3):
                rows[f"names, N={width} L={steps}"] = PathRow(limits=replace(UNLIMITED, width=width, steps=steps))
    return rows


ROWS: Mapping[str, PathRow] = _rows()
WITH_MODEL = frozenset(name for name, row in ROWS.items() if row.model)


@dataclass(frozen=True, slots=True)
class Asked:
    """What a row answered, how that scores, and what it cost."""

    strict: bool
    lenient: bool
    containment: bool
    read: bool
    answered: int  # entities in the answer
    fit: float  # of the chain that answers
    triples: int
    calls: int
    tokens: int  # of a language model
    seconds: float


class Searcher:
    """Asks rows; what they share is made once."""

    def __init__(self, engine: GraphEngine, encoder: Encoder | None, model: LanguageModel | None = None) -> None:
        self.engine, self.model = engine, model
        self.names = [relation.name for relation in engine.schema.relations]
        self._encoder = encoder
        self._scorer = None if encoder is None else EmbeddingScorer(encoder)
        self._groups: dict[str, SuperRelations] = {}
        self._followed: dict[str, int] = {}  # question → triples that ToG followed

    def ask(self, name: str, question: PathQuestion) -> Asked:
        """Ask one row one question."""
        begun = perf_counter()
        row = ROWS[name]
        model = self._metered(row)
        judge = None if model is None else ModelJudge(model, self._names)
        scorer = self._scored_by(row) if model is None else ModelScorer(model, self._scored_by(row))
        allowed = Allowed(frozenset(self.names) - {question.chain[-1][0]} if row.removed else None)
        task = SearchTask(
            self.engine, question.question, self.engine.lookup([question.topic]), scorer, row.limits, allowed, judge
        )
        if row.equal_triples:
            task = replace(task, limits=replace(row.limits, triples=self._triples_of_tog(task, question)))
        found = search_tog(task) if row.groups == TOG else search_super_relations(task, self.groups(row.groups))
        chosen, fit = self._choose(question, found.chains(), scorer, judge)
        used = Usage() if model is None else model.usage
        tokens = used.prompt_tokens + used.completion_tokens
        return self._score(question, found, chosen, fit, tokens, perf_counter() - begun)

    def _triples_of_tog(self, task: SearchTask, question: PathQuestion) -> int:
        if question.id not in self._followed:
            self._followed[question.id] = search_tog(task).triples
        return self._followed[question.id]

    def groups(self, by: str) -> SuperRelations:
        """The super-relations of a row."""
        if by not in self._groups:
            self._groups[by] = self._group(by)
        return self._groups[by]

    def _group(self, by: str) -> SuperRelations:
        schema = self.engine.schema
        if by == "clusters":
            if self._encoder is None:
                raise InputError("clusters of relations need an encoder: leave out --no-embedding")
            return group_by_clusters(schema, self._encoder)
        if by == "random":
            return group_randomly(group_by_names(schema))
        return {"names": group_by_names, "types": group_by_types, "single": group_singly}[by](schema)

    def _scored_by(self, row: PathRow) -> Scorer:
        if row.random:
            return RandomScorer()
        if self._scorer is None:
            raise InputError("rows other than random need an encoder: run `clew models get minilm`")
        return self._scorer

    def _metered(self, row: PathRow) -> Metered | None:
        if row.model and self.model is None:
            raise InputError("rows with a model need one: name it with --model")
        return Metered(self.model) if row.model and self.model is not None else None

    def _names(self, entities: Sequence[int]) -> str:
        return ", ".join(self.engine.describe(list(entities))["name"].to_pylist()) if entities else ""

    def _choose(
        self, question: PathQuestion, chains: Sequence[FoundChain], scorer: Scorer, judge: ModelJudge | None
    ) -> tuple[FoundChain | None, float]:
        """The chain that answers, and its fit: the best fitting one, or the one of the best that a model chooses."""
        if not chains:
            return None, 0.0
        named = [name_relations(chain.relations, self.names) for chain in chains]
        fits = scorer.fit(question.question, named)
        best = np.argsort(-fits, kind="stable")[:MOST_CHOICES].tolist()
        at = best[0]
        if judge is not None:
            at = best[judge.choose(question.question, [(named[each], chains[each].ends.tolist()) for each in best])]
        return chains[at], float(fits[at])

    def _score(
        self, question: PathQuestion, found: Found, chosen: FoundChain | None, fit: float, tokens: int, seconds: float
    ) -> Asked:
        gold = self.engine.lookup(list(question.gold))
        answered = np.empty(0, np.int64) if chosen is None else chosen.ends
        return Asked(
            strict=np.array_equal(np.sort(gold), answered),
            lenient=bool(np.isin(gold, answered).any()),
            containment=bool(np.isin(gold, found.entities()).any()),
            read=any(bool(np.isin(gold, each).any()) for each in found.read),
            answered=len(answered),
            fit=round(fit, 4),
            triples=found.triples,
            calls=found.calls,
            tokens=tokens,
            seconds=round(seconds, 4),
        )
