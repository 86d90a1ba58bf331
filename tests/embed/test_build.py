"""Building an index: stopped anywhere it goes on, and two builders at once do no harm."""

import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from clew.embed import VectorIndex, build_index
from clew.embed.build import BLOCK
from clew.embed.encoders.hashed import HashedEncoder
from clew.errors import GraphError, InputError, ModelError
from clew.progress import Progress, silent

WHAT = "the name vectors of toy.clew"
TEXTS = [f"name {number}" for number in range(5 * BLOCK + 7)]
IDENTITY = {"snapshot": "abc"}


class Counting(HashedEncoder):
    """Counts what it encodes, and stops where it is told to."""

    def __init__(self, *, stop_after: int = 10**9) -> None:
        super().__init__(dimension=12)
        self.seen = 0
        self.stop_after = stop_after

    def encode(self, texts: Sequence[str], *, progress: Progress = silent) -> np.ndarray:
        if self.seen >= self.stop_after:
            raise KeyboardInterrupt
        self.seen += len(texts)
        return super().encode(texts, progress=progress)


def blocks(path: Path) -> list[Path]:
    return sorted(path.parent.glob(f".{path.name}.blocks-*/*.block"))


def leftovers(path: Path) -> list[str]:
    return [file.name for file in path.parent.iterdir() if file != path]


def is_whole(index: VectorIndex) -> None:
    np.testing.assert_array_equal(index.vectors, HashedEncoder(dimension=12).encode(TEXTS).astype(np.float16))


def test_it_goes_on_where_it_stopped(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with pytest.raises(KeyboardInterrupt):
        build_index(path, TEXTS, Counting(stop_after=2 * BLOCK), identity=IDENTITY, what=WHAT)
    assert len(blocks(path)) == 2
    encoder = Counting()
    is_whole(build_index(path, TEXTS, encoder, identity=IDENTITY, what=WHAT))
    assert encoder.seen == len(TEXTS) - 2 * BLOCK
    assert leftovers(path) == []


SLOW = """
import sys, time
from clew.embed import build_index
from clew.embed.encoders.hashed import HashedEncoder
class Slow(HashedEncoder):
    def encode(self, texts, *, progress):
        time.sleep(float(sys.argv[3]))
        return super().encode(texts, progress=progress)
texts = [f"name {number}" for number in range(int(sys.argv[2]))]
build_index(sys.argv[1], texts, Slow(dimension=12), identity={"snapshot": "abc"}, what="toy")
"""


def begin(path: Path, *, pause: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, "-c", SLOW, str(path), str(len(TEXTS)), str(pause)])


def test_killed_in_the_middle_it_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "index"
    builder = begin(path, pause=0.5)
    limit = time.monotonic() + 60
    while len(blocks(path)) < 2 and time.monotonic() < limit:
        time.sleep(0.02)
    builder.kill()
    builder.wait(10)
    kept = len(blocks(path))
    assert 2 <= kept < 6
    assert not path.exists()
    encoder = Counting()
    is_whole(build_index(path, TEXTS, encoder, identity=IDENTITY, what=WHAT))
    assert encoder.seen == len(TEXTS) - kept * BLOCK
    assert leftovers(path) == []


def test_two_builders_at_once(tmp_path: Path) -> None:
    path = tmp_path / "index"
    builders = [begin(path, pause=0.05), begin(path, pause=0.12)]
    assert [builder.wait(60) for builder in builders] == [0, 0]
    is_whole(VectorIndex.open(path, IDENTITY, what=WHAT, remedy="x"))
    assert leftovers(path) == []


@pytest.mark.parametrize("damage", [b"", b"x" * 40, None])
def test_a_damaged_block_is_encoded_anew(tmp_path: Path, damage: bytes | None) -> None:
    path = tmp_path / "index"
    with pytest.raises(KeyboardInterrupt):
        build_index(path, TEXTS, Counting(stop_after=2 * BLOCK), identity=IDENTITY, what=WHAT)
    content = bytearray(blocks(path)[0].read_bytes())
    content[-1] ^= 1
    blocks(path)[0].write_bytes(content if damage is None else damage)
    encoder = Counting()
    is_whole(build_index(path, TEXTS, encoder, identity=IDENTITY, what=WHAT))
    assert encoder.seen == len(TEXTS) - BLOCK


def test_blocks_of_other_texts_or_another_encoder_are_not_taken(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with pytest.raises(KeyboardInterrupt):
        build_index(path, TEXTS, Counting(stop_after=2 * BLOCK), identity=IDENTITY, what=WHAT)
    other = HashedEncoder(dimension=8)
    index = build_index(path, TEXTS, other, identity=IDENTITY, what=WHAT)
    np.testing.assert_array_equal(index.vectors, other.encode(TEXTS).astype(np.float16))
    assert leftovers(path) == []  # those of the encoder that was given up are gone too


def test_an_equal_index_is_kept_and_an_older_one_replaced(tmp_path: Path) -> None:
    path = tmp_path / "index"
    build_index(path, TEXTS, Counting(), identity=IDENTITY, what=WHAT)
    same = Counting()
    build_index(path, TEXTS, same, identity=IDENTITY, what=WHAT)
    assert same.seen == 0
    newer = Counting()
    index = build_index(path, TEXTS[:10], newer, identity={"snapshot": "def"}, what=WHAT)
    assert (newer.seen, len(index), index.identity["snapshot"]) == (10, 10, "def")


def test_a_damaged_index_is_made_anew(tmp_path: Path) -> None:
    path = tmp_path / "index"
    build_index(path, TEXTS, Counting(), identity=IDENTITY, what=WHAT)
    content = bytearray((path / "vectors.npy").read_bytes())
    content[-1] ^= 1
    (path / "vectors.npy").write_bytes(content)
    is_whole(build_index(path, TEXTS, Counting(), identity=IDENTITY, what=WHAT))


def test_texts_that_only_differ_in_their_cuts_differ(tmp_path: Path) -> None:
    checksums = {
        build_index(tmp_path / str(number), texts, Counting(), identity={}, what=WHAT).identity["texts"]
        for number, texts in enumerate((["ab", "c"], ["a", "bc"], ["abc"], ["abc", ""]))
    }
    assert len(checksums) == 4


def test_progress_only_moves_on(tmp_path: Path) -> None:
    heard: list[tuple[str, int, int | None]] = []
    build_index(
        tmp_path / "index",
        TEXTS,
        Counting(),
        identity=IDENTITY,
        what=WHAT,
        progress=lambda task, done, total: heard.append((task, done, total)),
    )
    encoding = [(done, total) for task, done, total in heard if task == "encoding"]
    assert encoding == sorted(encoding)
    assert encoding[0] == (0, len(TEXTS))
    assert encoding[-1] == (len(TEXTS), len(TEXTS))


def test_what_cannot_be_built(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="choose one of auto, exact, approximate"):
        build_index(tmp_path / "index", TEXTS, Counting(), identity={}, what=WHAT, kind="fuzzy")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "file").touch()
    with pytest.raises(GraphError, match="not replaced"):
        build_index(tmp_path / "mine", ["a"], Counting(), identity={}, what=WHAT)


def test_an_encoder_that_gives_too_few_rows_is_found_out(tmp_path: Path) -> None:
    class Short(HashedEncoder):
        def encode(self, texts: Sequence[str], *, progress: Progress = silent) -> np.ndarray:
            return super().encode(texts[1:], progress=progress)

    with pytest.raises(ModelError, match=r"returned vectors of shape \(2, 12\), not \(3, 12\)"):
        build_index(tmp_path / "index", ["a", "b", "c"], Short(dimension=12), identity={}, what=WHAT)
