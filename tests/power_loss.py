"""A layer under the file operations of this process that knows what would be on disk if the power failed now.

What was flushed with fsync is certain: the contents of a file, the entries of a directory. Of all else a disk may have
nothing (`lazy`), names without contents (`eager`), or half of the contents, as in the middle of a write (`torn`). Every
fsync, rename and link is a moment to fail at.
"""

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import Any

import pytest

__all__ = ["ADVERSARIES", "Disk", "PowerLoss"]

ADVERSARIES = ("lazy", "eager", "torn")
OPERATIONS = ("fsync", "rename", "replace", "link")


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
        for each in (folder, *folder.rglob("*")):
            self._flush(each)

    @contextmanager
    def watched(self, at: Callable[[int], None]) -> Iterator[None]:
        """Call `at` with its number before every operation; it may raise PowerLoss."""
        with pytest.MonkeyPatch.context() as patch:
            for name in OPERATIONS:
                patch.setattr(os, name, self._hooked(name, getattr(os, name), at))
            try:
                yield
            finally:
                self._held.close()

    def _hooked(self, name: str, real: Callable[..., Any], at: Callable[[int], None]) -> Callable[..., Any]:
        def operation(*arguments: Any, **options: Any) -> Any:
            at(self.moments)
            self.moments += 1
            done = real(*arguments, **options)
            if name == "fsync":
                self._flush(Path(f"/proc/self/fd/{arguments[0]}"))
            return done

        return operation

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

    def after_power_loss(self, adversary: str, out: Path) -> None:
        """Lay out what would be found."""
        out.mkdir()
        if adversary == "lazy":
            self._lazy(self.folder.stat().st_ino, out)
        else:
            self._named(self.folder, out, torn=adversary == "torn")

    def _lazy(self, directory: int, out: Path) -> None:
        for name, inode in self._entries[directory].items():
            if inode in self._entries:
                (out / name).mkdir()
                self._lazy(inode, out / name)
            else:
                (out / name).write_bytes(self._contents.get(inode, b""))

    def _named(self, folder: Path, out: Path, *, torn: bool) -> None:
        for each in folder.iterdir():
            if each.is_dir():
                (out / each.name).mkdir()
                self._named(each, out / each.name, torn=torn)
            else:
                content = each.read_bytes()
                certain = self._contents.get(each.stat().st_ino)
                left = content[: len(content) // 2] if torn else b""
                (out / each.name).write_bytes(content if certain == content else left)
