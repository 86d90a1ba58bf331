"""Filters in the words of a question, as far as the graph can keep to them."""

from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew import GraphEngine
from clew.answer.lexicon.words import Words
from clew.answer.plans.assertions.filters import Filters
from clew.answer.reading.question import understand
from clew.answer.statements.filter_words import find_filters, provenance_of
from clew.link import Linker
from clew.store.layout import lay_out

ROWS = {
    "subject": ["G:1", "G:1", "G:2"],
    "relation": ["causes"] * 3,
    "object": ["D:1", "D:2", "D:1"],
    "source": ["infores:omim", "Orphanet", "DISEASES"],
    "license": ["CC0", "CC BY 4.0", None],
    "agent_type": ["manual_agent", "text_mining_agent", None],
    "valid_from": ["2010-01-01", None, None],
    "confidence": [0.5, None, 0.9],
}
ENTITIES = {"id": ["G:1", "G:2", "D:1", "D:2"], "name": ["FBN1", "FBN2", "Gout", "Rickets"]}


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> GraphEngine:
    entities = pa.table({**ENTITIES, "type": ["Gene", "Gene", "Disease", "Disease"]})
    columns = {**ROWS, "evidence": pa.array([["PMID:1"], [], []], pa.list_(pa.string()))}
    out = Path(tmp_path_factory.mktemp("sources")) / "g.clew"
    clew.build(pa.table(columns), entities=entities, out=out)
    return clew.open(out)


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> GraphEngine:
    """A graph that says nothing of its sources."""
    triples = pa.table({"subject": ["G:1"], "relation": ["causes"], "object": ["D:1"]})
    entities = pa.table({"id": ["G:1", "D:1"], "name": ["FBN1", "Gout"], "type": ["Gene", "Disease"]})
    out = Path(tmp_path_factory.mktemp("plain")) / "g.clew"
    clew.build(triples, entities=entities, out=out)
    return clew.open(out)


QUESTIONS = {
    "Which genes cause gout according to curated sources?": Filters(layer="curated"),
    "Which manually curated genes cause gout?": Filters(layer="curated"),
    "Which genes cause gout, not from text mining?": Filters(layer="no-extracted"),
    "Which genes cause gout excluding text-mined evidence?": Filters(layer="no-extracted"),
    "Which genes caused gout as of 2015?": Filters(as_of="2015-12-31"),
    "Which genes caused gout as of February 2016?": Filters(as_of="2016-02-29"),
    "Which genes caused gout as of 2015-03-01?": Filters(as_of="2015-03-01"),
    "Which genes caused gout as of 1 March 2015?": Filters(as_of="2015-03-01"),
    "Which genes cause gout according to OMIM?": Filters(sources=("infores:omim",)),
    "Which genes cause gout according to omim or Orphanet?": Filters(sources=("infores:omim", "Orphanet")),
    "Which genes from Orphanet cause gout?": Filters(sources=("Orphanet",)),
    "Which genes cause gout, but not from Orphanet?": Filters(sources=("DISEASES", "infores:omim")),
    "Which genes cause gout in DISEASES?": Filters(sources=("DISEASES",)),
    "Which genes are involved in diseases like gout?": Filters(),
    "Which genes cause gout with a confidence of at least 80 %?": Filters(min_confidence=0.8),
    "Which genes cause gout according to PMID 8281149?": Filters(cites=("PMID:8281149",)),
    "Which genes cause gout under CC BY 4.0?": Filters(licences=("CC BY 4.0",)),
    "Which genes cause gout?": Filters(),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_filters_are_recognised(graph: GraphEngine, question: str) -> None:
    assert find_filters(question, graph, lay_out(graph)).filters == QUESTIONS[question]


@pytest.mark.parametrize("question", [each for each in QUESTIONS if QUESTIONS[each]])
def test_a_graph_that_cannot_keep_to_them_has_none(plain: GraphEngine, question: str) -> None:
    assert find_filters(question, plain, lay_out(plain)) == find_filters("", plain, lay_out(plain))


def test_words_of_filters_mean_nothing_else(graph: GraphEngine) -> None:
    linker = Linker(graph)
    question = understand("Which genes cause gout, not from text mining, as of 2015?", linker, Words(lay_out(graph)))
    assert question.filters == Filters(layer="no-extracted", as_of="2015-12-31")
    assert [anchor.text for anchor in question.anchors] == ["gout"]
    assert (question.denied, question.unrecognised) == (False, ())


@pytest.mark.parametrize(("codes", "is_few"), [(58, True), (59, False)])
def test_all_values_of_a_qualifier_count_when_they_must_be_few(tmp_path: Path, codes: int, is_few: bool) -> None:
    values = ["left", "right", *(f"{number}" for number in range(codes))]
    count = len(values)
    rows = {
        "subject": [f"A:{number}" for number in range(count)],
        "relation": ["holds"] * count,
        "object": ["B"] * count,
    }
    clew.build(pa.table({**rows, "qualifier:side": values}), out=tmp_path / "g.clew")
    engine = clew.open(tmp_path / "g.clew")
    known = provenance_of(engine, lay_out(engine))
    (named,) = known.named_values(engine).values()
    assert sorted(named) == ["left", "right"]
    assert list(known.spoken_values(engine).values()) == ([named] if is_few else [])
