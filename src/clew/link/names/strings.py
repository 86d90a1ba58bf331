"""Many strings as two arrays, bytes and offsets, which can be memory-mapped and read one at a time."""

from collections.abc import Iterable
from hashlib import blake2b

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

__all__ = ["Bytes", "Hashes", "Starts", "Strings", "hash_of", "hashes_of", "pack"]

Bytes = NDArray[np.uint8]
Starts = NDArray[np.int64]
Hashes = NDArray[np.uint64]


def hash_of(text: str) -> int:
    """A 64-bit hash of a text; callers compare the texts as well."""
    return int.from_bytes(blake2b(text.encode("utf-8", "replace"), digest_size=8).digest(), "little")


def hashes_of(texts: Iterable[str]) -> Hashes:
    """`hash_of` each."""
    return np.fromiter(map(hash_of, texts), np.uint64)


def pack(texts: Iterable[str]) -> tuple[Bytes, Starts]:
    """Strings as concatenated UTF-8 bytes and their offsets, with the end of the last."""
    encoded = [text.encode("utf-8", "replace") for text in texts]
    starts = np.zeros(len(encoded) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, encoded), np.int64, len(encoded)), out=starts[1:])
    return np.frombuffer(b"".join(encoded), np.uint8), starts


class Strings:
    """Packed strings, read one at a time or searched.

    >>> texts = Strings(*pack(["one", "zwei"]))
    >>> texts[1], texts.matching("^z|n")
    ('zwei', [0, 1])
    """

    def __init__(self, content: Bytes, starts: Starts) -> None:
        self._content = memoryview(content)  # type: ignore[arg-type]
        self._starts = starts

    def __len__(self) -> int:
        return len(self._starts) - 1

    def __getitem__(self, at: int) -> str:
        start, end = self._starts[at : at + 2].tolist()
        return str(self._content[start:end], "utf-8", "replace")  # "replace": a flipped bit must not abort a search

    def matching(self, pattern: str) -> list[int]:
        """Where the strings are that a regular expression is found in."""
        buffers = [None, pa.py_buffer(self._starts), pa.py_buffer(self._content)]
        texts = pa.LargeBinaryArray.from_buffers(pa.large_binary(), len(self), buffers)
        rows: list[int] = pc.indices_nonzero(pc.match_substring_regex(texts, pattern)).to_pylist()
        return rows
