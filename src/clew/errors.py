"""Every error Clew raises on purpose.

    ClewError
    ├── InputError (ValueError)          what the caller gave cannot be used
    │   ├── UnknownName (LookupError)    no entity, relation, type or option of that name
    │   └── AmbiguousName (LookupError)  a name that several entities carry
    ├── BuildError (ValueError)          source rows that cannot become a graph
    ├── GraphError (OSError)             a graph directory that cannot be read or written
    │   ├── FormatError                  not a graph, or one of a format this version does not know
    │   └── DamagedGraph                 a file is missing, truncated or altered
    ├── MissingDependency (ImportError)  an optional library is not installed; the message names the extra
    ├── Timeout (TimeoutError)           the time allowed ran out
    └── Cancelled                        the caller asked to stop

A message says what was received, what was expected and what to do next, in one line.
"""

__all__ = [
    "AmbiguousName",
    "BuildError",
    "Cancelled",
    "ClewError",
    "DamagedGraph",
    "FormatError",
    "GraphError",
    "InputError",
    "MissingDependency",
    "Timeout",
    "UnknownName",
]


class ClewError(Exception):
    """The root: `except ClewError` catches everything Clew raises on purpose."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else type(self).__name__


class InputError(ClewError, ValueError):
    """What the caller gave cannot be used."""


class UnknownName(InputError, LookupError):
    """No entity, relation, type or option of that name; `close` lists what was probably meant."""

    def __init__(self, message: str, *, close: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.close = close


class AmbiguousName(InputError, LookupError):
    """A name that several entities carry; `candidates` lists their ids."""

    def __init__(self, message: str, *, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class BuildError(ClewError, ValueError):
    """Source rows that cannot become a graph; the message names file and line."""


class GraphError(ClewError, OSError):
    """A graph directory that cannot be read or written."""


class FormatError(GraphError):
    """Not a graph, or a graph of a format this version does not know."""


class DamagedGraph(GraphError):
    """A file of the graph is missing, truncated or altered."""


class MissingDependency(ClewError, ImportError):
    """An optional library is not installed; the message names the extra to install."""


class Timeout(ClewError, TimeoutError):
    """The time allowed for a piece of work ran out."""


class Cancelled(ClewError):
    """The caller asked for the work to stop."""
