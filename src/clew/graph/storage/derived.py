"""Where data derived from a snapshot is kept: beside the graph, or in the user's cache if the graph is read-only.

Both places are keyed by the name of the snapshot, so nothing derived from another one is ever found. What lies in the
cache was made by this user from files that were checked, so it comes first. Links are not followed.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from clew.cache import cache_directory
from clew.graph.storage.snapshots import DERIVED

__all__ = ["derived_folders", "place_to_read", "place_to_write"]


def derived_folders(graph: Path, snapshot: str) -> list[Path]:
    """Existing folders of data derived from a snapshot: of the cache, then beside the graph."""
    return [each for each in (_kept(snapshot), graph / DERIVED / snapshot) if _is_plain_folder(each, graph)]


def place_to_read(graph: Path, snapshot: str, kind: str) -> Path:
    """Where a kind of derived data is, or would be."""
    found = [folder / kind for folder in derived_folders(graph, snapshot)]
    return next((each for each in found if each.is_dir() and not each.is_symlink()), _free_place(graph, snapshot, kind))


def place_to_write(graph: Path, snapshot: str, kind: str) -> Path:
    """Where a kind of derived data is to be written; data in the cache is replaced there."""
    kept = _kept(snapshot) / kind
    return kept if kept.is_dir() else _free_place(graph, snapshot, kind)


def _free_place(graph: Path, snapshot: str, kind: str) -> Path:
    beside = graph / DERIVED / snapshot / kind
    return beside if _is_writable(graph, beside) else _kept(snapshot) / kind


def _kept(snapshot: str) -> Path:
    return cache_directory().absolute() / DERIVED / snapshot


def _is_plain_folder(path: Path, graph: Path) -> bool:
    linked = path.is_relative_to(graph) and any(each.is_symlink() for each in _steps(graph, path))
    return path.is_dir() and not linked


def _is_writable(graph: Path, path: Path) -> bool:
    """Whether a folder below the graph can be made or replaced without following a link."""
    holder = graph  # the last folder on the way that exists
    for step in _steps(graph, path):
        if step.is_symlink() or (step.exists() and not step.is_dir()):
            return False
        if step != path and step.exists():
            holder = step
    return os.access(holder, os.W_OK | os.X_OK, effective_ids=os.access in os.supports_effective_ids)


def _steps(graph: Path, path: Path) -> Iterator[Path]:
    """The folders below `graph` that lead to `path`, and `path` itself."""
    for part in path.relative_to(graph).parts:
        graph = graph / part
        yield graph
