"""The language-model baseline: chunks of whole sentences, known relations only, equal names merged."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import ContextOverflow, InputError
from clew.evaluate.extraction.llm_baseline import Chunk, chunks, read_triples
from clew.lm.clients.scripted import Scripted

TEXT = "Zinc gave a rash. Lithium gave tremor and pain! Was it so? It was."


def said(*rows: tuple[str, str, str]) -> str:
    return json.dumps({"triples": [dict(zip(("subject", "relation", "object"), row, strict=True)) for row in rows]})


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
    rash = ("zinc", "induces", "rash")
    model = Scripted(
        [
            said(rash, rash, ("zinc", "induces", " zinc ")),
            said(("Zinc", "induces", "rash"), rash),
            ContextOverflow("too long"),
        ]
    )
    read = read_triples(model, [Chunk("1", 0, "a"), Chunk("1", 9, "b"), Chunk("2", 0, "c")], ["induces", "treats"])
    assert [(each.subject, each.object, each.chunks) for each in read.triples] == [
        ("zinc", "rash", [0, 0, 1]),
        ("Zinc", "rash", [1]),
    ]
    assert read.left_out == {"leads to itself": 1, "a chunk: ContextOverflow": 1}
    asked = model.requests[0]
    assert "induces\ntreats" in asked.messages[0].content
    assert asked.schema is not None
    assert json.loads(asked.schema)["properties"]["triples"]["items"]["properties"]["relation"]["enum"] == [
        "induces",
        "treats",
    ]


def test_an_answer_outside_the_schema_is_a_failed_chunk() -> None:
    read = read_triples(Scripted([said(("a", "eats", "b")), "not json"]), [Chunk("1", 0, "a")] * 2, ["induces"])
    assert read.triples == []
    assert sum(read.left_out.values()) == 2
