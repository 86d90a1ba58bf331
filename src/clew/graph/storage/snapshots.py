"""The directory of a graph: immutable snapshots, and CURRENT, which names the one to open.

A reader holds the snapshot it opened by a shared lock on its manifest, which ends with the reader's process at the
latest. A builder writes a new snapshot beside it and replaces CURRENT atomically; snapshots that are neither current
nor held are then removed.
"""

import errno
import os
import re
import time
import weakref
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from clew.errors import AmbiguousName, ClewError, DamagedGraph, FormatError, GraphError, GraphReplaced, UnknownName
from clew.files import (
    PATIENCE,
    alone,
    lock,
    move_into_place,
    open_regular,
    read_regular,
    remove_stale,
    sync,
    sync_tree,
    temporary_directory,
    write_text,
)
from clew.graph.storage.manifest import MANIFEST, find_damage, read_manifest

__all__ = [
    "CURRENT",
    "DERIVED",
    "SNAPSHOTS",
    "Lease",
    "current_snapshot",
    "new_snapshot",
    "prune",
    "replaced_or",
    "snapshot_folder",
    "snapshots_of",
    "updating",
]

CURRENT, SNAPSHOTS, DERIVED = "CURRENT", "snapshots", "derived"
BUILD = "build"  # begins the name of hidden folders of builders
NAME = re.compile(r"[0-9a-f]{16}")
TRIES, PAUSE = 100, 0.01  # while snapshots are being replaced: 1 second
SHORTEST = 4  # characters that name a snapshot


# reading ----------------------------------------------------------------------------------------------------------


def current_snapshot(path: Path) -> str:
    """The name of the snapshot that CURRENT names; one sentence if `path` is no graph."""
    try:
        name = read_regular(path / CURRENT, most=64).decode("ascii").strip()
    except (FileNotFoundError, NotADirectoryError):
        raise FormatError(f"{path} {_what_it_is(path)}") from None
    except (OSError, ValueError) as error:
        reason = (error.strerror if isinstance(error, OSError) else None) or "it holds other bytes than text"
        raise FormatError(f"cannot read {path / CURRENT}: {reason}") from error
    if not NAME.fullmatch(name):
        raise DamagedGraph(f"{path / CURRENT} does not name a snapshot: restore it or build the graph again")
    return name


def _what_it_is(path: Path) -> str:
    if not path.exists():
        return "does not exist; make one with `clew build`"
    if not path.is_dir():
        return "is not a Clew graph directory; make one with `clew build`"
    if (path / MANIFEST).exists():
        return f"is a graph of an older format ({MANIFEST} beside its files, no {CURRENT}): build it again elsewhere"
    return f"is not a Clew graph: it has no {CURRENT}; make one with `clew build`"


def snapshot_folder(path: Path, name: str | None = None) -> Path:
    """The folder of the current snapshot of a graph, or of the one whose name begins so."""
    current = current_snapshot(path)
    if name is None:
        return path / SNAPSHOTS / current
    found = [each for each in snapshots_of(path) if each.startswith(name.lower())] if len(name) >= SHORTEST else []
    if len(found) == 1:
        return path / SNAPSHOTS / found[0]
    known = ", ".join(snapshots_of(path)[:8])
    if found:
        raise AmbiguousName(
            f"{len(found)} snapshots of {path} begin with {name!r}: known: {known}", candidates=(*found,)
        )
    raise UnknownName(
        f"{path} has no snapshot {name!r}: expected at least {SHORTEST} characters of the name of one: {known}"
    )


def snapshots_of(path: Path) -> list[str]:
    """The names of the snapshots in a graph's directory, the newest first."""
    try:
        found = [each for each in (path / SNAPSHOTS).iterdir() if NAME.fullmatch(each.name)]
    except OSError:
        return []
    return [each.name for each in sorted(found, key=lambda each: (-_written(each), each.name))]


def _written(folder: Path) -> int:
    """When a snapshot was finished; 0 for one without a manifest."""
    try:
        return (folder / MANIFEST).stat().st_mtime_ns
    except OSError:
        return 0


