"""A shipped model, made once."""

from pathlib import Path

import pytest

from shipped_models import write_shipped


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_shipped(tmp_path_factory.mktemp("shipped") / "tiny")


@pytest.fixture(autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path_factory.getbasetemp() / "home"))
