"""The corpus stage: real files, hostile files, doubles, and a run that is killed and goes on."""

import gzip
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from clew.errors import DerivedError, GraphError, InputError
from clew.extract import stage as stages
from clew.extract.corpus import CorpusSettings, Input, prepare_corpus, read_documents, read_sentences, stage
from clew.extract.corpus.screening import screen
from extract.pubmed_articles import article, article_set

GOOD = "Gout is treated with colchicine. It did not help in rats. It might help in May."


def write_lines(path: Path, documents: list[dict[str, object]]) -> Path:
    path.write_text("".join(json.dumps(document) + "\n" for document in documents))
    return path


def sentences_of(run: Path, *, kept: bool | None = None) -> list[str]:
    texts = {row["document"]: row["text"] for row in read_documents(run).to_pylist()}
    rows = read_sentences(run).to_pylist()
    return [texts[row["document"]][row["start"] : row["end"]] for row in rows if kept in (None, row["kept"])]


def test_sentences_stand_where_the_table_says(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "a.jsonl", [{"id": "a", "title": "Gout", "text": "RESULTS: " + GOOD + " © 2020."}])
    counts = prepare_corpus([source], tmp_path / "run")
    assert sentences_of(tmp_path / "run") == [
        "Gout.",
        "Gout is treated with colchicine.",
        "It did not help in rats.",
        "It might help in May.",
    ]
    assert sentences_of(tmp_path / "run", kept=True) == ["Gout.", "Gout is treated with colchicine."]
    assert (counts.documents, counts.sentences, counts.kept, counts.kept_words) == (1, 4, 2, 6)
    assert counts.flagged == {"negated": 1, "animal": 1, "speculative": 1}
    assert counts.removed == {"boilerplate": 1}
    assert read_documents(tmp_path / "run").to_pylist() == [
        {
            "document": "a",
            "title": "Gout",
            "text": f"Gout. RESULTS: {GOOD} © 2020.",
            "source": "a.jsonl",
            "license": "unknown",
        }
    ]


def test_switches_keep_what_is_flagged(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "a.jsonl", [{"id": "a", "text": "RESULTS: " + GOOD}])
    keep = CorpusSettings(keep=("negated", "animal"))
    assert prepare_corpus([source], tmp_path / "run", settings=keep).kept == 2
    whole = CorpusSettings(whole=("mine",))
    assert prepare_corpus([Input(source, "mine")], tmp_path / "run", settings=whole).kept == 3
    assert sentences_of(tmp_path / "run")[0].startswith("RESULTS: Gout")
    with pytest.raises(InputError, match="known: negated, speculative, animal"):
        CorpusSettings(keep=("odd",))


def test_animal_studies_are_known_by_their_index_terms(tmp_path: Path) -> None:
    source = tmp_path / "a.xml"
    source.write_text(article_set(article(1, mesh="Animals"), article(2, mesh="Humans", title="On pain.")))
    prepare_corpus([source], tmp_path / "run")
    animal = {(row["document"], row["animal"]) for row in read_sentences(tmp_path / "run").to_pylist()}
    assert animal == {("PMID:1", True), ("PMID:2", False)}


def test_stated_language_counts_only_when_asked(tmp_path: Path) -> None:
    source = tmp_path / "a.xml"
    source.write_text(article_set(article(1, language="ger"), article(2, title="On pain.")))
    assert prepare_corpus([source], tmp_path / "run").documents == 2
    strict = prepare_corpus([source], tmp_path / "run", settings=CorpusSettings(english_records=True))
    assert strict.documents == 1
    assert strict.left_out == {"stated in another language": 1}


def test_of_documents_alike_the_first_stands(tmp_path: Path) -> None:
    first = tmp_path / "first.pubtator"
    first.write_text("7|t|On gout.\n7|a|The gold text.\n")
    second = tmp_path / "second.xml"
    second.write_text(article_set(article(7), article(8), article(9)))
    counts = prepare_corpus([first, second], tmp_path / "run")
    assert counts.left_out == {"id met before": 1, "text met before": 1}
    texts = read_documents(tmp_path / "run")["text"].to_pylist()
    assert texts == ["On gout. The gold text.", "On gout. Gout & pain H2O. It hurts."]


def test_a_hostile_folder_ends_with_counts(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "broken.xml").write_text(article_set(article(1), "<PubmedArticle><a></PubmedArticle>", article(2))[:-40])
    (folder / "cut.xml.gz").write_bytes(gzip.compress(article_set(*map(article, range(10, 99))).encode())[:-30])
    (folder / "empty.txt").write_text("")
    (folder / "blank.jsonl").write_text(
        '{"text": ""}\n{"text": " \\u0000\\t"}\n{"id": "\\ud800", "text": "Half \\ud800."}\n'
    )
    (folder / "line.txt").write_text("aspirin treats pain and " * 40_000)
    (folder / "picture.png").write_bytes(bytes(range(256)))
    (folder / "german.txt").write_text(
        "Die Gicht ist eine Krankheit, die mit Colchicin behandelt wird und nicht heilt. " * 2
    )
    (folder / "marks.txt").write_text("It hurts.\x00\x07 It\x1b[31m hurts\u2028more.")
    (folder / "latin.txt").write_bytes(b"Caf\xe9 au lait")
    counts = prepare_corpus([folder], tmp_path / "run")
    named = ("broken XML", "empty document", "unknown format", "not English", "not UTF-8")
    assert all(counts.left_out[reason] for reason in named)
    assert sum("picture.png" in example for example in counts.examples) == 1
    texts = read_documents(tmp_path / "run")["text"].to_pylist()
    assert "Half  ." in texts
    assert all(text.isprintable() for text in texts)
    longest = max(row["end"] - row["start"] for row in read_sentences(tmp_path / "run").to_pylist())
    assert longest <= 2000
    assert json.loads((tmp_path / "run/corpus/counts.json").read_text())["left_out"] == counts.left_out


