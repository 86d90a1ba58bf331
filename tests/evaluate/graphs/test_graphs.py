"""Graphs compared by what local search finds for the same questions, and by what a model reads in it."""

import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.answer import Resources
from clew.errors import InputError
from clew.evaluate.graphs.questions import ask_facts, name_entities, read_facts, read_pubmedqa
from clew.evaluate.graphs.run import NONE, run_graphs
from clew.lm import Request, Score, Usage
from clew.lm.clients.scripted import Scripted

SIGNS, DISEASES = 12, 8
HELD_OUT = [(f"D:{at}", "has_sign", f"S:{at}") for at in range(DISEASES)]


def build(folder: Path, name: str, more: list[tuple[str, str, str]], model: Scripted | None = None) -> Resources:
    rows = [(f"D:{at}", "has_sign", f"S:{(at + 1) % SIGNS}") for at in range(DISEASES)] + more
    table = pa.table(dict(zip(("subject", "relation", "object"), zip(*rows, strict=True), strict=True)))
    ids = [*(f"D:{at}" for at in range(DISEASES)), *(f"S:{at}" for at in range(SIGNS))]
    names = [*(f"Disease{at}x" for at in range(DISEASES)), *(f"Sign{at}y" for at in range(SIGNS))]
    entities = pa.table({"id": ids, "name": names, "type": ["Disease"] * DISEASES + ["Sign"] * SIGNS})
    return Resources(clew.build(table, entities=entities, out=folder / f"{name}.clew"), encoder=None, model=model)


class Reader(Scripted):
    """A model that chooses the last option that a row of its context has, and A without any."""

    def score(self, request: Request, continuations: Sequence[str], *, timeout: float | None = None) -> list[Score]:
        told, _, asked = request.messages[-1].content.rpartition("Question: ")
        options = dict(line.split(". ", 1) for line in asked.splitlines() if line[1:3] == ". ")
        named = [letter for letter, option in options.items() if f"{option} (sign)" in told]
        chosen = (named or ["A"])[-1]
        return [Score(text, 0.0 if text == chosen else -1.0, 1, Usage(calls=1)) for text in continuations]


def test_extracted_facts_are_recalled_and_runs_resume(tmp_path: Path) -> None:
    added = {"seed": [], "extracted": HELD_OUT[:4], "baseline": HELD_OUT[3:5]}
    graphs = {name: build(tmp_path, name, more) for name, more in added.items()}
    questions = ask_facts([*HELD_OUT, ("D:99", "has_sign", "S:1")], graphs["seed"].engine)
    out = tmp_path / "run.jsonl"
    report = run_graphs(graphs, questions, count=8, seeds=2, out=out)
    seed, extracted, _ = report["rows"]
    assert (seed["stated"]["mean"], seed["recall"]["mean"]) == (0.0, 0.0)
    assert (extracted["stated"]["mean"], extracted["recall"]["mean"]) == (0.5, 0.5)
    assert extracted["recall_by_seed"] == [0.5, 0.5]
    gains = {(each["measure"], each["baseline"], each["graph"]): (each["mean"], each["n"]) for each in report["paired"]}
    assert gains == {
        ("recall", "seed", "extracted"): (0.5, 8),
        ("recall", "seed", "baseline"): (0.25, 8),
        ("recall", "extracted", "baseline"): (-0.25, 8),
    }
    lines = out.read_text("utf-8").splitlines()
    assert len(lines) == 1 + 3 * 8  # a question that both seeds drew is asked once
    out.write_text("\n".join(lines[:10]) + '\n{"graph": "se', "utf-8")  # killed while writing
    assert run_graphs(graphs, questions, count=8, seeds=2, out=out)["paired"] == report["paired"]
    with pytest.raises(InputError, match="no question"):
        run_graphs(graphs, [], count=8, seeds=1)


