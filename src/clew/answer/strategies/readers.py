"""Two readers of one question: by its words, and by its sketch, unless the first is sure of something plain.

Where they disagree the likelier one answers, as doubtful. They share names and schema and nothing else: one enumerates
paths of the schema and trees of the grammar, the other grounds what a trained parser wrote. docs/reading.md says how
often they are right together and alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from time import perf_counter
from typing import TYPE_CHECKING

from clew.answer.answer import DOUBTFUL, Alternative, Answer
from clew.answer.certainty.attested import is_attested
from clew.answer.certainty.signs import NEVER_SURE, is_reversible
from clew.answer.certainty.sketched import probability_of, sketch_signs
from clew.answer.cypher import Answering, CypherStrategy
from clew.answer.kept import hierarchy_of, lexical_of
from clew.answer.lexicon.words import Words
from clew.answer.models.writing import as_alternative, beside, declined
from clew.answer.reading.any_type import is_narrower
from clew.answer.reading.question import ParsedQuestion
from clew.answer.resources import Resources
from clew.answer.runner import Ran
from clew.answer.strategy import Question
from clew.answer.wording.explain import verbalised
from clew.errors import Timeout

if TYPE_CHECKING:
    from clew.answer.hearing.hearing import Heard, Hearing
    from clew.answer.hearing.parser import SketchParser
    from clew.answer.sketch.voice import Spoken

__all__ = ["AGREEABLE", "ReadersStrategy", "Reading"]

AGREED = 0.97  # confidence where both readers give the same answer
AGREEABLE = 0.7  # chance of a sketch from which that is so whatever the confidence in the first answer,
UNCERTAIN, LIKELY = 0.5, 0.6  # and confidence and chance that are enough together
CONTESTED = DOUBTFUL - 0.05  # most confidence in an answer that only one of them gives
INEXACT = 0.05  # sign of a name: above it the question does not have the name as the graph does
DISSENTING = 0.3  # probability and chance from which a sketch contests conditions and orders by values
ALONE = 0.5  # chance from which a sketch answers by itself, or in the place of a doubtful answer
HELD = 0.5  # confidence from which a doubtful answer is given that no sketch confirms
SAID = 0.4  # the same where words mean all its relations
UNSAID = "unsaid"  # sign of a relation that no word means
UNATTESTED = "words may mean another relation of this graph, or none"
SAME = "a second reader gives the same answer"
BY_SKETCH = "read this way by a second reader, from a sketch of the question"


@dataclass(frozen=True, slots=True)
class ReadersStrategy(CypherStrategy):
    """Asks a second reader what the first declines, is not sure of, or could easily misread; settings are of the first.

    Without the parser of sketches, or without an encoder, which its phrases need, the first reader answers alone.
    """

    def answer(self, question: Question, resources: Resources) -> Answer:
        """Answer a question, or abstain with a reason."""
        self.check(resources)
        parser = resources.sketch_parser
        if parser is None:
            return Answering(self, resources, question).answer()
        return Reading(self, resources, question, parser).answer()


class Reading(Answering):
    """One question being answered by two readers."""

    def __init__(
        self, strategy: CypherStrategy, resources: Resources, question: Question, parser: "SketchParser"
    ) -> None:
        super().__init__(strategy, resources, question)
        self.sketch_parser = parser
        self._hearing: Hearing | None = None

    def _understand(self, *, values: bool = True) -> ParsedQuestion:
        parsed = super()._understand(values=values)
        if self._hearing is None:  # the names are the same whatever values are
            self._hearing = self._begin_to_hear(parsed)
        return parsed

    def _answer(self) -> Answer:
        try:
            return self._attested(self._by_both())
        finally:
            if self._hearing is not None:
                self._hearing.give_up()

    def _by_both(self) -> Answer:
        first = super()._answer()
        if self.parsed is None or self.is_settled(first):
            return first
        begun = perf_counter()
        spoken = self.spoken(self.parsed)
        read = perf_counter() - begun
        if spoken is None:
            in_time = self.runner.deadline.left > 0
            why = "does not understand the question" if in_time else "has no time left"
            self.runner.report("second", f"it {why}")
            if first.abstained is not None:
                return first
            first = _capped(first, CONTESTED)
            return _noted(self._unconfirmed(first) if in_time else first, f"a second reader {why}", read)
        if first.abstained is None and (spoken.ran.gives(first) or self._is_narrower(spoken)):
            self.runner.report("second", "it gives the same answer")
            return _noted(self._agreed(first, spoken), SAME, read)
        self.runner.report("second", verbalised(spoken.ran.candidate, self.words))
        if first.abstained is not None:
            return self._sketched(spoken, first, read) if _probability(spoken) >= ALONE else first
        return self._contested(first, spoken, read)

    def is_settled(self, first: Answer) -> bool:
        """Whether a second reader can add nothing: to what it cannot say, and to what is sure and plain."""
        if first.kind == "path" or first.decided is not None or (self.parsed is not None and self.parsed.unmet):
            return True
        if self.misplaced is not None:
            return True
        if self.ran is None:
            return False
        plain = first.certainty == "sure" and _is_plain(self.ran, self.words)
        return plain or self.ran.candidate.plan.skip > 0  # sketches know no ordinals

    def _attested(self, answer: Answer) -> Answer:
        """An answer that is not doubtful, unless the linker of words and schema says otherwise."""
        if answer.abstained is not None or answer.certainty == "doubtful" or self.ran is None or self.parsed is None:
            return answer
        if answer.kind == "path" or _is_plain(self.ran, self.words) or self._hearing is None:
            return answer
        try:
            heard = self._hearing.result()
        except Timeout:
            return _capped(answer, CONTESTED)
        hierarchies = hierarchy_of(self.resources).values()
        attested = is_attested(self.ran.interpretation, heard.linked, heard.spelt, self.words, hierarchies)
        return answer if attested else _noted(_capped(answer, CONTESTED), UNATTESTED, 0.0)

    def _begin_to_hear(self, parsed: ParsedQuestion) -> "Hearing":
        from clew.answer.hearing.hearing import Hearing, hear

        lexical, english = lexical_of(self.resources), self.resources.parser

        def work(check: Callable[[], None]) -> "Heard":
            return hear(
                parsed.text,
                parsed.names,
                self.sketch_parser,
                lexical,
                has=self._has,
                is_right=lambda word: english is not None and english.knows(word),
                check=check,
            )

        return Hearing(work, lambda: self.runner.deadline.check())

    def spoken(self, parsed: ParsedQuestion) -> "Spoken | None":
        from clew.answer.sketch.voice import speak

        if self._hearing is None:
            return None
        try:
            return speak(self.question, parsed, self._hearing.result(), self.resources, self.runner, self._has)
        except Timeout:
            return None

    def _agreed(self, first: Answer, spoken: "Spoken") -> Answer:
        """The first answer, now sure, unless words were left out, something contradicts it, or both could err alike.

        Both readers take names from the linker, and from the same lists which end of a relation a word stands for.
        """
        reading = spoken.reading
        if any(is_reversible(relation, self.words) for relation in spoken.ran.candidate.relationships):
            return _capped(first, CONTESTED)
        never = spoken.ran.is_empty or bool(reading.left_out)  # two readers easily agree on nothing
        if never or any(first.signs.get(name) for name in NEVER_SURE):
            return first
        likely = _probability(spoken)
        certain = likely >= AGREEABLE or (first.confidence >= UNCERTAIN and likely >= LIKELY)
        certain = certain or first.certainty == "likely"
        certain = certain and first.signs.get("name", 0.0) <= INEXACT
        return replace(first, confidence=max(first.confidence, AGREED)) if certain else first

    def _is_narrower(self, spoken: "Spoken") -> bool:
        """Whether a sketch means the same, but only one of the types that what is asked for may be of."""
        return self.ran is not None and is_narrower(spoken.ran.candidate.plan, self.ran.candidate.plan)

    def _contested(self, first: Answer, spoken: "Spoken", read: float) -> Answer:
        """The likelier of two answers, doubtful, with the other one to choose from.

        Of 26 first answers that were sure though the second reader had another one, 8 were wrong; of 139 that it
        confirmed, none. Conditions and orders by values are read better by the first: they need a likely sketch.
        """
        drops = self.ran is not None and _drops(self.ran, spoken.ran)
        turned = any(is_reversible(name, self.words) for name in spoken.ran.candidate.relationships)
        better = not drops and not turned and _probability(spoken) >= max(ALONE, first.confidence)
        if first.certainty == "doubtful" and better:  # grammar tells better than a sketch who does what to whom
            return beside(self._sketched(spoken, first, read), as_alternative(first))
        said = verbalised(spoken.ran.candidate, self.words)
        other = Alternative(spoken.ran.outcome.query, round(CONTESTED, 3), said)
        self.alone = first.confidence
        likely = spoken.is_complete and min(spoken.reading.probability, _probability(spoken)) >= DISSENTING
        dissents = likely or _walks(self.ran)
        contested = self._unconfirmed(_capped(first, CONTESTED) if dissents else first)
        return beside(_noted(contested, f"a second reader understands: {said}", read), other)

    def _unconfirmed(self, first: Answer) -> Answer:
        """A first answer that the second reader does not give; one that is too doubtful is declined, and offered."""
        if not self._is_too_doubtful(first):
            return first
        meant = as_alternative(first)
        reason = (
            f"It is not clear enough what is asked. It could be: {meant.interpretation}; but a second reader of the "
            "question does not confirm it."
        )
        return declined(first, reason)

    def _is_too_doubtful(self, first: Answer) -> bool:
        """Whether an answer should be declined that no sketch confirms; not a yes or no, nor one of given options."""
        open_ = first.kind != "exists" and not self.question.among
        least = HELD if first.signs.get(UNSAID) else SAID
        return open_ and first.certainty == "doubtful" and first.confidence < least

    def _sketched(self, spoken: "Spoken", first: Answer, read: float) -> Answer:
        """The answer that a sketch gives: doubtful, since only a trained model says what its words mean."""
        answer = self._answered(spoken.ran, first.usage.seconds)
        sure = round(min(_probability(spoken), CONTESTED), 3)
        return _noted(replace(answer, confidence=sure), BY_SKETCH, read - spoken.ran.seconds)


def _is_plain(ran: Ran, words: Words) -> bool:
    """Whether a plan is hard to misread: one relation at most, in its own words, nothing denied, bounded or ranked.

    Of a relation that could be read from either end a noun does not tell which: "the apprentices of A".
    """
    plan, question = ran.candidate.plan, ran.interpretation.question
    tokens = [token for token in question.tokens if token not in question.of_names]
    verbs = {word.start for tree in question.trees[:1] for word in tree.words if word.kind == "VERB"}

    def is_said(name: str) -> bool:
        turned = is_reversible(name, words)
        return any(words.is_own(name, token.text) and (not turned or token.start in verbs) for token in tokens)

    own = all(map(is_said, set(ran.candidate.relationships)))
    alone = len(plan.parts) == 1 and sum(len(part.steps) for part in plan.parts) <= 1
    return alone and own and not plan.sort and plan.limit is None and ran.interpretation.question.bound is None


def _walks(ran: Ran | None) -> bool:
    """Whether a plan has any step: else it only says something of entities' own values, where words are plain."""
    return ran is None or any(part.steps for part in ran.candidate.plan.parts)


