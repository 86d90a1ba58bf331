"""A shipped model, made once."""

from pathlib import Path

import pytest

from made_once import made_once
from shipped_models import write_shipped


@pytest.fixture(scope="session")
def shipped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "shipped", lambda made: write_shipped(made / "tiny")) / "tiny"


@pytest.fixture(autouse=True)
def _home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLEW_HOME", str(tmp_path_factory.getbasetemp() / "home"))