class Lease:
    """A snapshot of a graph, the current one or one by name, held for a reader: it stays as long as this object lives.

    Where the system has no locks, or the medium does not take them, nothing is held; a reader of a snapshot that was
    removed then gets `GraphReplaced`.
    """

    def __init__(self, path: Path, name: str | None = None) -> None:
        for _ in range(TRIES):
            self.folder = snapshot_folder(path, name).absolute()
            try:
                held = _hold(self.folder)
            except (FileNotFoundError, NotADirectoryError):
                if self.folder == snapshot_folder(path, name).absolute():
                    break
            else:
                if held is not None:
                    weakref.finalize(self, os.close, held)
                    return
                time.sleep(PAUSE)
        raise FormatError(
            f"{path / CURRENT} names a snapshot without a manifest ({self.folder / MANIFEST}): restore it or build the "
            "graph again"
        )


def _hold(folder: Path) -> int | None:
    """A descriptor that holds a snapshot; None if the snapshot is just being removed."""
    try:
        with open_regular(folder / MANIFEST) as file:
            held = os.dup(file.fileno())
    except (FileNotFoundError, NotADirectoryError):
        raise
    except OSError as error:
        raise FormatError(f"cannot read {folder / MANIFEST}: {error.strerror or error}") from error
    with suppress(OSError):
        if lock(held, shared=True) is not False and os.path.samestat(os.fstat(held), (folder / MANIFEST).stat()):
            return held
    os.close(held)
    return None


def replaced_or(damage: str, folder: Path) -> GraphError:
    """The error for a file of an open snapshot that cannot be read: the snapshot was removed, or it is damaged."""
    if os.path.lexists(folder / MANIFEST):
        return DamagedGraph(damage)
    return GraphReplaced(f"{folder.parent.parent}: this graph was replaced; open it again")


# writing ----------------------------------------------------------------------------------------------------------


@contextmanager
def new_snapshot(path: Path, *, overwrite: bool = False, keep: int = 0, after: str | None = None) -> Iterator[Path]:
    """Fill a folder; if the block succeeds, it becomes the current snapshot of the graph at `path`.

    With `overwrite` an existing graph gets a new snapshot; `keep` of its older ones stay, the newest first, and those
    that a reader holds. With `after`, that must still be the current snapshot. A directory that is not a graph is left
    alone unless it is empty.
    """
    given, path = path, Path(path).absolute()
    exists = _check(path, given, overwrite=overwrite)
    if exists:
        with suppress(OSError):
            remove_stale(path)  # of builders who were killed before the graph was there
    with temporary_directory(path / BUILD if exists else path, given) as temporary:
        (temporary / SNAPSHOTS / "new").mkdir(parents=True)
        yield temporary / SNAPSHOTS / "new"
        name = read_manifest(temporary / SNAPSHOTS / "new").snapshot
        (temporary / SNAPSHOTS / "new").rename(temporary / SNAPSHOTS / name)
        write_text(temporary / CURRENT, name + "\n")
        sync_tree(temporary)
        if not _check(path, given, overwrite=overwrite) and _appear(temporary, path):
            return
        if not overwrite:
            raise GraphError(_already(given))
        _publish(temporary, path, name, after=after)
        prune(path, keep=keep)


@contextmanager
def updating(path: Path) -> Iterator[None]:
    """Wait until no other program updates the graph at `path`; the others wait for this one.

    Leftovers of killed updates are removed, also by an update that turns out to change nothing.
    """
    with alone(path, f"another program has been updating {path} for {PATIENCE} seconds: try again later"):
        with suppress(OSError):
            remove_stale(path / BUILD)
        yield


