"""What a language model writes for one question: a query, if asked to or if the readers doubt, and the wording.

What a trained model writes is as sure as its chance; an answer of another model alone is doubtful. `cypher.py` and
`strategies/readers.py` are how the readers answer.
"""

from abc import ABC, abstractmethod
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from clew.answer.answer import DOUBTFUL, SURE, Alternative, Answer, Usage
from clew.answer.certainty.queried import chance_of, query_signs
from clew.answer.kept import words_of
from clew.answer.models.capability import can_compose, is_trained
from clew.answer.models.query_reader import QueryReader, ReadQuery, query_reader_of
from clew.answer.models.written import meets
from clew.answer.reading.question import ParsedQuestion
from clew.answer.resources import Resources
from clew.answer.runner import Ran, Runner
from clew.answer.strategy import MODEL_SECONDS, Question
from clew.answer.wording.explain import SHOWN_ALTERNATIVES, verbalised
from clew.answer.wording.phrase import phrased
from clew.errors import Timeout

if TYPE_CHECKING:
    from clew.answer.models.written import Written
    from clew.lm import Metered

__all__ = ["ModelWriting", "as_alternative", "beside", "covered", "declined"]

WRITTEN = DOUBTFUL - 0.05  # highest confidence of a doubtful answer of a model
LIKELY = SURE - 0.01  # confidence of one that is likely
ALONE = 0.5  # chance at which a trained model's query answers by itself, or in place of a doubtful answer
CLEAR, CERTAIN = 0.88, 0.93  # chances at which its answer is likely, and sure (docs/reading.md)
DISSENTING = 0.7  # chance at which a different answer makes the readers' doubtful
DENYING = 0.7  # probability of NONE at which a doubtful answer is declined that no likely query confirms


