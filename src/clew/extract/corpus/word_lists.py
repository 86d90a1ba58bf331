"""The lists of words in `word_lists.txt`, by name."""

from functools import cache
from pathlib import Path

__all__ = ["WORD_LISTS", "word_list"]

WORD_LISTS = Path(__file__).with_name("word_lists.txt")


def word_list(name: str) -> frozenset[str]:
    """The words of one list.

    >>> "zebrafish" in word_list("animals")
    True
    """
    return frozenset(_lists()[name])


@cache
def _lists() -> dict[str, list[str]]:
    lists: dict[str, list[str]] = {}
    current: list[str] = []
    for line in WORD_LISTS.read_text("utf-8").splitlines():
        if line.startswith("["):
            current = lists.setdefault(line.strip("[]"), [])
        elif not line.startswith("#"):
            current += line.split()
    return lists
