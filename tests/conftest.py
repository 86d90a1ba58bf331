"""Shared by all tests: the Human Phenotype Ontology built once, and where the real data lies."""

from pathlib import Path

import pytest

import clew

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session")
def hpo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of an HPO graph."""
    out = tmp_path_factory.mktemp("hpo") / "hpo.clew"
    clew.build("hpo", out=out)
    return out


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data sets beside the checkout."""
    if not DATA.is_dir():
        pytest.skip(f"the data sets are not at {DATA}")
    return DATA
