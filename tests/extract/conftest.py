"""One tiny run on the toy corpus, from end to end, for all tests of what comes out of it."""

from pathlib import Path

import pytest

from clew.extract.run.options import RunOptions
from clew.extract.run.pipeline import run_all
from made_once import made_once


@pytest.fixture(scope="session")
def toy_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a finished `clew extract run --size tiny`; processes that test side by side share it."""
    return made_once(tmp_path_factory, "toy-run", lambda run: run_all(run, RunOptions(size="tiny"), device="cpu"))
