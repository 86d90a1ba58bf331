"""A layer under the file operations of this process that knows what would be on disk if the power failed now.

What was flushed with fsync is certain: the contents of a file, the entries of a directory. Of all else a disk may have
nothing (`lazy`), names without contents (`eager`), or half of the contents, as in the middle of a write (`torn`). Every
write of a file, fsync, rename, link and removal is a moment to fail at.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any

from file_operations import watched

__all__ = ["ADVERSARIES", "Disk", "Found", "PowerLoss", "lay_out"]

ADVERSARIES = ("lazy", "eager", "torn")
Found = dict[str, tuple[int, bytes] | None]  # name → number of the file and its contents, None for a folder


class PowerLoss(BaseException):
    """The power failed; nothing of the process goes on."""


class Disk:
    """The files below a folder, and which of them are certain to outlive a power failure."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.moments = 0
        self._contents: dict[int, bytes] = {}  # inode → what was flushed
        self._entries: dict[int, dict[str, int]] = {}  # inode of a directory → name → inode
        self._held = ExitStack()  # an open file keeps its inode from being given to another
        self._seen: set[int] = set()
        self._looking = False
        for each in (folder, *folder.rglob("*")):
            if each.stat().st_ino not in self._contents:
                self._flush(each)

    @contextmanager
    def watched(self, at: Callable[[int], None]) -> Iterator[None]:
        """Call `at` with its number before every operation; it may raise PowerLoss."""

        def before() -> None:
            if self._looking:  # an operation of `at`
                return
            self._looking, now = True, self.moments
            self.moments += 1
            try:
                at(now)
            finally:
                self._looking = False

        def after(name: str, arguments: tuple[Any, ...]) -> None:
            if name == "fsync" and not self._looking:
                self._flush(Path(f"/proc/self/fd/{arguments[0]}"))

        with self._held, watched(before, after):
            yield

    def _flush(self, path: Path) -> None:
        status = path.stat()
        if status.st_ino not in self._seen:
            self._seen.add(status.st_ino)
            held = os.open(path, os.O_RDONLY)
            self._held.callback(os.close, held)
        if S_ISDIR(status.st_mode):
            self._entries[status.st_ino] = {each.name: each.lstat().st_ino for each in path.iterdir()}
            for each in path.iterdir():
                if each.is_dir():
                    self._entries.setdefault(each.lstat().st_ino, {})  # there, and nothing in it is certain
        elif S_ISREG(status.st_mode):
            self._contents[status.st_ino] = path.read_bytes()

    def after_power_loss(self, adversary: str) -> Found:
        """What would be found."""
        found: Found = {}
        if adversary == "lazy":
            self._lazy(self.folder.stat().st_ino, "", found)
        else:
            self._named(str(self.folder), "", found, {}, torn=adversary == "torn")
        return found

    def _lazy(self, directory: int, place: str, found: Found) -> None:
        for name, inode in self._entries[directory].items():
            if inode in self._entries:
                found[f"{place}{name}/"] = None
                self._lazy(inode, f"{place}{name}/", found)
            else:
                found[f"{place}{name}"] = inode, self._contents.get(inode, b"")

    def _named(self, folder: str, place: str, found: Found, read: dict[int, bytes], *, torn: bool) -> None:
        with os.scandir(folder) as listed:
            for each in listed:
                if each.is_dir():
                    found[f"{place}{each.name}/"] = None
                    self._named(each.path, f"{place}{each.name}/", found, read, torn=torn)
                    continue
                inode = each.inode()
                if inode not in read:
                    with open(each.path, "rb") as file:
                        content, certain = file.read(), self._contents.get(inode)
                    left = content[: len(content) // 2] if torn else b""
                    read[inode] = content if certain == content else left
                found[f"{place}{each.name}"] = inode, read[inode]


def lay_out(found: Found, folder: Path) -> None:
    """Write what would be found; a file that has several names stays one."""
    folder.mkdir()
    written: dict[int, str] = {}
    for name, file in found.items():
        path = f"{folder}/{name}"
        if file is None:
            Path(path).mkdir()
        elif file[0] in written:
            os.link(written[file[0]], path)
        else:
            with open(path, "wb") as out:
                out.write(file[1])
            written[file[0]] = path
