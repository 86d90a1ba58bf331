"""The user's cache: graphs made on the way, data derived from graphs that cannot be written to, proofs of large files.

It may be removed at any time.
"""

import hashlib
import json
import os
import secrets
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, NamedTuple

from clew.errors import GraphError

__all__ = ["FileIdentity", "cache_directory", "file_identity", "is_proved", "remember_proof"]

SETTLED = 100_000_000  # nanoseconds: two changes closer together than a tick of the clock have the same time


class FileIdentity(NamedTuple):
    """What changes when a file is replaced or written to. The time of change cannot be set back by its owner."""

    device: int
    number: int
    size: int
    modified: int
    changed: int


def cache_directory() -> Path:
    """The folder of the cache: CLEW_HOME, else `clew` in the user's cache."""
    if home := os.environ.get("CLEW_HOME"):
        return Path(home)
    if cache := os.environ.get("XDG_CACHE_HOME"):
        return Path(cache) / "clew"
    try:
        return Path.home() / ".cache" / "clew"
    except RuntimeError as error:
        raise GraphError("this user has no home directory for a cache: set CLEW_HOME to a folder") from error


def file_identity(file: BinaryIO) -> FileIdentity:
    """The identity of an open file."""
    found = os.fstat(file.fileno())
    return FileIdentity(found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def is_proved(path: Path, identity: FileIdentity, content: str) -> bool:
    """Whether this very file was found to have that content before."""
    with suppress(OSError, ValueError):
        return bool(json.loads(_note(path).read_text("ascii")) == [*identity, content])
    return False


def remember_proof(path: Path, identity: FileIdentity, content: str) -> None:
    """Note that this very file has that content; not for one that changed just now, nor where nothing can be noted."""
    if time.time_ns() - max(identity.modified, identity.changed) < SETTLED:
        return
    with suppress(OSError):
        note = _note(path)
        unfinished = note.with_name(f"{note.name}.{secrets.token_hex(4)}")
        note.parent.mkdir(parents=True, exist_ok=True)
        unfinished.write_text(json.dumps([*identity, content]), "ascii")
        unfinished.replace(note)


def _note(path: Path) -> Path:
    name = hashlib.sha256(os.fsencode(Path(path).absolute())).hexdigest()[:32]
    return cache_directory() / "proved" / name