@pytest.mark.parametrize("content", ["", "\n\n", "<PubmedArticleSet></PubmedArticleSet>", "{}", "\x00"])
def test_nothing_read_is_one_sentence(tmp_path: Path, content: str) -> None:
    (tmp_path / "a").write_text(content)
    with pytest.raises(InputError, match=r"no documents were read from .*/a: "):
        prepare_corpus([tmp_path / "a"], tmp_path / "run")
    assert not list((tmp_path / "run").iterdir())
    with pytest.raises(DerivedError, match="does not exist yet: run `clew extract prepare`"):
        read_documents(tmp_path / "run")


def test_no_input_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no documents were read from no input"):
        prepare_corpus([], tmp_path / "run")


def test_a_run_that_cannot_be_written_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    source = write_lines(tmp_path / "a.jsonl", [{"text": GOOD}])
    with pytest.raises(GraphError, match="cannot create"):
        prepare_corpus([source], tmp_path / "file")


def test_a_finished_corpus_is_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_lines(tmp_path / "a.jsonl", [{"id": "a", "text": GOOD}])
    first = prepare_corpus([source], tmp_path / "run")
    monkeypatch.setattr(stage, "screen", None)
    assert prepare_corpus([source], tmp_path / "run") == first
    monkeypatch.undo()
    write_lines(source, [{"id": "a", "text": GOOD}, {"id": "b", "text": "Another text is here."}])
    assert prepare_corpus([source], tmp_path / "run").documents == 2


KILLED = """
import sys, time
from pathlib import Path
from clew.extract.corpus import prepare_corpus, stage
stage.PART_DOCUMENTS = 10
def slow(task, done, total):
    time.sleep(0.2)
prepare_corpus([Path(name) for name in sys.argv[2:]], Path(sys.argv[1]), progress=slow)
"""


def test_a_killed_run_goes_on_where_it_stood(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = write_lines(tmp_path / "a.jsonl", [{"id": f"a{n}", "text": f"Gout number {n} is here."} for n in range(35)])
    with first.open("a") as lines:
        lines.write("broken\n")
    second = tmp_path / "b.xml"
    broken = "<PubmedArticle><a></PubmedArticle>"
    second.write_text(article_set(*(article(n, text=f"It is pain {n}.") for n in range(40)), broken, article(3)))
    monkeypatch.setattr(stage, "PART_DOCUMENTS", 10)
    expected = prepare_corpus([first, second], tmp_path / "whole")

    run = tmp_path / "run"
    command = [sys.executable, "-c", KILLED, str(run), str(first), str(second)]
    process = subprocess.Popen(command, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})
    deadline = time.monotonic() + 60
    while not (run / ".corpus.parts/part-00004.json").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    assert not (run / "corpus").exists()
    finished = len(list((run / ".corpus.parts").glob("part-*.json")))
    assert 5 <= finished < 8

    screened = 0

    def counting(*arguments: object) -> object:
        nonlocal screened
        screened += 1
        return screen(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(stage, "screen", counting)
    counts = prepare_corpus([first, second], run)
    assert counts == expected
    assert counts.left_out == {"broken JSON": 1, "broken XML": 1, "id met before": 1}
    assert screened == 76 - 10 * finished
    for name in ("documents.parquet", "sentences.parquet"):
        assert pq.read_table(run / "corpus" / name).equals(pq.read_table(tmp_path / "whole" / "corpus" / name))
    assert sorted(path.name for path in run.iterdir()) == ["corpus"]


def test_killed_between_the_last_part_and_the_seal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    source = write_lines(tmp_path / "a.jsonl", [{"id": f"a{n}", "text": f"Gout number {n}."} for n in range(3)])
    source.write_text(source.read_text() + "broken\n")
    with monkeypatch.context() as patched:
        patched.setattr(stages, "new_sealed", None)
        with pytest.raises(TypeError):
            prepare_corpus([source], tmp_path / "run")
    monkeypatch.setattr(stage, "screen", None)
    assert prepare_corpus([source], tmp_path / "run").left_out == {"broken JSON": 1}


def test_real_annotations_hold_in_the_text(data: Path, tmp_path: Path) -> None:
    gold = Input(data / "bc5cdr" / "cdr_dev.pubtator.gz", "BC5CDR")
    questions = data / "pubmedqa" / "ori_pqal.json.gz"
    counts = prepare_corpus([gold, questions], tmp_path / "run", settings=CorpusSettings(whole=("BC5CDR",)))
    assert counts.sources == {"BC5CDR": 500, "PubMedQA": 1000}
    assert counts.kept < counts.sentences
    rows = read_documents(tmp_path / "run").to_pylist()
    texts = {row["document"]: row["text"] for row in rows}
    gold_ids = {row["document"] for row in rows if row["source"] == "BC5CDR"}
    assert all(row["kept"] for row in read_sentences(tmp_path / "run").to_pylist() if row["document"] in gold_ids)
    mentions = 0
    with gzip.open(gold.path, "rt", encoding="utf-8") as lines:
        for line in lines:
            if len(fields := line.rstrip("\n").split("\t")) >= 6:
                assert texts[f"PMID:{fields[0]}"][int(fields[1]) : int(fields[2])] == fields[3]
                mentions += 1
    assert mentions > 9000
    assert not any("Results depicted mitochondrial dynamics in vivo" in text for text in texts.values())
