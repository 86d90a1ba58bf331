"""Registries: names of implementations, imported only when used.

A registry maps a name to "module:attribute" and the extra that installs its dependencies, so listing the names never
imports a heavy library.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any

from clew.errors import MissingDependency, UnknownName

__all__ = ["Entry", "Registry"]


@dataclass(frozen=True, slots=True)
class Entry:
    """The import path of an implementation, a short summary, and the extra it needs."""

    target: str  # "package.module:attribute"
    summary: str
    extra: str | None = None


class Registry:
    """A named family of implementations, such as backends or readers.

    >>> shapes = Registry("shape", {"deque": Entry("collections:deque", "a queue")})
    >>> shapes.load("deque")([1, 2])
    deque([1, 2])
    """

    def __init__(self, family: str, entries: Mapping[str, Entry]) -> None:
        self.family = family
        self._entries = dict(entries)

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def entry(self, name: str) -> Entry:
        """The entry of a name; an unknown name is an error that lists the known ones."""
        try:
            return self._entries[name]
        except KeyError:
            close = tuple(get_close_matches(name, self._entries, n=1))
            hint = f"did you mean {close[0]!r}? " if close else ""
            known = ", ".join(self._entries)
            raise UnknownName(f"no {self.family} is called {name!r}: {hint}known: {known}", close=close) from None

    def load(self, name: str) -> Any:
        """Import and return the implementation."""
        entry = self.entry(name)
        module, _, attribute = entry.target.partition(":")
        try:
            return getattr(import_module(module), attribute)
        except ImportError as error:
            if entry.extra is None or (error.name or "").startswith("clew"):
                raise
            raise MissingDependency(
                f"the {name!r} {self.family} needs the library {error.name!r}: pip install 'clew[{entry.extra}]'"
            ) from error
