"""BC5CDR end to end: the mentions are the run's own, the gold pairs stay, and no question tells what is gold."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import clew
from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.abstracts import Abstract, Mentioned
from clew.evaluate.extraction.bc5cdr.aggregation import read_candidates
from clew.evaluate.extraction.bc5cdr.examples import make_examples
from clew.evaluate.extraction.bc5cdr.found_mentions import find_mentions
from clew.evaluate.extraction.bc5cdr.rules import sentence_pairs
from clew.extract.mentions.heads import HEADS
from clew.extract.sequences.packing import SEQUENCES
from clew.extract.stage import make_table, write_stage
from clew.traverse import Engine, open

TEXT = "Tremor and rash. Lithium, not zinc, gave tremor."
ABSTRACT = Abstract(
    "7", "Tremor and rash.", TEXT, (Mentioned(25, 29, "zinc", "Chemical", ("D9",)),), frozenset({("D1", "D3")})
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    entities = pa.table(
        {
            "id": ["CHEBI:1", "CHEBI:2", "MONDO:3", "HP:4", "CHEBI:5"],
            "name": ["lithium", "zinc", "tremor", "rash", "ion"],
            "type": ["Chemical", "Chemical", "Disease", "Phenotype", "Role"],
            "xrefs": [["MESH:D1"], [], ["MESH:D3"], ["MESH:D4"], ["MESH:D5"]],
        }
    )
    ends = [("CHEBI:1", "induces", "MONDO:3"), ("CHEBI:1", "induces", "HP:4"), ("CHEBI:1", "has_role", "CHEBI:5")]
    triples = pa.table(dict(zip(("subject", "relation", "object"), zip(*ends, strict=True), strict=True)))
    out = tmp_path_factory.mktemp("seed") / "seed.clew"
    clew.build(triples, entities=entities, out=out)
    return open(out)


@pytest.fixture(scope="module")
def mesh(tmp_path_factory: pytest.TempPathFactory) -> Engine:
    entities = pa.table({"id": ["MESH:D2", "MESH:D8"], "name": ["Zinc", "Metals"], "type": ["Chemical", "Chemical"]})
    triples = pa.table({"subject": ["MESH:D2"], "relation": ["is_a"], "object": ["MESH:D8"]})
    out = tmp_path_factory.mktemp("mesh") / "mesh.clew"
    clew.build(triples, entities=entities, out=out)
    return open(out)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A run that found every name of the text but the first tremor, and an entity of a type that nothing induces."""
    found = [
        (11, 15, "rash", "HP:4", "Phenotype"),
        (17, 24, "Lithium", "CHEBI:1", "Chemical"),
        (30, 34, "zinc", "CHEBI:2", "Chemical"),
        (36, 40, "gave", "CHEBI:5", "Role"),
        (41, 47, "tremor", "MONDO:3", "Disease"),
    ]
    heads = [(at, 0, at, at + 1, *row, 1.0, "exact name") for at, row in enumerate(found)]
    write_stage(tmp_path / "heads", {}, {"heads": make_table(heads, HEADS)}, {}, what="heads")
    rows = [(0, "PMID:7", [9], [0], [6])]
    write_stage(tmp_path / "sequences", {}, {"sequences": make_table(rows, SEQUENCES)}, {}, what="sequences")
    return tmp_path


def test_mentions_are_the_runs_own_and_gold_stays(run: Path, graph: Engine) -> None:
    (found,) = find_mentions([ABSTRACT], run, graph)
    assert [(each.text, each.type, each.ids) for each in found.mentions] == [
        ("rash", "Disease", ("D4",)),
        ("Lithium", "Chemical", ("D1",)),
        ("zinc", "Chemical", ()),
        ("tremor", "Disease", ("D3",)),
    ]
    assert (found.induces, found.text) == (ABSTRACT.induces, TEXT)
    assert sentence_pairs(found) == {("D1", "D3")}


def test_a_graph_of_mesh_names_what_the_seed_has_no_record_of(run: Path, graph: Engine, mesh: Engine) -> None:
    (found,) = find_mentions([ABSTRACT], run, graph, mesh=mesh)
    assert found.ids("Chemical") == ("D1", "D2")


def test_another_text_and_another_run_are_refused(run: Path, graph: Engine, mesh: Engine) -> None:
    with pytest.raises(InputError, match="another text of PMID:7"):
        find_mentions([replace(ABSTRACT, text=f" {TEXT}")], run, graph)
    with pytest.raises(InputError, match="no text of PMID:8"):
        find_mentions([replace(ABSTRACT, document="8")], run, graph)
    with pytest.raises(InputError, match="no relation 'induces'"):
        find_mentions([ABSTRACT], run, mesh)


def test_questions_that_nothing_is_learnt_from_do_not_say_what_is_gold(
    train: list[Abstract], tokenizer: Path, tmp_path: Path
) -> None:
    for name, gold in (("lessons", True), ("questions", False)):
        make_examples(train[:10], train[10:15], tmp_path / name, tokenizer=tokenizer, relations=["induces"], gold=gold)
    lessons, questions = (tmp_path / name / "scoring-train" for name in ("lessons", "questions"))
    assert set(np.load(lessons / "row_gold.npy").tolist()) == {0, 1}
    assert set(np.load(questions / "row_gold.npy").tolist()) == {-1}
    assert read_candidates(lessons).pairs == read_candidates(questions).pairs
    assert (read_candidates(questions).query_fold >= 0).all()
