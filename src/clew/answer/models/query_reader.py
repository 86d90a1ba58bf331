"""The third reader: a model trained to write queries reads a question, with parameters in place of its names.

It sees the names that are spelt as in the graph; where other words only resemble a name, it is asked again with these
names too, and the query it is surer of counts. In: a question. Out: its query as it ran, with its signs.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import exp

from clew.answer.certainty.contradicted import contradictions
from clew.answer.certainty.signs import is_reversible
from clew.answer.kept import composer_of, paraphrases_of, polarity_of, words_of
from clew.answer.lexicon.forms import tokens_of
from clew.answer.models.compose import Composed
from clew.answer.models.repairs.direction import as_said
from clew.answer.models.repairs.variants import variants
from clew.answer.models.schema_grammar import NONE
from clew.answer.models.trained import check_of, masked, messages_for, probability_of_right
from clew.answer.models.written import run_written
from clew.answer.names.meanings import Anchor
from clew.answer.names.naming import find_anchors
from clew.answer.reading.intent import is_cue
from clew.answer.reading.opposed import is_met, is_opposed
from clew.answer.reading.question import ParsedQuestion
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
SOME, ALTERNATIVES = 1, 5  # tokens whose log-probabilities are reported, for a query and for a verdict on it
UNSAID = 0.5  # probability that a query is right of which the model does not say so or otherwise


@dataclass(frozen=True, slots=True)
class ReadQuery:
    """A query that a trained model wrote, as it ran."""

    text: str
    ran: Ran
    logprobs: tuple[float, ...]  # of its tokens
    contradicted: bool  # by who does what to whom in the question, or by what it denies or excludes
    reversible: bool  # a relation of it connects one type with itself
    turned: bool  # reversed, or bounds taken as those of a total, because as written it finds nothing
    paraphrased: bool  # with names that the question paraphrases
    called_right: float = UNSAID  # probability, by the model itself
    reluctant: bool = False  # the model would rather have said that the graph has no answer


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
        """The question as the model sees it, with the names in it; then again with paraphrased names too."""
        before: list[str] = []
        for paraphrases in dict.fromkeys((None, paraphrases_of(self._resources))):
            anchors = tuple(
                find_anchors(
                    text, tokens_of(text), self._resources.linker, self._words, is_cue=is_cue, paraphrases=paraphrases
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
        found: list[tuple[ReadQuery, str]] = []
        none = 1.0
        for number, (asked, anchors) in enumerate(self.prompts(question.text)):
            said = self._complete(model, asked)
            reluctant = said is not None and strip(said.text) == NONE
            denied = exp(sum(token.logprob for token in said.logprobs)) if said and reluctant else 0.0
            none = min(none, denied)
            if reluctant:
                said = self._complete(model, asked, grammar=QUERY) if denied < CONVINCED else None
            text = "" if said is None else strip(said.text)
            if said is None or not text:
                continue
            bare = replace(
                self._bare(question.text, anchors),
                filters=question.filters,
                subclasses=parsed.subclasses,
                asked=parsed.asked,
                mentioned=parsed.mentioned,
            )
            try:
                composed = self._composer.read(text, bare, self._composer.placeholders(bare))
                read = self._run(composed, parsed, model, runner)
            except Timeout:
                raise
            except InputError as error:
                log.info("the query of %s cannot be used: %s", model.name, error)
                continue
            if read is not None:
                ran, turned = read
                told = replace(ran.interpretation, question=parsed)
                logprobs = tuple(token.logprob for token in said.logprobs)
                written = ReadQuery(
                    text,
                    ran,
                    logprobs,
                    contradicted=contradictions(told, self._words) > 0,
                    reversible=any(is_reversible(name, self._words) for name in ran.candidate.relationships),
                    turned=turned,
                    paraphrased=number > 0,
                    reluctant=reluctant,
                )
                found.append((written, asked))
        if not found:
            return None, none
        likeliest, asked = max(found, key=lambda each: _likeliness(each[0]))
        return replace(likeliest, called_right=self._called_right(model, asked, likeliest.text)), none

    def _run(
        self, composed: Composed, parsed: ParsedQuestion, model: LanguageModel, runner: Runner
    ) -> tuple[Ran, bool] | None:
        """The query as it ran, and whether only another reading of it finds something (`variants`), which then counts.

        A yes or no stays what it is.
        """
        written = as_said(composed.candidate.plan, parsed, self._words)
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

    def _called_right(self, model: LanguageModel, asked: str, query: str) -> float:
        """The probability that the model, asked again, calls its query right."""
        messages = check_of(self._composer.shown, asked, query)
        said = _completed(model, Request(messages, max_tokens=1, logprobs=ALTERNATIVES))
        probability = None if said is None else probability_of_right(said)
        return UNSAID if probability is None else probability

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


def _likeliness(read: ReadQuery) -> tuple[bool, bool, float]:
    return not read.reluctant, not read.ran.is_empty, sum(read.logprobs)


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
