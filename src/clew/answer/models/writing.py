"""What a language model writes for one question: a query, if asked to or if the readers doubt, and the wording.

An answer of a model alone is doubtful. `cypher.py` and `strategies/readers.py` are how the readers answer.
"""

from abc import ABC, abstractmethod
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from clew.answer.answer import DOUBTFUL, Alternative, Answer, Usage
from clew.answer.certainty.queried import chance_of, query_signs
from clew.answer.certainty.signs import NEVER_SURE, is_reversible
from clew.answer.kept import words_of
from clew.answer.models.capability import can_compose, is_trained
from clew.answer.models.query_reader import CONVINCED, QueryReader, ReadQuery, query_reader_of
from clew.answer.plans.plan import ABSENT
from clew.answer.reading.question import ParsedQuestion
from clew.answer.resources import Resources
from clew.answer.runner import Ran, Runner
from clew.answer.strategy import Question
from clew.answer.wording.explain import SHOWN_ALTERNATIVES, verbalised
from clew.answer.wording.phrase import phrased
from clew.errors import Timeout

if TYPE_CHECKING:
    from clew.answer.models.written import Written
    from clew.lm import Metered

__all__ = ["ModelWriting", "as_alternative", "beside", "covered", "declined"]

WRITTEN = DOUBTFUL - 0.05  # highest confidence of an answer of a model alone
ALONE = 0.5  # chance at which a trained model's query answers by itself, or in place of a doubtful answer
CLEAR = 0.9  # and at which it is not doubtful where the readers decline
CERTAIN = 0.95  # chance at which an answer that the readers give too is sure
DISSENTING = 0.7  # chance at which a different answer makes the readers' doubtful


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
        """The answer of the readers and of a trained model, which is asked every question that a query can answer."""
        first = self._answer()
        if first.kind == "path" or self.parsed is None or self.parsed.unmet:
            return first
        self.runner.report("model", "writing a query")
        reader = self._query_reader()
        begun = perf_counter()
        try:
            read, none = reader.read(self.question, self.parsed, model, self.runner)
        except Timeout:  # the readers have answered already
            self.runner.report("model", "it ran out of time")
            return first
        understood = first.usage.understanding + perf_counter() - begun - (read.ran.seconds if read else 0.0)
        first = replace(first, usage=replace(first.usage, understanding=understood))
        if read is None:
            self.runner.report("model", "it has no answer")
            return self._denied(first, model) if none >= CONVINCED else first
        self.runner.report("model", verbalised(read.ran.candidate, self.words))
        if first.abstained is None and read.ran.gives(first):
            return self._confirmed(first, read)
        return self._by_query(first, read)

    def _query_reader(self) -> QueryReader:
        """The third reader; the time that its model takes to read the graph, once, does not count."""
        begun = perf_counter()
        reader = query_reader_of(self.resources)
        self.runner.deadline = self.runner.deadline.later(perf_counter() - begun)
        return reader

    def _denied(self, first: Answer, model: "Metered") -> Answer:
        """A doubtful answer where a trained model says that the graph has none: declined, but offered."""
        if first.abstained is not None or first.certainty != "doubtful":
            return first
        meant = as_alternative(first)
        return declined(
            first,
            f"The graph does not seem to hold what is asked for: {model.name} finds no query for it. "
            f"It could be: {meant.interpretation}.",
        )

    def _confirmed(self, first: Answer, read: ReadQuery) -> Answer:
        """The readers' answer, which a trained model gives too: sure, unless both could make the same mistake.

        Words that the readers left out do not matter if the model's query accounts for every word.
        """
        probability = chance_of(query_signs(read, confirmed=True))
        doubts = [name for name in NEVER_SURE if first.signs.get(name)]
        accounted = doubts == ["left out"] and not read.ran.interpretation.account.unbound
        answer = replace(first, decided=f"{read.ran.interpretation.decided}, with the same result")
        if probability < CERTAIN or (doubts and not accounted) or self._is_slippery(read):
            return answer
        unrecognised = () if accounted else first.unrecognised
        return replace(answer, confidence=max(first.confidence, probability), unrecognised=unrecognised)

    def _is_slippery(self, read: ReadQuery) -> bool:
        """Whether a query is easily misread: it denies something, or a relation of it connects one type with itself.

        Or it contradicts the grammar of the question about who does what to whom, or wants what nothing comes near.
        """
        plan = read.ran.candidate.plan
        denied = any(part.kind == ABSENT for part in plan.parts) or plan.kind == "lacks"
        return (
            denied
            or read.contradicted
            or bool(read.ran.outcome.uncovered)
            or any(is_reversible(name, self.words) for name in read.ran.candidate.relationships)
        )

    def _by_query(self, first: Answer, read: ReadQuery) -> Answer:
        """The likelier of the readers' answer, if any, and a trained model's: doubtful, with the other to choose from.

        If the readers decline, a clear query of a trained model that accounts for every needed word is not doubtful.
        """
        probability = chance_of(query_signs(read, confirmed=False))
        own = 0.0 if first.abstained is not None else first.confidence
        if probability < ALONE or (first.certainty != "doubtful" and own > probability):
            if first.abstained is not None or read.ran.is_empty:
                return first
            other = Alternative(read.ran.outcome.query, WRITTEN, verbalised(read.ran.candidate, self.words))
            capped = replace(first, confidence=min(own, WRITTEN)) if probability >= DISSENTING else first
            return beside(capped, other)
        self.ran = read.ran
        answer = self._answered(read.ran, first.usage.understanding)
        bound = not read.ran.interpretation.account.missing
        clear = first.abstained is not None and probability >= CLEAR and bound and not self._is_slippery(read)
        confidence = probability if clear else min(probability, WRITTEN)
        answer = replace(answer, confidence=confidence, unrecognised=_unbound(read))
        if first.abstained is not None:
            return answer
        return beside(answer, as_alternative(first))

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
        begun = perf_counter()
        written = self._written(self.parsed)
        spent = perf_counter() - begun
        if written is None or not written.is_complete:
            why = "has no answer" if written is None else "leaves words out"
            self.runner.report("model", f"it {why}")
            return replace(first, usage=replace(first.usage, understanding=first.usage.understanding + spent))
        return self._weighed(first, written, first.usage.understanding + spent)

    def _weighed(self, first: Answer, written: "Written", understood: float) -> Answer:
        """The readers' answer weighed against a model's: confirmed by it, or with it to choose from."""
        said = verbalised(written.ran.candidate, self.words)
        self.runner.report("model", said)
        if first.abstained is not None:
            self.ran = written.ran
            return self._by_model(written, understood)
        first = replace(first, usage=replace(first.usage, understanding=understood))
        if written.ran.gives(first):
            return replace(first, decided=f"{written.ran.interpretation.decided}, with the same result")
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
        used = Usage(self.model.usage.calls, self.model.usage.prompt_tokens, self.model.usage.completion_tokens)
        return replace(answer, text=text, usage=answer.usage + replace(used, text=perf_counter() - begun))

    def _metered(self) -> "Metered | None":
        """The model, metered for this one question."""
        if self.resources.model is None:
            return None
        from clew.lm import Metered, Timed

        return Metered(Timed(self.resources.model, lambda: self.runner.deadline.left))


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
    none = Answer("", abstained=reason, text=reason, unrecognised=first.unrecognised)
    return beside(replace(none, question=first.question, usage=first.usage), as_alternative(first))


def covered(answer: Answer) -> Answer:
    """An answer, or why there is none: it rests on years, days or texts that the graph records nothing of."""
    if answer.abstained is not None or not answer.uncovered:
        return answer
    return declined(answer, f"The graph does not cover what is asked for: {answer.uncovered}.")


def _unbound(read: ReadQuery) -> tuple[str, ...]:
    return tuple(each.text for each in read.ran.interpretation.account.unbound)