def test_a_model_is_right_where_its_context_has_the_fact(tmp_path: Path) -> None:
    model = Reader(context=2048)
    graphs = {
        "seed": build(tmp_path, "seed", [], model),
        "extracted": build(tmp_path, "extracted", HELD_OUT[:4], model),
    }
    questions = ask_facts(HELD_OUT, graphs["seed"].engine)
    report = run_graphs(graphs, questions, count=5, seeds=3)
    none, _, extracted = report["rows"]
    assert none["graph"] == NONE
    assert "recall" not in none
    gold_is_first = [each.options[0] == each.gold for each in questions]
    assert none["right"]["mean"] <= sum(gold_is_first) / report["asked"]
    stated = extracted["stated"]["mean"]
    assert extracted["right"]["mean"] >= extracted["recall"]["mean"] == stated > 0
    found = round(stated * report["asked"])
    assert extracted["read"] == {"right": found, "of": found}
    assert (report["majority"]["times"], "read" in none) == (1, False)  # every fact has an object of its own
    assert 1 <= none["most_chosen"]["times"] <= report["asked"]
    assert {(each["baseline"], each["graph"]) for each in report["paired"] if each["measure"] == "right"} == {
        ("seed", "extracted"),
        (NONE, "seed"),
        (NONE, "extracted"),
    }


def test_wrong_options_are_objects_of_other_facts_that_nothing_connects_with_the_subject(tmp_path: Path) -> None:
    engine = build(tmp_path, "seed", []).engine
    questions = ask_facts([*HELD_OUT, ("D:99", "has_sign", "S:1")], engine)
    assert len(questions) == DISEASES
    for at, question in enumerate(questions):
        assert question.question == f"Which sign does Disease{at}x have?"
        assert question.gold == f"Sign{at}y"
        assert len(set(question.options)) == 5
        assert f"Sign{at + 1}y" not in question.options  # the graph has it
        assert set(question.options) <= {f"Sign{other}y" for other in range(DISEASES)}
    assert [each.options for each in ask_facts(HELD_OUT, engine)] == [each.options for each in questions]


def test_pubmedqa_has_evidence_where_a_line_has_two_of_its_entities(tmp_path: Path) -> None:
    folder = tmp_path / "pubmedqa"
    folder.mkdir()
    asked = {"1": "Is Sign0y seen in Disease0x?", "2": "Is Sign9y seen in Disease5x?", "3": "Does it help?"}
    stored = {id: {"QUESTION": text, "final_decision": "yes"} for id, text in asked.items()}
    with gzip.open(folder / "ori_pqal.json.gz", "wt", encoding="utf-8") as file:
        json.dump(stored, file)
    graphs = {"seed": build(tmp_path, "seed", []), "extracted": build(tmp_path, "extracted", HELD_OUT[:4])}
    questions = name_entities(read_pubmedqa(tmp_path), graphs["seed"].linker)
    assert [set(each.named) for each in questions] == [{"S:0", "D:0"}, {"S:9", "D:5"}, set()]
    seed, extracted = run_graphs(graphs, questions, count=3, seeds=1)["rows"]
    assert (seed["stated"]["mean"], seed["recall"]["mean"]) == (0.0, 0.0)
    assert extracted["stated"]["mean"] == extracted["recall"]["mean"] == pytest.approx(1 / 3)
    with pytest.raises(InputError, match="is missing"):
        read_pubmedqa(tmp_path / "none")


def test_files_of_facts_are_checked(tmp_path: Path) -> None:
    path = tmp_path / "facts.tsv"
    path.write_text("object\tsubject\trelation\nS:1\tD:1\thas_sign\nS:1\tD:1\thas_sign\n", "utf-8")
    assert read_facts(path) == [("D:1", "has_sign", "S:1")]
    path.write_text("subject\trelation\tobject\n", "utf-8")
    with pytest.raises(InputError, match="no facts"):
        read_facts(path)
    path.write_text("subject\trelation\nD:1\thas_sign\n", "utf-8")
    with pytest.raises(InputError, match="no column 'object'"):
        read_facts(path)
    path.write_text("subject\trelation\tobject\nD:1\thas_sign\n", "utf-8")
    with pytest.raises(InputError, match="line 2"):
        read_facts(path)
    with pytest.raises(InputError, match="is missing"):
        read_facts(tmp_path / "none.tsv")
