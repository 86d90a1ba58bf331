"""Compressed files of unknown origin, unpacked within bounds: a few megabytes can hide terabytes."""

import bz2
import gzip
import io
from pathlib import Path

from clew.errors import InputError

__all__ = ["check_unpacked", "check_whole", "open_unpacked"]

RATIO = 100  # unpacked size, as a multiple of the packed one; tables of text reach 10 to 30
ALWAYS = 256 << 20  # bytes that any file may unpack to


def check_unpacked(path: Path, size: int, packed: int) -> None:
    """Refuse a file that unpacks to more than it may."""
    if size > max(ALWAYS, RATIO * packed):
        ratio = f"more than {size // max(packed, 1):,} times its {packed:,} bytes"
        raise InputError(f"{path} unpacks to {ratio}, so it is not read: unpack it yourself if it is meant to be so")


def open_unpacked(path: Path) -> io.BufferedReader:
    """The unpacked bytes of a gzip or bzip2 file; reading more than it may hold is an `InputError`."""
    return io.BufferedReader(_Unpacked(path), 1 << 16)


def check_whole(path: Path) -> None:
    """Unpack a file once, keeping nothing: for readers that take long over what they read."""
    with open_unpacked(path) as stream:
        while stream.read(1 << 20):
            pass


class _Unpacked(io.RawIOBase):
    """A compressed file that counts what comes out of it."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self._path, self._packed, self._size = path, path.stat().st_size, 0
        self._stream = bz2.BZ2File(path) if path.suffix.lower() == ".bz2" else gzip.GzipFile(path)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: bytearray | memoryview) -> int:  # type: ignore[override]
        found = self._stream.read1(len(buffer))
        self._size += len(found)
        check_unpacked(self._path, self._size, self._packed)
        buffer[: len(found)] = found
        return len(found)

    def close(self) -> None:
        self._stream.close()
        super().close()
