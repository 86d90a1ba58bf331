"""The model of the repository as a wheel: packed, installed offline, and used by name with a few names of its seed."""

from pathlib import Path
from zipfile import ZipFile

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from clew.extract.packaging import locate
from clew.graph import Relation, Source, Staged
from clew.graph.build import build_graph
from clew.graph.staging import Problems

SMALL = locate.CHECKOUT / "weights" / "small"
SEED = SMALL / "seed"
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


@pytest.fixture
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine without the repository, whose pip has no index."""
    monkeypatch.setenv("CLEW_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setattr(locate, "CHECKOUT", tmp_path / "nowhere")
    monkeypatch.chdir(tmp_path)


def test_a_wheel_of_the_model_is_made_installed_and_used(run, few: Path, tmp_path: Path, elsewhere: None) -> None:
    refused = run("extract", "predict", "--model", "small", "--text", "-")
    assert "clew models get small" in refused.error
    made = run("extract", "package", SMALL, "--out", tmp_path / "dist", "--json").json
    assert Path(made["wheel"]).name == "clew_model_small-1.0-py3-none-any.whl"
    with ZipFile(made["wheel"]) as wheel:
        statements = sum(each.compress_size for each in wheel.infolist() if "/statements/" in each.filename)
    assert 0 < statements < 30_000_000
    assert made["bytes"] - statements < 40_000_000
    got = run("models", "get", "small", "--find-links", tmp_path / "dist", "--json").json
    assert got["extraction"] == ["small"]
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