def _drops(first: Ran, other: Ran) -> bool:
    """Whether a plan has fewer names than another, or lacks a condition of it on a column of statements."""
    return _names(other) < _names(first) or bool(_columns(first) - _columns(other))


def _names(ran: Ran) -> int:
    """How many names a plan has: of two readers each may choose another entity of a name."""
    return sum(each.key == "id" for part in ran.candidate.plan.parts for each in part.conditions)


def _columns(ran: Ran) -> set[tuple[str, str]]:
    """The columns of statements that a plan has conditions on, and their values."""
    conditions = (each for part in ran.candidate.plan.parts for each in part.conditions if each.key.startswith("q_"))
    return {(each.key, str(each.value)) for each in conditions}


def _probability(spoken: "Spoken") -> float:
    """How likely the answer of a sketch is right; one that passes over a needed word is never given."""
    return 0.0 if spoken.unheard else probability_of(sketch_signs(spoken))


def _noted(answer: Answer, note: str, read: float) -> Answer:
    """An answer that says what the second reader made of the question, and how long that took."""
    usage = replace(answer.usage, understanding=answer.usage.understanding + read)
    return replace(answer, interpretation=(*answer.interpretation, note), usage=usage)


def _capped(answer: Answer, most: float) -> Answer:
    return replace(answer, confidence=min(answer.confidence, most))
