"""Every error Clew raises on purpose.

    ClewError
    ├── InputError (ValueError)          what the caller gave cannot be used
    │   ├── QueryError                   Cypher that cannot be read, or that does more than read
    │   ├── UnknownName (LookupError)    no entity, relation, type or option of that name
    │   └── AmbiguousName (LookupError)  a name that several entities carry
    ├── BuildError (ValueError)          source rows that cannot become a graph
    ├── GraphError (OSError)             a graph directory that cannot be read or written
    │   ├── FormatError                  not a graph, or one of a format this version does not know
    │   ├── DamagedGraph                 a file is missing, truncated or altered
    │   └── DerivedError                 an index or store made from a graph is missing, stale or damaged
    ├── StoreError (RuntimeError)        a Cypher store that cannot be reached, filled or asked
    ├── ModelError (RuntimeError)        a language model or encoder that fails or answers nonsense
    │   ├── MissingModel (LookupError)   the model is not on this machine
    │   └── ContextOverflow (ValueError) a prompt that does not fit the model's window
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
    "ContextOverflow",
    "DamagedGraph",
    "DerivedError",
    "FormatError",
    "GraphError",
    "InputError",
    "MissingDependency",
    "MissingModel",
    "ModelError",
    "QueryError",
    "StoreError",
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


class DerivedError(GraphError):
    """An index or store made from a graph is missing, of another graph or model, or damaged; the message says what
    builds it anew."""


class QueryError(InputError):
    """Cypher that cannot be read, or that does more than read; `position` is where, counted in characters."""

    def __init__(self, message: str, *, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class StoreError(ClewError, RuntimeError):
    """A Cypher store that cannot be reached, filled or asked."""


class ModelError(ClewError, RuntimeError):
    """A language model or encoder that fails or answers nonsense."""


class MissingModel(ModelError, LookupError):
    """The model is not on this machine; the message says how to get it."""


class ContextOverflow(ModelError, ValueError):
    """A prompt that does not fit the model's window; nothing is cut in silence."""


class MissingDependency(ClewError, ImportError):
    """An optional library is not installed; the message names the extra to install."""


class Timeout(ClewError, TimeoutError):
    """The time allowed for a piece of work ran out."""


class Cancelled(ClewError):
    """The caller asked for the work to stop."""
