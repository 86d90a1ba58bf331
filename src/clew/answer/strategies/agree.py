"""Two readers of one question: by its words and by its sketch. What they agree on is sure; else the better one answers.

They share names and schema and nothing else: one enumerates paths of the schema and trees of the grammar, the other
grounds what a trained parser wrote. docs/asking.md says how often they are right together and alone.
"""

from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from clew.answer.answer import DOUBTFUL, SURE, Alternative, Answer
from clew.answer.cypher import Answering, CypherStrategy
from clew.answer.resources import Resources
from clew.answer.strategy import Question
from clew.answer.values.outcomes import stated_number
from clew.answer.wording.explain import verbalised
from clew.errors import Timeout

if TYPE_CHECKING:
    from clew.answer.sketch.parser import SketchParser
    from clew.answer.sketch.voice import Spoken

__all__ = ["AgreeStrategy"]

AGREED = 0.97  # confidence where both readers give the same answer, and the sketch is certain
ALONE = (DOUBTFUL + SURE) / 2  # confidence in an answer that the other reader does not contest
CONTESTED = DOUBTFUL - 0.05  # and in one that it does
CERTAIN, PROBABLE = 0.8, 0.5  # probability of a sketch
CLEAR, UNCLEAR = 0.8, 0.6  # fit of its weakest phrase


@dataclass(frozen=True, slots=True)
class AgreeStrategy:
    """Asks two readers, and is sure of what both read alike; without the parser of sketches it is the first alone."""

    def answer(self, question: Question, resources: Resources) -> Answer:
        """Answer a question, or abstain with a reason."""
        parser = resources.sketch_parser
        if parser is None:
            return Answering(CypherStrategy(), resources, question).answer()
        return _Agreeing(resources, question, parser).answer()


class _Agreeing(Answering):
    """One question being answered by two readers."""

    def __init__(self, resources: Resources, question: Question, parser: "SketchParser") -> None:
        super().__init__(CypherStrategy(), resources, question)
        self.sketch_parser = parser

    def _answer(self) -> Answer:
        first = super()._answer()
        if first.kind == "path" or self.question.filters or self.parsed is None or self.parsed.unmet:
            return first
        begun = perf_counter()
        spoken = self._spoken()
        if spoken is None:
            return (
                first
                if first.abstained is not None
                else _capped(first, ALONE if first.certainty == "sure" else CONTESTED)
            )
        reading, understood = spoken.reading, perf_counter() - begun
        if first.abstained is not None:
            return self._sketched(spoken, understood) if _may_speak_alone(spoken) else first
        if (first.value, frozenset(item.id for item in first.items)) == _given(spoken):
            certain = reading.probability >= CERTAIN and first.confidence >= DOUBTFUL and not reading.left_out
            raised = max(first.confidence, AGREED) if certain else first.confidence
            return replace(first, confidence=raised if reading.probability >= PROBABLE else min(raised, ALONE))
        if reading.probability >= CERTAIN and reading.weakest >= CLEAR and not reading.left_out:
            second = self._sketched(spoken, understood)
            said = next((line.removeprefix("interpreted as: ") for line in first.interpretation), "")
            other = Alternative(first.query, round(first.confidence, 3), said)
            return replace(_capped(second, CONTESTED), alternatives=(other, *second.alternatives)[:3])
        said = verbalised(spoken.ran.candidate, self.words)
        other = Alternative(spoken.ran.outcome.query, CONTESTED, said)
        return replace(_capped(first, CONTESTED), alternatives=(other, *first.alternatives)[:3])

    def _spoken(self) -> "Spoken | None":
        from clew.answer.sketch.voice import speak

        assert self.parsed is not None
        try:
            return speak(
                self.question.text, self.parsed.anchors, self.sketch_parser, self.resources, self.runner, self._has
            )
        except Timeout:
            return None

    def _sketched(self, spoken: "Spoken", understood: float) -> Answer:
        """The answer that a sketch gives."""
        reading = spoken.reading
        answer = self._answered(spoken.ran, understood)
        clear = reading.probability >= CERTAIN and reading.weakest >= UNCLEAR and not reading.left_out
        left = tuple(spoken.words[at].text for at in reading.left_out)
        return replace(answer, confidence=ALONE if clear else CONTESTED, unrecognised=left)


def _may_speak_alone(spoken: "Spoken") -> bool:
    """Whether a sketch may answer where the other reader declines: certain enough, with no word left out."""
    reading = spoken.reading
    if reading.left_out or spoken.ran.is_empty:
        return False
    if reading.probability >= CERTAIN:
        return True
    return reading.weakest >= (UNCLEAR if reading.probability >= PROBABLE else CLEAR)


def _given(spoken: "Spoken") -> tuple[object, frozenset[str]]:
    """What a sketch answers, to be compared with what the other reader does."""
    outcome = spoken.ran.outcome
    return stated_number(spoken.ran.candidate, outcome), frozenset(item.id for item in outcome.items)


def _capped(answer: Answer, most: float) -> Answer:
    return replace(answer, confidence=min(answer.confidence, most))
