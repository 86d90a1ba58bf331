"""The rows of a table that are asked for by name."""

from collections.abc import Collection, Iterable

from clew.errors import InputError, UnknownName

__all__ = ["known_rows"]


def known_rows(named: Iterable[str], known: Collection[str]) -> list[str]:
    """The rows that are named, each once; an error that lists the known ones if one is unknown, or none is named."""
    rows = list(dict.fromkeys(named))
    if not rows:
        raise InputError(f"no row is named: known: {'; '.join(known)}")
    for row in rows:
        if row not in known:
            raise UnknownName(f"no row is called {row!r}: known: {'; '.join(known)}")
    return rows
