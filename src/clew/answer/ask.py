"""Question → answer: understand, take the reading that finds something, show what carries the result; or say why not.

Names and words are read (`question`), plans are made of them and ranked (`reading`), where a model may have a say; the
first reading that finds something is run, and comes back with its evidence and with how it all came about.
"""

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from time import perf_counter
from typing import TYPE_CHECKING

from clew.answer.answer import Answer, Evidence, Usage
from clew.answer.candidates import HIERARCHY_DEPTH, PATH_LENGTH, Candidate, Ways
from clew.answer.clarify import close_names, find_rivals, settle
from clew.answer.expand import with_kinds
from clew.answer.explain import confidence_in, describe, runners_up, why_not
from clew.answer.filters import Filters
from clew.answer.phrase import phrased, plain_text
from clew.answer.plan import REQUIRED, Condition, Part, Plan
from clew.answer.question import Question, understand
from clew.answer.reading import CHOICES, Reader, Reading
from clew.answer.run import Outcome, cite, gather_evidence, run_plan
from clew.answer.words import Words
from clew.answer.write import write_statement
from clew.errors import ClewError, DerivedError, InputError, QueryError
from clew.link import Linker, open_vectors
from clew.progress import Progress, silent
from clew.store.cypher import write
from clew.store.store import Store, open_store
from clew.traverse import Engine

if TYPE_CHECKING:
    from clew.embed import Encoder
    from clew.lm import LanguageModel, Metered

__all__ = ["Asker"]

log = logging.getLogger(__name__)
MOST_PATHS = 10
MOST_TRIED = 6  # readings that are run before an empty answer is given


@dataclass(frozen=True, slots=True)
class _Ran:
    """A reading, the plan as it was run, and what came of it."""

    reading: Reading
    candidate: Candidate
    outcome: Outcome
    notes: tuple[str, ...]
    seconds: float

    @property
    def is_empty(self) -> bool:
        """Whether things were asked for and none was found; a number, a yes or a no is an answer in any case."""
        plan = self.candidate.plan
        return plan.kind == "rows" and bool(plan.asked) and not self.outcome.items


