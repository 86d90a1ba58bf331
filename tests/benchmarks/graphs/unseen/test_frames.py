"""A pickle that holds anything but a plain table is refused before it can act."""

import os
import pickle
from pathlib import Path

import pytest
from benchmarks.graphs.unseen.frames import read_rows


class _Acts:
    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return os.mkdir, (str(self.path),)


def test_code_is_refused(tmp_path: Path) -> None:
    with pytest.raises(pickle.UnpicklingError, match=r"mkdir is no part of a plain table"):
        read_rows(pickle.dumps(_Acts(tmp_path / "made")))
    assert not (tmp_path / "made").exists()
