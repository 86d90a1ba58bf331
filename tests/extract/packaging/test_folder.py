"""The folder of a model: refused where a row may not be redistributed, and the published one is whole and small."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from clew.errors import InputError
from clew.extract.model.config import Config
from clew.extract.model.graphmert import GraphMert
from clew.extract.model.storage import SavedModel, write_model
from clew.extract.packaging.folder import make_folder
from clew.extract.packaging.licences import is_permissive
from clew.graph import Source, Staged
from clew.graph.build import build_graph
from clew.graph.staging import Problems
from clew.sealed import check_seal
from clew.traverse import open as open_graph

SHIPPED = Path(__file__).resolve().parents[3] / "weights" / "small"
MOST_BYTES = 40_000_000  # of GraphMERT and its seed
MOST_STATEMENTS = 30_000_000  # of the statement model


@pytest.mark.parametrize("license_text", ["CC BY-SA 3.0", "ODbL 1.0", "CC BY-NC 4.0", None])
def test_a_graph_with_rows_that_may_not_be_passed_on_is_refused(license_text: str | None, tmp_path: Path) -> None:
    config = Config(vocabulary=20, relations=1)
    saved = SavedModel(GraphMert(config), config, "{}", ("treats",), {})
    write_model(tmp_path / "model", saved, identity={"test": True})
    triples = pa.table({"subject": ["A:1"], "relation": ["treats"], "object": ["A:2"], "source": ["somebody"]})
    staged = Staged(triples, sources=[Source("somebody", license=license_text)])
    build_graph(staged, tmp_path / "seed.clew", problems=Problems("refuse"))
    with pytest.raises(InputError, match="somebody"):
        make_folder(tmp_path / "model", open_graph(tmp_path / "seed.clew"), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_the_shipped_folder_is_whole_small_and_permissive() -> None:
    for part in ("model", "seed", "statements"):
        check_seal(SHIPPED / part, {}, what=part, remedy="git restore weights", verify=True)
    sizes = {file.relative_to(SHIPPED): file.stat().st_size for file in SHIPPED.rglob("*") if file.is_file()}
    statements = sum(size for file, size in sizes.items() if file.parts[0] == "statements")
    assert statements < MOST_STATEMENTS
    assert sum(sizes.values()) - statements < MOST_BYTES
    sources = {row["name"]: row["license"] for row in pq.read_table(SHIPPED / "seed" / "sources.parquet").to_pylist()}
    assert all(is_permissive(license_text) for license_text in sources.values())
    stating = pq.read_table(SHIPPED / "seed" / "triples.parquet", columns=["source"])["source"].unique().to_pylist()
    assert set(stating) == sources.keys()
    words = (SHIPPED / "LICENCES.md").read_text("utf-8")
    assert [name for name in sources if name not in words] == []
