"""Progress reports: the library calls `progress`, only interfaces draw bars."""

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

__all__ = ["Progress", "silent", "track"]

T = TypeVar("T")


class Progress(Protocol):
    """Called with the task, the amount done, and the total (None if unknown)."""

    def __call__(self, task: str, done: int, total: int | None) -> None: ...


def silent(task: str, done: int, total: int | None) -> None:
    """The default: no reports."""


def track(items: Iterable[T], task: str, progress: Progress, *, total: int | None = None) -> Iterator[T]:
    """Yield `items`, reporting after each.

    >>> list(track("ab", "letters", silent))
    ['a', 'b']
    """
    progress(task, 0, total)
    for done, item in enumerate(items, start=1):
        yield item
        progress(task, done, total)
