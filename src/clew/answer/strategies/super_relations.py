"""Answers by a search over relations: step by step over super-relations (ReKnoS), or with a beam of entities (ToG).

The search starts at the entities that the question names. If no walk can reach what is asked for, that is the answer,
before any model is called. Otherwise the entities at the end of the chain that fits the question best are the items;
their paths are the evidence.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter

from clew.answer.answer import Answer, Usage
from clew.answer.context.linked import LinkedQuestion, link_question
from clew.answer.context.retrieval import Retrieval
from clew.answer.resources import Resources
from clew.answer.strategies.path_answers import PathAnswer, sentence
from clew.answer.strategy import Question, Step
from clew.answer.super_relations.absence import Wanted, find_absence, is_untyped
from clew.answer.super_relations.grouping import GROUPINGS, make_groups
from clew.answer.super_relations.model_scorer import ModelJudge, ModelScorer
from clew.answer.super_relations.scorers import EmbeddingScorer, RandomScorer, Scorer, WordScorer
from clew.answer.super_relations.search import Found, SearchLimits, SearchTask, search_super_relations
from clew.answer.super_relations.steps import Allowed
from clew.answer.super_relations.tog import search_tog
from clew.errors import InputError, Timeout, UnknownName
from clew.graph.super_relations import SuperRelations, load_groups
from clew.lm import Metered

__all__ = ["SuperRelationStrategy", "TogStrategy"]

SCORERS = ("auto", "embedding", "model", "both", "words", "random")
NO_MODEL = ("embedding", "words", "random")  # scorers
KEPT = "kept"


@dataclass(frozen=True, slots=True)
class SuperRelationStrategy:
    """N = width super-relations kept at each of L = steps steps, K = paths best paths.

    `scorer` is embedding, model, both, words or random; auto is both with a model, else embedding, else words. `groups`
    is names, types or clusters, or the super-relations kept with the graph. `relations` are those that may be followed.
    """

    width: int = 3
    steps: int = 3
    paths: int = 3
    scorer: str = "auto"
    groups: str = KEPT
    relations: frozenset[str] | None = None

    def __post_init__(self) -> None:
        SearchLimits(self.width, self.steps, self.paths)
        _check_scorer(self.scorer)
        if self.groups not in (KEPT, *GROUPINGS):
            raise UnknownName(f"super-relations are {KEPT} or by {', '.join(GROUPINGS)}, not {self.groups!r}")

    def answer(self, question: Question, resources: Resources) -> Answer:
        """Answer a question, or abstain with a reason."""
        limits = SearchLimits(self.width, self.steps, self.paths)
        groups = resources.once(f"super-relations by {self.groups}", lambda: _groups(self.groups, resources))
        asked = _Asking(question, resources, self.scorer, limits, self.relations)
        return asked.answer(lambda task: search_super_relations(task, groups))


@dataclass(frozen=True, slots=True)
class TogStrategy:
    """A beam of `width` entities, followed for `steps` steps; calls grow with both."""

    width: int = 3
    steps: int = 3
    scorer: str = "auto"
    relations: frozenset[str] | None = None

    def __post_init__(self) -> None:
        SearchLimits(self.width, self.steps)
        _check_scorer(self.scorer)

    def answer(self, question: Question, resources: Resources) -> Answer:
        """Answer a question, or abstain with a reason."""
        limits = SearchLimits(self.width, self.steps)
        return _Asking(question, resources, self.scorer, limits, self.relations).answer(search_tog)


class _Asking:
    """One question being answered by a search."""

    def __init__(
        self,
        question: Question,
        resources: Resources,
        scorer: str,
        limits: SearchLimits,
        relations: frozenset[str] | None,
    ) -> None:
        self.question, self.resources, self.limits = question, resources, limits
        self.seconds, self.begun = question.seconds(resources), perf_counter()
        self.model = None if resources.model is None or scorer in NO_MODEL else Metered(resources.model)
        self.scorer = _scorer(scorer, resources, self.model, self.seconds)
        self.allowed = Allowed(relations, question.filters.where if question.filters else None)

    def answer(self, search: Callable[[SearchTask], Found]) -> Answer:
        """Link, decide absence, search, and choose a chain."""
        engine = self.resources.engine
        linked = link_question(self.question.text, self.resources, Retrieval(filters=self.question.filters))
        ids = tuple(self.question.meaning.values()) or tuple(
            dict.fromkeys(id for each in linked.mentions for id in each)
        )
        topics = engine.resolve(list(ids)).tolist() if ids else []
        self._report("names", ", ".join(ids) or "no entity is named")
        if not topics:
            return self._abstained("no entity of this graph is named", ids)
        wanted = self._wanted(linked)
        absent = find_absence(engine, topics, wanted, steps=self.limits.steps, allowed=self.allowed)
        if absent is not None:
            return self._abstained(absent, ids)
        answers = PathAnswer(self.question, self.resources, wanted.types, topics)
        judge = None if self.model is None else ModelJudge(self.model, answers.names, self.seconds)
        found = search(
            SearchTask(
                engine,
                linked.masked,
                topics,
                self.scorer,
                self.limits,
                self.allowed,
                judge,
                lambda text: self._report("plans", text),
            )
        )
        self._report("evidence", f"{found.triples:,} triples followed")
        made = answers.make(found, self.scorer, linked.masked, judge)
        if made is None:
            return self._abstained("no path that was kept ends at what is asked for", ids, found)
        return self._finished(made, ids, found)

    def _wanted(self, linked: LinkedQuestion) -> Wanted:
        """What is asked for: its types or, in a graph without types, what the mentioned relations lead to."""
        if linked.asked:
            return Wanted(linked.asked)
        if not is_untyped(self.resources.engine):
            return Wanted()
        return Wanted(relations=tuple((name, forward) for name in linked.said for forward in (True, False)))

    def _abstained(self, reason: str, ids: tuple[str, ...], found: Found | None = None) -> Answer:
        answer = Answer(self.question.text, text=sentence(reason), abstained=reason)
        return self._finished(answer, ids, found)

    def _finished(self, answer: Answer, ids: tuple[str, ...], found: Found | None) -> Answer:
        used = None if self.model is None else self.model.usage
        seconds = perf_counter() - self.begun
        usage = Usage(execution=seconds)
        if used is not None:
            usage = Usage(used.calls, used.prompt_tokens, used.completion_tokens, execution=seconds)
        trace = answer.trace if found is None else (*answer.trace, f"{found.triples:,} triples followed")
        return replace(answer, named=ids, usage=usage, trace=trace)

    def _report(self, name: str, text: str) -> None:
        seconds = perf_counter() - self.begun
        if seconds > self.seconds:
            raise Timeout(f"no answer within {self.seconds:g} s: allow more time, or fewer steps")
        if self.question.report is not None:
            self.question.report(Step(name, text, seconds))


def _check_scorer(scorer: str) -> None:
    if scorer not in SCORERS:
        raise UnknownName(f"no scorer is called {scorer!r}: known: {', '.join(SCORERS)}")


def _scorer(scorer: str, resources: Resources, model: Metered | None, timeout: float) -> Scorer:
    encoder = resources.encoder
    if scorer == "random":
        return RandomScorer()
    if scorer == "embedding" and encoder is None:
        raise InputError("the scorer embedding needs an encoder: run `clew models get minilm`")
    if scorer in ("model", "both") and model is None:
        raise InputError(f"the scorer {scorer} needs a language model: name one")
    plain: Scorer = WordScorer()
    if encoder is not None and scorer != "words":
        plain = resources.once("relation scorer", lambda: EmbeddingScorer(encoder))
    if model is None:
        return plain
    return ModelScorer(model, plain, both=scorer != "model", timeout=timeout)


def _groups(by: str, resources: Resources) -> SuperRelations:
    schema = resources.engine.schema
    if by == KEPT:
        return load_groups(resources.engine.snapshot, schema)
    return make_groups(by, schema, resources.encoder)
