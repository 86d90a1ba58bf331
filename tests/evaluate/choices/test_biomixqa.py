"""BiomixQA's files as questions, split by what the graph supports, and statements judged by its triples."""

import gzip
import json
from pathlib import Path

import pyarrow as pa
import pytest

import clew
from clew.answer import Resources
from clew.errors import InputError
from clew.evaluate.choices.biomixqa import read_questions, read_statements
from clew.evaluate.choices.run import run_choices
from clew.lm.clients.scripted import Scripted

QUESTIONS = """disease_pair,correct_node,negative_samples,disease_1,disease_2,options_combined,text
x,HLA-B,"TERT, rs334",psoriasis,gout,"TERT, HLA-B,  rs334","Out of the given list, which Gene is associated with \
psoriasis and gout. Given list is: TERT, HLA-B,  rs334"
x,TERT,"HLA-B, rs334",psoriasis,asthma,"TERT, HLA-B,  rs334","Out of the given list, which Gene is associated with \
psoriasis and asthma. Given list is: TERT, HLA-B,  rs334"
x,rs334,"HLA-B, TERT",gout,lupus,"TERT, HLA-B, HLA-B, rs334","Out of the given list, which Variant is associated \
with gout and lupus. Given list is: TERT, HLA-B, HLA-B, rs334"
""".replace("\\\n", "")
STATEMENTS = """,text,label
0,psoriasis associates Gene HLA-B,True
1,gout is not associated with Gene HLA-B,False
2,asthma associates Gene TERT,False
3,asthma associates Gene HLA-B,False
3,gout is a psoriasis,False
4,Disease ontology identifier for gout is DOID:3,True
"""


@pytest.fixture(scope="module")
def resources(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    pairs = [("G:1", "D:1"), ("G:1", "D:2"), ("G:2", "D:1")]
    names = {"G:1": "HLA-B", "G:2": "TERT", "D:1": "psoriasis", "D:2": "gout", "D:3": "asthma"}
    subjects, objects = zip(*pairs, strict=True)
    table = pa.table({"subject": subjects, "relation": ["associated_with"] * 3, "object": objects})
    types = ["Gene" if id[0] == "G" else "Disease" for id in names]
    entities = pa.table({"id": list(names), "name": list(names.values()), "type": types})
    built = clew.build(table, entities=entities, out=tmp_path_factory.mktemp("biomix") / "g.clew")
    return Resources(built, encoder=None)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "mcq_questions.csv").write_text(QUESTIONS, "utf-8")
    (tmp_path / "true_false_questions.csv").write_text(STATEMENTS, "utf-8")
    return tmp_path


def test_questions_are_split_by_the_support_of_their_gold(resources: Resources, folder: Path) -> None:
    both, one, none = read_questions(folder, resources.linker)
    assert [each.kind for each in (both, one, none)] == ["both diseases", "one disease", "no disease"]
    assert both.question == "Which Gene is associated with psoriasis and gout?"
    assert both.named == ("D:1", "D:2")
    assert set(none.options) == {"TERT", "HLA-B", "rs334"}  # once each
    assert dict(zip(none.options, none.ids, strict=True)) == {"TERT": "G:2", "HLA-B": "G:1", "rs334": ""}
    shuffled = {read_questions(folder, resources.linker, seed=seed)[0].options for seed in range(20)}
    assert len(shuffled) > 3
    report = run_choices(
        resources, None, [both, one, none], rows=("evidence", "prior", "exhaustive"), asked={}, sample=1
    )
    assert report["rows"][0]["by_kind"]["both diseases"]["right"] == 1.0


def test_stored_contexts_are_those_of_their_questions(resources: Resources, folder: Path) -> None:
    questions = read_questions(folder, resources.linker)
    with pytest.raises(InputError, match="no question has a stored context"):
        run_choices(resources, None, questions, rows=("stored-context",), asked={}, sample=1)
    second = QUESTIONS.splitlines()[2].rpartition(',"')[2].rstrip('"')
    stored = [
        {
            "kind": "context-q",
            "instruction": f"Context: gout associates TERT2. psoriasis associates TERT. Question: {second}Notice this.",
        },
        {"kind": "entity", "instruction": f"Find the diseases in: {QUESTIONS.splitlines()[1]}"},
    ]
    with gzip.open(folder / "spoke_contexts_sample.jsonl.gz", "wt", encoding="utf-8") as file:
        file.writelines(f"{json.dumps(each)}\n" for each in stored)
    questions = read_questions(folder, resources.linker)
    assert [bool(each.context) for each in questions] == [False, True, False]
    (row,) = run_choices(resources, None, questions, rows=("stored-context",), asked={}, sample=1)["rows"]
    assert (row["n"], row["right"]) == (1, 1.0)
    model = Scripted([], scores={letter: -at for at, letter in enumerate("ABCD")})
    reading = Resources(resources.engine, encoder=None, model=model)
    (row,) = run_choices(resources, reading, questions, rows=("stored-read",), asked={}, sample=1)["rows"]
    assert (row["n"], row["calls"]) == (1, 4)
    (asked, _), *_ = model.scored
    assert "psoriasis associates TERT." in asked.messages[0].content


def test_statements_are_judged_by_triples(resources: Resources, folder: Path) -> None:
    statements = read_statements(folder)
    assert [each.kind for each in statements] == ["gene", "gene", "is a", "identifier", "gene", "gene"]  # stratified
    report = run_choices(resources, None, statements, rows=("stated", "elsewhere"), asked={}, sample=1)
    stated, majority = report["rows"]
    assert stated["by_kind"]["gene"]["right"] == 1.0
    assert stated["abstained"] == 0.3333  # the graph has no is_a, and no identifiers to compare
    assert majority["right"] == 0.6667  # all that are false
    with pytest.raises(InputError, match="judges statements"):
        run_choices(resources, None, read_questions(folder, resources.linker), rows=("stated",), asked={}, sample=1)


def test_missing_files_and_columns_are_named(resources: Resources, folder: Path) -> None:
    with pytest.raises(InputError, match="expected the data folder that holds biomixqa"):
        read_statements(folder / "nowhere")
    (folder / "true_false_questions.csv").write_text("text\na\n", "utf-8")
    with pytest.raises(InputError, match="no column 'label'"):
        read_statements(folder)
    (folder / "mcq_questions.csv").write_text(QUESTIONS.replace("x,TERT,", "x,FBN1,"), "utf-8")
    with pytest.raises(InputError, match="row 2 has no list of options, or none that is right"):
        read_questions(folder, resources.linker)