class ModelWriting(ABC):
    """One question being answered, as far as a model may write its query (`compose`) and its answer (`phrase`)."""

    def __init__(self, resources: Resources, question: Question, *, compose: bool | None, phrase: bool) -> None:
        self.resources = resources
        self.question = question
        self.compose, self.phrase = compose, phrase
        self.words = words_of(resources)
        self.runner = Runner(resources, question)
        self.model = self._metered()
        self.parsed: ParsedQuestion | None = None  # what the words say, once they are read
        self.ran: Ran | None = None  # the interpretation that is answered
        self.alone = 0.0  # confidence in the first reader's answer before the second gave another one

    @abstractmethod
    def _understand(self) -> ParsedQuestion:
        """The question as its words are read."""

    @abstractmethod
    def _answer(self) -> Answer:
        """The answer of the readers."""

    @abstractmethod
    def _answered(self, ran: Ran, understood: float) -> Answer:
        """The answer that an interpretation gives."""

    def _read(self) -> Answer:
        """The answer of the readers or of a model, before a model words it."""
        if self.model is not None and self.compose is not False and is_trained(self.model):
            return self._queried(self.model)
        return self._written_first() if self.compose else self._written_last()

    def _queried(self, model: "Metered") -> Answer:
        """The answer of the readers and of a trained model, which is asked every question that a query can answer.

        A date that no statement has may be an attribute: the model's query counts if it has that date.
        """
        first = self._answer()
        if first.kind == "path" or self.parsed is None:
            return first
        reader = self._query_reader()
        self.runner.report("model", "writing a query")
        begun, read, none = perf_counter(), None, 0.0
        try:
            read, none = reader.read(self.question, self.parsed, model, self.runner)
            self.runner.deadline.check()
            if self.parsed.unmet and (read is None or not meets(read.ran.candidate.plan, self.parsed.unmet)):
                return _later(first, begun, read)
            return self._voted(_later(first, begun, read), read, none)
        except Timeout:  # the readers have answered already
            return self._late(_later(first, begun, read), read)

    def _voted(self, first: Answer, read: ReadQuery | None, none: float) -> Answer:
        """The answer of the readers and of a trained model, which has written a query and judged it, or has none."""
        if read is None:
            self.runner.report("model", "it has no answer")
            return self._denied(first) if none >= DENYING else first
        self.runner.report("model", verbalised(read.ran.candidate, self.words))
        confirmed = first.abstained is None and read.ran.gives(first)
        probability = chance_of(query_signs(read, confirmed=confirmed))
        if confirmed:
            return self._confirmed(first, read, probability)
        return self._by_query(first, read, probability, none)

    def _late(self, first: Answer, read: ReadQuery | None) -> Answer:
        """The readers' answer where a trained model ran out of time: no surer than without it, its query is offered.

        It is doubtful where that query is likely to answer otherwise.
        """
        if read is None:
            return self._out_of_time(first, "this is the answer without it")
        first = self._out_of_time(first, "its query came too late to count")
        if first.abstained is None and read.ran.gives(first):
            return replace(first, decided=_same(read.ran))
        if read.ran.is_empty:
            return first
        dissents = chance_of(query_signs(read, confirmed=False)) >= DISSENTING
        other = Alternative(read.ran.outcome.query, WRITTEN, verbalised(read.ran.candidate, self.words))
        return beside(replace(first, confidence=min(first.confidence, WRITTEN)) if dissents else first, other)

    def _out_of_time(self, answer: Answer, so: str) -> Answer:
        """An answer that says that the model ran out of time, what that means for it, and what to do."""
        assert self.model is not None
        self.runner.report("model", "it ran out of time")
        limit = self.runner.deadline.seconds
        more = max(MODEL_SECONDS, 2 * limit)
        late = f"{self.model.name} ran out of time ({limit:g} s): {so}; timeout={more:g} gives it more"
        return replace(answer, late=late)

    def _query_reader(self) -> QueryReader:
        """The third reader; the time that its model takes to read the graph, once, does not count."""
        begun = perf_counter()
        reader = query_reader_of(self.resources, lambda: self.runner.report("model", "reading the graph, once"))
        self.runner.deadline = self.runner.deadline.later(perf_counter() - begun)
        return reader

    def _denied(self, first: Answer) -> Answer:
        """An answer where a trained model says that the graph has none: doubtful, or declined and offered if it was."""
        if first.abstained is not None or self.model is None:
            return first
        if first.certainty != "doubtful" and not (first.certainty == "likely" and first.signs.get("nothing")):
            return replace(first, confidence=min(first.confidence, WRITTEN))
        meant = as_alternative(first)
        return declined(
            first,
            f"The graph does not seem to hold what is asked for: {self.model.name} finds no query for it. "
            f"It could be: {meant.interpretation}.",
        )

    def _confirmed(self, first: Answer, read: ReadQuery, probability: float) -> Answer:
        """The readers' answer, which a trained model gives too: at least as sure as before.

        Where they doubt it and the model does not, its query explains the answer: theirs may find it for other reasons.
        """
        answer = replace(first, confidence=max(first.confidence, self.alone), decided=_same(read.ran))
        surer = _as_sure(answer, read, probability)
        if (surer.certainty == "sure", surer.confidence) <= (answer.certainty == "sure", answer.confidence):
            return answer
        if first.certainty != "doubtful" or surer.certainty == "doubtful":
            return surer
        self.ran = read.ran
        told = self._answered(read.ran, first.usage.understanding)
        return _as_sure(replace(told, decided=answer.decided), read, probability)

    def _by_query(self, first: Answer, read: ReadQuery, probability: float, none: float) -> Answer:
        """The likelier of the readers' answer, if any, and a trained model's, with the other to choose from.

        Where the readers are sure of another answer, neither is.
        """
        settled, own = first.certainty != "doubtful", max(first.confidence, self.alone)
        if probability < ALONE or own > max(probability, DOUBTFUL):
            if none >= DENYING:
                return self._denied(first)
            if first.abstained is not None or read.ran.is_empty:
                return first
            other = Alternative(read.ran.outcome.query, WRITTEN, verbalised(read.ran.candidate, self.words))
            most = WRITTEN if probability >= DISSENTING else 1.0
            return beside(replace(first, confidence=min(first.confidence, most)), other)
        self.ran = read.ran
        answer = self._answered(read.ran, first.usage.understanding)
        answer = _as_sure(answer, read, min(probability, WRITTEN) if settled else probability)
        return answer if first.abstained is not None else beside(answer, as_alternative(first))

    def _written_first(self) -> Answer:
        """The answer to a model's query; if none of its queries runs, the answer of the readers."""
        begun = perf_counter()
        self.parsed = self._understand()
        written = None if self.parsed.unmet else self._written(self.parsed)
        if written is None:
            return self._answer()
        self.ran = written.ran
        return self._by_model(written, perf_counter() - begun - written.ran.seconds)

    def _written_last(self) -> Answer:
        """The answer of the readers, and of a model where they decline or doubt it."""
        first = self._answer()
        settled = first.abstained is None and first.certainty != "doubtful"
        if self.model is None or self.compose is False or settled or first.kind == "path":
            return first
        if self.parsed is None or self.parsed.unmet or not can_compose(self.model):
            return first
        begun, written = perf_counter(), None
        try:
            written = self._written(self.parsed)
            self.runner.deadline.check()
            return self._weighed(_later(first, begun, written), written)
        except Timeout:  # the readers have answered already
            late = self._out_of_time(first, "this is the answer without it")
            return _later(late, begun, written)

    def _weighed(self, first: Answer, written: "Written | None") -> Answer:
        """The readers' answer weighed against a model's: confirmed by it, or with it to choose from."""
        if written is None or not written.is_complete:
            why = "has no answer" if written is None else "leaves words out"
            self.runner.report("model", f"it {why}")
            return first
        said = verbalised(written.ran.candidate, self.words)
        self.runner.report("model", said)
        if first.abstained is not None:
            self.ran = written.ran
            return self._by_model(written, first.usage.understanding)
        if written.ran.gives(first):
            return replace(first, decided=_same(written.ran))
        other = Alternative(written.ran.outcome.query, WRITTEN, said)
        return beside(first, other)

    def _by_model(self, written: "Written", understood: float) -> Answer:
        """The answer to a query that only a model wrote: doubtful."""
        answer = self._answered(written.ran, understood)
        return replace(answer, confidence=min(answer.confidence, WRITTEN))

    def _written(self, parsed: ParsedQuestion) -> "Written | None":
        if self.model is None:
            return None
        from clew.answer.models.written import written_reader_of

        self.runner.report("model", "writing a query")
        return written_reader_of(self.resources).read(parsed, self.model, self.runner)

    def _worded(self, answer: Answer) -> Answer:
        """The answer in the words of the model, if it may phrase it, with the calls and tokens of the model."""
        if self.model is None:
            return answer
        begun, text = perf_counter(), answer.text
        if self.phrase and answer.abstained is None and not is_trained(self.model):
            self.runner.report("text", "wording the answer")
            text = phrased(self.model, self.question.text, text)
            if self.runner.deadline.left <= 0 and not answer.late:
                answer = self._out_of_time(answer, "the answer is not in its words")
        used = Usage(self.model.usage.calls, self.model.usage.prompt_tokens, self.model.usage.completion_tokens)
        return replace(answer, text=text, usage=answer.usage + replace(used, text=perf_counter() - begun))

    def _metered(self) -> "Metered | None":
        """The model, metered for this one question."""
        if self.resources.model is None:
            return None
        from clew.lm import Metered, Timed

        return Metered(Timed(self.resources.model, lambda: self.runner.deadline.left))


