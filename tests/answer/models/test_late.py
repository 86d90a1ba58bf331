"""A language model that runs out of time: the answer without it, no surer than the readers are, says so."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import log

import pytest

from askers import asker_of_rows
from clew.answer import Answer, Asker, CypherStrategy, Question, Resources, Step
from clew.answer.models import writing
from clew.answer.models.capability import TRAINED
from clew.answer.models.trained import CHECK, RIGHT, WRONG
from clew.answer.strategies.comparing import ComparedStrategies
from clew.errors import Timeout
from clew.lm import Completion, Request, TokenLogprob, Usage
from clew.lm.clients.scripted import Scripted
from clew.store import deadline

STATED = [
    ("Amber Ale", "Beer", "brewed_by", "Fellside Brewery", "Brewery"),
    ("Dark Mild", "Beer", "brewed_by", "Fellside Brewery", "Brewery"),
    ("Pale Gold", "Beer", "brewed_by", "Quayside Brewery", "Brewery"),
    ("Fellside Brewery", "Brewery", "founded_by", "Ann Moss", "Person"),
    ("Fellside Brewery", "Brewery", "audited_by", "Ann Moss", "Person"),
    ("Fellside Brewery", "Brewery", "employs", "Cleo Hart", "Person"),
    ("Quayside Brewery", "Brewery", "insured_by", "Dee Falk", "Person"),
    ("Amber Ale", "Beer", "tasted_by", "Cleo Hart", "Person"),
]
SURE = "Which beers are brewed by Fellside Brewery?"
DOUBTED = "Who is at Fellside?"  # founded, audited or employs: Ann Moss, with doubt
DECLINED = "Who owns Fellside Brewery?"
AUDITED = "MATCH (brewery {id: $brewery1})-[:AUDITED_BY]->(person) RETURN person"  # the same as the readers give
EMPLOYED = "MATCH (brewery {id: $brewery1})-[:EMPLOYS]->(person) RETURN person"  # another
TASTED = "MATCH (beer)-[:TASTED_BY]->(person) RETURN beer"
UNSURE = pytest.mark.parametrize("text", [DOUBTED, DECLINED])


class Clock:
    """The clock of questions, which can be put forward."""

    def __init__(self) -> None:
        self.ahead, self._real = 0.0, deadline.time.monotonic

    def monotonic(self) -> float:
        return self._real() + self.ahead


class Slow(Scripted):
    """A model whose lines take no time, but None, which takes an hour; a trained one says what it thinks of a query."""

    def __init__(self, clock: Clock, lines: tuple[str | None, ...], verdict: float | None, *, trained: bool) -> None:
        super().__init__([line or "" for line in lines], name="trained" if trained else "large-7B")
        self.identity = next(iter(TRAINED)) if trained else self.identity
        self.clock, self.verdict, self.lines = clock, verdict, iter(lines)

    def complete(self, request: Request, **options: object) -> Completion:
        if request.messages[-1].content == CHECK:
            right = self.verdict if self.verdict is not None else self._late()
            said = (TokenLogprob(RIGHT, log(right), ((WRONG, log(1 - right)),)),)
            return Completion("", "length", Usage(calls=1), self.name, logprobs=said)
        if request.max_tokens == 1:  # it reads the graph
            return Completion("", "length", Usage(calls=1), self.name)
        if next(self.lines) is None:
            self._late()
        said = super().complete(request, **options)  # type: ignore[arg-type]
        return replace(said, logprobs=tuple(TokenLogprob(word, -0.0001) for word in said.text.split()))

    def _late(self) -> float:
        self.clock.ahead += 3600
        raise Timeout("it did not answer in time")


@pytest.fixture(scope="module")
def breweries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_rows(tmp_path_factory.mktemp("breweries"), STATED) as asker:
        yield asker


Ask = Callable[..., Answer]


@pytest.fixture
def ask(breweries: Asker, monkeypatch: pytest.MonkeyPatch) -> Ask:
    """Ask with a model that writes these lines, where None is never finished."""
    clock, own = Clock(), breweries.resources
    monkeypatch.setattr(deadline, "time", clock)

    def asked(
        text: str, *lines: str | None, verdict: float | None = 0.999, trained: bool = True, **settings: object
    ) -> Answer:
        model = Slow(clock, lines, verdict, trained=trained)
        resources = Resources(own.engine, store=own.store, encoder=None, model=model)
        strategy = CypherStrategy(phrase=bool(settings.pop("phrase", False)))
        return Asker(resources, strategy).ask(Question(text, **settings))  # type: ignore[arg-type]

    return asked


def told(answer: Answer) -> tuple[object, ...]:
    """What an answer gives, and how sure it is."""
    return answer.abstained, answer.text, answer.items, answer.query, answer.confidence, answer.certainty


@pytest.mark.parametrize("text", [SURE, DOUBTED, DECLINED])
def test_the_readers_answer_says_that_it_is_without_the_model(breweries: Asker, ask: Ask, text: str) -> None:
    answer = ask(text, None, timeout=30)
    assert answer.late == "trained ran out of time (30 s): this is the answer without it; timeout=120 gives it more"
    assert told(answer) == told(breweries.ask(text))
    assert ask(text, AUDITED).late == breweries.ask(text).late == ""


@pytest.mark.parametrize(("settings", "said"), [({}, ("(120 s)", "=240 ")), ({"timeout": 12.5}, ("(12.5 s)", "=120 "))])
def test_it_says_how_much_time_there_was_and_what_to_try(
    ask: Ask, settings: dict[str, float], said: tuple[str, str]
) -> None:
    late = ask(SURE, None, **settings).late
    assert [each in late for each in said] == [True, True]


def test_it_is_a_step_too(ask: Ask) -> None:
    steps: list[Step] = []
    ask(DOUBTED, None, report=steps.append)
    said = [each.text for each in steps if each.name == "model"]
    assert said == ["reading the graph, once", "writing a query", "it ran out of time"]


def test_a_graph_is_read_once_in_time_of_its_own(breweries: Asker) -> None:
    class Keeps(Slow):
        limits: tuple[float | None, ...] = ()

        def keep(self, request: Request, *, timeout: float | None = None) -> None:
            self.limits += (timeout,)

    own, steps = breweries.resources, list[Step]()
    model = Keeps(Clock(), (AUDITED, AUDITED), 0.999, trained=True)
    asker = Asker(Resources(own.engine, store=own.store, encoder=None, model=model), CypherStrategy(phrase=False))
    for _ in range(2):
        asker.ask(Question(DOUBTED, report=steps.append))
    assert [each.text for each in steps].count("reading the graph, once") == 1
    (limit,) = model.limits
    assert limit is not None
    assert limit > 600, "five minutes are too short on a busy core"


@UNSURE
def test_a_query_without_its_verdict_makes_nothing_surer(breweries: Asker, ask: Ask, text: str) -> None:
    written = AUDITED if text == DOUBTED else EMPLOYED
    assert ask(text, written).confidence > breweries.ask(text).confidence
    answer = ask(text, written, verdict=None, timeout=30)
    assert answer.late == "trained ran out of time (30 s): its query came too late to count; timeout=120 gives it more"
    assert told(answer) == told(breweries.ask(text))


def test_one_that_gives_the_same_is_noted(ask: Ask) -> None:
    assert ask(DOUBTED, AUDITED, verdict=None).decided == "trained wrote the query, with the same result"


@UNSURE
def test_one_that_gives_another_answer_is_offered(ask: Ask, text: str) -> None:
    answer = ask(text, EMPLOYED, verdict=None)
    assert "EMPLOYS" in answer.alternatives[0].query
    assert answer.decided is None


@pytest.mark.parametrize(("chance", "certainty"), [(0.69, "sure"), (0.75, "doubtful"), (0.99, "doubtful")])
def test_a_sure_answer_is_doubted_where_it_is_likely_another(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, chance: float, certainty: str
) -> None:
    monkeypatch.setattr(writing, "chance_of", lambda signs: chance)
    answer = ask("Which beers are brewed by a brewery?", TASTED, verdict=None)
    assert ("BREWED_BY" in answer.query, answer.certainty) == (True, certainty)


@UNSURE
def test_no_time_for_the_evidence_of_its_query_leaves_the_readers_answer(
    breweries: Asker, ask: Ask, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    by_query = writing.ModelWriting._by_query

    def late(self: writing.ModelWriting, *given: object) -> Answer:
        self.runner.deadline = self.runner.deadline.later(-3600)
        return by_query(self, *given)  # type: ignore[arg-type]

    monkeypatch.setattr(writing.ModelWriting, "_by_query", late)
    answer, alone = ask(text, EMPLOYED), breweries.ask(text)
    assert "came too late to count" in answer.late
    assert (answer.abstained, answer.items, answer.query) == (alone.abstained, alone.items, alone.query)
    assert answer.confidence <= alone.confidence
    assert "EMPLOYS" in answer.alternatives[0].query


@UNSURE
def test_a_model_that_was_not_trained_says_it_too(breweries: Asker, ask: Ask, text: str) -> None:
    answer = ask(text, None, trained=False, timeout=30)
    assert answer.late == "large-7B ran out of time (30 s): this is the answer without it; timeout=120 gives it more"
    assert told(answer) == told(breweries.ask(text))


def test_one_that_had_no_time_to_word_the_answer_says_it(breweries: Asker, ask: Ask) -> None:
    answer = ask(SURE, None, trained=False, phrase=True, timeout=30)
    assert answer.late == "large-7B ran out of time (30 s): the answer is not in its words; timeout=120 gives it more"
    assert told(answer) == told(breweries.ask(SURE))
    assert ask(SURE, "Amber Ale and Dark Mild.", trained=False, phrase=True).late == ""


def test_what_the_graph_does_not_cover_is_declined_and_says_it_too(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    real = writing.ModelWriting._late
    covered = lambda *given: replace(real(*given), uncovered="1850")  # noqa: E731
    monkeypatch.setattr(writing.ModelWriting, "_late", covered)
    answer = ask(SURE, None)
    assert answer.abstained is not None
    assert "ran out of time" in answer.late


@pytest.mark.parametrize("other", ["", "ran out"])
def test_compared_strategies_say_it_of_each(breweries: Asker, other: str) -> None:
    class Fixed:
        def __init__(self, answer: Answer) -> None:
            self.given = answer

        def answer(self, question: Question, resources: Resources) -> Answer:
            return self.given

    for first, second in [(1, 1), (1, 2), (None, None)]:
        made = [Answer("?", value=each, abstained=None if each else "no") for each in (first, second)]
        compared = ComparedStrategies({"a": Fixed(made[0]), "b": Fixed(replace(made[1], late=other))})
        assert compared.answer(Question("?"), breweries.resources).late == other
