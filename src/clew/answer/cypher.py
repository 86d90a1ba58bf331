"""The strategy that turns plain English into Cypher: parse, rank interpretations, run them until one has a result.

The question is parsed (`question`), candidate plans are made and ranked (`interpretation`), optionally with the help of
a model. The first plan with a result is the answer, reported with its evidence and its interpretation.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from time import perf_counter

from clew.answer.answer import Answer, BoundWord, Usage
from clew.answer.certainty.deeds import find_misplaced
from clew.answer.certainty.signs import confidence_in, signs_of
from clew.answer.kept import (
    composer_of,
    encoder_of,
    judge_of,
    owners_of,
    paraphrases_of,
    polarity_of,
    schema_of,
    schema_paths_of,
    stated_once_of,
    vocabulary_of,
)
from clew.answer.models.writing import ModelWriting, covered, declined
from clew.answer.names.meanings import with_longer_names
from clew.answer.reading.clarify import close_names, find_ambiguities, settle
from clew.answer.reading.interpretation import CHOICES, Interpretation, Interpreter
from clew.answer.reading.question import Meaning, ParsedQuestion, understand
from clew.answer.resources import Resources
from clew.answer.runner import Ran
from clew.answer.running.evidence import gather_evidence
from clew.answer.running.paths import find_paths
from clew.answer.running.run import comes_first, with_types
from clew.answer.running.same_names import same_name_note
from clew.answer.statements.filter_words import provenance_of
from clew.answer.strategies.suggestions import suggest_strategies
from clew.answer.strategy import Question
from clew.answer.values.outcomes import agreed, stated_number
from clew.answer.wording.explain import (
    alternatives_of,
    describe,
    verbalised,
    why_impossible,
    why_not,
    why_unmet,
)
from clew.answer.wording.phrase import plain_text
from clew.errors import InputError, QueryError
from clew.plurals import counted
from clew.store.layout import Relationship

__all__ = ["Answering", "CypherStrategy"]

MOST_TRIED = 6  # interpretations to run before giving an empty answer


@dataclass(frozen=True, slots=True)
class CypherStrategy:
    """Turns questions into Cypher plans from their words and the graph's schema, and runs the best one.

    If the resources have a model, it words the answer unless `phrase` is False. With `choose="ties"` it also decides
    between plans that rank equally, with "always" among the best five. `compose` says when it may write the plan
    itself: before anything else (True), never (False), or where the question is declined or the answer doubtful, if it
    is large enough (None).
    """

    choose: str = "never"
    compose: bool | None = None
    phrase: bool = True

    def __post_init__(self) -> None:
        if self.choose not in CHOICES:
            raise InputError(f"choose must be {', '.join(CHOICES[:-1])} or {CHOICES[-1]}, not {self.choose!r}")

    def answer(self, question: Question, resources: Resources) -> Answer:
        """Answer a question, or abstain with a reason."""
        self.check(resources)
        return Answering(self, resources, question).answer()

    def check(self, resources: Resources) -> None:
        """Refuse settings that need a model where there is none."""
        if resources.model is None and (self.choose != "never" or self.compose):
            raise InputError(
                "choosing or writing plans needs a language model; name one, or leave `choose` and `compose` off"
            )

    def answer_cypher(self, query: Question, resources: Resources) -> Answer:
        """Answer a Cypher query, the text of `query`, with evidence; unambiguous mistakes are repaired and reported.

        Raises `QueryError` if the query cannot be read as a plan or does not fit the schema of this graph.
        """
        return Answering(self, resources, query).answer_cypher()


class Answering(ModelWriting):
    """One question being answered."""

    def __init__(self, strategy: CypherStrategy, resources: Resources, question: Question) -> None:
        super().__init__(resources, question, compose=strategy.compose, phrase=strategy.phrase)
        self.strategy = strategy
        self.engine = resources.engine
        self.schema = resources.schema
        self.linker, self.parser = resources.linker, resources.parser
        self.unmet: Interpretation | None = None  # the first that leaves out a word it cannot do without
        self.misplaced: Relationship | None = None  # what cannot be said of the entities that a yes or no is about

    def _interpreter(self) -> Interpreter:
        resources = self.resources
        return Interpreter(
            schema_of(resources),
            self.words,
            schema_paths_of(resources),
            polarity=polarity_of(resources),
            longer_names=lambda anchors: with_longer_names(anchors, self.engine),
            has=self._has,
            literals=vocabulary_of(resources).literals,
            mutual=stated_once_of(resources),
            encoder=encoder_of(resources),
            judge=lambda: judge_of(resources),
            choose=self.strategy.choose,
        )

    def _has(self, meaning: Meaning, relationship: str, subject: bool) -> bool:
        """Whether an entity that a name means is the subject, or the object, of triples of a relation."""
        relation = self.schema.relationship(relationship)
        way = "both" if relation.symmetric else "out" if subject else "in"
        return bool(self.engine.degree(list(meaning.ids), relations=[relation.relation], direction=way).any())

    def answer(self) -> Answer:
        with self.runner.in_time():
            answer = self._worded(covered(self._read()))
            if answer.abstained is None:
                return answer
            return replace(answer, suggestions=suggest_strategies(self.question, self.resources))

    def _answer(self) -> Answer:
        begun = perf_counter()
        parsed = self.parsed = self._understand()
        meant = (f"{each.text}: {each.meanings[0].name}" for each in parsed.anchors if each.meanings)
        self.runner.report("names", "; ".join(meant) or "no entity is named")
        ran = None if parsed.unmet else self._first_that_finds(parsed)
        if ran is None and parsed.values:  # what it is about has no such attribute
            self.unmet = None
            parsed = self._understand(values=False)
            ran = None if parsed.unmet else self._first_that_finds(parsed)
        understood = perf_counter() - begun - (ran.seconds if ran else 0.0)
        self.ran = ran
        if ran is None:
            usage = Usage(understanding=understood)
            return replace(self._abstention(parsed), question=self.question.text, usage=usage)
        answer = self._answered(ran, understood)
        judged = ran.candidate.plan.kind in ("exists", "lacks")
        self.misplaced = find_misplaced(ran.interpretation, self.words) if judged else None
        return answer if self.misplaced is None else declined(answer, why_impossible(self.misplaced))

    def _instead(self, question: ParsedQuestion) -> str:
        """What the graph holds of the opposite, where it has nothing of what was asked for: harm for help."""
        for each in self._interpreter().opposed(question, self.runner.deadline)[:MOST_TRIED]:
            plan = each.candidate.plan
            try:
                found = self.runner.outcome(each.candidate)
            except QueryError:  # no store runs every plan that can be made of words
                continue
            steps = [step for part in plan.parts for step in part.steps]
            if found.items or (plan.kind == "exists" and found.value and len(steps) == 1):
                said = plain_text(
                    each.candidate,
                    self.words,
                    named=[(meaning.name, False) for meaning in each.candidate.meanings],
                    kind=plan.operation,
                    items=found.items,
                    value=found.value,
                    total=len(found.items),
                    truncated=found.truncated,
                )
                return f" The graph does hold {said.removeprefix('Yes: ')}"
        return ""

    def answer_cypher(self) -> Answer:
        with self.runner.in_time():
            return self._worded(self._answer_cypher())

    def _answer_cypher(self) -> Answer:
        begun = perf_counter()
        query = self.question.text
        nothing = ParsedQuestion(query, anchors=(), tokens=(), type_words=(), operation="list", asked=(), mentioned=())
        composed = composer_of(self.resources).read(query, nothing, {})
        interpretation = Interpretation(nothing, composed.candidate, repairs=composed.repairs, written=True)
        understood = perf_counter() - begun
        outcome = self.runner.outcome(composed.candidate, as_written=True)
        ran = Ran(interpretation, composed.candidate, outcome, (), perf_counter() - begun - understood)
        return self._answered(ran, understood)

    def _answered(self, ran: Ran, understood: float) -> Answer:
        begun = perf_counter()
        answer = self._with_words(self._with_evidence(ran), ran)
        executed = perf_counter() - begun + ran.seconds
        return replace(
            answer,
            question=self.question.text,
            trace=(*answer.trace, f"{answer.total} items in {executed * 1000:.0f} ms"),
            usage=Usage(understanding=understood, execution=executed),
        )

    def _understand(self, *, values: bool = True) -> ParsedQuestion:
        question = self.question
        vocabulary = vocabulary_of(self.resources) if values else None
        provenance_of(self.engine, self.schema).check(question.filters)

        def read(text: str) -> ParsedQuestion:
            return understand(
                text,
                self.linker,
                self.words,
                paraphrases=paraphrases_of(self.resources),
                parser=self.parser,
                vocabulary=vocabulary,
                deadline=self.runner.deadline,
            )

        settled = bool(question.meaning)
        parsed = settle(question.text, question.meaning, self.engine, read) if settled else read(question.text)
        asked = self._labels(question.among) if question.among else ()
        return replace(parsed, asked=asked or parsed.asked, filters=parsed.filters.also(question.filters))

    def _labels(self, ids: Collection[str]) -> tuple[str, ...]:
        """The labels of some entities."""
        known = self.engine.lookup(list(ids))
        types = self.engine.describe(known[known >= 0])["type"].to_pylist()
        return tuple(dict.fromkeys(map(self.schema.label_of, types)))

    def _first_that_finds(self, parsed: ParsedQuestion) -> Ran | None:
        """The first interpretation with a result, else the first that runs: an empty result is an answer too."""
        first = None
        interpretations = self._interpreter().interpretations(parsed, self.model, deadline=self.runner.deadline)
        for number, interpretation in enumerate(interpretations, start=1):
            self.runner.deadline.check()
            if number == 1:
                self._report_best(interpretation)
            if interpretation.account.missing:
                self.unmet = self.unmet or interpretation
                continue
            ran = self.runner.run(interpretation)
            if not ran.is_empty or interpretation.may_find_nothing:
                return replace(ran, interpretation=agreed(interpretation, ran.outcome, self.runner.outcome))
            first = first or ran
            if number == MOST_TRIED:
                break
        return first

    def _report_best(self, interpretation: Interpretation) -> None:
        if self.question.report is not None:
            best = verbalised(interpretation.candidate, self.words)
            many = counted(len(interpretation.ranked), "interpretation")
            self.runner.report("plans", f"{many}, first: {best}" if interpretation.ranked else best)

    def _with_evidence(self, ran: Ran) -> Answer:
        """The items or the value, with their supporting triples."""
        if ran.candidate.plan.kind == "path":
            filters = ran.interpretation.question.filters
            return find_paths(ran.candidate.plan, self.engine, filters, timeout=self.runner.left)
        outcome, judged = ran.outcome, ran.interpretation.question.judged
        self.runner.report(
            "evidence", f"evidence for {counted(len(outcome.items), 'item')}" if outcome.items else "evidence"
        )
        evidence = gather_evidence(
            outcome, self.runner.store, self.engine, timeout=self.runner.left, every_item=self.question.all_evidence
        )
        return Answer(
            "",
            items=with_types(outcome.items, self.engine),
            value=comes_first(outcome, judged) if judged else stated_number(ran.candidate, outcome),
            total=len(outcome.items),
            truncated=outcome.truncated,
            evidence=evidence,
        )

    def _with_words(self, answer: Answer, ran: Ran) -> Answer:
        """The answer with its text and the interpretation of the question."""
        interpretation, best = ran.interpretation, ran.candidate
        question = interpretation.question
        names = ", ".join(anchor.text for anchor in question.anchors) or "nothing"
        nothing = not answer.items if best.plan.kind == "rows" and best.plan.asked else answer.value is False
        score = f", the best {interpretation.ranked[0].score:.2f}" if interpretation.ranked else ""
        competitors = self.runner.competitors(ran)
        asked = bool(question.tokens) or not interpretation.written  # else it is a query of one's own
        signs = (
            signs_of(interpretation, ran.outcome, competitors, self.words, owners_of(self.resources)) if asked else {}
        )
        same_named = self.runner.same_named(ran.outcome)
        noted = (same_name_note(ran.outcome, same_named),) if same_named else ()
        trace = (f"{question.operation}, naming {names}", f"{len(interpretation.ranked)} candidate plans{score}")
        return replace(
            answer,
            kind=best.plan.operation,
            text=plain_text(
                interpretation.candidate,
                self.words,
                named=[(m.name, anchor.negated) for anchor, m in zip(question.anchors, best.meanings, strict=True)],
                kind=best.plan.operation,
                items=answer.items,
                value=answer.value,
                total=answer.total,
                truncated=answer.truncated,
                sources=answer.evidence.sources,
                tied=with_types(ran.outcome.tied, self.engine),
                same_named=same_named,
            )
            + (self._instead(question) if nothing else "")
            + "".join(f" {str(each)[:1].upper()}{str(each)[1:]}." for each in ran.outcome.outside),
            query=ran.outcome.query,
            named=tuple(each for meaning in best.meanings for each in meaning.ids),
            interpretation=(*describe(interpretation.candidate, question.filters, self.words), *ran.notes, *noted),
            repairs=interpretation.repairs,
            ambiguities=find_ambiguities(interpretation, self.linker),
            alternatives=alternatives_of(interpretation, competitors, self.words),
            bindings=tuple(
                BoundWord(question.text[each.start : each.end], each.part) for each in interpretation.account.bindings
            ),
            unrecognised=tuple(each.text for each in interpretation.account.unbound),
            decided=interpretation.decided,
            trace=trace if interpretation.decided is None else (*trace, interpretation.decided),
            confidence=confidence_in(signs) if asked else 1.0,
            signs=signs,
            uncovered=ran.outcome.uncovered,
        )

    def _abstention(self, question: ParsedQuestion) -> Answer:
        close = close_names(question, self.linker)
        vocabulary = vocabulary_of(self.resources)
        reason = why_unmet(self.unmet, self.words, vocabulary) if self.unmet else why_not(question, self.words, close)
        reason += self._instead(question)
        return Answer("", abstained=reason, text=reason, ambiguities=close, unrecognised=question.unrecognised)
