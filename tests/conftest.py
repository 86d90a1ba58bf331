"""Shared by all tests: the Human Phenotype Ontology built once, and where the real data lies."""

import gc
import os
from collections.abc import Generator, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

import clew
from made_once import made_once

os.environ.setdefault("OMP_NUM_THREADS", "1")  # torch, too: nothing has read it yet, and two processes share two cores
settings.register_profile("clew", deadline=None)  # how long an example takes depends on what else the machine does
settings.load_profile("clew")

TESTS = Path(__file__).resolve().parent
DATA = TESTS.parents[1] / "shared" / "data"


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


def pytest_configure(config: pytest.Config) -> None:
    """Every second process collects from the end: each compiles half of the modules that both import."""
    second = int(os.environ.get("PYTEST_XDIST_WORKER", "gw0")[2:]) % 2
    if second and [Path(each).name for each in config.args] == [TESTS.name]:
        config.args[:] = [str(each) for each in sorted(TESTS.iterdir(), reverse=True) if _holds_tests(each)]


def _holds_tests(path: Path) -> bool:
    return path.name.startswith("test_") if path.is_file() else path.name[0] not in "._"


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Imported modules and the tests themselves stay to the end: nobody looks for garbage among them."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.freeze()
        gc.enable()


@pytest.hookimpl(tryfirst=True)  # before tests are chosen by their markers
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What waits for the trained toy model is slow, and begins first; the fast tier has short runs of every stage."""
    for item in items:
        if _needs_toy_run(item):
            item.add_marker(pytest.mark.slow)
    items.sort(key=lambda item: (not _needs_toy_run(item), item.nodeid.partition("::")[0]))  # the same in all processes


def _needs_toy_run(item: pytest.Item) -> bool:
    return "toy_run" in getattr(item, "fixturenames", ())


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: object) -> object:
    """With `--dist loadgroup`, tests that need the toy model run in one process, and those of a file."""
    if config.getoption("dist") != "loadgroup":
        return None
    from scheduling import Scheduler

    return Scheduler(config, log)  # type: ignore[arg-type]
