"""Every error Clew raises on purpose.

    ClewError
    ├── InputError (ValueError)          an argument or input that cannot be used
    │   ├── QueryError                   Cypher that is invalid or not read-only
    │   ├── UnknownName (LookupError)    no entity, relation, type or option of that name
    │   └── AmbiguousName (LookupError)  a name shared by several entities
    ├── BuildError (ValueError)          source rows that cannot become a graph
    ├── GraphError (OSError)             a graph directory that cannot be read or written
    │   ├── FormatError                  not a graph, or an unsupported format version
    │   ├── DamagedGraph                 a file is missing, truncated or altered
    │   ├── GraphReplaced                the open snapshot of a graph was removed
    │   ├── DerivedError                 an index or store derived from a graph is missing or stale
    │   │   └── DamagedDerived           it is damaged
    │   └── SignatureError               a graph is not signed, or not with this key
    ├── StoreError (RuntimeError)        a Cypher store that cannot be reached, loaded or queried
    ├── ModelError (RuntimeError)        a language model or encoder that fails or returns unusable output
    │   ├── MissingModel (LookupError)   the model is not on this machine
    │   └── ContextOverflow (ValueError) a prompt that exceeds the model's context window
    ├── MissingDependency (ImportError)  an optional library is not installed; the message names the extra
    ├── Timeout (TimeoutError)           the time limit was reached
    └── Cancelled                        the caller cancelled the operation

Messages are one line: what was received, what was expected and what to do next.
"""

__all__ = [
    "AmbiguousName",
    "BuildError",
    "Cancelled",
    "ClewError",
    "ContextOverflow",
    "DamagedDerived",
    "DamagedGraph",
    "DerivedError",
    "FormatError",
    "GraphError",
    "GraphReplaced",
    "InputError",
    "MissingDependency",
    "MissingModel",
    "ModelError",
    "QueryError",
    "SignatureError",
    "StoreError",
    "Timeout",
    "UnknownName",
]


class ClewError(Exception):
    """The root: `except ClewError` catches everything Clew raises on purpose."""

    def __str__(self) -> str:
        return str(self.args[0]) if self.args else type(self).__name__


class InputError(ClewError, ValueError):
    """An argument or input that cannot be used."""


class UnknownName(InputError, LookupError):
    """No entity, relation, type or option of that name; `close` lists likely matches."""

    def __init__(self, message: str, *, close: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.close = close


class AmbiguousName(InputError, LookupError):
    """A name shared by several entities; `candidates` lists their ids."""

    def __init__(self, message: str, *, candidates: tuple[str, ...] = ()) -> None:
        super().__init__(message)
        self.candidates = candidates


class BuildError(ClewError, ValueError):
    """Source rows that cannot become a graph; the message names file and line."""


class GraphError(ClewError, OSError):
    """A graph directory that cannot be read or written."""


class FormatError(GraphError):
    """Not a graph, or an unsupported format version."""


class DamagedGraph(GraphError):
    """A file of the graph is missing, truncated or altered."""


class GraphReplaced(GraphError):
    """The snapshot that was opened has been removed; the graph must be opened again."""


class DerivedError(GraphError):
    """An index or store derived from a graph is missing, stale or damaged; the message names the command that rebuilds
    it."""


class DamagedDerived(DerivedError):
    """A file derived from a graph is missing, truncated or altered: what it says is not used."""


class SignatureError(GraphError):
    """A graph is not signed, or not with the key that was given."""


class QueryError(InputError):
    """Cypher that is invalid or not read-only; `position` is a character offset."""

    def __init__(self, message: str, *, position: int | None = None) -> None:
        super().__init__(message)
        self.position = position


class StoreError(ClewError, RuntimeError):
    """A Cypher store that cannot be reached, loaded or queried."""


class ModelError(ClewError, RuntimeError):
    """A language model or encoder that fails or returns unusable output."""


class MissingModel(ModelError, LookupError):
    """The model is not on this machine; the message says how to get it."""


class ContextOverflow(ModelError, ValueError):
    """A prompt that exceeds the model's context window; nothing is truncated silently."""


class MissingDependency(ClewError, ImportError):
    """An optional library is not installed; the message names the extra to install."""


class Timeout(ClewError, TimeoutError):
    """The time limit was reached."""


class Cancelled(ClewError):
    """The caller cancelled the operation."""
