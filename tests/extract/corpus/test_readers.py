"""Readers of corpora: what good files give, and how bad ones are counted by name instead of failing."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from clew.errors import InputError
from clew.extract.corpus import FORMATS, Input
from clew.extract.corpus.document import Document, lay_out
from clew.extract.corpus.readers import READERS, pubmed, read_file
from clew.extract.corpus.source_files import LONGEST, source_files
from clew.graph.staging import Problems
from extract.pubmed_articles import HEAD, article, article_set

Read = Callable[..., tuple[list[Document], Problems]]


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def write_and_read(content: bytes | str, name: str = "file", **given: str) -> tuple[list[Document], Problems]:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        problems = Problems(on_error="skip")
        (file,) = source_files([Input(path, **given)], problems)
        return list(read_file(file, problems)), problems

    return write_and_read


def test_pubmed_records_become_documents(read: Read) -> None:
    content = article_set(article(7, mesh="Animals"), article(8, title="[Über Gicht.]", language="ger"))
    found, problems = read(gzip.compress(content.encode()), "medline.bin")
    assert not problems.counts
    assert [(each.id, each.title, each.language, each.animal) for each in found] == [
        ("PMID:7", "On gout.", "eng", True),
        ("PMID:8", "Über Gicht.", "ger", False),
    ]
    assert found[0].passages == ("Gout & pain H2O.", "It hurts.")
    assert (found[0].source, found[0].license) == ("PubMed", "NLM terms")


def test_a_broken_record_costs_only_itself(read: Read) -> None:
    broken = article(2).replace("</ArticleTitle>", "</Title>")
    found, problems = read(article_set(article(1), broken, article(3)))
    assert [each.id for each in found] == ["PMID:1", "PMID:3"]
    assert problems.counts == {"broken XML": 1}
    assert "record 2" in problems.examples[0]


def test_a_file_that_ends_too_soon_gives_what_stands_before(read: Read) -> None:
    content = article_set(article(1), article(2))
    found, problems = read(content[:-200])
    assert [each.id for each in found] == ["PMID:1"]
    assert problems.counts == {"broken XML": 1}
    packed = gzip.compress((article_set(*map(article, range(1, 4000)))).encode())
    found, problems = read(packed[: len(packed) // 2])
    assert 0 < len(found) < 4000
    assert problems.counts["unreadable file"] == 1


@pytest.mark.parametrize(
    "declared",
    ['<!ENTITY lol "lol"><!ENTITY lots "&lol;&lol;&lol;">', '<!ENTITY lots SYSTEM "file:///etc/hostname">'],
)
def test_entities_are_neither_expanded_nor_fetched(read: Read, declared: str) -> None:
    head = f'<?xml version="1.0"?><!DOCTYPE PubmedArticleSet [{declared}]>'
    found, problems = read(head + article_set(article(1, text="&lots;"), article(2)).removeprefix(HEAD))
    assert [each.id for each in found] == ["PMID:2"]
    assert problems.counts == {"broken XML": 1}
    assert "undefined entity" in problems.examples[0]


def test_records_without_what_is_needed_are_named(read: Read) -> None:
    titled = article(5).replace("Gout &amp; <i>pain</i> H<sub>2</sub>O.", "").replace("It hurts.", "")
    found, problems = read(article_set(article(""), titled, "<PubmedArticle></PubmedArticle>"))
    assert not found
    assert problems.counts == {"record without PMID": 2, "no abstract": 1}


def test_control_characters_in_xml_do_no_harm(read: Read) -> None:
    found, problems = read(article_set(article(1, text="It\x0bhurts\x01.")))
    assert found[0].passages[1] == "It hurts ."
    assert not problems.counts


def test_a_record_without_end_is_not_held_whole(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pubmed, "LONGEST_RECORD", 2 << 20)
    endless = "<PubmedArticle>" + "<i>" * (1 << 20)
    found, problems = read(article_set(article(1), endless, article(2), article(3)))
    assert problems.counts["record too long"] == 1
    assert [each.id for each in found] == ["PMID:1", "PMID:2", "PMID:3"]


def test_medlines_older_form_is_read(read: Read) -> None:
    inner = article(9).removeprefix("<PubmedArticle>").removesuffix("</PubmedArticle>")
    found, _ = read(f"<MedlineCitationSet>{inner}{inner}</MedlineCitationSet>")
    assert [each.id for each in found] == ["PMID:9", "PMID:9"]


def test_declared_encodings_are_undone(read: Read) -> None:
    content = article_set(article(1, title="Ménière")).replace("utf-8", "ISO-8859-1").encode("latin-1")
    found, problems = read(content)
    assert found[0].title == "Ménière"
    found, _ = read(article_set(article(1, title="Ménière")).replace("utf-8", "utf-16").encode("utf-16"))
    assert found[0].title == "Ménière"
    for odd in ("klingon", "zlib", "idna"):
        found, problems = read(article_set(article(1)).replace("utf-8", odd))
        assert not found
        assert problems.counts == {"unknown format": 1}
        assert odd in problems.examples[0]
    found, problems = read(article_set(article(1, title="Ménière"), article(2)).encode("latin-1"))
    assert [each.id for each in found] == ["PMID:2"]  # said to be UTF-8 and is not
    assert problems.counts == {"broken XML": 1}


def test_pubtator_text_is_kept_to_the_letter(read: Read) -> None:
    lines = [
        "1|t|Gout.  ",
        "1|a| It\thurts.",
        "1\t0\t4\tGout\tDisease\tD006073",
        "1\tCID\tD1\tD2",
        "",
        "x|t|Title only",
    ]
    found, problems = read("\n".join(lines))
    assert not problems.counts
    assert [(each.id, each.title, each.passages) for each in found] == [
        ("PMID:1", "Gout.  ", (" It\thurts.",)),
        ("x", "Title only", ()),
    ]
    assert lay_out(found[0]).text == "Gout.    It hurts."
    _, problems = read("1|t|Gout\n2|a|Pain")
    assert problems.counts == {"abstract without title": 1}


def test_pubmedqa_gives_contexts_and_no_answers(read: Read) -> None:
    question = {
        "QUESTION": "Does it?",
        "CONTEXTS": ["One.", "Two."],
        "LONG_ANSWER": "It does.",
        "final_decision": "yes",
    }
    found, problems = read(json.dumps({"12": question, "13": {"CONTEXTS": [3]}}))
    assert [(each.id, each.title, each.passages) for each in found] == [("PMID:12", "", ("One.", "Two."))]
    assert problems.counts == {"malformed record": 1}
    _, problems = read('{"12": {"CONTEXTS": ["One."]}')
    assert problems.counts == {"broken JSON": 1}


def test_json_lines(read: Read) -> None:
    lines = [
        '{"id": "a", "title": "T", "text": "One.\\n\\nTwo.", "source": "mine", "license": "CC0"}',
        '{"text": "No name."}',
        '{"id": 5, "text": "A number."}',
        '{"id": "b", "text": 5}',
        '{"id": [1], "text": "x"}',
        '["no object"]',
        '{"id": "c", "text": "half',
        "",
        "[" * 100_000,
    ]
    content = "\n".join(lines).encode() + b'\n{"id": "d", "text": "M\xe9ni\xe8re"}\n'
    found, problems = read(content, "notes.jsonl", source="given")
    assert [(each.id, each.passages, each.source, each.license) for each in found] == [
        ("a", ("One.", "Two."), "mine", "CC0"),
        ("notes.jsonl:2", ("No name.",), "given", "unknown"),
        ("5", ("A number.",), "given", "unknown"),
    ]
    assert problems.counts == {"malformed record": 3, "broken JSON": 2, "not UTF-8": 1}


def test_a_line_that_is_too_long_is_passed_over(read: Read, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("clew.extract.corpus.source_files.LONGEST", 1000)
    lines = ['{"text": "one"}', '{"text": "' + "x" * 5000 + '"}', '{"text": "three"}', '{"text": "' + "y" * 3000 + '"}']
    found, problems = read("\n".join(lines))
    assert [each.passages for each in found] == [("one",), ("three",)]
    assert problems.counts == {"line too long": 2}
    assert "file:2" in problems.examples[0]


def test_plain_text_is_one_document_or_many(read: Read) -> None:
    content = "One.\r\nStill one.\r\n\r\nTwo.\n"
    found, _ = read(content, "notes.txt")
    assert [(each.id, each.passages) for each in found] == [("notes.txt", ("One.\nStill one.", "Two."))]
    found, _ = read(content, "notes.txt", format="blocks")
    assert [(each.id, each.passages) for each in found] == [
        ("notes.txt#1", ("One. Still one.",)),
        ("notes.txt#2", ("Two.",)),
    ]
    found, problems = read(b"Caf\xe9", "notes.txt")
    assert (found, problems.counts) == ([], {"not UTF-8": 1})
    found, _ = read("Café".encode("utf-16"), "notes.txt")
    assert found[0].passages == ("Café",)
    found, _ = read("\ufeffCafé", "notes.txt")
    assert found[0].passages == ("Café",)


def test_a_text_longer_than_any_document_is_refused(read: Read) -> None:
    found, problems = read(b"x" * (LONGEST + 1), "long.txt")
    assert (found, problems.counts) == ([], {"document too long": 1})


def test_tables(read: Read, tmp_path: Path) -> None:
    found, problems = read('id,text\na,"One, two"\nb,\n', "notes.csv")
    assert [(each.id, each.passages) for each in found] == [("a", ("One, two",)), ("b", ())]
    found, _ = read("id\ttext\na\tOne\n", "notes.tsv")
    assert [(each.id, each.passages) for each in found] == [("a", ("One",))]
    found, problems = read("id,words\na,b\n", "notes.csv")
    assert problems.counts == {"unknown format": 1}
    assert "id, words" in problems.examples[0]
    found, problems = read(b'id,text\na,"Caf\xe9"\n', "notes.csv")
    assert problems.counts == {"not UTF-8": 1}
    found, problems = read('id,text\na,"never closed', "notes.csv")
    assert problems.counts == {"broken table": 1}
    pq.write_table(pa.table({"text": ["One", None]}), tmp_path / "made.parquet")
    found, problems = read((tmp_path / "made.parquet").read_bytes(), "table.bin")
    assert [each.passages for each in found] == [("One",)]
    assert problems.counts == {"malformed record": 1}
    _, problems = read((tmp_path / "made.parquet").read_bytes()[:-9], "table.bin")
    assert problems.counts == {"unreadable file": 1}


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"\x89PNG\r\n\x1a\n\0\0\0", "NUL bytes"),
        (b"<html><body>Gout</body></html>", "without PubMed records"),
        (b"[1, 2]", "JSON array"),
        (b"\x1f\x8b broken", ""),
    ],
)
def test_what_is_no_corpus_is_named(read: Read, content: bytes, said: str) -> None:
    found, problems = read(content)
    assert not found
    assert sum(problems.counts.values()) == 1
    assert said in problems.examples[0]


def test_folders_are_read_in_order_of_names(tmp_path: Path) -> None:
    for name in ("b.txt", "a/z.txt", ".hidden", "a/.git/x"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("Gout.")
    (tmp_path / "empty").mkdir()
    problems = Problems(on_error="skip")
    assert [file.name for file in source_files([tmp_path], problems)] == ["a/z.txt", "b.txt"]
    assert source_files([tmp_path / "empty"], problems) == []
    assert problems.counts == {"empty folder": 1}
    with pytest.raises(InputError, match="there is no file or folder"):
        source_files([tmp_path / "absent"], problems)
    with pytest.raises(InputError, match="known: pubmed, pubtator"):
        Input(tmp_path, format="pdf")


@given(st.binary(max_size=400), st.sampled_from([None, "pubmed", "pubtator", "jsonl", "csv", "tsv", "text", "blocks"]))
def test_no_bytes_make_a_reader_fail(
    tmp_path_factory: pytest.TempPathFactory, content: bytes, kind: str | None
) -> None:
    path = tmp_path_factory.getbasetemp() / "any"
    path.write_bytes(content)
    problems = Problems(on_error="skip")
    (file,) = source_files([Input(path, format=kind)], problems)
    for document in read_file(file, problems):
        laid_out = lay_out(document)
        laid_out.text.encode()
        document.id.encode()
        for start, end in laid_out.places:
            assert 0 <= start < end <= len(laid_out.text)


@given(st.text(max_size=30), st.lists(st.text(max_size=30), max_size=3), st.booleans())
def test_places_hold_title_and_passages(title: str, passages: list[str], exact: bool) -> None:
    document = Document("1", title, tuple(passages), "", "", "", exact=exact)
    laid_out = lay_out(document)
    assert laid_out.text.isprintable() or not any(ord(letter) < 32 for letter in laid_out.text)
    if exact:
        assert len(laid_out.text) == len(" ".join([title, *passages]))
    for (_, end), (start, _) in zip(laid_out.places, laid_out.places[1:], strict=False):
        assert set(laid_out.text[end:start]) == {" "}


def test_a_heap_of_combining_marks_is_left_as_it_is() -> None:
    heap = "a" + "\u0315\u0300" * 200_000  # to sort them would take an hour
    assert lay_out(Document("1", "", (heap,), "", "", "")).text == heap
    assert lay_out(Document("1", "", ("Me\u0301nie\u0300re",), "", "", "")).text == "Ménière"


def test_every_format_has_its_reader() -> None:
    assert tuple(READERS) == FORMATS
    assert all(callable(READERS.load(name)) for name in FORMATS)