def _check(path: Path, given: Path, *, overwrite: bool) -> bool:
    """Whether `path` is a graph; an error if it must not be changed, or is something else."""
    try:
        if not os.path.lexists(path):
            return False
        if not overwrite:
            raise GraphError(_already(given))
        if (path / CURRENT).is_file() and not (path / SNAPSHOTS).is_symlink():
            return True
        if path.is_dir() and not path.is_symlink() and not any(path.iterdir()):
            return False
    except ClewError:
        raise
    except (OSError, ValueError) as error:  # ValueError: a name with NUL
        reason = (error.strerror if isinstance(error, OSError) else None) or str(error)
        raise GraphError(f"cannot create {given}: {reason}") from error
    raise GraphError(
        f"{given} has no {CURRENT} beside a folder {SNAPSHOTS}, so it is not replaced: remove it yourself or choose "
        "another name"
    )


def _already(given: Path) -> str:
    return f"{given} already exists: choose another name or pass overwrite=True"


def _appear(temporary: Path, path: Path) -> bool:
    """Give a new graph its name; False if a graph has that name by now."""
    try:
        temporary.rename(path)  # also onto an empty directory
    except OSError as error:
        if error.errno in (errno.ENOTEMPTY, errno.EEXIST):
            return False
        raise
    sync(path.parent)
    return True


def _publish(temporary: Path, path: Path, name: str, *, after: str | None) -> None:
    """Move a finished snapshot among those of a graph and make it the current one."""
    mine, theirs = temporary / SNAPSHOTS / name, path / SNAPSHOTS / name
    theirs.parent.mkdir(exist_ok=True)
    with ExitStack() as held:  # so that other builders do not remove them
        held.enter_context(alone(theirs.parent, f"another program is replacing {path / CURRENT}: try again later"))
        if after is not None and current_snapshot(path) != after:
            raise GraphError(f"{path} was built again while it was updated: run the update again")
        _hold_in(held, mine)
        if not _hold_in(held, theirs) or _damaged(theirs):
            move_into_place(mine, theirs)
        (temporary / CURRENT).replace(path / CURRENT)
        sync(path)


def _hold_in(stack: ExitStack, folder: Path) -> bool:
    """Hold a snapshot until the stack is closed; False if it is not there. One that is being removed is waited for."""
    with suppress(OSError):
        for _ in range(TRIES):
            if (held := _hold(folder)) is not None:
                stack.callback(os.close, held)
                return True
            time.sleep(PAUSE)
    return False


def _damaged(folder: Path) -> bool:
    try:
        return bool(find_damage(folder))
    except GraphError:
        return True


def prune(path: Path, *, keep: int = 0, unsure: bool = False) -> list[str]:
    """Remove snapshots that are neither current nor held by a reader, with what is derived from them; their names.

    The `keep` newest of them stay. Where locks do not tell whether a snapshot is held it stays, unless `unsure`.
    """
    older = [each for each in snapshots_of(path) if each != current_snapshot(path)]
    removed = [name for name in older[keep:] if _removed(path, name, unsure=unsure)]
    there = set(snapshots_of(path))
    if not (path / DERIVED).is_symlink():
        with suppress(OSError):
            for each in (path / DERIVED).iterdir():
                if NAME.fullmatch(each.name) and each.name not in there:
                    _remove_at_once(path, each)
    return removed


def _removed(path: Path, name: str, *, unsure: bool) -> bool:
    """Remove one snapshot unless a reader or builder holds it; whether it was removed."""
    folder = path / SNAPSHOTS / name
    with suppress(OSError), ExitStack() as held:
        if os.path.lexists(folder / MANIFEST):  # without one nobody can have opened it
            file = held.enter_context(open_regular(folder / MANIFEST))
            free = lock(file.fileno())
            same = os.path.samestat(os.fstat(file.fileno()), (folder / MANIFEST).stat())
            if not same or not (free or (free is None and unsure)):
                return False
        if current_snapshot(path) != name:
            _remove_at_once(path, folder)
            return True
    return False


def _remove_at_once(path: Path, folder: Path) -> None:
    """Remove a folder of a graph so that half of it is never seen under its name, whenever the process ends."""
    with temporary_directory(path / BUILD) as hidden:
        folder.rename(hidden / folder.name)
