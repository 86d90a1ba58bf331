"""Shared by all tests: the Human Phenotype Ontology built once, and where the real data lies."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import clew
from made_once import made_once

settings.register_profile("clew", deadline=None)  # how long an example takes depends on what else the machine does
settings.load_profile("clew")

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests keep nothing in the cache of whoever runs them."""
    os.environ["CLEW_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session", autouse=True)
def no_fsync() -> Iterator[None]:
    """Nothing waits for the disk: a graph is 32 files, and no test can pull the plug (test_files.py does wait)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def hpo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of an HPO graph; processes that test side by side share it, and what is derived from it."""
    return made_once(tmp_path_factory, "hpo.clew", lambda out: clew.build("hpo", out=out))


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
