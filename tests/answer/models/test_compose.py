"""Queries that models write: read, repaired, refused, written again, and never run as text."""

import json
from dataclasses import replace
from math import log
from pathlib import Path

import pytest

from clew.answer import Asker, CypherStrategy
from clew.answer.kept import vocabulary_of, words_of
from clew.answer.models.compose import Composer
from clew.answer.models.schema_grammar import query_grammar
from clew.answer.models.shown_schema import show_schema
from clew.answer.plans.condition import Asked
from clew.answer.plans.cypher.write import write_statement
from clew.answer.reading.question import ParsedQuestion, understand
from clew.errors import InputError, ModelError, QueryError
from clew.graph import read_entities
from clew.lm import Completion, LanguageModel, Request, TokenLogprob, Unreachable
from clew.lm.clients.scripted import Scripted
from clew.store.cypher import write
from gbnf import Grammar

GENES = "Which genes are linked to arachnodactyly?"
TWO_STEPS = "MATCH (gene)-[:ASSOCIATED_WITH]->(disease)-[:HAS_PHENOTYPE]->(phenotype {id: $phenotype1}) RETURN gene"
HOSTILE = [
    json.loads(line) for line in Path(__file__).parents[1].joinpath("hostile.jsonl").read_text("utf-8").splitlines()
]


@pytest.fixture(scope="module")
def composer(clinic: Asker) -> Composer:
    resources = clinic.resources
    shown = show_schema(resources.engine, resources.schema, vocabulary_of(resources).attributes)
    return Composer(resources.engine, resources.schema, shown, words_of(resources))


def asked(clinic: Asker, text: str) -> ParsedQuestion:
    return understand(text, clinic.resources.linker, words_of(clinic.resources))


def test_what_is_written_is_run(with_model) -> None:
    model = Scripted([TWO_STEPS], name="writer")
    answer = with_model(model, compose=True).ask(GENES)
    assert {item.name for item in answer.items} == {"FBN1", "FBN2"}
    assert answer.decided == "writer wrote the query"
    assert answer.decided in answer.trace
    assert (answer.usage.calls, answer.repairs) == (1, ())
    assert answer.evidence.triples
    assert "P:1" in answer.query


@pytest.mark.parametrize(
    ("written", "repair"),
    [
        (
            "MATCH (g:gene)-[:ASSOCIATED_WITH]->(:Disease)-[:HAS_PHENOTYPE]->(:Phenotype {id: $phenotype1}) RETURN g",
            "gene",
        ),
        ("MATCH (g:Gene)<-[:ASSOCIATED_WITH]-(:Disease)-[:HAS_PHENOTYPE]->({id: $phenotype1}) RETURN g.name", "round"),
        ("```cypher\nMATCH (g:Gene)-[:linked_to]->()-[:HAS_PHENOTYPE]->({id: $phenotype1}) RETURN g\n```", "linked_to"),
    ],
)
def test_slips_are_repaired_and_said(with_model, written: str, repair: str) -> None:
    answer = with_model(Scripted([written]), compose=True).ask(GENES)
    assert {item.name for item in answer.items} == {"FBN1", "FBN2"}
    assert any(repair in each for each in answer.repairs)


def test_a_mistake_is_told_and_written_anew(with_model) -> None:
    model = Scripted(["MATCH (g:Gene)-[:CURES]->(:Disease) RETURN g", TWO_STEPS])
    answer = with_model(model, compose=True).ask(GENES)
    assert {item.name for item in answer.items} == {"FBN1", "FBN2"}
    told = model.requests[1].messages[-1].content
    assert "CURES" in told
    assert model.requests[1].messages[:-2] == model.requests[0].messages  # what came before is not read again


def test_after_a_query_without_rows_another_is_written(with_model) -> None:
    nobody = "MATCH (gene {id: $gene1})-[:ASSOCIATED_WITH]->(disease {id: $disease1}) RETURN disease"
    model = Scripted([nobody, "MATCH (disease {id: $disease1}), (gene {id: $gene1}) RETURN disease"])
    answer = with_model(model, compose=True).ask("Which diseases are Beals syndrome and linked to FBN1?")
    assert [item.id for item in answer.items] == ["D:3"]
    assert "finds nothing" in model.requests[1].messages[-1].content


