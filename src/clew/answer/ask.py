"""Question → answer: understand, choose a plan, run it, show what carries the result; or say why not."""

import logging
import math
from collections.abc import Collection
from dataclasses import replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

from clew.answer.answer import Answer, Evidence, Runner, Usage
from clew.answer.candidates import HIERARCHY_DEPTH, PATH_LENGTH, Candidate, Ways, candidates
from clew.answer.expand import with_kinds
from clew.answer.phrase import phrased, plain_text
from clew.answer.plan import REQUIRED, Condition, Part
from clew.answer.question import Question, understand
from clew.answer.rank import Ranked, in_words, rank, with_siblings
from clew.answer.run import Outcome, cite, gather_evidence, run_plan
from clew.answer.words import Words
from clew.answer.write import write_statement
from clew.errors import DerivedError
from clew.link import Linker, open_vectors
from clew.progress import Progress, silent
from clew.store.cypher import write
from clew.store.store import Store, open_store
from clew.traverse import Engine

if TYPE_CHECKING:
    from clew.embed import Encoder
    from clew.lm import LanguageModel

__all__ = ["Asker"]

log = logging.getLogger(__name__)
MOST_PATHS = 10
RUNNERS = 3


class Asker:
    """Answers questions over one graph; what it needs is opened at the first question and kept."""

    def __init__(
        self,
        engine: Engine,
        *,
        store: str | Store = "embedded",
        encoder: "Encoder | None" = None,
        model: "LanguageModel | None" = None,
        kinds: bool | None = None,
        timeout: float = 30.0,
        progress: Progress = silent,
    ) -> None:
        """`model` may phrase the text, nothing else. `kinds` says whether what is named includes its kinds; None: only
        where it has no answer of its own."""
        self.engine = engine
        self.encoder = encoder
        self.model = model
        self.kinds = kinds
        self.timeout = timeout
        self._store = store
        self._progress = progress

    @cached_property
    def store(self) -> Store:
        if not isinstance(self._store, str):
            return self._store
        return open_store(self._store, self.engine.graph, build=True, progress=self._progress)

    @cached_property
    def linker(self) -> Linker:
        """Names by meaning too, where `clew index` has made vectors of them."""
        graph, encoder = self.engine.graph, self.encoder
        if encoder is not None:
            try:
                open_vectors(graph, encoder)
            except DerivedError as missing:
                log.info("names are not looked up by meaning: %s", missing)
                encoder = None
        return Linker(graph, encoder=encoder, progress=self._progress)

    @cached_property
    def words(self) -> Words:
        return Words(self.store.schema)

    @cached_property
    def ways(self) -> Ways:
        return Ways(self.store.schema, frozenset(self.hierarchy.values()))

    @cached_property
    def hierarchy(self) -> dict[str, str]:
        """For each label whose entities have kinds, the relationship that says so."""
        schema = self.store.schema
        transitive = {relation.name for relation in self.engine.schema.relations if relation.transitive}
        return {
            ends.subject: each.name
            for each in schema.relationships
            if each.relation in transitive and not each.negated
            for ends in each.ends
            if ends.subject == ends.object
        }

    def ask(self, text: str, *, among: Collection[str] = ()) -> Answer:
        """Answer a question, or abstain with a reason; `among` are the ids from which the answer is to be taken."""
        begun = perf_counter()
        question = understand(text, self.linker, self.words)
        if among:
            question = replace(question, asked=self._labels(among) or question.asked)
        found = list(candidates(question, self.store.schema, self.ways))
        ranked = rank(question, found, self.words, encoder=self.encoder)
        understood = perf_counter() - begun
        reason = _why_not(question, ranked)
        if reason is not None:
            return Answer(text, abstained=reason, text=reason, usage=Usage(understanding=understood))
        best = with_siblings(question, ranked[0].candidate, self.words, self.store.schema)
        outcome, best, notes = self._run(_taken_from(among, best))
        answer = self._path(outcome, best) if best.plan.kind == "path" else self._rows(outcome)
        executed = perf_counter() - begun - understood
        total = len(answer.items) if best.plan.kind != "path" else answer.total
        written = plain_text(
            best,
            self.words,
            named=[(m.name, anchor.negated) for anchor, m in zip(question.anchors, best.meanings, strict=True)],
            kind=best.plan.operation,
            items=answer.items,
            value=answer.value,
            total=total,
            truncated=answer.truncated,
        )
        written, completion = (written, None) if self.model is None else phrased(self.model, text, written)
        return replace(
            answer,
            question=text,
            kind=best.plan.operation,
            text=written,
            total=total,
            query=outcome.query,
            named=tuple(each for meaning in best.meanings for each in meaning.ids),
            reading=(*_reading(best, self.words), *notes),
            runners=tuple(_runner(each, self.words) for each in ranked[1 : RUNNERS + 1]),
            unexplained=question.unexplained,
            trace=(
                f"{question.operation}, naming {', '.join(anchor.text for anchor in question.anchors) or 'nothing'}",
                f"{len(ranked)} candidate plans, the best {ranked[0].score:.2f}",
                f"{total} items in {executed * 1000:.0f} ms",
            ),
            confidence=_confidence(ranked, question),
            usage=Usage(
                calls=int(completion is not None),
                prompt_tokens=completion.usage.prompt_tokens if completion else 0,
                completion_tokens=completion.usage.completion_tokens if completion else 0,
                understanding=understood,
                execution=executed,
                text=perf_counter() - begun - understood - executed,
            ),
        )

    def _labels(self, ids: Collection[str]) -> tuple[str, ...]:
        """The labels of some entities."""
        known = [entity for each in ids if (entity := self.engine.graph.names.by_id(each)) is not None]
        types = self.engine.describe(known)["type"].to_pylist() if known else []
        return tuple(dict.fromkeys(map(self.store.schema.label_of, types)))

    def _run(self, candidate: Candidate) -> tuple[Outcome, Candidate, list[str]]:
        """Run a plan, with the kinds of what it names where that is wanted or nothing else is found."""
        wider = with_kinds(candidate.plan, self.hierarchy, deepest=HIERARCHY_DEPTH)
        if candidate.plan.kind == "path" or wider is None:
            return self._outcome(candidate), candidate, []
        if not self.kinds:
            outcome = self._outcome(candidate)
            empty = not outcome.items and not outcome.value
            if self.kinds is False or not empty:
                return outcome, candidate, ["as annotated, without kinds of what is named"]
        widened = replace(candidate, plan=wider)
        return self._outcome(widened), widened, ["with every kind of what is named"]

    def _outcome(self, candidate: Candidate) -> Outcome:
        if candidate.plan.kind == "path":
            return Outcome(candidate.plan, candidate.plan, write(write_statement(candidate.plan)))
        return run_plan(candidate.plan, self.store, self.engine, timeout=self.timeout)

    def _rows(self, outcome: Outcome) -> Answer:
        evidence = gather_evidence(outcome, self.store, self.engine, timeout=self.timeout)
        return Answer("", items=outcome.items, value=outcome.value, truncated=outcome.truncated, evidence=evidence)

    def _path(self, outcome: Outcome, candidate: Candidate) -> Answer:
        """Shortest paths between two named entities, walked by the engine."""
        one, other = candidate.meanings
        paths = self.engine.paths(
            list(one.ids), list(other.ids), PATH_LENGTH, kind="shortest", direction="both", limit=MOST_PATHS
        )
        listed = list(paths)
        numbers = dict.fromkeys(number for path in listed for number in path.numbers)
        evidence = Evidence(cite(numbers, self.engine))
        return Answer("", value=bool(listed), total=len(listed), evidence=evidence, truncated=paths.truncated)


