"""What a language model writes for one question: a query, where it is asked to or the readers doubt, and the words.

What a model alone says is doubtful. `cypher.py` and `strategies/readers.py` say how the readers answer.
"""

from abc import ABC, abstractmethod
from dataclasses import replace
from time import perf_counter
from typing import TYPE_CHECKING

from clew.answer.answer import DOUBTFUL, Alternative, Answer, Usage
from clew.answer.kept import words_of
from clew.answer.reading.question import ParsedQuestion
from clew.answer.resources import Resources
from clew.answer.runner import Ran, Runner
from clew.answer.strategy import Question
from clew.answer.wording.explain import SHOWN_ALTERNATIVES, verbalised
from clew.answer.wording.phrase import phrased

if TYPE_CHECKING:
    from clew.answer.models.written import Written
    from clew.lm import Metered

__all__ = ["ModelWriting"]

WRITTEN = DOUBTFUL - 0.05  # most for what a model alone says


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
        """What the words of the question say."""

    @abstractmethod
    def _answer(self) -> Answer:
        """The answer of the readers."""

    @abstractmethod
    def _answered(self, ran: Ran, understood: float) -> Answer:
        """The answer that an interpretation gives."""

    def _read(self) -> Answer:
        """The answer of the readers or of a model, not yet in the words of the model."""
        return self._written_first() if self.compose else self._written_last()

    def _written_first(self) -> Answer:
        """What a model makes of the question; without a query that runs, the answer of the readers."""
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
        from clew.answer.models.capability import can_compose

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
        """The readers' answer, with what a model makes of the question: the same, or another one to choose from."""
        said = verbalised(written.ran.candidate, self.words)
        self.runner.report("model", said)
        if first.abstained is not None:
            self.ran = written.ran
            return self._by_model(written, understood)
        first = replace(first, usage=replace(first.usage, understanding=understood))
        if written.ran.gives(first):
            return replace(first, decided=f"{written.ran.interpretation.decided}, with the same result")
        other = Alternative(written.ran.outcome.query, WRITTEN, said)
        return replace(first, alternatives=(other, *first.alternatives)[:SHOWN_ALTERNATIVES])

    def _by_model(self, written: "Written", understood: float) -> Answer:
        """The answer to what a model alone wrote: doubtful."""
        answer = self._answered(written.ran, understood)
        return replace(answer, confidence=min(answer.confidence, WRITTEN))

    def _written(self, parsed: ParsedQuestion) -> "Written | None":
        if self.model is None:
            return None
        from clew.answer.models.written import written_reader_of

        self.runner.report("model", "writing a query")
        return written_reader_of(self.resources).read(parsed, self.model, self.runner)

    def _worded(self, answer: Answer) -> Answer:
        """The answer in the words of the model, if it may phrase it, with all that the model was used for."""
        if self.model is None:
            return answer
        begun, text = perf_counter(), answer.text
        if self.phrase and answer.abstained is None:
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
