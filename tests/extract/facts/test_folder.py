"""From documents to a folder of facts: what is found, a stopped extraction that resumes, and a graph of them."""

import json
from pathlib import Path

import pytest

import clew
from clew.errors import InputError
from clew.extract.facts import folder as facts_folder
from clew.extract.facts.finding import ELSEWHERE, FactFinder
from clew.extract.facts.folder import extract_facts, read_facts
from shipped_models import CAUSED, RELIEVED


def write_texts(folder: Path, count: int = 3) -> Path:
    folder.mkdir()
    rows = [{"id": f"PMID:{each}", "text": (CAUSED, RELIEVED)[each % 2]} for each in range(count)]
    (folder / "a.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (folder / "b.txt").write_text(CAUSED)
    return folder


def test_a_fact_names_its_ends_its_sentence_and_whether_the_seed_has_it(shipped: Path) -> None:
    finder = FactFinder.open(shipped, threads=1)
    (fact,) = finder.find(RELIEVED)
    assert (fact.subject, fact.relation, fact.object, fact.known) == ("ID:lithium", "treats", "ID:nausea", True)
    assert (fact.subject_name, fact.object_type) == ("lithium", "Disease")
    assert fact.sentence == "lithium relieved nausea."
    assert RELIEVED[fact.object_start : fact.object_end] == fact.object_text == "nausea"
    assert 0.5 <= fact.confidence <= 1
    assert [each.relation for each in finder.find(CAUSED)] == ["induces"]
    assert not finder.find("nothing is named here")


def test_ends_in_different_sentences_are_shown_with_both(shipped: Path) -> None:
    finder = FactFinder.open(shipped, threads=1)
    apart = [each for each in finder.find(CAUSED, confidence=0.0) if each.object == "ID:fever"]
    assert apart
    assert apart[0].sentence == f"aspirin caused tremor.{ELSEWHERE}Fever was measured in patients."


def test_a_folder_of_texts_becomes_facts_and_a_graph(shipped: Path, tmp_path: Path) -> None:
    texts = write_texts(tmp_path / "texts")
    counts = extract_facts([texts], tmp_path / "facts", model=shipped)
    assert (counts["documents"], counts["facts"], counts["triples"]) == (4, 4, 2)
    table = read_facts(tmp_path / "facts")
    assert sorted(set(table["document"].to_pylist())) == ["PMID:0", "PMID:1", "PMID:2", "b.txt"]
    graph = clew.build(tmp_path / "facts", out=tmp_path / "mine.clew")
    (path,) = graph.paths("ID:aspirin", "ID:tremor", k=1)
    said = list(graph.assertions(path.triples[0].number))
    assert {each.document for each in said} == {"PMID:0", "PMID:2", "b.txt"}
    assert said[0].qualifiers["sentence"] == "aspirin caused tremor."
    assert said[0].agent_type == "text_mining_agent"


def test_what_a_text_denies_is_a_negated_assertion_and_what_it_asks_is_kept_with_its_mark(
    shipped: Path, tmp_path: Path
) -> None:
    (tmp_path / "texts").mkdir()
    asked = f"We asked whether {CAUSED}"
    for name, text in (("a.txt", CAUSED), ("b.txt", f"Never {RELIEVED}"), ("c.txt", asked)):
        (tmp_path / "texts" / name).write_text(text)
    counts = extract_facts([tmp_path / "texts"], tmp_path / "facts", model=shipped, confidence=0)
    rows = read_facts(tmp_path / "facts").to_pylist()
    marked = {(row["document"], row["object"]): row["status"] for row in rows}
    assert marked["a.txt", "ID:tremor"] == "stated"
    assert marked["b.txt", "ID:nausea"] == "denied"
    assert marked["c.txt", "ID:tremor"] == "speculative"
    assert counts["facts"] == sum(row["status"] == "stated" for row in rows)
    graph = clew.build(tmp_path / "facts", out=tmp_path / "mine.clew")
    assert not list(graph.paths("ID:lithium", "ID:nausea", k=1))  # only denied: not walked
    walked = [path.triples[0].number for path in graph.paths("ID:aspirin", "ID:tremor", k=1)]
    assert {each.document for number in walked for each in graph.assertions(number)} == {"a.txt"}


def test_a_stopped_extraction_resumes(shipped: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    texts = write_texts(tmp_path / "texts", count=9)
    monkeypatch.setattr(facts_folder, "PART", 2)
    read: list[str] = []
    find = FactFinder.find

    def counted(self: FactFinder, text: str, *, confidence: float | None = None) -> list[object]:
        read.append(text)
        if len(read) == 6:
            raise KeyboardInterrupt
        return find(self, text, confidence=confidence)

    monkeypatch.setattr(FactFinder, "find", counted)
    with pytest.raises(KeyboardInterrupt):
        extract_facts([texts], tmp_path / "facts", model=shipped)
    assert not (tmp_path / "facts").exists()
    counts = extract_facts([texts], tmp_path / "facts", model=shipped)
    assert len(read) == 6 + 10 - 4  # two parts of two were finished
    monkeypatch.setattr(FactFinder, "find", find)
    assert counts == {**extract_facts([texts], tmp_path / "again", model=shipped)}
    assert read_facts(tmp_path / "facts").equals(read_facts(tmp_path / "again"))
    extract_facts([texts], tmp_path / "facts", model=shipped)  # finished: nothing is read again


def test_several_processes_find_the_same_and_resume(shipped: Path, tmp_path: Path) -> None:
    texts = write_texts(tmp_path / "texts", count=3)
    one = extract_facts([texts], tmp_path / "one", model=shipped)
    two = extract_facts([texts], tmp_path / "two", model=shipped, processes=2)
    assert one == two
    assert read_facts(tmp_path / "one").equals(read_facts(tmp_path / "two"))
    with pytest.raises(InputError, match="at least one process"):
        extract_facts([texts], tmp_path / "none", model=shipped, processes=0)


def test_texts_in_python(shipped: Path) -> None:
    table = clew.extract([CAUSED, RELIEVED], model=shipped)
    assert table.select(["document", "subject_name", "relation", "object_name"]).to_pylist() == [
        {"document": "0", "subject_name": "aspirin", "relation": "induces", "object_name": "tremor"},
        {"document": "1", "subject_name": "lithium", "relation": "treats", "object_name": "nausea"},
    ]
    assert clew.extract(CAUSED, model=shipped).num_rows == 1


def test_what_cannot_be_done_is_one_clear_error(shipped: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="no files"):
        extract_facts([tmp_path / "empty"], tmp_path / "facts", model=shipped)
    with pytest.raises(InputError, match="between 0 and 1"):
        extract_facts([tmp_path / "empty"], tmp_path / "facts", model=shipped, confidence=2)
    with pytest.raises(InputError, match="statement model"):
        extract_facts([write_texts(tmp_path / "texts")], tmp_path / "facts", model=tmp_path)
