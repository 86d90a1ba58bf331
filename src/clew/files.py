"""Files that are either whole or absent.

Everything is written under a temporary name beside its destination, flushed to the disk and renamed. A directory of
files is made the same way, as one; `block_checksums` are the numbers by which later damage is found.
"""

import hashlib
import os
import re
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from clew.errors import ClewError, GraphError

__all__ = ["BLOCK_BYTES", "block_checksums", "new_directory", "sync", "write_bytes", "write_text"]

BLOCK_BYTES = 4 * 1024 * 1024
HERE = -100  # AT_FDCWD: names are relative to the working directory
EXCHANGE = 2  # RENAME_EXCHANGE


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
        temporary.replace(path)
        sync(path.parent)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise GraphError(f"cannot write {path}: {error.strerror or error}") from error


def write_text(path: Path, text: str) -> None:
    """Write a whole UTF-8 text file, or leave what was there before."""
    write_bytes(path, text.encode("utf-8"))


@contextmanager
def new_directory(path: Path, *, overwrite: bool = False, marker: str | None = None) -> Iterator[Path]:
    """Fill a hidden directory beside `path`; when the block ends well, it becomes `path`, else it is removed.

    With `overwrite`, what stands at `path` is replaced at that last moment, in one step where the system can swap two
    names (Linux); with `marker`, only if it is an empty directory or one that holds a file of that name, so that a
    mistyped path destroys nothing. What writers that were killed left behind for the same `path` is removed.
    """
    given, path = path, Path(path).absolute()
    _check_destination(path, given, overwrite=overwrite, marker=marker)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _sweep(path)
        temporary, lock = _reserve(path)
    except (OSError, ValueError) as error:
        raise GraphError(f"cannot create {given}: {_reason(error)}") from error
    try:
        yield temporary
        for file in temporary.rglob("*"):
            sync(file)
        sync(temporary)
        _check_destination(path, given, overwrite=overwrite, marker=marker)  # it may have been made meanwhile
        _place(temporary, path)
    except ClewError:
        raise
    except OSError as error:
        raise GraphError(f"cannot write {given}: {_reason(error)}") from error
    finally:
        _remove(temporary)  # what is unfinished, or what was replaced
        os.close(lock)


def block_checksums(path: Path) -> list[str]:
    """SHA-256 of each block of a file, in order; an empty file has no blocks."""
    checksums = []
    with open(path, "rb", buffering=0) as file:
        while block := file.read(BLOCK_BYTES):
            checksums.append(hashlib.sha256(block).hexdigest())
    return checksums


def _check_destination(path: Path, given: Path, *, overwrite: bool, marker: str | None) -> None:
    try:
        if not os.path.lexists(path):
            return
        if not overwrite:
            raise GraphError(f"{given} exists already: choose another name or pass overwrite=True (--overwrite)")
        if marker is None or (path / marker).is_file() or (path.is_dir() and not any(path.iterdir())):
            return
    except ClewError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a name with NUL
        raise GraphError(f"cannot create {given}: {_reason(error)}") from error
    raise GraphError(f"{given} has no {marker}, so it is not replaced: remove it yourself or choose another name")


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def _reserve(path: Path) -> tuple[Path, int]:
    """A new hidden directory beside `path`, and a descriptor whose lock tells others that its writer lives."""
    while True:
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        temporary.mkdir()
        lock = os.open(temporary, os.O_RDONLY)
        # A sweep may have come between; then the directory is gone and another must be made.
        if _lock(lock) is not False and temporary.is_dir():
            return temporary, lock
        os.close(lock)


def _lock(descriptor: int) -> bool | None:
    """Whether the lock could be had; None where the system has no such locks."""
    try:
        import fcntl

        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


def _sweep(path: Path) -> None:
    """Remove what dead writers of `path` left: a lock ends with its process, so what can be locked has no writer."""
    ours = re.compile(re.escape(f".{path.name}.") + r"[0-9a-f]{8}\.part")
    for left in path.parent.iterdir():
        if not ours.fullmatch(left.name) or left.is_symlink() or not left.is_dir():
            continue
        with suppress(OSError):
            lock = os.open(left, os.O_RDONLY)
            try:
                if _lock(lock):
                    _remove(left)
            finally:
                os.close(lock)


def _place(temporary: Path, path: Path) -> None:
    """Give a finished directory its name; whatever had that name before goes to the temporary one."""
    if not os.path.lexists(path):
        temporary.rename(path)
    elif not _exchange(temporary, path):
        aside = path.with_name(f".{path.name}.{secrets.token_hex(4)}.old")
        path.rename(aside)
        try:
            temporary.rename(path)
        except BaseException:
            aside.rename(path)
            raise
        aside.rename(temporary)
    sync(path.parent)


def _exchange(one: Path, other: Path) -> bool:
    """Swap two names in one step; False where the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    return rename is not None and rename(HERE, os.fsencode(one), HERE, os.fsencode(other), EXCHANGE) == 0


def _remove(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)
