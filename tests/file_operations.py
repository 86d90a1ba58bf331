"""Every operation of this process that changes files, wrapped: file layers with faults are made of this."""

import builtins
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pyarrow as pa
import pytest

__all__ = ["failing", "watched"]

CHANGES = ("fsync", "link", "mkdir", "rename", "replace", "rmdir", "unlink")
OPENERS = ((builtins, "open"), (io, "open"), (pa, "OSFile"))
Before = Callable[[], None]
After = Callable[[str, tuple[Any, ...]], None]


@contextmanager
def watched(before: Before, after: After = lambda name, arguments: None) -> Iterator[None]:
    """Call `before` ahead of each: a file opened to be written, fsync, link, rename, mkdir, a removal; then `after`."""
    with pytest.MonkeyPatch.context() as patch:
        for name in CHANGES:
            patch.setattr(os, name, _change(name, getattr(os, name), before, after))
        for module, name in OPENERS:
            patch.setattr(module, name, _opener(getattr(module, name), before))
        yield


@contextmanager
def failing(moment: int, fault: BaseException) -> Iterator[Iterator[int]]:
    """Raise `fault` at the file operation of this number; gives the numbers of those that remain until then."""
    left = iter(range(moment, -1, -1))

    def fail() -> None:
        if next(left, None) == 0:
            raise fault

    with watched(fail):
        yield left


def _change(name: str, real: Callable[..., Any], before: Before, after: After) -> Callable[..., Any]:
    def operation(*arguments: Any, **options: Any) -> Any:
        before()
        done = real(*arguments, **options)
        after(name, arguments)
        return done

    return operation


def _opener(real: Callable[..., Any], before: Before) -> Callable[..., Any]:
    def opened(file: Any, mode: str = "r", *arguments: Any, **options: Any) -> Any:
        if set(mode) & set("wxa+"):
            before()
        return real(file, mode, *arguments, **options)

    return opened