def _later(first: Answer, begun: float, read: "ReadQuery | Written | None") -> Answer:
    """An answer with the time that a model has taken since to write its query, apart from running that."""
    understood = first.usage.understanding + perf_counter() - begun - (read.ran.seconds if read else 0.0)
    return replace(first, usage=replace(first.usage, understanding=understood))


def _same(ran: Ran) -> str:
    """What a model did that gives the answer of the readers."""
    return f"{ran.interpretation.decided}, with the same result"


def as_alternative(first: Answer) -> Alternative:
    """An answer as an alternative to choose."""
    said = first.interpretation[0].removeprefix("interpreted as: ") if first.interpretation else ""
    return Alternative(first.query, round(min(first.confidence, WRITTEN), 3), said)


def beside(answer: Answer, other: Alternative) -> Answer:
    """An answer with one more interpretation to choose from, ahead of those it has."""
    rest = (each for each in answer.alternatives if each.interpretation != other.interpretation)
    return replace(answer, alternatives=(other, *rest)[:SHOWN_ALTERNATIVES])


def declined(first: Answer, reason: str) -> Answer:
    """A declined answer with its reason, and the answer there was as an alternative."""
    none = Answer("", abstained=reason, text=reason, unrecognised=first.unrecognised, late=first.late)
    return beside(replace(none, question=first.question, usage=first.usage), as_alternative(first))


def covered(answer: Answer) -> Answer:
    """An answer, or why there is none: it rests on what the graph records nothing of, or asks for it."""
    if answer.abstained is None and answer.uncovered:
        return declined(answer, f"The graph does not cover what is asked for: {answer.uncovered}.")
    unstated = answer.kind == "value" and not answer.items and answer.value is None
    return declined(answer, answer.text) if answer.abstained is None and unstated else answer


def _as_sure(answer: Answer, read: ReadQuery, probability: float) -> Answer:
    """An answer as sure as the chance of a trained model's query, and a sure one with the words that only it reads.

    Doubtful if the grammar of the question contradicts the query, or if as written the query finds or nears nothing.
    """
    unbound = tuple(each.text for each in read.ran.interpretation.account.unbound)
    if read.contradicted or read.turned or read.ran.outcome.uncovered:
        probability = min(probability, WRITTEN)
    if probability >= CERTAIN:
        read_alone = (f"{read.ran.interpretation.decided}; it alone reads: {', '.join(unbound)}",) if unbound else ()
        interpretation = (*answer.interpretation, *read_alone)
        return replace(answer, confidence=probability, unrecognised=(), interpretation=interpretation)
    confidence = LIKELY if probability >= CLEAR else min(probability, WRITTEN)
    return replace(answer, confidence=confidence, unrecognised=unbound)
