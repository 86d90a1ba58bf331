"""`graph.context`: the budget is never exceeded, every line is cited, and what is relevant comes first."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import clew
from clew.answer import Asker, Filters, Question, Resources
from clew.answer.context import facts
from clew.answer.context.facts import Fact
from clew.answer.context.lines import Sheet, fit
from clew.answer.context.retrieval import STYLES, Retrieval
from clew.answer.context.retrieve import prune, retrieve
from clew.answer.context.tokens import estimate_tokens
from clew.answer.strategies.adaptive import AdaptiveStrategy
from clew.answer.strategies.local import LocalStrategy
from clew.answer.strategies.rag import RagStrategy
from clew.embed.encoders.hashed import HashedEncoder
from clew.errors import InputError, UnknownName
from clew.traverse.context import Context, ContextLine
from graphs import raw_graphs, write

QUESTION = "Which diseases show arachnodactyly?"


def read(clinic: Asker, question: str, **options: object) -> Context:
    return retrieve(question, clinic.resources, Retrieval(**options))  # type: ignore[arg-type]


def test_triples_of_the_asked_type_and_relation_come_first(clinic: Asker) -> None:
    found = read(clinic, "What are the symptoms of Beals syndrome?")
    assert found.entities == ("D:3",)
    assert [line.triples[0].relation for line in found.lines] == ["has_phenotype", "has_phenotype", "associated_with"]
    assert found.lines[0].text.startswith("[1] Beals syndrome (disease) has phenotype ")
    assert found.ranking == "words"


def test_what_reads_the_same_is_one_line_with_all_its_triples(clinic: Asker) -> None:
    found = read(clinic, "Which genes are linked to Marfan syndrome?")
    assert set(found.entities) == {"D:1", "D:2"}
    assert found.lines[0].text.startswith("[1] FBN1 (gene) is associated with Marfan syndrome (disease)")
    assert {triple.object for triple in found.lines[0].triples} == {"D:1", "D:2"}


def test_a_second_hop_is_taken_if_the_first_reaches_no_such_type(clinic: Asker) -> None:
    found = read(clinic, "Which genes are linked to arachnodactyly?")
    chains = [line for line in found.lines if "(gene)" in line.text]
    assert {line.triples[-1].subject for line in chains} == {"G:1", "G:2"}
    assert found.lines[0] in chains
    assert not [
        line for line in read(clinic, "Which genes are linked to arachnodactyly?", hops=1).lines if "gene" in line.text
    ]


def test_entities_beside_several_mentions_come_first(clinic: Asker) -> None:
    found = read(clinic, "Which diseases show arachnodactyly and myopia and thoracic scoliosis?")
    assert "Beals syndrome" in found.lines[0].text
    assert "Beals syndrome" in found.lines[1].text


def test_mentions_without_a_shared_neighbour_are_joined_by_paths(clinic: Asker) -> None:
    found = read(clinic, "How is FBN2 connected to thoracic scoliosis?")
    assert [triple.relation for triple in found.lines[0].triples] == ["associated_with", "has_phenotype"]


def test_a_search_for_paths_that_is_cut_short_is_said(clinic: Asker, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = "How is FBN2 connected to thoracic scoliosis?"
    assert read(clinic, asked).notes == ()
    monkeypatch.setattr(facts, "SECONDS", 1e-9)
    found = read(clinic, asked)
    said = "paths between FBN2 and Thoracic scoliosis are left out: the search was not finished in 1e-09 s"
    assert found.notes == (said,)
    assert found.lines
    for strategy in (RagStrategy(), LocalStrategy(), AdaptiveStrategy()):
        assert said in strategy.answer(Question(asked), clinic.resources).interpretation


def test_triples_without_a_source_cite_themselves(clinic: Asker) -> None:
    for line in read(clinic, QUESTION).lines:
        assert line.sources == ()
        assert f"triple {line.triples[0].number}" in line.text


@pytest.mark.parametrize("style", STYLES)
def test_styles_are_whole_at_every_budget(clinic: Asker, style: str) -> None:
    for budget in (1, 30, 60, 100, 1000):
        found = read(clinic, QUESTION, style=style, budget=budget)
        assert found.tokens == (estimate_tokens(found.text) if found.text else 0)
        assert found.tokens <= budget
        assert bool(found.text) == bool(found.lines)
        assert found.left_out + sum(len(line.triples) for line in found.lines) == found.found
        if style == "json" and found.text:
            assert [each["id"] for each in json.loads(found.text)] == list(range(1, len(found.lines) + 1))


def test_a_percentile_and_a_floor_prune(clinic: Asker) -> None:
    everything = read(clinic, "What are the symptoms of Beals syndrome?")
    best = read(clinic, "What are the symptoms of Beals syndrome?", floor=0.4)
    assert [line.triples[0].relation for line in best.lines] == ["has_phenotype", "has_phenotype"]
    assert (best.found, best.pruned) == (everything.found, 1)
    facts = [Fact((at,), 0, at / 10) for at in range(10, -1, -1)]
    assert [fact.triples[0] for fact in prune(facts, percentile=80, floor=0.0)] == [10, 9, 8]
    assert [fact.triples[0] for fact in prune(facts, percentile=50, floor=0.95)] == [10]


def test_nothing_is_made_up_where_no_entity_is_named(clinic: Asker) -> None:
    found = read(clinic, "Who won the cup?")
    assert (found.text, found.lines, found.entities, found.tokens) == ("", (), (), 0)


def test_bad_settings_are_refused() -> None:
    for budget in (0, -3, True, 10**9):
        with pytest.raises(InputError, match="number of tokens"):
            Retrieval(budget=budget)
    with pytest.raises(UnknownName, match="sentences, json, table"):
        Retrieval(style="prose")
    for wrong in ({"percentile": 101.0}, {"floor": float("nan")}, {"hops": 3}, {"most": 0}):
        with pytest.raises(InputError):
            Retrieval(**wrong)  # type: ignore[arg-type]


def test_statements_can_be_filtered(hpo) -> None:  # type: ignore[no-untyped-def]
    resources = Resources(clew.open(hpo), encoder=None)
    asked = "What are the symptoms of Marfan syndrome?"
    curated = retrieve(asked, resources, Retrieval(filters=Filters(layer="curated"), budget=100_000))
    everything = retrieve(asked, resources, Retrieval(budget=100_000))
    assert 0 < curated.found < everything.found
    assert all(line.sources == ("HPO",) for line in everything.lines)
    assert f"Source: HPO, {everything.lines[0].documents[0]}" in everything.lines[0].text


def test_a_filtered_line_cites_the_statements_that_let_it_in(tmp_path: Path) -> None:
    rows = [
        ("Marfan syndrome", "has_sign", "Scoliosis", "Notes", "PMID:1", None),
        ("Marfan syndrome", "has_sign", "Scoliosis", "Rumours", "PMID:2", None),
        ("Marfan syndrome", "has_sign", "Scoliosis", "Doubts", "PMID:3", True),
    ]
    names = ("subject", "relation", "object", "source", "document", "negated")
    table = pa.table(dict(zip(names, zip(*rows, strict=True), strict=True)))
    graph = clew.build(table, out=tmp_path / "said.clew")
    resources = Resources(graph, encoder=None)
    for sources, cited in (((), {"Notes", "Rumours"}), (("Notes",), {"Notes"})):
        (line,) = retrieve(
            "Which signs has Marfan syndrome?", resources, Retrieval(filters=Filters(sources=sources))
        ).lines
        assert set(line.sources) == cited
        assert ("PMID:2" in line.text) is ("Rumours" in cited)
        assert "PMID:3" not in line.text


def test_an_encoder_ranks_and_finds_phrases(clinic: Asker) -> None:
    resources = Resources(clinic.resources.engine, encoder=HashedEncoder())
    found = retrieve("Which diseases show arachnodactyly?", resources)
    assert found.ranking == "embeddings"
    assert found.entities == ("P:1",)
    assert all(0 <= line.score <= 1 for line in found.lines)
    near = retrieve("something like arachnodactylys", resources, Retrieval(linking="vectors"))
    assert "P:1" in near.entities


def test_the_engine_hands_out_contexts(clinic: Asker) -> None:
    graph = clinic.resources.engine
    found = graph.context(QUESTION, budget=60, style="table")
    assert found.tokens <= 60
    assert found.text.startswith("id | subject | relation | object | sources\n1 | ")
    with pytest.raises(InputError, match="5,000"):
        graph.context("x" * 5001)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory):  # type: ignore[no-untyped-def]
    return tmp_path_factory.mktemp("contexts")


@settings(max_examples=15, suppress_health_check=[HealthCheck.too_slow])
@given(raw=raw_graphs(), budget=st.integers(1, 300), style=st.sampled_from(STYLES), data=st.data())
def test_the_budget_is_never_exceeded_and_every_line_is_cited(folder, raw, budget, style, data) -> None:  # type: ignore[no-untyped-def]
    write(raw, folder / "g.clew")
    graph = clew.open(folder / "g.clew")
    ids = data.draw(st.lists(st.sampled_from(sorted(raw.types)), min_size=1, max_size=2))
    question = f"Which Gene has {' and '.join(f'name of {each}' for each in ids)}?"
    found = retrieve(question, Resources(graph, encoder=None), Retrieval(budget=budget, style=style))
    assert estimate_tokens(found.text) <= budget
    assert all(0 <= line.score <= 1 for line in found.lines)
    for line in found.lines:
        stated = {
            each.source for triple in line.triples for each in graph.assertions(triple.number) if not each.negated
        }
        assert set(line.sources) == stated
        assert all(source in line.text for source in line.sources)
    graph.close()


@given(st.lists(st.text(max_size=12), max_size=8), st.integers(1, 40))
def test_any_count_of_tokens_is_kept(texts: list[str], budget: int) -> None:
    def odd(text: str) -> int:  # does not grow with the text
        return 1 + sum(map(ord, text)) % 50

    sheet = Sheet(tuple(ContextLine(text, (), (), (), 0.0) for text in texts), (1,) * len(texts))
    shown = fit(sheet, budget, odd)
    assert shown == 0 or odd(sheet.text(shown)) <= budget
