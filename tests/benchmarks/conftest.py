"""Makes the `benchmarks` package of the repository importable, and one short run on the toy corpus."""

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2]))


@pytest.fixture(scope="session")
def short_run(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A run whose model has seen ten batches, and that keeps whatever it says."""
    import torch

    from clew.extract.run.pipeline import run_all
    from clew.extract.run.settings import Choices

    threads = torch.get_num_threads()
    torch.set_num_threads(1)  # with more, tiny tensors wait longer than they compute
    out = tmp_path_factory.mktemp("toy") / "run"
    run_all(out, Choices(size="tiny", steps=10, confidence=0.0, beta=0.0), device="cpu")
    yield out
    torch.set_num_threads(threads)
