"""A cache gives what the encoder gives, encodes nothing twice, and is shared by processes without harm."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from clew.embed import CachedEncoder
from clew.embed.encoders.hashed import HashedEncoder
from clew.errors import DerivedError

TEXTS = ["fever", "cough", "fever", "", "\ud800", "Σ"]


def test_it_gives_what_the_encoder_gives(tmp_path: Path) -> None:
    plain = HashedEncoder(dimension=16)
    for cached in (CachedEncoder(plain), CachedEncoder(plain, file=tmp_path / "a" / "vectors.db")):
        for _ in range(2):
            np.testing.assert_array_equal(cached.encode(TEXTS), plain.encode(TEXTS))
        assert cached.computed == 5
        assert cached.encode([]).shape == (0, 16)
        assert (cached.name, cached.identity, cached.dimension) == (plain.name, plain.identity, 16)


def test_memory_is_bounded_and_the_oldest_goes_first() -> None:
    cached = CachedEncoder(HashedEncoder(dimension=8), max_in_memory=2)
    cached.encode(["a", "b"])
    cached.encode(["a"])
    cached.encode(["c"])  # b goes: a was asked for since
    assert cached.computed == 3
    cached.encode(["a", "c"])
    assert cached.computed == 3
    cached.encode(["b"])
    assert cached.computed == 4


def test_a_request_larger_than_the_memory_is_still_whole() -> None:
    cached = CachedEncoder(HashedEncoder(dimension=8), max_in_memory=2)
    texts = [str(number) for number in range(50)]
    np.testing.assert_array_equal(cached.encode(texts), HashedEncoder(dimension=8).encode(texts))


def test_the_file_outlives_the_process_and_tells_encoders_apart(tmp_path: Path) -> None:
    file = tmp_path / "vectors.db"
    CachedEncoder(HashedEncoder(dimension=16), file=file).encode(TEXTS)
    again = CachedEncoder(HashedEncoder(dimension=16), file=file)
    np.testing.assert_array_equal(again.encode(TEXTS), HashedEncoder(dimension=16).encode(TEXTS))
    assert again.computed == 0
    other = CachedEncoder(HashedEncoder(dimension=8), file=file)
    assert other.encode(TEXTS).shape == (6, 8)
    assert other.computed == 5


def test_more_texts_than_one_query_takes(tmp_path: Path) -> None:
    texts = [str(number) for number in range(1234)]
    CachedEncoder(HashedEncoder(dimension=4), file=tmp_path / "v.db").encode(texts)
    again = CachedEncoder(HashedEncoder(dimension=4), file=tmp_path / "v.db")
    again.encode(texts)
    assert again.computed == 0


SHARE = """
import sys
from clew.embed import CachedEncoder
from clew.embed.encoders.hashed import HashedEncoder
cached = CachedEncoder(HashedEncoder(dimension=8), file=sys.argv[1])
for start in range(int(sys.argv[2]), int(sys.argv[2]) + 300, 10):
    cached.encode([str(number) for number in range(start, start + 10)])
"""


def test_processes_share_a_file(tmp_path: Path) -> None:
    file = tmp_path / "vectors.db"
    workers = [subprocess.Popen([sys.executable, "-c", SHARE, str(file), first]) for first in ("0", "150")]
    assert [worker.wait(timeout=60) for worker in workers] == [0, 0]
    texts = [str(number) for number in range(450)]
    cached = CachedEncoder(HashedEncoder(dimension=8), file=file)
    np.testing.assert_array_equal(cached.encode(texts), HashedEncoder(dimension=8).encode(texts))
    assert cached.computed == 0


def test_a_damaged_file_is_one_sentence(tmp_path: Path) -> None:
    file = tmp_path / "vectors.db"
    file.write_bytes(b"not a database" * 100)
    with pytest.raises(DerivedError, match=r"vectors\.db cannot be used \(.*\): remove the file"):
        CachedEncoder(HashedEncoder(dimension=8), file=file).encode(["fever"])
