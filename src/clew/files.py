"""Atomic files and directories.

Everything is written under a temporary name beside its destination, synced to disk and renamed. A directory of files is
created the same way, as a unit; `block_checksums` detect later damage. `read_regular` reads files of unknown origin,
`map_regular` maps one.
"""

import errno
import hashlib
import os
import re
import secrets
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from stat import S_ISREG
from typing import TYPE_CHECKING, BinaryIO

from clew.errors import ClewError, GraphError

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "BLOCK_BYTES",
    "PATIENCE",
    "alone",
    "block_checksums",
    "lock",
    "map_regular",
    "move_into_place",
    "new_directory",
    "open_regular",
    "read_regular",
    "remove",
    "remove_stale",
    "sync",
    "sync_tree",
    "temporary_directory",
    "write_bytes",
    "write_text",
]

BLOCK_BYTES = 4 * 1024 * 1024
MAX_BYTES = 16 * 1024 * 1024  # of a manifest or seal: enough for a terabyte of data
AT_FDCWD = -100  # names are relative to the working directory
RENAME_EXCHANGE = 2
PATIENCE, PAUSE = 600, 0.01  # seconds to wait for another program that holds a lock, and between two looks at it


def sync(path: Path) -> None:
    """Flush a file or directory to disk (fsync)."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def write_bytes(path: Path, content: bytes) -> None:
    """Write a file atomically: on failure the previous contents remain."""
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
    """Write a UTF-8 text file atomically: on failure the previous contents remain."""
    write_bytes(path, text.encode("utf-8"))


def open_regular(path: Path) -> BinaryIO:
    """Open a file for reading if it is a regular one: a pipe would block for ever, a device may never end."""

    def opener(name: str, flags: int) -> int:
        descriptor = os.open(name, flags | getattr(os, "O_NONBLOCK", 0))
        if S_ISREG(os.fstat(descriptor).st_mode):
            return descriptor
        os.close(descriptor)
        raise OSError(errno.EINVAL, "not a regular file", name)

    return open(path, "rb", buffering=0, opener=opener)


def map_regular(file: BinaryIO) -> "pa.Buffer":
    """A file from `open_regular`, mapped read-only for as long as the buffer or an array over it lives.

    No descriptor stays open, as it would with Python's mmap before 3.13: an opened graph maps some sixty files, and a
    process may often hold no more than 1,024.
    """
    import pyarrow as pa

    path = Path(file.name)
    with pa.memory_map(str(path)) as mapped:
        buffer = mapped.read_buffer()
    if not os.path.samestat(os.fstat(file.fileno()), path.stat()):
        raise OSError(errno.ESTALE, "was replaced while it was being opened", str(path))
    return buffer


def read_regular(path: Path, *, most: int = MAX_BYTES) -> bytes:
    """The contents of a regular file; a larger one than `most` bytes is an `OSError`."""
    with open_regular(path) as file:
        content = file.read(most + 1)
        while len(content) <= most and (more := file.read(most + 1 - len(content))):
            content += more
    if len(content) > most:
        raise OSError(errno.EFBIG, f"larger than {most:,} bytes", str(path))
    return content


@contextmanager
def new_directory(path: Path, *, overwrite: bool = False, marker: str | None = None) -> Iterator[Path]:
    """Fill a hidden directory beside `path`; it becomes `path` if the block succeeds, and is removed otherwise.

    With `overwrite`, an existing `path` is replaced at that moment, atomically where the system can swap two names
    (Linux); with `marker`, only if it is an empty directory or contains a file of that name, so that a mistyped path
    destroys nothing. Leftovers of killed writers of the same `path` are removed.
    """
    given, path = path, Path(path).absolute()
    _check_destination(path, given, overwrite=overwrite, marker=marker)
    with temporary_directory(path, given) as temporary:
        yield temporary
        sync_tree(temporary)
        _check_destination(path, given, overwrite=overwrite, marker=marker)  # it may have been created meanwhile
        move_into_place(temporary, path)


@contextmanager
def temporary_directory(path: Path, given: Path | None = None) -> Iterator[Path]:
    """A hidden directory beside `path`, removed at the end unless it was renamed; its lock shows that its writer lives.

    Leftovers of killed writers of the same `path` are removed. Errors name the path as `given`.
    """
    given, path = given or path, Path(path).absolute()
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        remove_stale(path)
        temporary, held = _reserve(path)
    except (OSError, ValueError) as error:
        raise GraphError(f"cannot create {given}: {_reason(error)}") from error
    try:
        yield temporary
    except ClewError:
        raise
    except OSError as error:
        raise GraphError(f"cannot write {given}: {_reason(error)}") from error
    finally:
        remove(temporary)  # the unfinished or the replaced directory
        os.close(held)


def sync_tree(directory: Path) -> None:
    """Flush a directory and everything below it to disk."""
    for file in directory.rglob("*"):
        sync(file)
    sync(directory)


def block_checksums(path: Path) -> list[str]:
    """The SHA-256 checksums of the blocks of a file, in order; an empty file has none."""
    checksums = []
    with open_regular(path) as file:
        while block := file.read(BLOCK_BYTES):
            checksums.append(hashlib.sha256(block).hexdigest())
    return checksums


def _check_destination(path: Path, given: Path, *, overwrite: bool, marker: str | None) -> None:
    try:
        if not os.path.lexists(path):
            return
        if not overwrite:
            raise GraphError(f"{given} already exists: choose another name or pass overwrite=True")
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
    """A new hidden directory beside `path`, and a descriptor whose lock shows that its writer is alive."""
    while True:
        temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
        temporary.mkdir()
        # Another writer may remove it as stale before it is locked; then create another.
        try:
            held = os.open(temporary, os.O_RDONLY)
        except FileNotFoundError:
            continue
        if lock(held) is not False and temporary.is_dir():
            return temporary, held
        os.close(held)


def lock(descriptor: int, *, shared: bool = False) -> bool | None:
    """Whether the lock was acquired; None if the system has no such locks. It ends with the process at the latest."""
    try:
        import fcntl

        fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except (ImportError, OSError):
        return None
    return True


@contextmanager
def alone(path: Path, otherwise: str, *, create: bool = False) -> Iterator[None]:
    """Hold the lock of a folder or file after waiting for it; where there is none to hold, go on without.

    After `PATIENCE` seconds the error `otherwise` is raised; `create` makes the file.
    """
    try:
        held = os.open(path, (os.O_RDWR | os.O_CREAT if create else os.O_RDONLY) | getattr(os, "O_NOFOLLOW", 0), 0o666)
    except OSError:
        yield
        return
    try:
        deadline = time.monotonic() + PATIENCE
        while lock(held) is False:
            if time.monotonic() > deadline:
                raise GraphError(otherwise)
            time.sleep(PAUSE)
        yield
    finally:
        os.close(held)


def remove_stale(path: Path) -> None:
    """Remove leftovers of dead writers of `path`: a lock ends with its process, so anything lockable has no writer."""
    ours = re.compile(re.escape(f".{path.name}.") + r"[0-9a-f]{8}\.part")
    for left in path.parent.iterdir():
        if not ours.fullmatch(left.name) or left.is_symlink() or not left.is_dir():
            continue
        with suppress(OSError):
            held = os.open(left, os.O_RDONLY)
            try:
                if lock(held):
                    remove(left)
            finally:
                os.close(held)


def move_into_place(temporary: Path, path: Path) -> None:
    """Move a finished directory to its name; the previous owner of that name moves to the temporary one."""
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
    """Swap two names atomically; False if the system cannot."""
    if not sys.platform.startswith("linux"):
        return False
    import ctypes

    rename = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    return rename is not None and rename(AT_FDCWD, os.fsencode(one), AT_FDCWD, os.fsencode(other), RENAME_EXCHANGE) == 0


def remove(path: Path) -> None:
    """Remove a file or a directory with its contents, as far as that is possible."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            path.unlink(missing_ok=True)
