"""`clew extract predict --model small`: the model of the repository reads a text, with a few of its seed's names."""

from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from clew.extract.packaging.locate import CHECKOUT
from clew.graph import Relation, Source, Staged
from clew.graph.build import build_graph
from clew.graph.staging import Problems

SEED = CHECKOUT / "weights" / "small" / "seed"
NAMES = ("metformin", "type 2 diabetes mellitus", "asthma", "salbutamol", "lung", "hypertension", "cough")
TEXT = "Metformin is the first-line treatment of type 2 diabetes mellitus. Cough is a frequent symptom of asthma."


@pytest.fixture
def few(tmp_path: Path) -> Path:
    """The graph of a few entities of the shipped seed and what is said among them; all of it takes half a minute."""
    tables = {name: pq.read_table(SEED / f"{name}.parquet") for name in ("entities", "triples", "relations", "sources")}
    entities, triples = tables["entities"], tables["triples"]
    entities = entities.filter(pc.is_in(pc.utf8_lower(entities["name"]), pa.array(NAMES)))
    for end in ("subject", "object"):
        triples = triples.filter(pc.is_in(triples[end], entities["id"].combine_chunks()))
    relations = [Relation(**row) for row in tables["relations"].to_pylist()]
    staged = Staged(triples, entities, relations, [Source(**row) for row in tables["sources"].to_pylist()])
    build_graph(staged, tmp_path / "few.clew", problems=Problems("refuse"))
    return tmp_path / "few.clew"


def test_the_shipped_model_finds_what_a_drug_treats(run, few: Path, tmp_path: Path) -> None:
    (tmp_path / "abstract.txt").write_text(TEXT, "utf-8")
    options = ["--model", "small", "--seed-graph", few, "--text", tmp_path / "abstract.txt", "--device", "cpu"]
    report = run("extract", "predict", *options, "--json").json
    stated = {
        (row["subject_name"].casefold(), row["relation"], row["object_name"].casefold()) for row in report["triples"]
    }
    assert ("metformin", "treats", "type 2 diabetes mellitus") in stated
    for row in report["triples"]:
        assert TEXT[row["head_start"] : row["head_end"]] == row["head_text"]
        assert row["model"].startswith("graphmert-small-")