def test_the_graph_may_have_no_answer(with_model) -> None:
    model = Scripted(["NONE"], name="large-7B")
    answer = with_model(model).ask("Which places are linked to arachnodactyly?")
    assert answer.abstained is not None
    assert len(model.requests) == 1


def test_none_without_conviction_is_asked_again_for_a_query(composer: Composer, clinic: Asker) -> None:
    class Hesitant(Scripted):
        """Says NONE, but a query was nearly as probable."""

        def complete(self, request: Request, **options: object) -> Completion:
            completion = super().complete(request, **options)  # type: ignore[arg-type]
            tokens = (TokenLogprob("NONE", log(0.5), (("NONE", log(0.5)), ("MATCH", log(self.chance)))),)
            return replace(completion, logprobs=tokens)

    for chance, calls in ((0.4, 2), (0.1, 1)):
        model = Hesitant(["NONE", TWO_STEPS])
        model.chance = chance
        written = (
            list(composer.compose(asked(clinic, GENES), model))
            if calls == 1
            else [next(composer.compose(asked(clinic, GENES), model))]
        )
        assert (len(model.requests), len(written)) == (calls, calls - 1)
        told = [Grammar(request.grammar or "").accepts("NONE") for request in model.requests]
        assert told == [True, False][:calls]


@pytest.mark.parametrize(
    "lines",
    [
        ["no query at all", "still none"],
        ["MATCH (n) DELETE n", "MATCH (n) DELETE n"],
        [ModelError("broken"), ModelError("broken without a grammar too")],
        [Unreachable("nobody there")],
        [
            "MATCH (gene:Gene) RETURN DISTINCT gene",
            "MATCH (gene:Gene) RETURN DISTINCT gene2",
        ],  # not about arachnodactyly
    ],
)
def test_the_grounded_reading_stands_where_none_is_any_good(with_model, lines: list) -> None:
    answer = with_model(Scripted(lines), compose=True).ask(GENES)
    assert {item.name for item in answer.items} == {"FBN1", "FBN2"}
    assert answer.decided is None


def test_servers_without_grammars_are_asked_without(with_model) -> None:
    def obey_no_grammar(request: Request) -> str | Exception:
        return ModelError("not known to obey grammars") if request.grammar else TWO_STEPS

    answer = with_model(Scripted(obey_no_grammar), compose=True).ask(GENES)
    assert answer.decided is not None


def test_names_that_are_spelt_out_are_held_to_ids(composer: Composer, clinic: Asker) -> None:
    text = "MATCH (g:Gene)-[:ASSOCIATED_WITH]->(d:Disease {name: 'Marfan syndrome'}) RETURN g"
    question = asked(clinic, "Which genes are linked to Marfan syndrome?")
    composed = composer.read(text, question, {})
    assert "['D:1', 'D:2']" in write(write_statement(composed.candidate.plan))
    with pytest.raises(QueryError, match="no Disease of the name"):
        composer.read(text.replace("Marfan", "Narfan"), question, {})


def test_the_first_entity_is_what_an_answer_lists(composer: Composer, clinic: Asker) -> None:
    text = "MATCH (g:Gene)-[r:ASSOCIATED_WITH]->(d:Disease) RETURN"
    composed = composer.read(f"{text} r.triple, d.name, g", asked(clinic, "genes"), {})
    assert composed.candidate.plan.asked == (Asked("g"), Asked("r", "triple"), Asked("d"))
    for more in ("r", "g, d, count(r)"):
        with pytest.raises(QueryError, match="an answer lists"):
            composer.read(f"{text} {more}", asked(clinic, "genes"), {})


def test_each_meaning_has_a_placeholder_of_its_own(composer: Composer, clinic: Asker) -> None:
    held = composer.placeholders(asked(clinic, "Which genes explain ectopia lentis and scoliosis?"))
    names = {placeholder.name: (placeholder.labels, meaning.ids) for placeholder, meaning in held.items()}
    assert names == {
        "phenotype1": (("Phenotype",), ("P:2",)),
        "disease1": (("Disease",), ("D:4",)),
        "phenotype2": (("Phenotype",), ("P:3",)),
    }