def _taken_from(ids: Collection[str], candidate: Candidate) -> Candidate:
    """The candidate whose answer is one of some entities."""
    plan = candidate.plan
    if not ids or not plan.asked:
        return candidate
    chosen = Part(REQUIRED, (), (Condition(plan.asked[0].of, "id", "IN", tuple(sorted(ids))),))
    return replace(candidate, plan=plan.with_part(chosen))


def _why_not(question: Question, ranked: list[Ranked]) -> str | None:
    """Why a question cannot be answered; None where it can."""
    if not ranked:
        if not question.anchors:
            return "No entity of this graph was recognised in the question."
        named = ", ".join(anchor.text for anchor in question.anchors)
        return f"Recognised {named}, but nothing in this graph's schema joins what is asked for to it."
    if not question.anchors and question.operation == "list":
        return "No entity of this graph was recognised in the question."
    return None


def _reading(candidate: Candidate, words: Words) -> list[str]:
    said = [f"read as: {in_words(candidate, words, names=True)}"]
    for meaning in candidate.meanings:
        number = f"{len(meaning.ids)} entities called so: " if len(meaning.ids) > 1 else ""
        said.append(f"{meaning.name} ({meaning.type}): {number}{', '.join(meaning.ids)}")
    return said


def _runner(ranked: Ranked, words: Words) -> Runner:
    plan = ranked.candidate.plan
    return Runner(write(write_statement(plan)), round(ranked.score, 3), in_words(ranked.candidate, words, names=True))


def _confidence(ranked: list[Ranked], question: Question) -> float:
    """From how far the best plan stands above the next, how well names matched, and what was left unexplained."""
    names = [meaning.score for meaning in ranked[0].candidate.meanings]
    sure = sum(names) / len(names) if names else 1.0
    margin = ranked[0].score - ranked[1].score if len(ranked) > 1 else 2.0
    explained = 1 / (1 + len(question.unexplained))
    return round(sure * explained / (1 + math.exp(-4 * margin)), 3)
