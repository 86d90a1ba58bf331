"""One tiny run on the toy corpus, from end to end, for all tests of what comes out of it."""

import fcntl
import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from clew.extract.run.options import RunOptions
from clew.extract.run.pipeline import run_all


@pytest.fixture(scope="session")
def toy_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a finished `clew extract run --size tiny`; processes that test side by side share it."""
    base = tmp_path_factory.getbasetemp()
    folder = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    run = folder / "toy-run"
    with open(folder / "toy-run.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        run_all(run, RunOptions(size="tiny"), device="cpu")  # the second process finds all of it finished
    return run


@pytest.fixture
def one_thread() -> Iterator[None]:
    """torch on one thread: with more, tiny tensors on a busy machine wait a hundred times longer than they compute."""
    import torch

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)
