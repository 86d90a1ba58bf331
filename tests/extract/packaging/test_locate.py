"""A model that goes to users: a folder with 8-bit weights and a seed in tables, found by path or name, used offline."""

import json
from pathlib import Path
from shutil import copytree, rmtree

import pyarrow.parquet as pq
import pytest

from clew.errors import DerivedError, GraphError, InputError, MissingModel
from clew.extract.packaging import locate
from clew.extract.packaging.folder import make_folder
from clew.extract.packaging.locate import find_model, find_weights
from clew.extract.run.options import RunOptions
from clew.extract.run.single_text import extract_from_text
from clew.graph import read_entities
from clew.graph.storage.snapshots import snapshot_folder
from clew.traverse import open as open_graph

TEXT = "Quinine is used to treat malaria."


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache and a folder of models of the test's own, and no repository."""
    monkeypatch.setenv("CLEW_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLEW_MODELS", str(tmp_path / "models"))
    monkeypatch.setattr(locate, "CHECKOUT", tmp_path / "checkout")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home"


@pytest.fixture(scope="module")
def made(toy_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("shipped") / "toy"
    make_folder(toy_run / "model", open_graph(toy_run / "seed.clew"), folder)
    return folder


@pytest.fixture
def folder(made: Path, tmp_path: Path) -> Path:
    """A copy that a test may damage."""
    return Path(copytree(made, tmp_path / "toy-weights"))


def test_the_seed_comes_back_with_its_names_types_and_signatures(folder: Path, toy_run: Path) -> None:
    _, graph = find_model(folder)
    seed = open_graph(toy_run / "seed.clew")
    assert graph.counts["entities"] == seed.counts["entities"]
    assert sorted(read_entities(graph, ("name",))["name"].to_pylist()) == sorted(
        read_entities(seed, ("name",))["name"].to_pylist()
    )
    assert graph.schema.types == seed.schema.types
    known = {each.name: each for each in seed.schema.relations}
    assert graph.schema.relations
    for each in graph.schema.relations:
        assert (each.inverse, each.triples) == (known[each.name].inverse, known[each.name].triples)


def test_a_text_is_read_with_weights_of_8_bits(folder: Path) -> None:
    model, graph = find_model(folder)
    settings = RunOptions(size="tiny", beta=0.0, confidence=0.0).settings()
    triples, _ = extract_from_text(TEXT, model, graph, settings=settings, device="cpu")
    treated = [row for row in triples.to_pylist() if row["relation"] == "treats" and row["head_text"] == "Quinine"]
    assert max(treated, key=lambda row: row["confidence"])["tail_text"] == "malaria"


def test_the_graph_is_built_once_and_again_when_it_is_damaged(folder: Path, home: Path) -> None:
    _, graph = find_model(folder)
    assert graph.snapshot.folder.parent == home / "seeds"
    assert graph.snapshot.derived("names").is_dir()
    manifest = snapshot_folder(graph.snapshot.folder) / "manifest.json"
    before = manifest.stat().st_mtime_ns
    assert find_model(folder)[1].snapshot.folder == graph.snapshot.folder
    assert manifest.stat().st_mtime_ns == before
    manifest.write_text("{}", "utf-8")
    assert find_model(folder)[1].counts["entities"] == graph.counts["entities"]


def test_a_cache_that_cannot_be_written_is_one_sentence(folder: Path, home: Path) -> None:
    home.write_text("a file", "utf-8")
    with pytest.raises(GraphError, match=r"cannot create .*: set CLEW_HOME"):
        find_model(folder)


def test_another_seed_graph_goes_before_the_shipped_one(folder: Path, toy_run: Path, home: Path) -> None:
    _, graph = find_model(folder, seed_graph=str(toy_run / "seed.clew"))
    assert graph.snapshot.folder == toy_run / "seed.clew"
    assert not home.exists()


@pytest.mark.parametrize("place", ["weights", "checkout/weights", "models"])
def test_a_name_is_looked_for_where_models_lie(folder: Path, place: str, tmp_path: Path) -> None:
    copytree(folder, tmp_path / place / "short")
    assert find_weights(Path("short")).resolve() == tmp_path / place / "short" / "model"


def test_a_name_that_is_nowhere_is_one_sentence(folder: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingModel, match=r"none is installed.* `clew models get small`"):
        find_model(Path("small"))
    copytree(folder, tmp_path / "weights" / "short")
    with pytest.raises(MissingModel, match=r"small is neither .* \(found: short\)"):
        find_model(Path("small"))
    with pytest.raises(InputError, match="no trained model"):
        find_model(Path("nowhere/small"))


def test_weights_that_lost_bytes_or_were_altered_are_refused(folder: Path) -> None:
    weights = folder / "model" / "weights.safetensors"
    whole = weights.read_bytes()
    weights.write_bytes(whole[:-10])
    with pytest.raises(DerivedError, match=r"bytes, not \d+: run `git restore .*toy-weights`"):
        find_model(folder)
    weights.write_bytes(whole[:-10] + bytes(10))
    with pytest.raises(DerivedError, match=r"block 0 .* differs: run `git restore"):
        find_model(folder)


def test_a_seed_that_was_altered_or_is_missing_is_refused(folder: Path) -> None:
    table = folder / "seed" / "entities.parquet"
    whole = table.read_bytes()
    table.write_bytes(whole[:100] + bytes([whole[100] ^ 1]) + whole[101:])
    with pytest.raises(DerivedError, match=r"block 0 .* differs: run `git restore"):
        find_model(folder)
    table.unlink()
    with pytest.raises(DerivedError, match=r"entities\.parquet is missing: run `git restore"):
        find_model(folder)
    (folder / "seed" / "seal.json").unlink()
    with pytest.raises(DerivedError, match=r"seed has no seal\.json: run `git restore"):
        find_model(folder)
    rmtree(folder / "seed")
    with pytest.raises(InputError, match="no seed graph beside it"):
        find_model(folder)


def test_a_folder_without_its_model_is_refused(folder: Path) -> None:
    rmtree(folder / "model")
    with pytest.raises(DerivedError, match=r"the model at .* does not exist yet: run `git restore"):
        find_model(folder)


def test_only_relations_of_the_model_travel(folder: Path, toy_run: Path) -> None:
    asked = set(json.loads((folder / "model" / "relations.json").read_text("utf-8")))
    for row in pq.read_table(folder / "seed" / "relations.parquet").to_pylist():
        assert {row["name"], row["inverse"]} & asked
