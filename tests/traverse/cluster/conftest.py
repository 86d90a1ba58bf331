"""The graph that the tests of clusters share."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

import clew


@pytest.fixture(scope="session")
def sixteen(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A graph of 16 partitions with hubs, types and sources."""
    rng = np.random.default_rng(8)
    ends = (2000 * rng.random((2, 9000)) ** 2).astype(int)
    columns = {name: pa.array([f"X:{at}" for at in ends[row]]) for row, name in ((0, "subject"), (1, "object"))}
    columns |= {"relation": pa.array([f"r{at % 5}" for at in rng.integers(0, 5, 9000)])}
    columns |= {"subject_type": pa.array([f"T{at % 3}" for at in ends[0]])}
    columns |= {"source": pa.array([f"s{at % 2}" for at in ends[1]])}
    path = tmp_path_factory.mktemp("cluster") / "g.clew"
    clew.build(pa.table(columns), out=path, partitions=16)
    return path