class Asker:
    """Answers questions over one graph; what it needs is opened at the first question and kept."""

    def __init__(
        self,
        engine: Engine,
        *,
        store: str | Store = "embedded",
        encoder: "Encoder | None" = None,
        model: "LanguageModel | None" = None,
        choose: str = "never",
        compose: bool | None = None,
        phrase: bool = True,
        kinds: bool | None = None,
        timeout: float = 30.0,
        progress: Progress = silent,
    ) -> None:
        """`model` phrases the text, unless `phrase` forbids it. It also picks among plans that rank alike if `choose`
        is "ties", among the best five if it is "always". `compose` lets it write plans itself: first of all (True),
        never (False), or where nothing else fits and it is able to (None). `kinds` says whether what is named includes
        its kinds; None: only where it has no answer of its own.
        """
        if choose not in CHOICES:
            raise InputError(f"a model chooses {', '.join(CHOICES[:-1])} or {CHOICES[-1]}, not {choose!r}")
        if model is None and (choose != "never" or compose):
            raise InputError("to choose or to write plans takes a language model, and none is given")
        self.engine = engine
        self.encoder = encoder
        self.model = model
        self.choose = choose
        self.compose = compose
        self.phrase = phrase
        self.kinds = kinds
        self.timeout = timeout
        self._store = store
        self._progress = progress

    # what answering needs -------------------------------------------------------------------------------------------

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

    @cached_property
    def reader(self) -> Reader:
        return Reader(
            self.engine.graph,
            self.store.schema,
            self.words,
            self.ways,
            encoder=self.encoder,
            choose=self.choose,
            compose=self.compose,
        )

    # the road -------------------------------------------------------------------------------------------------------

    def ask(
        self,
        text: str,
        *,
        among: Collection[str] = (),
        meaning: Mapping[str, str] | None = None,
        filters: Filters | None = None,
    ) -> Answer:
        """Answer a question, or abstain with a reason.

        `among` are the ids from which the answer is to be taken; `meaning` settles names: {"lentis": "HP:0001083"};
        `filters` say which statements the answer may rest on, beside what the question says of them.
        """
        begun = perf_counter()
        model = self._metered()
        question = self._understand(text, among, meaning or {}, filters or Filters())
        ran = self._first_that_finds(question, model, among)
        understood = perf_counter() - begun - (ran.seconds if ran else 0.0)
        if ran is None:
            return replace(self._abstention(question), question=text, usage=_usage(model, understanding=understood))
        return self._answered(text, ran, model, understood)

    def answer_cypher(self, query: str) -> Answer:
        """Answer a question that is put in Cypher, with evidence; slips with one reading are repaired and said.

        Raises `QueryError` where it is no plan, or none of this graph.
        """
        begun = perf_counter()
        question = Question(text=query, anchors=(), tokens=(), type_words=(), operation="list", asked=(), spoken_of=())
        composed = self.reader.composer.read(query, question, {})
        reading = Reading(question, composed.candidate, repairs=composed.repairs, written=True)
        understood = perf_counter() - begun
        outcome = self._outcome(composed.candidate)
        ran = _Ran(reading, composed.candidate, outcome, (), perf_counter() - begun - understood)
        return self._answered(query, ran, None, understood)

    def _answered(self, text: str, ran: _Ran, model: "Metered | None", understood: float) -> Answer:
        begun = perf_counter()
        answer = self._with_words(self._with_evidence(ran), ran)
        executed = perf_counter() - begun + ran.seconds
        begun = perf_counter()
        written = phrased(model, text, answer.text) if model is not None and self.phrase else answer.text
        return replace(
            answer,
            question=text,
            text=written,
            trace=(*answer.trace, f"{answer.total} items in {executed * 1000:.0f} ms"),
            usage=_usage(model, understanding=understood, execution=executed, text=perf_counter() - begun),
        )

    def _metered(self) -> "Metered | None":
        """The model, with an account of what this one question costs."""
        if self.model is None:
            return None
        from clew.lm import Metered

        return Metered(self.model)

    def _understand(self, text: str, among: Collection[str], meaning: Mapping[str, str], filters: Filters) -> Question:
        def read(said: str) -> Question:
            return understand(said, self.linker, self.words, encoder=self.encoder)

        question = settle(text, meaning, self.engine.graph, read) if meaning else read(text)
        asked = self._labels(among) if among else ()
        return replace(question, asked=asked or question.asked, filters=question.filters.also(filters))

    def _labels(self, ids: Collection[str]) -> tuple[str, ...]:
        """The labels of some entities."""
        known = [entity for each in ids if (entity := self.engine.graph.names.by_id(each)) is not None]
        types = self.engine.describe(known)["type"].to_pylist() if known else []
        return tuple(dict.fromkeys(map(self.store.schema.label_of, types)))

    def _first_that_finds(
        self, question: Question, model: "LanguageModel | None", among: Collection[str]
    ) -> _Ran | None:
        """The first reading that finds something; else the first that fits, for that there is nothing is an answer."""
        first = None
        for number, reading in enumerate(self.reader.readings(question, model), start=1):
            try:
                ran = self._run(reading, among)
            except ClewError as error:
                if not reading.written:
                    raise
                log.info("what the model wrote does not run: %s", error)
                continue
            if not ran.is_empty:
                return ran
            first = first or ran
            if number == MOST_TRIED:
                break
        return first

    def _run(self, reading: Reading, among: Collection[str]) -> _Ran:
        """Run a reading, with the kinds of what it names where that is wanted or nothing else is found."""
        begun = perf_counter()
        candidate = reading.candidate
        candidate = _taken_from(among, candidate)
        wider = with_kinds(candidate.plan, self.hierarchy, deepest=HIERARCHY_DEPTH)
        if wider is None or candidate.plan.kind == "path":
            return _Ran(reading, candidate, self._outcome(candidate), reading.notes, perf_counter() - begun)
        outcome = None if self.kinds else self._outcome(candidate)
        note = "as annotated, without kinds of what is named"
        if outcome is None or (self.kinds is None and not outcome.items and not outcome.value):
            candidate, note = replace(candidate, plan=wider), "with every kind of what is named"
            outcome = self._outcome(candidate)
        return _Ran(reading, candidate, outcome, (*reading.notes, note), perf_counter() - begun)

    def _outcome(self, candidate: Candidate) -> Outcome:
        if candidate.plan.kind == "path":
            return Outcome(candidate.plan, candidate.plan, write(write_statement(candidate.plan)))
        return run_plan(candidate.plan, self.store, self.engine, timeout=self.timeout)

    # what is said of it ---------------------------------------------------------------------------------------------

    def _with_evidence(self, ran: _Ran) -> Answer:
        """The items or the value, with the triples that carry them."""
        if ran.candidate.plan.kind == "path":
            return self._paths(ran.candidate.plan, ran.reading.question.filters)
        outcome = ran.outcome
        evidence = gather_evidence(outcome, self.store, self.engine, timeout=self.timeout)
        return Answer(
            "",
            items=outcome.items,
            value=outcome.value,
            total=len(outcome.items),
            truncated=outcome.truncated,
            evidence=evidence,
        )

    def _paths(self, plan: Plan, filters: Filters) -> Answer:
        """Shortest paths between two named entities, walked by the engine."""
        one, other = (_held_to(plan, slot.name) for slot in plan.slots)
        paths = self.engine.paths(
            one, other, PATH_LENGTH, kind="shortest", direction="both", where=filters.where, limit=MOST_PATHS
        )
        listed = list(paths)
        numbers = dict.fromkeys(number for path in listed for number in path.numbers)
        evidence = Evidence(cite(numbers, self.engine))
        return Answer("", value=bool(listed), total=len(listed), evidence=evidence, truncated=paths.truncated)

    def _with_words(self, answer: Answer, ran: _Ran) -> Answer:
        """The answer with its plain text and with how the question was read."""
        reading, best = ran.reading, ran.candidate
        question = reading.question
        names = ", ".join(anchor.text for anchor in question.anchors) or "nothing"
        score = f", the best {reading.ranked[0].score:.2f}" if reading.ranked else ""
        trace = (f"{question.operation}, naming {names}", f"{len(reading.ranked)} candidate plans{score}")
        return replace(
            answer,
            kind=best.plan.operation,
            text=plain_text(
                best,
                self.words,
                named=[(m.name, anchor.negated) for anchor, m in zip(question.anchors, best.meanings, strict=True)],
                kind=best.plan.operation,
                items=answer.items,
                value=answer.value,
                total=answer.total,
                truncated=answer.truncated,
            ),
            query=ran.outcome.query,
            named=tuple(each for meaning in best.meanings for each in meaning.ids),
            reading=(*describe(best, question.filters, self.words), *ran.notes),
            repairs=reading.repairs,
            rivals=find_rivals(reading, self.linker),
            runners=runners_up(reading, self.words),
            unexplained=question.unexplained,
            decided=reading.decided,
            trace=trace if reading.decided is None else (*trace, reading.decided),
            confidence=confidence_in(reading),
        )

    def _abstention(self, question: Question) -> Answer:
        close = close_names(question, self.linker)
        reason = why_not(question, self.words, close)
        return Answer("", abstained=reason, text=reason, rivals=close, unexplained=question.unexplained)


def _taken_from(ids: Collection[str], candidate: Candidate) -> Candidate:
    """The candidate whose answer is one of some entities."""
    plan = candidate.plan
    if not ids or not plan.asked:
        return candidate
    chosen = Part(REQUIRED, (), (Condition(plan.asked[0].of, "id", "IN", tuple(sorted(ids))),))
    return replace(candidate, plan=plan.with_part(chosen))


def _held_to(plan: Plan, slot: str) -> list[str]:
    """The ids that a slot of a plan is held to."""
    for condition in plan.required.conditions:
        if (condition.of, condition.key) == (slot, "id"):
            return list(map(str, condition.value)) if isinstance(condition.value, tuple) else [str(condition.value)]
    raise QueryError("the ends of a path are named entities: give each an id")


def _usage(model: "Metered | None", *, understanding: float, execution: float = 0.0, text: float = 0.0) -> Usage:
    if model is None:
        return Usage(understanding=understanding, execution=execution, text=text)
    used = model.usage
    return Usage(used.calls, used.prompt_tokens, used.completion_tokens, understanding, execution, text)
