"""The language-model baseline: chunks of whole sentences, known relations only, equal names merged, and its scores."""

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import clew
from clew.errors import ContextOverflow, InputError, ModelError
from clew.evaluate.extraction.bc5cdr.abstracts import Abstract
from clew.evaluate.extraction.judge.wordings import Statement
from clew.evaluate.extraction.language_model.evaluation import (
    BASELINE,
    baseline_statements,
    link_triples,
    score_baseline,
    validity_of_baseline,
)
from clew.evaluate.extraction.language_model.reading import Chunk, chunks, read_triples, stored_relations
from clew.extract.seed.signatures import Signatures
from clew.lm import open_model
from clew.lm.clients.scripted import Scripted
from clew.lm.grammar import check_grammar
from clew.traverse import Engine, open

SIGNATURES = Signatures(
    {
        "induces": {("Drug", "ClinicalSign"): 3, ("Drug", "Disease"): 10},
        "treats": {("Drug", "Disease"): 5},
        "treated_by": {("Disease", "Drug"): 5},
    },
    inverses={"treated_by": "treats"},
)
RELATIONS = stored_relations(SIGNATURES)
TEXT = "Zinc gave a rash. Lithium gave tremor and pain! Was it so? It was."


@given(st.lists(st.text("ab .!?\n", max_size=60), max_size=5), st.integers(1, 12))
def test_chunks_are_pieces_of_their_text_and_lose_no_word(texts: list[str], words: int) -> None:
    documents = [(str(at), text) for at, text in enumerate(texts)]
    pieces = list(chunks(documents, words=words))
    for document, text in documents:
        mine = [each for each in pieces if each.document == document]
        assert all(text[each.start : each.start + len(each.text)] == each.text for each in mine)
        assert [word for each in mine for word in each.text.split()] == text.split()


def test_chunks_end_with_sentences() -> None:
    found = [each.text for each in chunks([("1", TEXT)], words=8)]
    assert found == ["Zinc gave a rash.", "Lithium gave tremor and pain! Was it so?", "It was."]
    with pytest.raises(InputError, match="at least 1 word"):
        list(chunks([("1", TEXT)], words=0))


def test_triples_are_merged_and_what_is_left_out_is_counted() -> None:
    model = Scripted(
        [
            "zinc | induces | rash\nzinc | induces | zinc",
            "Zinc | induces | rash\nzinc | induces | rash\nzinc | induces\nzinc | eats | rash",
            ContextOverflow("too long"),
            "none",
        ]
    )
    pieces = [Chunk("1", 0, "a {x}"), Chunk("1", 9, "b"), Chunk("2", 0, "c"), Chunk("2", 0, "d")]
    read = read_triples(model, pieces, RELATIONS)
    assert [(each.subject, each.object, each.chunks) for each in read.triples] == [
        ("zinc", "rash", [0, 1]),
        ("Zinc", "rash", [1]),
    ]
    assert read.left_out == {
        "leads to itself": 1,
        "not a triple": 1,
        "another relation": 1,
        "a chunk: ContextOverflow": 1,
    }
    assert len(read.seconds) == 3
    asked = model.requests[0]
    assert asked.messages[0].content.endswith("Text: a {x}")
    assert "\n".join(RELATIONS.values()) in asked.messages[0].content
    assert asked.grammar is not None
    check_grammar(asked.grammar)
    assert '"induces" | "treats"' in asked.grammar
    with pytest.raises(InputError, match="at least one relation"):
        read_triples(model, pieces, {})


def test_relations_are_told_with_their_types_and_named_inverses_are_left_out() -> None:
    assert RELATIONS == {
        "induces": "induces: a drug causes a disease or a clinical sign",
        "treats": "treats: a drug is used to treat a disease",
    }
    many = Signatures({"is_a": {(name, name): 1 for name in ("Drug", "Gene", "Disease")}})
    assert stored_relations(many) == {"is_a": "is_a: something is a kind of something"}


def test_a_model_without_grammars_is_asked_for_json() -> None:
    lines = iter([ModelError("no grammars"), '{"items": ["zinc | induces | rash"]}', "not json"])
    read = read_triples(Scripted(lambda _: next(lines)), [Chunk("1", 0, "a"), Chunk("1", 0, "b")], RELATIONS)
    assert [each.object for each in read.triples] == ["rash"]
    assert read.left_out == {"a chunk: no list of triples": 1}


@pytest.mark.soak
def test_a_real_model_keeps_to_the_lines() -> None:
    with open_model("smollm2", threads=1, context=1024) as model:
        read = read_triples(model, [Chunk("1", 0, TEXT)], RELATIONS)
    assert "another relation" not in read.left_out
    assert read.left_out.get("not a triple", 0) <= 1  # a last line that the limit of tokens cut
    assert {each.relation for each in read.triples} <= set(RELATIONS)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    out = tmp_path_factory.mktemp("seed") / "seed.clew"
    entities = pa.table(
        {
            "id": ["CHEBI:1", "MONDO:3", "CHEBI:9"],
            "name": ["lithium", "tremor", "Tremor"],
            "type": ["Chemical", "Disease", "Chemical"],
            "xrefs": [["MESH:D1"], ["MESH:D3"], ["MESH:D9"]],
        }
    )
    triples = pa.table({"subject": ["CHEBI:1"], "relation": ["induces"], "object": ["MONDO:3"]})
    clew.build(triples, entities=entities, out=out)
    return open(out)


def table_of(*rows: tuple[str, str, str]) -> pa.Table:
    listed = [
        {"subject": subject, "relation": relation, "object": object_, "documents": ["PMID:1"], "times": 1, "text": "x"}
        for subject, relation, object_ in rows
    ]
    return pa.Table.from_pylist(listed, schema=BASELINE)


def test_names_are_linked_to_the_types_that_their_relation_joins(graph: Engine) -> None:
    rows = (("Lithium", "induces", "tremor"), ("tremor", "induces", "lithium"), ("lithium", "induces", "who knows"))
    linked = link_triples(table_of(*rows), graph)
    assert linked["subject_id"].to_pylist() == ["CHEBI:1", "CHEBI:9", "CHEBI:1"]
    assert linked["object_id"].to_pylist() == ["MONDO:3", "CHEBI:1", None]
    validity = validity_of_baseline(linked, graph)
    assert [round(each, 3) for each in (validity.yes.mean, validity.no, validity.maybe)] == [0.333, 0.333, 0.333]


def test_pairs_are_scored_by_mesh_ids_on_the_abstracts_that_were_read(graph: Engine) -> None:
    abstracts = [
        Abstract("1", "", "", (), frozenset({("D1", "D3"), ("D1", "D4")})),
        Abstract("2", "", "", (), frozenset({("D1", "D3")})),
    ]
    linked = link_triples(table_of(("lithium", "induces", "tremor"), ("lithium", "treats", "tremor")), graph)
    figures = score_baseline(linked, graph, abstracts, name="it").figures
    assert (figures.hits, figures.predicted, figures.gold) == (1, 1, 3)
    assert baseline_statements(linked)[0] == Statement("lithium", "induces", "tremor", "x")
