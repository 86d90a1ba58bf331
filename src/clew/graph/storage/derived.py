"""Where data derived from a snapshot is kept: beside the graph, or in the user's cache if the graph is read-only.

Both places are keyed by the name of the snapshot, so nothing derived from another one is ever found. What lies in the
cache was made by this user from files that were checked, so it comes first. Links are not followed.
"""

import os
from collections.abc import Iterator
from pathlib import Path
from stat import S_IFDIR, S_IFMT

from clew.cache import cache_directory
from clew.errors import GraphError
from clew.graph.storage.snapshots import DERIVED

__all__ = ["derived_folders", "place_to_read", "place_to_write"]


def derived_folders(graph: Path, snapshot: str) -> list[Path]:
    """Existing folders of data derived from a snapshot: of the cache, then beside the graph."""
    kept, beside = _kept(snapshot), graph / DERIVED / snapshot
    found = [kept] if kept is not None and _is_folder(kept) else []
    return [*found, beside] if all(map(_is_folder, _steps(graph, beside))) else found


def place_to_read(graph: Path, snapshot: str, kind: str) -> Path:
    """Where a kind of derived data is, or would be."""
    found = [folder / kind for folder in derived_folders(graph, snapshot)]
    return next(filter(_is_folder, found), _free_place(graph, snapshot, kind))


def place_to_write(graph: Path, snapshot: str, kind: str) -> Path:
    """Where a kind of derived data is to be written; data in the cache is replaced there."""
    kept = _kept(snapshot)
    return kept / kind if kept is not None and _is_folder(kept / kind) else _free_place(graph, snapshot, kind)


def _free_place(graph: Path, snapshot: str, kind: str) -> Path:
    kept, beside = _kept(snapshot), graph / DERIVED / snapshot / kind
    return beside if kept is None or _is_writable(graph, beside) else kept / kind


def _kept(snapshot: str) -> Path | None:
    """The folder in the cache; None for a user without one."""
    try:
        return cache_directory().absolute() / DERIVED / snapshot
    except GraphError:
        return None


def _is_writable(graph: Path, path: Path) -> bool:
    """Whether a folder below the graph can be made or replaced without following a link."""
    holder = graph  # the last folder on the way that exists
    for step in _steps(graph, path):
        if _kind(step) not in (0, S_IFDIR):
            return False
        if step != path and _is_folder(step):
            holder = step
    return os.access(holder, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids)


def _steps(graph: Path, path: Path) -> Iterator[Path]:
    """The folders below `graph` that lead to `path`, and `path` itself."""
    for part in path.relative_to(graph).parts:
        graph = graph / part
        yield graph


def _is_folder(path: Path) -> bool:
    return _kind(path) == S_IFDIR


def _kind(path: Path) -> int:
    """The kind of file: S_IFDIR, S_IFLNK, …; 0 if none can be seen."""
    try:
        return S_IFMT(path.lstat().st_mode)
    except OSError:
        return 0
