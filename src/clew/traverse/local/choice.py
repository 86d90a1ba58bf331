"""The backend in use: the requested one, or with `auto` first NumPy and then compiled code.

Loading compiled code takes about a second. `auto` uses NumPy until that has cost about as much as loading would have,
or for a few hops, then switches: a ski-rental strategy, at most about twice the cost of the best choice.
"""

import threading
from collections.abc import Callable
from typing import Any

from clew.traverse.backend import BACKENDS, Backend, Frontiers, FusedWalk
from clew.traverse.local.view import View

__all__ = ["Choice", "Use"]

PATIENCE_HOPS = 8
PATIENCE_SECONDS = 0.25


class Use:
    """A named backend, with what its steps take of each view: `prepare` makes a list of that, one for each step."""

    __slots__ = ("_lock", "_prepare", "backend", "name")

    def __init__(self, name: str, backend: Frontiers, prepare: Callable[[View], list[Any]]) -> None:
        self.name = name
        self.backend = backend
        self._prepare = prepare
        self._lock = threading.Lock()

    @classmethod
    def of_rows(cls, name: str, backend: Backend) -> "Use":
        """A backend that walks the rows of each segment in memory."""

        def prepare(view: View) -> list[Any]:
            pairs = zip(view.adjacencies, view.segments, strict=True)
            return [backend.prepare(rows, segment.first, view.entities) for rows, segment in pairs]

        return cls(name, backend, prepare)

    def prepared(self, view: View) -> list[Any]:
        """What the steps over a view take, made once."""
        made: list[Any] | None = view.prepared.get(self.name)
        if made is None:
            with self._lock:
                made = view.prepared.get(self.name)
                if made is None:
                    made = view.prepared[self.name] = self._prepare(view)
        return made

    def fused(self, view: View) -> FusedWalk | None:
        """Fused walks, if the backend has them and one segment contains every entity."""
        return self.backend.fused if len(view.segments) == 1 else None


class Choice:
    """The backend in use for one graph. `use` may change under `auto`: read it once for each operation."""

    def __init__(
        self,
        backend: str | Backend | Use,
        plain: View | None,
        *,
        wrap: Callable[[Backend], Backend] = lambda backend: backend,
    ) -> None:
        self.auto = backend == "auto"
        self.settled = not self.auto
        self._plain = plain  # prepared as soon as compiled code is loaded
        self._wrap = wrap
        self._hops = 0
        self._seconds = 0.0
        self._lock = threading.Lock()
        if isinstance(backend, str):
            name = "numpy" if self.auto else backend
            self.use = self._load(name)
        else:
            self.use = backend if isinstance(backend, Use) else Use.of_rows(type(backend).__name__, wrap(backend))

    def _load(self, name: str) -> Use:
        return Use.of_rows(name, self._wrap(BACKENDS.load(name)()))

    def scans(self, view: View) -> bool:
        """Whether scanning is cheaper than compiling for a hop over this view."""
        return self.auto and view.worth_scanning()

    def note(self, seconds: float) -> None:
        """Add up the cost without compiled code; switch when it is high enough."""
        if not self.settled:
            self._hops += 1
            self._seconds += seconds
            if self._hops >= PATIENCE_HOPS or self._seconds > PATIENCE_SECONDS:
                self.compile()

    def expect(self, queries: int) -> None:
        """Many queries are coming: switch at once."""
        if queries >= PATIENCE_HOPS:
            self.compile()

    def compile(self) -> None:
        """Load compiled code and prepare the unfiltered graph for it."""
        with self._lock:
            if not self.settled:
                use = self._load("numba")
                if self._plain is not None:
                    use.prepared(self._plain)
                self.use = use
                self.settled = True
