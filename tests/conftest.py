"""Shared by all tests: the Human Phenotype Ontology built once, and where the real data lies."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

import clew

settings.register_profile("clew", deadline=None)  # how long an example takes depends on what else the machine does
settings.load_profile("clew")

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests keep nothing in the cache of whoever runs them."""
    os.environ["CLEW_HOME"] = str(tmp_path_factory.mktemp("cache"))


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


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their markers, and shared out by their groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A file's tests run in one process, and so do all that need the trained toy model, which takes minutes.

    What waits for that model is slow; short runs of every stage are in the fast tier.
    """
    for item in items:
        group = item.location[0]
        if "toy_run" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.slow)
            group = "toy run"
        item.add_marker(pytest.mark.xdist_group(group))
