"""A model that was trained to write queries beside the readers: it confirms, answers, declines, or changes nothing."""

from collections.abc import Callable, Collection, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from askers import asker_of_csv, asker_of_rows
from clew.answer import Answer, Asker, CypherStrategy, Resources
from clew.answer.models import query_reader, writing
from clew.answer.models.query_reader import QueryReader
from clew.answer.models.trained import CHECK
from clew.answer.reading.question import ParsedQuestion
from clew.answer.runner import Runner
from clew.answer.strategy import Question
from clew.errors import ModelError, Timeout
from clew.lm import Completion, Request, TokenLogprob, Unreachable
from trained_model import Trained

STATED = [
    ("Amber Ale", "Beer", "brewed_by", "Fellside Brewery", "Brewery"),
    ("Dark Mild", "Beer", "brewed_by", "Fellside Brewery", "Brewery"),
    ("Pale Gold", "Beer", "brewed_by", "Quayside Brewery", "Brewery"),
    ("Fellside Brewery", "Brewery", "located_in", "Kendal", "Town"),
    ("Quayside Brewery", "Brewery", "located_in", "Whitby", "Town"),
    ("Fellside Brewery", "Brewery", "founded_by", "Ann Moss", "Person"),
    ("Quayside Brewery", "Brewery", "founded_by", "Bo Lund", "Person"),
    ("Fellside Brewery", "Brewery", "employs", "Cleo Hart", "Person"),
    ("Quayside Brewery", "Brewery", "employs", "Bo Lund", "Person"),
    ("Fellside Brewery", "Brewery", "insured_by", "Dee Falk", "Person"),
    ("Fellside Brewery", "Brewery", "audited_by", "Ann Moss", "Person"),
    ("Quayside Brewery", "Brewery", "audited_by", "Cleo Hart", "Person"),
    ("Fellside Brewery", "Brewery", "supplies", "Quayside Brewery", "Brewery"),
    ("Amber Ale", "Beer", "tasted_by", "Cleo Hart", "Person"),
]
SURE = "Which beers are brewed by Fellside Brewery?"
BREWED = "MATCH (beer)-[:BREWED_BY]->(brewery {id: $brewery1}) RETURN beer"
DOUBTED = "Who is at Fellside?"  # founded, employs, insured or audited: Ann Moss, with doubt
AUDITED = "MATCH (brewery {id: $brewery1})-[:AUDITED_BY]->(person) RETURN person"  # the same
FOUNDED = "MATCH (brewery {id: $brewery1})-[:FOUNDED_BY]->(person) RETURN person"  # and this
EMPLOYED = "MATCH (brewery {id: $brewery1})-[:EMPLOYS]->(person) RETURN person"  # another
NOBODY = AUDITED.replace("(person) ", "(person)<-[:INSURED_BY]-(brewery) ")  # finds nothing
LIKELY = "Which breweries did Quayside Brewery get?"
SUPPLYING = "MATCH (brewery2)-[:SUPPLIES]->(brewery {id: $brewery1}) RETURN brewery2"
SUPPLIED = "MATCH (brewery {id: $brewery1})-[:SUPPLIES]->(brewery2) RETURN brewery2"
DENIED = "Which people are not at Fellside Brewery?"
NOT_AUDITED = "MATCH (person) WHERE NOT (:Brewery {id: $brewery1})-[:AUDITED_BY]->(person) RETURN person"
DECLINED = "Who owns Fellside Brewery?"
HESITANT = -1.0  # log-probability of each token


