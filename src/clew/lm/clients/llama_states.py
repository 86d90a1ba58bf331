"""Prompts that llama.cpp has read, kept in the user's cache: a later process restores them instead of reading again.

A state is one file, named by a hash of all it depends on and by its own checksum, so a damaged or unfinished file is
never restored. Of more than `MOST_BYTES` the least recently used go first; all may be removed at any time.
"""

import hashlib
import json
import logging
import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from clew.cache import cache_directory
from clew.errors import GraphError, ModelError, Timeout
from clew.files import block_checksums, sync
from clew.lm.wrappers.time_limit import TimeLimit

if TYPE_CHECKING:
    from clew.lm.clients.llama_engine import LlamaEngine

__all__ = ["KeptFiles", "KeptStates", "clear_states", "kept_files", "states_directory"]

MOST_BYTES = 1 << 30
FILE = re.compile(r"[0-9a-f]{32}-[0-9a-f]{64}|[0-9a-f]{16}\.part")  # a state, or an unfinished one
log = logging.getLogger(__name__)


def states_directory() -> Path | None:
    """The folder of states; None for a user without a cache."""
    with suppress(GraphError):
        return cache_directory().absolute() / "prompts"
    return None


@dataclass(frozen=True, slots=True)
class KeptFiles:
    """The files of states in a folder, unfinished ones of killed processes too, and their size in bytes."""

    folder: Path | None
    paths: tuple[Path, ...] = ()
    size: int = 0


def kept_files() -> KeptFiles:
    """The prompts that are kept for this user; none in a cache that cannot be read."""
    folder = states_directory()
    with suppress(OSError):
        return _files(folder)
    return KeptFiles(folder)


def clear_states() -> KeptFiles:
    """Remove the prompts that are kept for this user; gives what was there."""
    kept = _files(states_directory())
    for path in kept.paths:
        path.unlink(missing_ok=True)
    return kept


def _files(folder: Path | None) -> KeptFiles:
    if folder is None or not folder.is_dir():
        return KeptFiles(folder)
    paths = [path for path in sorted(folder.iterdir()) if FILE.fullmatch(path.name) and path.is_file()]
    sizes = {}
    for path in paths:
        with suppress(FileNotFoundError):  # another process removes files too
            sizes[path] = path.stat().st_size
    return KeptFiles(folder, tuple(sizes), sum(sizes.values()))


class KeptStates:
    """The states of a loaded model, which saves to `folder`; beside the tokens they depend on `depends`."""

    def __init__(self, engine: "LlamaEngine", folder: Path | None, depends: tuple[str | int, ...]) -> None:
        self._engine, self._folder, self._depends = engine, folder, depends

    def restore(self, tokens: list[int], limit: TimeLimit) -> bool:
        """Whether the model is where it was after reading these tokens."""
        if self._folder is None or (found := _find(self._folder, self._key(tokens))) is None:
            return False
        try:
            return self._engine.restore(found.name, limit) == len(tokens)
        except ModelError as error:
            log.info("%s reads a prompt again: %s", self._engine.name, error)
            return False

    def save(self, tokens: list[int], limit: TimeLimit) -> None:
        """Keep the state after these tokens, which were read last; where that is impossible nothing is kept."""
        if self._folder is None:
            return
        unfinished = self._folder / f"{secrets.token_hex(8)}.part"
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            if self._engine.save(unfinished.name, limit) == (len(tokens), unfinished.stat().st_size):
                _take(unfinished, self._key(tokens))
                _make_room(self._folder)
        except (OSError, ModelError, Timeout) as error:
            log.info("what %s has read is not kept: %s", self._engine.name, error)
        finally:
            with suppress(OSError):
                unfinished.unlink(missing_ok=True)

    def _key(self, tokens: list[int]) -> str:
        return hashlib.sha256(json.dumps([*self._depends, tokens]).encode()).hexdigest()[:32]


def _find(folder: Path, key: str) -> Path | None:
    """The undamaged file of a state, which now counts as used."""
    for path in folder.glob(f"{key}-*"):
        with suppress(OSError):
            if path.name == f"{key}-{_checksum(path)}":
                with suppress(OSError):
                    os.utime(path)
                return path
    return None


def _take(unfinished: Path, key: str) -> None:
    """Give a written state its name, and remove what had its key."""
    before = list(unfinished.parent.glob(f"{key}-*"))
    sync(unfinished)
    path = unfinished.replace(unfinished.with_name(f"{key}-{_checksum(unfinished)}"))
    sync(path.parent)
    for other in before:
        if other != path:
            other.unlink(missing_ok=True)


def _make_room(folder: Path) -> None:
    """Remove the least recently used files, unfinished ones of killed processes too, until all fit."""
    used = sorted(((path.stat(), path) for path in folder.iterdir()), key=lambda each: each[0].st_mtime_ns)
    size = sum(status.st_size for status, _ in used)
    for status, path in used:
        if size <= MOST_BYTES:
            return
        path.unlink(missing_ok=True)
        size -= status.st_size


def _checksum(path: Path) -> str:
    return hashlib.sha256("".join(block_checksums(path)).encode()).hexdigest()
