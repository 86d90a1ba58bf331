"""Shared by all tests: the Human Phenotype Ontology built once, and where the real data lies."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import clew
from made_once import made_once

os.environ.setdefault("OMP_NUM_THREADS", "1")  # torch, too: nothing has read it yet, and two processes share two cores
settings.register_profile("clew", deadline=None)  # how long an example takes depends on what else the machine does
settings.load_profile("clew")

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Tests keep nothing in the cache of whoever runs them."""
    os.environ["CLEW_HOME"] = str(tmp_path_factory.mktemp("cache"))


@pytest.fixture(scope="session", autouse=True)
def no_fsync() -> Iterator[None]:
    """Nothing waits for the disk: a build syncs 32 times, and no test can pull the plug (test_files.py does wait)."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", lambda descriptor: None)
        yield


@pytest.fixture(scope="session")
def hpo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of an HPO graph with its name index and store; processes that test side by side share it."""

    def make(out: Path) -> None:
        from clew.link.names.indexing import open_or_build
        from clew.store.embedded import build_embedded

        graph = clew.build("hpo", out=out)
        open_or_build(graph)
        build_embedded(graph)

    return made_once(tmp_path_factory, "hpo.clew", make)


@pytest.fixture(scope="session")
def data() -> Path:
    """The folder of real data sets beside the checkout."""
    if not DATA.is_dir():
        pytest.skip(f"the data sets are not at {DATA}")
    return DATA


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What waits for the trained toy model is slow, and begins first; the fast tier has short runs of every stage."""
    for item in items:
        if _needs_toy_run(item):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: not _needs_toy_run(item))


def _needs_toy_run(item: pytest.Item) -> bool:
    return "toy_run" in getattr(item, "fixturenames", ())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """With `--dist loadgroup`, tests that need the toy model run in one process, and those of a file."""
    if config.getoption("dist") != "loadgroup":
        return None
    from scheduling import Scheduler

    return Scheduler(config, log)  # type: ignore[arg-type]