@pytest.fixture(scope="module")
def breweries(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    with asker_of_rows(tmp_path_factory.mktemp("breweries"), STATED) as asker:
        yield asker


Ask = Callable[..., tuple[Answer, Trained]]


@pytest.fixture
def ask(breweries: Asker) -> Ask:
    """Ask with a model that writes these lines."""
    own = breweries.resources

    def asked(
        text: str,
        *lines: str | Exception,
        logprob: float = -0.0001,
        right: float | None = 0.999,
        phrase: bool = False,
        compose: bool | None = None,
    ) -> tuple[Answer, Trained]:
        model = Trained(*lines, logprob=logprob, right=right)
        resources = Resources(own.engine, store=own.store, encoder=None, model=model)
        return Asker(resources, CypherStrategy(phrase=phrase, compose=compose)).ask(text), model

    return asked


def names(answer: Answer) -> set[str]:
    return {item.name for item in answer.items}


def told(answer: Answer) -> tuple[object, ...]:
    """All of an answer but the time it took."""
    offered = tuple(each.query for each in answer.alternatives)
    found = names(answer), answer.value, answer.query
    return answer.abstained, answer.text, *found, answer.confidence, answer.decided, offered


# what it is asked -----------------------------------------------------------------------------------------------------


def test_it_sees_the_graph_in_brief_and_parameters_for_names(ask: Ask) -> None:
    _, model = ask(DOUBTED, AUDITED)
    (request,) = model.requests
    _, shown = (each.content for each in request.messages)
    assert shown.endswith("\n\nQuestion: Who is at $brewery1?")
    assert "(beer)-[:BREWED_BY]->(brewery)" in shown
    assert "Fellside" not in shown.rpartition("\n\n")[2]
    assert (request.logprobs, request.grammar) == (2, None)


def test_it_is_asked_whether_its_query_is_right(ask: Ask) -> None:
    _, model = ask(DOUBTED, AUDITED)
    (request,) = model.checks
    *begun, written, asked = request.messages
    assert tuple(begun) == model.requests[0].messages
    assert (written.role, written.content, asked.content) == ("assistant", AUDITED, CHECK)
    assert request.max_tokens == 1


@pytest.mark.parametrize(("right", "asked"), [(0.9, [AUDITED]), (0.1, [AUDITED, EMPLOYED])])
def test_guessed_names_are_tried_only_where_it_does_not_call_its_query_right(
    breweries: Asker, monkeypatch: pytest.MonkeyPatch, right: float, asked: list[str]
) -> None:
    model = Trained(AUDITED, EMPLOYED, right=right)
    own = breweries.resources
    resources = Resources(own.engine, store=own.store, encoder=None, model=model)
    once = QueryReader.prompts
    twice = lambda self, text: (each for each in [*once(self, text)] * 2)  # noqa: E731
    monkeypatch.setattr(QueryReader, "prompts", twice)
    Asker(resources, CypherStrategy(phrase=False)).ask(DOUBTED)
    assert len(model.requests) == len(asked)
    assert [each.messages[-2].content for each in model.checks] == asked


class Branching(Trained):
    """A script that hesitates at a word of its first query, and calls right only what is in `owned`."""

    def __init__(self, first: str, runner: tuple[str, str], other: str, owned: Collection[str]) -> None:
        super().__init__(first, other)
        self.first, self.runner, self.owned = first, runner, owned

    def complete(self, request: Request, **options: object) -> Completion:
        self.right = 0.9 if request.messages[-2].content in self.owned else 0.1
        said = super().complete(request, **options)
        at, other = self.runner
        words = [
            TokenLogprob(f" {word}" if number else word, -0.4 if word == at else 0.0, ((other, -1.1),) * (word == at))
            for number, word in enumerate(said.text.split())
        ]
        return replace(said, logprobs=tuple(words)) if said.text == self.first else said


@pytest.mark.parametrize(
    ("first", "owned", "found"),
    [
        (AUDITED, {EMPLOYED}, "EMPLOYS"),
        (AUDITED, {AUDITED, EMPLOYED}, "AUDITED_BY"),  # no need to try another
        (AUDITED, set(), "AUDITED_BY"),  # nothing better
        (AUDITED.replace("AUDITED_BY", "PAINTED_BY"), {EMPLOYED}, "EMPLOYS"),  # what cannot run
        (NOBODY, {NOBODY, EMPLOYED}, "EMPLOYS"),  # what finds nothing
        (NOBODY, {NOBODY}, "AUDITED_BY"),
    ],
)
def test_where_its_query_is_wrong_by_its_own_word_or_finds_nothing_it_writes_the_next(
    breweries: Asker, first: str, owned: set[str], found: str
) -> None:
    own = breweries.resources
    word = next(each for each in first.split() if "_BY" in each)
    model = Branching(first, (word, " {id: $brewery1})-[:EMPLOYS]"), EMPLOYED, owned)
    resources = Resources(own.engine, store=own.store, encoder=None, model=model)
    parsed = ParsedQuestion(DOUBTED, anchors=(), tokens=(), type_words=(), operation="list", asked=(), mentioned=())
    runner = Runner(resources, Question(DOUBTED))
    with runner.in_time():
        read, _ = QueryReader(resources).read(Question(DOUBTED), parsed, model, runner)
    assert read is not None
    assert read.ran.candidate.relationships[0] == found
    assert len(model.requests) == (1 if first in owned and first != NOBODY else 2)


def test_an_answer_whose_query_it_calls_wrong_is_less_sure(ask: Ask) -> None:
    found = {right: ask(DOUBTED, AUDITED, right=right)[0].confidence for right in (0.999, 0.5, 0.01, None)}
    assert found[0.999] > found[0.5] > found[0.01]
    assert found[None] == found[0.5], "it says neither"


@pytest.mark.parametrize(
    ("text", "settings"),
    [
        (DOUBTED, {"compose": False}),
        ("How is Ann Moss connected with Kendal?", {}),  # by a path, which is no query
    ],
)
def test_it_is_not_asked(breweries: Asker, ask: Ask, text: str, settings: dict[str, bool]) -> None:
    answer, model = ask(text, AUDITED, **settings)
    assert not model.requests
    assert told(answer) == told(breweries.ask(text))


def test_what_it_has_read_of_a_graph_is_kept_where_it_can_be(breweries: Asker) -> None:
    class Keeps(Trained):
        kept: tuple[str, ...] = ()

        def keep(self, request: Request, *, timeout: float | None = None) -> None:
            self.kept += (request.messages[-1].content,)

    model, own = Keeps(AUDITED, AUDITED), breweries.resources
    asker = Asker(Resources(own.engine, store=own.store, encoder=None, model=model), CypherStrategy(phrase=False))
    asker.ask(DOUBTED)
    asker.ask(DOUBTED)
    (kept,) = model.kept
    assert [each.messages[-1].content.startswith(kept.removesuffix("?")) for each in model.requests] == [True, True]


@pytest.mark.parametrize("phrase", [False, True])  # it does not word the answer
def test_it_is_asked_where_the_readers_are_sure_too(ask: Ask, phrase: bool) -> None:
    answer, model = ask(SURE, BREWED, phrase=phrase)
    assert len(model.requests) == 1
    assert answer.certainty == "sure"
    assert answer.decided == "trained wrote the query, with the same result"


@pytest.mark.parametrize(
    ("chance", "certainty", "shown"),
    [(0.69, "sure", "BREWED_BY"), (0.75, "doubtful", "BREWED_BY"), (0.99, "doubtful", "TASTED_BY")],
)
def test_a_sure_answer_is_doubted_where_it_is_surely_another(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, chance: float, certainty: str, shown: str
) -> None:
    monkeypatch.setattr(writing, "chance_of", lambda signs: chance)
    another = "MATCH (beer)-[:TASTED_BY]->(person) RETURN beer"
    answer, _ = ask("Which beers are brewed by a brewery?", another)
    assert answer.certainty == certainty
    both = [answer.query, answer.alternatives[0].query]
    assert [shown in each for each in both] == [True, False]


def test_the_noun_that_is_asked_for_is_the_type_of_its_variable(tmp_path: Path) -> None:
    stated = [
        ("Elm Spring", "source", "lies_in", "Calder", "zone"),
        ("Elm Works", "works", "lies_in", "Calder", "zone"),
    ]
    model = Trained("MATCH (source)-[:LIES_IN]->(zone {id: $zone1}) RETURN source")
    with asker_of_rows(tmp_path, stated) as asker:
        own = asker.resources
        resources = Resources(own.engine, store=own.store, encoder=None, model=model)
        answer = Asker(resources, CypherStrategy(phrase=False)).ask("Which wells lie in Calder?")
    assert names(answer) == {"Elm Spring"}


@pytest.mark.parametrize(("asked", "certainty"), [("Which conifers", "sure"), ("Which trees", "doubtful")])
def test_a_noun_that_no_list_knows_may_mean_another_type_too(tmp_path: Path, asked: str, certainty: str) -> None:
    stated = [
        ("Honey Rot", "fungus", "attacks", "Fir", "conifer"),
        ("Honey Rot", "fungus", "attacks", "Oak", "broadleaf"),
        ("Low Wood", "wood", "stocked_with", "Fir", "conifer"),
        ("Low Wood", "wood", "stocked_with", "Oak", "broadleaf"),
    ]
    model = Trained("MATCH (fungus {id: $fungus1})-[:ATTACKS]->(conifer) RETURN conifer")
    with asker_of_rows(tmp_path, stated) as asker:
        own = asker.resources
        resources = Resources(own.engine, store=own.store, encoder=None, model=model)
        answer = Asker(resources, CypherStrategy(phrase=False)).ask(f"{asked} does Honey Rot go for?")
    assert (names(answer), answer.certainty) == ({"Fir"}, certainty)


# it gives the same answer ---------------------------------------------------------------------------------------------


def test_agreement_without_doubt_makes_a_doubtful_answer_sure(breweries: Asker, ask: Ask) -> None:
    alone = breweries.ask(DOUBTED)
    assert (names(alone), alone.certainty) == ({"Ann Moss"}, "doubtful")
    answer, _ = ask(DOUBTED, AUDITED)
    assert (names(answer), answer.certainty) == ({"Ann Moss"}, "sure")
    assert answer.decided == "trained wrote the query, with the same result"
    assert answer.confidence >= writing.CERTAIN


def test_an_answer_that_only_the_readers_doubt_is_explained_by_the_query(breweries: Asker, ask: Ask) -> None:
    assert "AUDITED_BY" in breweries.ask(DOUBTED).query
    answer, _ = ask(DOUBTED, FOUNDED)  # by the same person
    assert (names(answer), answer.certainty) == ({"Ann Moss"}, "sure")
    assert "FOUNDED_BY" in answer.query
    hesitant, _ = ask(DOUBTED, FOUNDED, logprob=HESITANT)
    assert "AUDITED_BY" in hesitant.query


def test_agreement_of_a_hesitant_one_makes_nothing_sure(breweries: Asker, ask: Ask) -> None:
    answer, _ = ask(DOUBTED, AUDITED, logprob=HESITANT)
    assert answer.decided == "trained wrote the query, with the same result"
    assert answer.certainty == breweries.ask(DOUBTED).certainty == "doubtful"


def test_nor_does_that_of_a_query_that_the_grammar_of_the_question_contradicts(
    ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(query_reader, "contradictions", lambda interpretation, words, owners: 1)
    assert ask(DOUBTED, AUDITED)[0].certainty == "doubtful"
    assert ask(DECLINED, EMPLOYED)[0].certainty == "doubtful"


@pytest.mark.parametrize(
    ("chance", "certainty"),
    [(writing.CERTAIN, "sure"), (writing.CLEAR, "likely"), (writing.CLEAR - 0.01, "doubtful")],
)
@pytest.mark.parametrize(("text", "written"), [(DOUBTED, AUDITED), (DOUBTED, EMPLOYED), (DECLINED, EMPLOYED)])
def test_an_answer_is_as_sure_as_its_chance(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, text: str, written: str, chance: float, certainty: str
) -> None:
    monkeypatch.setattr(writing, "chance_of", lambda signs: chance)
    answer, _ = ask(text, written)
    assert answer.certainty == certainty


def test_words_that_no_list_knows_are_read_by_the_model_if_it_is_sure(
    breweries: Asker, ask: Ask, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, tasted = "Which beers reach Cleo Hart?", "MATCH (beer)-[:TASTED_BY]->(person {id: $person1}) RETURN beer"
    assert breweries.ask(text).unrecognised == ("reach",)
    monkeypatch.setattr(writing, "chance_of", lambda signs: writing.CLEAR)
    assert ask(text, tasted)[0].unrecognised == ("reach",)
    monkeypatch.setattr(writing, "chance_of", lambda signs: writing.CERTAIN)
    answer, _ = ask(text, tasted)
    assert (names(answer), answer.certainty, answer.unrecognised) == ({"Amber Ale"}, "sure", ())
    assert "trained wrote the query; it alone reads: reach" in answer.interpretation


# it gives another answer ----------------------------------------------------------------------------------------------


def test_it_answers_what_the_readers_decline(breweries: Asker, ask: Ask) -> None:
    assert breweries.ask(DECLINED).abstained is not None
    answer, _ = ask(DECLINED, EMPLOYED)
    assert (answer.abstained, names(answer)) == (None, {"Cleo Hart"})
    assert answer.decided == "trained wrote the query"


def test_a_hesitant_one_does_not(breweries: Asker, ask: Ask) -> None:
    answer, model = ask(DECLINED, EMPLOYED, logprob=HESITANT)
    assert len(model.requests) == 1
    assert told(answer) == told(breweries.ask(DECLINED))


def test_it_goes_before_a_doubtful_answer_and_offers_that(breweries: Asker, ask: Ask) -> None:
    answer, _ = ask(DOUBTED, EMPLOYED)
    assert names(answer) == {"Cleo Hart"}
    assert answer.alternatives[0].query == breweries.ask(DOUBTED).query


@pytest.mark.parametrize(("chance", "certainty"), [(0.5, "likely"), (0.75, "doubtful")])
def test_a_likely_answer_goes_before_it_and_is_doubted_if_it_is_sure_enough(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, chance: float, certainty: str
) -> None:
    monkeypatch.setattr(writing, "chance_of", lambda signs: chance)
    another = "MATCH (brewery2)-[:SUPPLIES]->(brewery {id: $brewery1}) RETURN brewery"
    answer, _ = ask(LIKELY, another)
    assert (names(answer), answer.certainty) == ({"Fellside Brewery"}, certainty)
    assert "SUPPLIES" in answer.alternatives[0].query
    assert answer.decided is None


def test_of_several_columns_the_first_entity_is_listed(ask: Ask) -> None:
    pattern = "MATCH (brewery {id: $brewery1})-[:EMPLOYS]->(person), (brewery)-[:LOCATED_IN]->(town) RETURN"
    answer, _ = ask(DECLINED, f"{pattern} person, town")
    assert (names(answer), answer.items[0].column(0)) == ({"Cleo Hart"}, "Kendal")
    assert names(ask(DECLINED, f"{pattern} town, person")[0]) == {"Kendal"}
    assert names(ask(DECLINED, f"{pattern} brewery.name, person")[0]) == {"Cleo Hart"}


def test_a_step_between_two_of_a_type_that_finds_nothing_is_turned(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    found = []
    read = QueryReader.read
    monkeypatch.setattr(QueryReader, "read", lambda *given: found.append(read(*given)) or found[-1])
    text = "Which breweries go with {}?"
    turned, _ = ask(text.format("Quayside Brewery"), SUPPLIED)
    assert (names(turned), turned.certainty) == ({"Fellside Brewery"}, "doubtful")
    assert names(ask(text.format("Fellside Brewery"), SUPPLIED)[0]) == {"Quayside Brewery"}
    assert [each.turned for each, _ in found] == [True, False]


# it gives none --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", [DOUBTED, DECLINED])
@pytest.mark.parametrize(
    "line",
    [
        "Ann Moss, I think",
        "MATCH (brewery {id: $brewery1})-[:EMPLOYS]->(person RETURN person",
        "MATCH (brewery {id: $brewery1})-[:MARRIED_TO]->(person) RETURN person",
        "MATCH (brewery {id: $brewery7})-[:EMPLOYS]->(person {id: $person9}) RETURN person",
        "MATCH (brewery)-[:EMPLOYS]->(person) RETURN person",  # without the name
        "CREATE (person {id: $brewery1}) RETURN person",
        "MATCH (brewery {id: $brewery1})-[:EMPLOYS]->(person) DELETE person",
        "",
        ModelError("out of memory"),
        Unreachable("nobody answers"),
    ],
)
def test_what_cannot_be_used_changes_nothing(breweries: Asker, ask: Ask, text: str, line: str | Exception) -> None:
    answer, model = ask(text, line)
    assert len(model.requests) == 1
    assert told(answer) == told(breweries.ask(text))


@pytest.mark.parametrize("text", [SURE, DOUBTED, DECLINED])
def test_if_its_time_runs_out_the_readers_answer(
    breweries: Asker, ask: Ask, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    def late(*given: object) -> None:
        raise Timeout("the question was stopped")

    monkeypatch.setattr(QueryReader, "read", late)
    assert told(ask(text, BREWED)[0]) == told(breweries.ask(text))


def test_none_without_doubt_declines_a_doubtful_answer_and_offers_it(breweries: Asker, ask: Ask) -> None:
    alone = breweries.ask(DOUBTED)
    answer, _ = ask(DOUBTED, "NONE")
    assert answer.abstained is not None
    assert answer.abstained.startswith("The graph does not seem to hold what is asked for: trained finds no query")
    assert not answer.items
    assert [each.query for each in answer.alternatives] == [alone.query]
    assert answer.alternatives[0].interpretation in answer.abstained


def test_none_that_declines_nothing(breweries: Asker, ask: Ask) -> None:
    answer, model = ask(DECLINED, "NONE")
    assert len(model.requests) == 1
    assert told(answer) == told(breweries.ask(DECLINED))


@pytest.mark.parametrize(("text", "certainty"), [(SURE, "sure"), (LIKELY, "likely")])
def test_none_makes_a_surer_answer_doubtful(breweries: Asker, ask: Ask, text: str, certainty: str) -> None:
    alone, (answer, _) = breweries.ask(text), ask(text, "NONE")
    assert (alone.certainty, answer.certainty) == (certainty, "doubtful")
    assert (answer.query, answer.items) == (alone.query, alone.items)


def test_none_with_doubt_is_asked_again_for_a_query(breweries: Asker, ask: Ask) -> None:
    answer, model = ask(DOUBTED, "NONE", AUDITED, logprob=HESITANT)
    assert [each.grammar is not None for each in model.requests] == [False, True]
    assert answer.decided == "trained wrote the query, with the same result"
    assert answer.certainty == breweries.ask(DOUBTED).certainty == "doubtful"  # it says so with reluctance


@pytest.mark.parametrize(("chance", "declined"), [(0.3, True), (0.6, False)])
def test_none_that_is_rather_sure_declines_a_doubtful_answer_that_no_likely_query_replaces(
    ask: Ask, monkeypatch: pytest.MonkeyPatch, chance: float, declined: bool
) -> None:
    monkeypatch.setattr(writing, "chance_of", lambda signs: chance)
    answer, model = ask(DOUBTED, "NONE", EMPLOYED, logprob=-0.25)  # NONE with 0.78
    assert len(model.requests) == 2
    assert (answer.abstained is not None) == declined
    assert ask(DOUBTED, "NONE", EMPLOYED, logprob=HESITANT)[0].abstained is None  # with 0.67


# it finds nothing -----------------------------------------------------------------------------------------------------

IN_WHITBY = "MATCH (beer)-[:BREWED_BY]->(brewery {id: $brewery1})-[:LOCATED_IN]->(town {id: $town1}) RETURN beer"


def test_nothing_is_an_answer_too_if_it_is_likely_enough(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "Does Fellside Brewery own any beers in Whitby?"
    assert ask(text, IN_WHITBY, logprob=HESITANT)[0].abstained is not None
    monkeypatch.setattr(writing, "chance_of", lambda signs: 0.6)
    answer, _ = ask(text, IN_WHITBY)
    assert (answer.abstained, answer.items, answer.certainty) == (None, (), "doubtful")
    assert answer.text.startswith("No beers")


def test_a_count_of_nothing_is_not_sure_though_both_agree(breweries: Asker, ask: Ask) -> None:
    text = "How many beers are brewed by Quayside Brewery and tasted by Cleo Hart?"
    counted = (
        "MATCH (beer)-[:BREWED_BY]->(brewery {id: $brewery1}), (beer)-[:TASTED_BY]->(person {id: $person1}) "
        "RETURN count(DISTINCT beer)"
    )
    alone = breweries.ask(text)
    assert (alone.value, alone.certainty) == (0, "doubtful")
    answer, _ = ask(text, counted)
    assert (answer.value, answer.certainty) == (0, "doubtful")
    assert breweries.ask(text.replace("Quayside", "Fellside")).value == 1


def test_two_counts_are_compared(ask: Ask) -> None:
    written = (
        "MATCH (brewery {id: $brewery1}), (brewery2 {id: $brewery2}) WHERE "
        "COUNT { (beer)-[:BREWED_BY]->(brewery) } > COUNT { (beer)-[:BREWED_BY]->(brewery2) } RETURN count(*) > 0"
    )
    answer, _ = ask("Is more ale made at Fellside Brewery than at Quayside Brewery?", written)
    assert answer.value is True
    assert answer.text == (
        "Yes: in this graph Fellside Brewery is a brewery with more beers brewed by Fellside Brewery "
        "than beers brewed by Quayside Brewery."
    )
    assert {each.subject for each in answer.evidence.triples} == {"x:Amber Ale", "x:Dark Mild", "x:Pale Gold"}


def test_counts_of_one_are_compared(ask: Ask) -> None:
    written = (
        "MATCH (brewery) WHERE COUNT { (brewery)-[:EMPLOYS]->(person) } < COUNT { (beer)-[:BREWED_BY]->(brewery) } "
        "RETURN brewery"
    )
    answer, _ = ask("Which breweries make more sorts of ale than they have staff?", written)
    assert names(answer) == {"Fellside Brewery"}
    assert answer.text == ("1 brewery with fewer people employed by it than beers brewed by it: Fellside Brewery.")
    assert len(answer.evidence.triples) == 3


def test_a_no_whose_reverse_is_so_is_doubtful(ask: Ask) -> None:
    text = "Is Quayside Brewery the house that sends barley to Fellside Brewery?"
    supplied = "MATCH (brewery {{id: ${}}})-[:SUPPLIES]->(brewery2 {{id: ${}}}) RETURN count(*) > 0"
    turned, _ = ask(text, supplied.format("brewery1", "brewery2"))
    assert (turned.value, turned.certainty) == (False, "doubtful")
    so, _ = ask(text, supplied.format("brewery2", "brewery1"))
    assert so.value is True


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("MATCH (brewery) WHERE brewery.founded < 2000 RETURN brewery", {"Fellside"}),
        ("MATCH (brewery)-[:LOCATED_IN]->(town) RETURN brewery", set()),  # without the year
    ],
)
def test_a_year_that_no_statement_has_may_be_an_attribute(tmp_path: Path, written: str, found: set[str]) -> None:
    entities = "id,name,type,founded\n1,Fellside,brewery,1990\n2,Quayside,brewery,2010\n3,Kendal,town,\n"
    with asker_of_csv(tmp_path, "subject,predicate,object\n1,located_in,3\n2,located_in,3\n", entities) as asker:
        own = asker.resources
        resources = Resources(own.engine, store=own.store, encoder=None, model=Trained(written))
        answer = Asker(resources, CypherStrategy(phrase=False)).ask("Which breweries got together before 2000?")
    assert names(answer) == found
    assert (answer.abstained is None) == bool(found)


@pytest.mark.parametrize("who", ["people", "blokes"])  # a noun that no list has for persons says among whom, too
def test_those_that_have_none_are_fewer_than_some_number(breweries: Asker, ask: Ask, who: str) -> None:
    few = "MATCH (person)<-[:EMPLOYS]-(brewery) WITH person, count(DISTINCT brewery) AS n WHERE n < 2 RETURN person"
    answer, _ = ask(f"Which {who} are with fewer than two breweries as their employer?", few)
    assert names(answer) == {"Ann Moss", "Bo Lund", "Cleo Hart", "Dee Falk"}


def test_a_column_that_no_word_names_is_of_no_type(tmp_path: Path) -> None:
    stated = "subject,predicate,object,subject_type,object_type,q_price\nThe Swan,taps,Amber Ale,pub,beer,4.50\n"
    written = "MATCH (pub {id: $pub1})-[r:TAPS]->(beer {id: $beer1}) RETURN r.q_price"
    with asker_of_csv(tmp_path, stated) as asker:
        own = asker.resources
        resources = Resources(own.engine, store=own.store, encoder=None, model=Trained(written))
        answer = Asker(resources, CypherStrategy(phrase=False)).ask("Which damage does Amber Ale do at The Swan?")
    assert names(answer) == {"4.50"}