def test_a_doubtful_name_may_be_left_out_a_sure_one_may_not(composer: Composer, clinic: Asker) -> None:
    text = "MATCH (gene:Gene)-[:ASSOCIATED_WITH]->(:Disease {id: 'D:3'}) RETURN DISTINCT gene"
    doubtful = asked(clinic, "Which genes are linked to Beals syndrome and arachnodactily?")
    assert [anchor.text for anchor in doubtful.anchors] == ["Beals syndrome", "arachnodactily"]
    assert [anchor.text for anchor in composer.read(text, doubtful, {}).question.anchors] == ["Beals syndrome"]
    with pytest.raises(QueryError, match="arachnodactyly"):
        composer.read(text, asked(clinic, "Which genes are linked to Beals syndrome and arachnodactyly?"), {})


def test_every_question_shares_the_beginning(composer: Composer, clinic: Asker) -> None:
    model = Scripted(lambda request: TWO_STEPS)
    for text in (GENES, "Which genes are linked to scoliosis?"):
        next(composer.compose(asked(clinic, text), model))
    one, other = (request.messages for request in model.requests)
    assert one[:-1] == other[:-1] == tuple(composer.beginning)
    told = [messages[-1].content.partition("Question:") for messages in (one, other)]
    assert told[0][0] == told[1][0]
    assert "(disease)-[:HAS_PHENOTYPE]->(phenotype)" in told[0][0]
    assert "$phenotype1 = arachnodactyly (phenotype)" in told[0][2]


def test_hostile_cypher_is_no_plan(composer: Composer, clinic: Asker) -> None:
    for text in HOSTILE:
        try:
            composed = composer.read(text, asked(clinic, "genes"), {})
        except InputError as error:
            said = str(error)
        else:
            said = write(write_statement(composed.candidate.plan))
            assert said.startswith("MATCH"), text
        assert said


def test_hostile_cypher_never_runs(with_model, clinic: Asker) -> None:
    known = set(read_entities(clinic.resources.engine, ("id",))["id"].to_pylist())
    for text in HOSTILE[::8]:
        answer = with_model(Scripted(lambda request, text=text: text), compose=True).ask(GENES)
        assert {item.id for item in answer.items} <= known, text
        assert answer.query.startswith("MATCH")
    assert clinic.resources.store.run("MATCH (n) RETURN count(n)").rows == [(len(known),)]


def test_a_model_that_is_not_able_writes_only_when_told(with_model) -> None:
    nothing_fits = "Which places are linked to arachnodactyly?"
    for name, compose, calls in (
        ("tiny-135M", None, 0),
        ("large-7B", None, 2),
        ("large-7B", False, 0),
        ("tiny-135M", True, 2),
    ):
        model = Scripted(["nonsense", "more of it"], name=name)
        assert with_model(model, compose=compose).ask(nothing_fits).abstained
        assert len(model.requests) == calls
    able = Scripted(["nonsense"], name="large-7B")
    assert with_model(able).ask(GENES).abstained is None
    assert not able.requests  # the grounded reading was enough


def test_without_a_model_there_is_nobody_to_write(clinic: Asker) -> None:
    with pytest.raises(InputError, match="needs a language model"):
        Asker(clinic.resources, CypherStrategy(compose=True)).ask(GENES)


@pytest.mark.soak
def test_the_small_model_keeps_to_the_grammar(composer: Composer, clinic: Asker, small_model: LanguageModel) -> None:
    """What it means may be wrong; that it reads is sure, unless it is cut off."""
    question = asked(clinic, GENES)
    held = list(composer.placeholders(question))
    grammar = query_grammar(composer.shown, held, GENES)
    model = Scripted(["NONE"])
    list(composer.compose(question, model))
    request = Request(model.requests[0].messages[-1:], max_tokens=200, grammar=grammar)
    completion = small_model.complete(request)
    assert completion.finish == "stop"
    assert Grammar(grammar).accepts(completion.text)
