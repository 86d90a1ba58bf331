"""Sealed directories: whole, of the right making, or refused in one sentence."""

import os
import time
from pathlib import Path
from typing import BinaryIO

import pyarrow as pa
import pytest

from clew import cache
from clew import sealed as sealed_module
from clew.cache import FileIdentity
from clew.checksums import json_text
from clew.errors import DerivedError, GraphError
from clew.sealed import SEAL, Seal, check_seal, new_sealed, open_seal

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
    with pytest.raises(DerivedError, match=r"rows: block 0 \(bytes 0 to 5\) differs"):
        check_seal(sealed, {}, what=WHAT, remedy=REMEDY, verify=True)
    (sealed / "rows").write_bytes(b"1")
    with pytest.raises(DerivedError, match="has 1 bytes, not 6"):
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


# ---- files are proved before they are used ---------------------------------------------------------------------


def opened(sealed: Path) -> Seal:
    return open_seal(sealed, {}, what=WHAT, remedy=REMEDY)


def write_and_wait(file: Path, content: bytes) -> None:
    """Write, and let the clock tick on: what changed just now is proved each time."""
    file.write_bytes(content)
    time.sleep(0.15)


def test_altered_bytes_of_the_same_number_are_found_before_use(sealed: Path) -> None:
    (sealed / "rows").write_bytes(b"12FAKE")
    with pytest.raises(DerivedError, match=r"rows is damaged: block 0 \(bytes 0 to 5\) differs: run `clew index toy"):
        opened(sealed).open("rows")


def test_a_file_changed_after_it_was_proved_is_proved_again(sealed: Path) -> None:
    seal = opened(sealed)
    with seal.open("rows") as file:
        assert file.read() == b"123456"
    write_and_wait(sealed / "rows", b"12FAKE")
    with pytest.raises(DerivedError, match="differs"):
        seal.open("rows")


def test_a_large_file_is_read_once_until_it_changes(sealed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealed_module, "PROVED_EACH_TIME", 1)
    time.sleep(0.15)
    kept: list[bool] = []

    def is_proved(path: Path, identity: FileIdentity, content: str) -> bool:
        kept.append(cache.is_proved(path, identity, content))
        return kept[-1]

    monkeypatch.setattr(sealed_module, "is_proved", is_proved)
    for _ in range(2):
        opened(sealed).prove()
    os.utime(sealed / "rows")
    opened(sealed).prove()
    assert kept == [False, True, False]


@pytest.mark.parametrize("restored", [False, True])
def test_a_large_file_that_was_altered_is_found_even_if_its_time_is_set_back(
    sealed: Path, monkeypatch: pytest.MonkeyPatch, restored: bool
) -> None:
    monkeypatch.setattr(sealed_module, "PROVED_EACH_TIME", 1)
    time.sleep(0.15)
    opened(sealed).prove()
    before = (sealed / "rows").stat()
    write_and_wait(sealed / "rows", b"12FAKE")
    if restored:
        os.utime(sealed / "rows", ns=(before.st_atime_ns, before.st_mtime_ns))
    with pytest.raises(DerivedError, match="differs"):
        opened(sealed).prove()


def test_one_replaced_while_it_is_open_is_said_so(sealed: Path) -> None:
    seal = opened(sealed)
    with new_sealed(sealed, {"snapshot": "new"}, what=WHAT) as directory:
        (directory / "rows").write_bytes(b"654321")
    with pytest.raises(DerivedError, match=r"the index of toy\.clew was replaced or removed; open the graph again"):
        seal.open("rows")


def test_one_replaced_by_an_equal_one_while_it_is_opened_is_mapped(
    sealed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seal, real, files = opened(sealed), sealed_module.map_regular, []

    def meanwhile(file: BinaryIO) -> pa.Buffer:
        files.append(file)
        if len(files) == 1:
            with new_sealed(sealed, {"snapshot": "abc", "dimension": 3}, what=WHAT) as directory:
                (directory / "rows").write_bytes(b"123456")
        return real(file)

    monkeypatch.setattr(sealed_module, "map_regular", meanwhile)
    assert bytes(seal.map("rows")) == b"123456"
    assert len(files) == 2


@pytest.mark.parametrize(
    "files",
    [
        {"/etc/passwd": {"size": 1, "sha256": ["0"]}},
        {"../rows": {"size": 6, "sha256": ["0"]}},
        {"a/../../rows": {"size": 6, "sha256": ["0"]}},
        {"nul\0": {"size": 6, "sha256": ["0"]}},
        {"half \ud800": {"size": 6, "sha256": ["0"]}},
        {"rows": {"size": "6", "sha256": ["0"]}},
        {"rows": {"size": -6, "sha256": []}},
        {"rows": {"size": 6, "sha256": [6]}},
        {"rows": {"size": 6, "sha256": 6}},
        {"rows": 6},
        ["rows"],
        None,
        7,
    ],
)
def test_a_seal_that_lists_odd_files_is_one_sentence(sealed: Path, files: object) -> None:
    (sealed / SEAL).write_text(json_text({"what": WHAT, "identity": {}, "files": files}))
    with pytest.raises(DerivedError, match=r"seal\.json cannot be read \(.*\): run `clew index toy") as error:
        opened(sealed)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("identity", [None, 7, "text", ["ab"], [[]]])
def test_a_seal_of_an_odd_identity_is_one_sentence(sealed: Path, identity: object) -> None:
    (sealed / SEAL).write_text(json_text({"what": WHAT, "identity": identity, "files": {}}))
    with pytest.raises(DerivedError, match=r"clew index toy") as error:
        open_seal(sealed, {"snapshot": "abc"}, what=WHAT, remedy=REMEDY)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "content", ["[" * 100_000, '{"a":' * 100_000, "9" * 5000, "\x00", "[" + "0," * (9 << 20) + "0]"]
)
def test_a_seal_that_is_a_bomb_is_one_sentence(sealed: Path, content: str) -> None:
    (sealed / SEAL).write_text(content)
    with pytest.raises(DerivedError, match=r"seal\.json cannot be read") as error:
        opened(sealed)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("name", [SEAL, "rows"])
@pytest.mark.parametrize("kind", ["pipe", "zero"])
def test_files_that_are_none_are_one_sentence_at_once(sealed: Path, name: str, kind: str) -> None:
    (sealed / name).unlink()
    if kind == "pipe":
        os.mkfifo(sealed / name)
    else:
        (sealed / name).symlink_to("/dev/zero")
    with pytest.raises(DerivedError, match=name):
        opened(sealed)
