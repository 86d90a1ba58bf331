"""Sealed directories: whole, of the right making, or refused in one sentence."""

from pathlib import Path

import pytest

from clew.errors import DerivedError, GraphError
from clew.sealed import SEAL, check_seal, new_sealed

WHAT, REMEDY = "the index of toy.clew", "clew index toy.clew"


@pytest.fixture
def sealed(tmp_path: Path) -> Path:
    path = tmp_path / "index"
    with new_sealed(path, {"snapshot": "abc", "dimension": 3}, what=WHAT) as directory:
        (directory / "rows").write_bytes(b"123456")
    return path


def test_what_was_sealed_is_found_again(sealed: Path) -> None:
    found = check_seal(sealed, {"snapshot": "abc"}, what=WHAT, remedy=REMEDY, verify=True)
    assert found == {"snapshot": "abc", "dimension": 3}


def test_another_making_is_refused_with_its_remedy(sealed: Path) -> None:
    with pytest.raises(DerivedError, match=r"made for dimension 3, not 4: run `clew index toy\.clew`"):
        check_seal(sealed, {"dimension": 4}, what=WHAT, remedy=REMEDY)


def test_nothing_there_is_said_so(tmp_path: Path) -> None:
    with pytest.raises(DerivedError, match="does not exist yet: run `clew index"):
        check_seal(tmp_path / "index", {}, what=WHAT, remedy=REMEDY)


def test_lost_and_altered_bytes_are_found(sealed: Path) -> None:
    (sealed / "rows").write_bytes(b"123457")
    check_seal(sealed, {}, what=WHAT, remedy=REMEDY)
    with pytest.raises(DerivedError, match="checksum differs"):
        check_seal(sealed, {}, what=WHAT, remedy=REMEDY, verify=True)
    (sealed / "rows").write_bytes(b"1")
    with pytest.raises(DerivedError, match="truncated"):
        check_seal(sealed, {}, what=WHAT, remedy=REMEDY)


def test_an_altered_seal_is_found(sealed: Path) -> None:
    (sealed / SEAL).write_text((sealed / SEAL).read_text().replace("abc", "abd"))
    with pytest.raises(DerivedError, match=r"seal\.json is damaged"):
        check_seal(sealed, {}, what=WHAT, remedy=REMEDY)


@pytest.mark.parametrize("content", ["", "{", "[]", "null", '{"checksum": 1}'])
def test_a_seal_that_is_no_seal_is_one_sentence(sealed: Path, content: str) -> None:
    (sealed / SEAL).write_text(content)
    with pytest.raises(DerivedError, match="clew index"):
        check_seal(sealed, {}, what=WHAT, remedy=REMEDY)


def test_a_failure_leaves_the_old_one(sealed: Path) -> None:
    with pytest.raises(RuntimeError), new_sealed(sealed, {"snapshot": "new"}, what=WHAT):
        raise RuntimeError
    assert check_seal(sealed, {}, what=WHAT, remedy=REMEDY, verify=True)["snapshot"] == "abc"


def test_a_directory_without_a_seal_is_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    with pytest.raises(GraphError, match="not replaced"), new_sealed(tmp_path / "mine", {}, what=WHAT):
        pass
