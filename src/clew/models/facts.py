"""Facts about large files that take seconds to compute, cached while a file's size and modification time stay the same.

`file_checksum` is the SHA-256 of a file; `file_fact` caches any other fact the same way.
"""

import hashlib
import json
import logging
from collections.abc import Callable
from pathlib import Path

from clew.errors import ClewError, ModelError
from clew.files import write_text
from clew.models.place import models_directory

__all__ = ["file_checksum", "file_fact"]

CHUNK = 1 << 20
Key = tuple[str, str, int, int]  # the fact's name; the file's path, size and modification time
_known: dict[Key, str] = {}
log = logging.getLogger(__name__)


def file_checksum(path: Path) -> str:
    """The SHA-256 of a file, in hexadecimal digits."""
    return file_fact(path, "sha256", _sha256)


def file_fact(path: Path, name: str, find_out: Callable[[Path], str]) -> str:
    """The value of `find_out` for a file; computed again only if the file has changed."""
    path = Path(path).absolute()
    try:
        status = path.stat()
        key = (name, str(path), status.st_size, status.st_mtime_ns)
        if (fact := _known.get(key) or _recall(key)) is None:
            fact = find_out(path)
            _remember(key, fact)
    except ClewError:  # the cached value is invalid
        raise
    except OSError as error:
        raise ModelError(f"cannot read {path}: {error.strerror or error}") from error
    _known[key] = fact
    return fact


def _sha256(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb", buffering=0) as file:
        while chunk := file.read(CHUNK):
            digest.update(chunk)
    return digest.hexdigest()


def _note(key: Key) -> Path:
    digest = hashlib.sha256("\0".join(key[:2]).encode("utf-8", "surrogateescape")).hexdigest()
    return models_directory() / ".facts" / f"{digest[:32]}.json"


def _recall(key: Key) -> str | None:
    try:
        note = json.loads(_note(key).read_text("utf-8"))
        return str(note["fact"]) if tuple(note["key"]) == key else None
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _remember(key: Key, fact: str) -> None:
    note = _note(key)
    try:
        note.parent.mkdir(parents=True, exist_ok=True)
        write_text(note, json.dumps({"key": key, "fact": fact}))
    except (OSError, ClewError) as error:  # a shared, read-only folder: computed each time
        log.debug("the %s of %s is not cached: %s", key[0], key[1], error)
