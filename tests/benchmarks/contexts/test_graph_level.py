"""What graphs are compared on: texts near questions, facts from gold, triples of a model, answers made elsewhere."""

import json
from pathlib import Path

import pyarrow as pa
import pytest
from benchmarks.contexts.graph_level import nearest_texts, stated_facts, write_baseline
from benchmarks.contexts.graph_requests import answered, note
from benchmarks.contexts.offline import Offline

import clew
from clew.answer import Resources
from clew.evaluate.extraction.bc5cdr.abstracts import Abstract
from clew.evaluate.graphs.questions import ask_facts
from clew.evaluate.graphs.run import run_graphs

FACTS = [(f"MESH:C{at}", "induces", f"MESH:D{at}") for at in range(6)]


@pytest.fixture
def seed(tmp_path: Path) -> clew.GraphEngine:
    """Chemicals and the diseases that each treats, not those that it induces."""
    rows = [(f"MESH:C{at}", "treats", f"MESH:D{(at + 1) % 6}") for at in range(6)]
    table = pa.table(dict(zip(("subject", "relation", "object"), zip(*rows, strict=True), strict=True)))
    ids = [f"MESH:{kind}{at}" for kind in "CD" for at in range(6)]
    names = [*(f"chemin{at}ol" for at in range(6)), *(f"illness{at}ia" for at in range(6))]
    entities = pa.table({"id": ids, "name": names, "type": ["Chemical"] * 6 + ["Disease"] * 6})
    return clew.build(table, entities=entities, out=tmp_path / "seed.clew")


def test_texts_with_the_rare_words_of_a_question_are_nearest() -> None:
    texts = ["the patients had asthma", "the patients had gout and asthma", "the patients slept", "patients patients"]
    assert nearest_texts(["Do the patients with gout sleep?"], texts, nearest=1) == [1]
    assert nearest_texts(["asthma", "gout"], texts, nearest=1) == [0, 1]


def test_gold_pairs_of_known_ends_are_facts(seed: clew.GraphEngine) -> None:
    abstract = Abstract("1", "t", "t", (), frozenset({("C0", "D3"), ("C1", "D9")}))
    assert stated_facts([abstract], seed) == [("MESH:C0", "induces", "MESH:D3")]


def test_triples_that_a_model_writes_are_linked(seed: clew.GraphEngine, tmp_path: Path) -> None:
    texts = [("PMID:1", "Chemin0ol caused illness4ia in two patients."), ("PMID:2", "Nothing was found.")]
    requests, responses, out = tmp_path / "q.jsonl", tmp_path / "r.jsonl", tmp_path / "triples.csv"
    assert write_baseline(out, texts, Offline(requests), seed) == {"chunks": 2}
    said = ["chemin0ol | induces | illness4ia\nchemin0ol | induces | a cold", "none"]
    with responses.open("w", encoding="utf-8") as file:
        for asked, text in zip(map(json.loads, requests.read_text("utf-8").splitlines()), said, strict=True):
            assert "induces" in asked["pattern"]
            response = {"key": asked["key"], "text": text, "finish": "stop", "prompt_tokens": 9, "completion_tokens": 9}
            file.write(json.dumps({**response, "scores": []}) + "\n")
    counts = write_baseline(out, texts, Offline(requests, responses), seed)
    assert (counts["read"], counts["linked"]) == (2, 1)
    assert out.read_text("utf-8").splitlines()[1:] == ["MESH:C0,induces,MESH:D4,PMID:1"]


def test_answers_made_elsewhere_are_those_of_a_run_that_asks(seed: clew.GraphEngine, tmp_path: Path) -> None:
    model = Offline(tmp_path / "q.jsonl")
    questions = ask_facts(FACTS, seed)
    with Resources(seed, encoder=None, model=model) as resources:
        for _ in range(2):  # the second time nothing is left to note
            note({"seed": resources}, questions, model, tmp_path / "noted.jsonl")
    noted = [json.loads(line) for line in (tmp_path / "noted.jsonl").read_text("utf-8").splitlines()]
    assert len(noted) == 2 * len(questions)
    asked = [json.loads(line) for line in (tmp_path / "q.jsonl").read_text("utf-8").splitlines()]
    responses = {
        each["key"]: {"scores": [-float(len(each["key"]) * at % 5) for at in range(1, 7)], "prompt_tokens": 7}
        | {"key": each["key"], "text": "", "finish": "stop", "completion_tokens": 0}
        for each in asked
    }
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, responses.values())) + "\n", "utf-8")
    read = list(answered(noted, {each.id: each for each in questions}, responses))
    with Resources(seed, encoder=None, model=Offline(tmp_path / "q.jsonl", tmp_path / "r.jsonl")) as resources:
        report = run_graphs({"seed": resources}, questions, count=6, seeds=1)
    for row in report["rows"]:
        right = [each["right"] for each in read if each["graph"] == row["graph"]]
        assert row["right"]["mean"] == pytest.approx(sum(right) / len(right))
        assert row["tokens"] == 7
