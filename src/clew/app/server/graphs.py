"""The graphs of a server, by name: each opened once, made ready for questions, and opened again when it was rebuilt.

A request works on the snapshot that was current when it came in. The one before is closed with the last request that
uses it.
"""

import asyncio
import logging
import threading
import time
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path

from clew.answer import STRATEGIES, Asker, Resources
from clew.answer.kept import words_of
from clew.answer.lexicon.own_words import FILE as WORDS
from clew.answer.models.capability import is_trained
from clew.answer.models.query_reader import query_reader_of
from clew.app.assemble import DEFAULT_STRATEGY, Settings, make_strategy, open_graph
from clew.app.server.entity_texts import EntityTexts
from clew.errors import ClewError, UnknownName
from clew.graph.storage.snapshots import CURRENT
from clew.lm import LanguageModel
from clew.progress import Progress, silent

__all__ = ["Graphs", "OpenGraph", "UnknownGraph", "strategies"]

log = logging.getLogger(__name__)
LOOK = 0.1  # seconds between two looks at the files of a graph
Signature = tuple[tuple[int, int, int] | None, ...]


class UnknownGraph(UnknownName):
    """No graph of that name is served."""


class OpenGraph:
    """One snapshot of a graph, with all that answering over it needs; safe to use from many threads."""

    def __init__(
        self,
        name: str,
        path: Path,
        *,
        model: LanguageModel | None = None,
        encoder: str | None = "default",
        progress: Progress = silent,
    ) -> None:
        self.name = name
        self.engine = open_graph(str(path), backend="numba")
        self.snapshot, self.triples = self.engine.snapshot.id, self.engine.counts["triples"]
        self.texts = EntityTexts(self.engine)
        self.resources = Resources(self.engine, model=model, encoder=encoder, progress=progress)
        self._askers: dict[str, Asker] = {}
        self._guard = threading.Lock()

    def asker(self, strategy: str = DEFAULT_STRATEGY) -> Asker:
        """The asker of a strategy; all share what they answer from."""
        with self._guard:
            if strategy not in self._askers:
                made = make_strategy(Settings(self.name, strategy=strategy))
                self._askers[strategy] = Asker(self.resources, made)
            return self._askers[strategy]

    def prepare(self) -> None:
        """Open what questions need and compile what hops need, so that no request waits for it."""
        if self.engine.counts["entities"]:
            for direction in ("out", "in", "both"):
                self.engine.hop([0], 2, direction=direction)
                self.engine.distances([0], 1, direction=direction)
        resources = self.resources
        words_of(resources), resources.linker, resources.parser, resources.sketch_parser, resources.store
        if resources.model is not None and is_trained(resources.model):
            query_reader_of(resources)


class _Served:
    """One graph of the server: where it is, what is open of it, and whether it is being opened again."""

    def __init__(self, path: Path, opened: OpenGraph, signature: Signature) -> None:
        self.path, self.opened, self.signature = path, opened, signature
        self.opening = False
        self.looked = 0.0  # when it was last looked at, on the monotonic clock


class Graphs:
    """Graphs by name. `get` belongs to the event loop; opening happens in a thread of its own."""

    def __init__(
        self,
        paths: Mapping[str, Path],
        *,
        model: LanguageModel | None = None,
        encoder: str | None = "default",
        progress: Progress = silent,
    ) -> None:
        self._model, self._encoder, self._progress = model, encoder, progress
        self._opener = ThreadPoolExecutor(1, thread_name_prefix="clew-open")
        self._served: dict[str, _Served] = {}
        for name, path in paths.items():
            signature = _signature(path)
            self._served[name] = _Served(path, self._open(name, path), signature)

    def __iter__(self) -> Iterator[OpenGraph]:
        return iter(each.opened for each in self._served.values())

    def get(self, name: str) -> OpenGraph:
        """The graph of that name; one that was rebuilt is opened in the background, and served as soon as it is."""
        served = self._served.get(name)
        if served is None:
            close = tuple(get_close_matches(name, self._served, n=3))
            known = ", ".join(self._served)
            raise UnknownGraph(f"no graph is called {name[:64]!r} on this server: known: {known}", close=close)
        if not served.opening and (now := time.monotonic()) - served.looked > LOOK:
            served.looked = now
            self._look(name, served)
        return served.opened

    def _look(self, name: str, served: _Served) -> None:
        """Open a graph again if it has changed."""
        signature = _signature(served.path)
        if signature != served.signature and signature[0] is not None:
            served.opening, served.signature = True, signature
            asyncio.get_running_loop().run_in_executor(self._opener, self._reopen, name, served)

    def close(self) -> None:
        """Close all graphs; requests that still use them end with an error."""
        self._opener.shutdown(wait=False, cancel_futures=True)
        for each in self._served.values():
            with suppress(ClewError):
                each.opened.resources.close()

    def _open(self, name: str, path: Path) -> OpenGraph:
        opened = OpenGraph(name, path, model=self._model, encoder=self._encoder, progress=self._progress)
        try:
            opened.prepare()
        except ClewError as error:
            log.warning("graph is served without questions", extra={"graph": name, "error": str(error)})
        return opened

    def _reopen(self, name: str, served: _Served) -> None:
        try:
            served.opened = self._open(name, served.path)
            log.info("new snapshot", extra={"graph": name, "snapshot": served.opened.snapshot})
        except ClewError as error:
            log.warning("new snapshot cannot be opened", extra={"graph": name, "error": str(error)})
        finally:
            served.opening = False


def strategies() -> list[str]:
    """The strategies that a request may name, the default first."""
    return sorted(STRATEGIES, key=lambda name: (name != DEFAULT_STRATEGY, name))


def _signature(path: Path) -> Signature:
    """What changes when a graph gets a new snapshot or new words."""
    return _identity(path / CURRENT), _identity(path / WORDS)


def _identity(path: Path) -> tuple[int, int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
