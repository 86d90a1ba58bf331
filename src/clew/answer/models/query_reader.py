"""The third reader: a model trained to write queries reads a question, with parameters in place of its names.

It sees the names that are spelt as in the graph; where other words only describe or resemble a name, and it does not
call its query right, it is asked again with these names too. In: a question. Out: its query as it ran, with its signs.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp

from clew.answer.certainty.contradicted import contradictions
from clew.answer.certainty.passed_over import passes_over
from clew.answer.certainty.signs import is_reversible
from clew.answer.kept import composer_of, owners_of, paraphrases_of, polarity_of, words_of
from clew.answer.lexicon.forms import tokens_of
from clew.answer.models.branches import other_grammars
from clew.answer.models.compose import Composed
from clew.answer.models.repairs.direction import as_said
from clew.answer.models.repairs.labels import takes_one_of_twins
from clew.answer.models.repairs.values import ranks_texts
from clew.answer.models.repairs.variants import variants
from clew.answer.models.schema_grammar import NONE
from clew.answer.models.trained import check_of, masked, messages_for, probability_of_right
from clew.answer.models.written import run_written
from clew.answer.names.meanings import Anchor
from clew.answer.names.naming import find_anchors
from clew.answer.reading.intent import is_cue
from clew.answer.reading.opposed import is_met, is_opposed
from clew.answer.reading.question import ParsedQuestion
from clew.answer.reading.shape import counting_none
from clew.answer.resources import Resources
from clew.answer.runner import Ran, Runner
from clew.answer.strategy import Question
from clew.errors import InputError, ModelError, Timeout
from clew.lm import Completion, Keeping, LanguageModel, Request, strip

__all__ = ["QueryReader", "ReadQuery", "query_reader_of"]

log = logging.getLogger(__name__)
READING = 1200.0  # seconds to read a graph; it is kept, so that no other process has to
MOST_TOKENS = 160
CONVINCED = 0.9  # probability of NONE at which the model is believed
QUERY = 'root ::= "MATCH " [^\\n]+'  # for a model that says NONE: what it would write
SOME, ALTERNATIVES = 2, 5  # tokens whose log-probabilities are reported, for a query and for a verdict on it
UNSAID = 0.5  # probability that a query is right of which the model does not say so or otherwise
OWNED = 0.5  # a query that is called right with less is written again, and one with more is taken instead


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """A query that a trained model wrote, as it ran."""

    text: str
    ran: Ran
    logprobs: tuple[float, ...]  # of its tokens
    contradicted: bool  # by grammar, what it passes over, an order that texts do not have, or one of two types taken
    reversible: bool  # a relation of it connects one type with itself
    turned: bool  # in another reading (`variants`), because as written it finds nothing
    paraphrased: bool  # with names that the question only describes or paraphrases
    called_right: float = UNSAID  # probability, by the model itself
    reluctant: bool = False  # the model would rather have said that the graph has no answer


@dataclass(frozen=True, slots=True)
class _Turn:
    """A question as a model was asked it, what it wrote, and that as it ran, if it can."""

    asked: str
    bare: ParsedQuestion
    said: Completion
    reluctant: bool
    paraphrased: bool
    read: ReadQuery | None = None


class QueryReader:
    """Reads questions about one graph."""

    def __init__(self, resources: Resources) -> None:
        self._resources = resources
        self._composer = composer_of(resources)
        self._words = words_of(resources)
        self._polarity = polarity_of(resources)

    def read_graph(self, model: LanguageModel) -> None:
        """Let a model read, and keep, the beginning of every prompt: a minute on two cores the first time."""
        request = Request(messages_for(self._composer.shown, "?"), max_tokens=1)
        try:
            model.keep(request, timeout=READING) if isinstance(model, Keeping) else model.complete(request)
        except (ModelError, Timeout) as error:
            log.info("%s could not read the graph: %s", model.name, error)

    def prompts(self, text: str) -> Iterator[tuple[str, tuple[Anchor, ...]]]:
        """The question as the model sees it, with the names in it; again with described ones, and paraphrased ones."""
        before: list[str] = []
        stages = ((True, None), (False, None), (False, paraphrases_of(self._resources)))
        for spelt_only, paraphrases in dict.fromkeys(stages):
            anchors = tuple(
                find_anchors(
                    text,
                    tokens_of(text),
                    self._resources.linker,
                    self._words,
                    is_cue=is_cue,
                    paraphrases=paraphrases,
                    spelt_only=spelt_only,
                )
            )
            bare = self._bare(text, anchors)
            asked = masked(text, {anchor: list(held) for anchor, held in self._composer.named(bare).items()})
            if asked not in before:
                before.append(asked)
                yield asked, anchors

    def read(
        self, question: Question, parsed: ParsedQuestion, model: LanguageModel, runner: Runner
    ) -> tuple[ReadQuery | None, float]:
        """The query that a model writes for a question, and how sure it is that the graph has no answer.

        `parsed` is the question as the readers parse it: the query has to account for its words.
        """
        tried: list[_Turn] = []
        none = 1.0
        for number, (asked, anchors) in enumerate(self.prompts(question.text)):
            said = self._complete(model, asked)
            reluctant = said is not None and strip(said.text) == NONE
            denied = exp(sum(token.logprob for token in said.logprobs)) if said and reluctant else 0.0
            none = min(none, denied)
            if reluctant:
                said = self._complete(model, asked, grammar=QUERY) if denied < CONVINCED else None
            if said is None or not strip(said.text):
                continue
            bare = replace(
                self._bare(question.text, anchors),
                filters=question.filters,
                subclasses=parsed.subclasses,
                asked=parsed.asked,
                mentioned=parsed.mentioned,
                trees=parsed.trees,
            )
            turn = _Turn(asked, bare, said, reluctant=reluctant, paraphrased=number > 0)
            read = self._read_as(said, turn, parsed, model, runner)
            tried.append(replace(turn, read=read and self._judged(read, asked, model)))
            if _stands(tried[-1].read) and not reluctant:
                break
        if not tried:
            return None, none
        return self._likeliest(max(tried, key=_likeliness), parsed, model, runner), none

    def _likeliest(
        self, turn: "_Turn", parsed: ParsedQuestion, model: LanguageModel, runner: Runner
    ) -> ReadQuery | None:
        """The query of a turn; if the model calls it wrong or it finds nothing, the next that does neither, if any."""
        if _stands(turn.read):
            return turn.read
        found: list[ReadQuery] = []
        try:
            for said in self._others(turn, model):
                read = self._read_as(said, turn, parsed, model, runner)
                found += [self._judged(read, turn.asked, model)] if read is not None else []
        except Timeout as error:
            log.info("%s has no time for a second query: %s", model.name, error)
        owned = [each for each in found if each.called_right >= OWNED and not each.ran.outcome.finds_nothing]
        return max(owned, key=lambda each: each.called_right, default=turn.read)

    def _others(self, turn: "_Turn", model: LanguageModel) -> Iterator[Completion]:
        """What a model would write with second choices in place of tokens of its query."""
        before = {strip(turn.said.text)}
        for grammar in other_grammars(turn.said):
            said = self._complete(model, turn.asked, grammar=grammar)
            if said is not None and strip(said.text) not in before:
                before.add(strip(said.text))
                yield said

    def _read_as(
        self, said: Completion, turn: "_Turn", parsed: ParsedQuestion, model: LanguageModel, runner: Runner
    ) -> ReadQuery | None:
        """What a model wrote, as it ran; None if it cannot be used."""
        text = strip(said.text)
        try:
            composed = self._composer.read(text, turn.bare, self._composer.placeholders(turn.bare))
            read = self._run(composed, parsed, model, runner)
        except Timeout:
            raise
        except InputError as error:
            log.info("the query of %s cannot be used: %s", model.name, error)
            return None
        if read is None:
            return None
        ran, turned = read
        interpretation = replace(ran.interpretation, question=parsed)
        return ReadQuery(
            text,
            ran,
            tuple(token.logprob for token in said.logprobs),
            contradicted=contradictions(interpretation, self._words, owners_of(self._resources)) > 0
            or passes_over(interpretation, self._polarity, self._words)
            or ranks_texts(ran.candidate.plan, self._composer.shown)
            or takes_one_of_twins(ran.candidate.plan, parsed, self._resources.schema),
            reversible=any(is_reversible(name, self._words) for name in ran.candidate.relationships),
            turned=turned,
            paraphrased=turn.paraphrased,
            reluctant=turn.reluctant,
        )

    def _run(
        self, composed: Composed, parsed: ParsedQuestion, model: LanguageModel, runner: Runner
    ) -> tuple[Ran, bool] | None:
        """The query as it ran, and whether only another reading of it finds something (`variants`), which then counts.

        A yes or no stays what it is.
        """
        written = as_said(composed.candidate.plan, parsed, self._words)
        if written.measure is not None and written.measure.bounds:  # the fewest stay as they are written
            written = counting_none(written, parsed)
        found: list[Ran] = []
        for plan in (written, *variants(written, self._resources.schema)):
            this = replace(composed, candidate=replace(composed.candidate, plan=plan))
            opposed = is_opposed(parsed, this.candidate, self._polarity)
            if opposed and not is_met(parsed, this.candidate, self._polarity):  # it may have help and harm in it
                break
            ran = run_written(this, parsed, model, self._resources, runner)
            if ran is None:
                break
            if not ran.outcome.finds_nothing:
                return (found[0], True) if found and plan.kind in ("exists", "lacks") else (ran, bool(found))
            found.append(ran)
        return (found[0], False) if found else None

    def _complete(self, model: LanguageModel, asked: str, *, grammar: str | None = None) -> Completion | None:
        messages = messages_for(self._composer.shown, asked)
        return _completed(model, Request(messages, max_tokens=MOST_TOKENS, logprobs=SOME, grammar=grammar))

    def _judged(self, read: ReadQuery, asked: str, model: LanguageModel) -> ReadQuery:
        """A query with the probability that the model, asked again, calls it right."""
        messages = check_of(self._composer.shown, asked, read.text)
        said = _completed(model, Request(messages, max_tokens=1, logprobs=ALTERNATIVES))
        probability = None if said is None else probability_of_right(said)
        return replace(read, called_right=UNSAID if probability is None else probability)

    def _bare(self, text: str, anchors: Sequence[Anchor]) -> ParsedQuestion:
        return ParsedQuestion(
            text, anchors=tuple(anchors), tokens=(), type_words=(), operation="list", asked=(), mentioned=()
        )


def _completed(model: LanguageModel, request: Request) -> Completion | None:
    try:
        return model.complete(request)
    except (ModelError, Timeout) as error:
        log.info("%s did not answer: %s", model.name, error)
        return None


def _stands(read: ReadQuery | None) -> bool:
    """Whether a query finds something and the model calls it right."""
    return read is not None and read.called_right >= OWNED and not read.ran.is_empty


def _likeliness(turn: _Turn) -> tuple[bool, bool, bool, bool, float]:
    read = turn.read
    if read is None:
        return False, False, False, False, 0.0
    return True, not read.reluctant, not read.ran.is_empty, read.called_right >= OWNED, sum(read.logprobs)


def query_reader_of(resources: Resources, announce: Callable[[], None] | None = None) -> QueryReader:
    """The reader for a graph, made once, when the model of the resources has read the graph, as `announce` tells."""

    def make() -> QueryReader:
        reader = QueryReader(resources)
        if announce is not None:
            announce()
        if resources.model is not None:
            reader.read_graph(resources.model)
        return reader

    return resources.once("query reader", make)
