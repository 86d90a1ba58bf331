"""How long work reports that it moves on: the library calls, only interfaces draw."""

from collections.abc import Iterable, Iterator
from typing import Protocol, TypeVar

__all__ = ["Progress", "silent", "track"]

T = TypeVar("T")


class Progress(Protocol):
    """Told what is being done, how much is done, and how much there is (None when nobody knows)."""

    def __call__(self, task: str, done: int, total: int | None) -> None: ...


def silent(task: str, done: int, total: int | None) -> None:
    """The default progress: says nothing."""


def track(items: Iterable[T], task: str, progress: Progress, *, total: int | None = None) -> Iterator[T]:
    """Pass `items` on, reporting after each.

    >>> list(track("ab", "letters", silent))
    ['a', 'b']
    """
    progress(task, 0, total)
    for done, item in enumerate(items, start=1):
        yield item
        progress(task, done, total)
