"""Files that are either whole or absent.

Everything is written under a temporary name beside its destination, flushed to the disk and renamed. A directory of
files is made the same way, as one; `Blocks` are the checksums by which later damage is found.
"""

import hashlib
import os
import secrets
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from clew.errors import GraphError

__all__ = ["BLOCK_BYTES", "block_checksums", "new_directory", "sync", "write_bytes", "write_text"]

BLOCK_BYTES = 4 * 1024 * 1024


def sync(path: Path) -> None:
    """Ask the disk to hold what was written to a file or directory."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a whole file, or leave what was there before."""
    path = Path(path)
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        with open(temporary, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
        sync(path.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise GraphError(f"cannot write {path}: {error.strerror or error}") from error


def write_text(path: Path, text: str) -> None:
    """Write a whole UTF-8 text file, or leave what was there before."""
    write_bytes(path, text.encode("utf-8"))


@contextmanager
def new_directory(path: Path, *, overwrite: bool = False) -> Iterator[Path]:
    """Fill a hidden directory beside `path`; when the block ends well, it becomes `path`, else it is removed.

    With `overwrite`, whatever stood at `path` is replaced only at that last moment.
    """
    path = Path(path)
    if path.exists() and not overwrite:
        raise GraphError(f"{path} exists already: choose another name or pass overwrite=True (--overwrite)")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        temporary.mkdir()
    except OSError as error:
        raise GraphError(f"cannot create {path}: {error.strerror or error}") from error
    try:
        yield temporary
        for file in temporary.rglob("*"):
            sync(file)
        sync(temporary)
        if path.exists():
            replaced = path.with_name(f".{path.name}.{secrets.token_hex(4)}.old")
            os.replace(path, replaced)
            os.replace(temporary, path)
            shutil.rmtree(replaced) if replaced.is_dir() else replaced.unlink()
        else:
            os.replace(temporary, path)
        sync(path.parent)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise


def block_checksums(path: Path) -> list[str]:
    """SHA-256 of each block of a file, in order; an empty file has no blocks."""
    checksums = []
    with open(path, "rb", buffering=0) as file:
        while block := file.read(BLOCK_BYTES):
            checksums.append(hashlib.sha256(block).hexdigest())
    return checksums
