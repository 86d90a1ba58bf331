"""What strategies answer from: a graph's engine, schema, linker and store, an encoder and a language model.

Each is opened when it is first asked for, once, however many threads ask; an opening that fails is tried again by
whoever asks next. `once` does the same for what a strategy derives from them.
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, TypeVar

from clew.closing import Closing
from clew.errors import ClewError, DamagedDerived, DerivedError, InputError, MissingModel
from clew.link import Linker
from clew.progress import Progress, silent
from clew.store.layout import StoreSchema, lay_out
from clew.store.store import Store, open_store
from clew.traverse import GraphEngine, open

if TYPE_CHECKING:
    from clew.answer.grammar.parse import Parser
    from clew.answer.hearing.parser import SketchParser
    from clew.embed import Encoder
    from clew.lm import LanguageModel

__all__ = ["DEFAULT_ENCODER", "Resources"]

log = logging.getLogger(__name__)
Made = TypeVar("Made")
DEFAULT_ENCODER = "default"  # the default encoder if its model is on this machine, else none


class Resources(Closing):
    """Opens what answering over one graph needs, lazily and safely from many threads.

    `graph` is an opened engine or the path of a graph; `store` a store or its address; `encoder` and `model` are opened
    ones, names or paths, or None for none. `close` closes what was opened here and nothing that was handed in.
    """

    def __init__(
        self,
        graph: GraphEngine | str | Path,
        *,
        store: Store | str = "embedded",
        encoder: "Encoder | str | None" = DEFAULT_ENCODER,
        model: "LanguageModel | str | None" = None,
        progress: Progress = silent,
    ) -> None:
        self._graph = graph
        self._store = store
        self._encoder = encoder
        self._model = model
        self._progress = progress
        self._kept: dict[str, Any] = {}
        self._locks: dict[str, Lock] = {}
        self._guard = Lock()
        self._closed = False

    def once(self, name: str, make: Callable[[], Made]) -> Made:
        """What is kept under a name; made by the first who asks for it, while others wait."""
        with self._guard:
            if self._closed:
                raise InputError("these resources are closed: open new ones")
            lock = self._locks.setdefault(name, Lock())
        with lock:
            if name not in self._kept:
                self._kept[name] = make()
            made: Made = self._kept[name]
            return made

    @property
    def engine(self) -> GraphEngine:
        """The engine that walks the graph."""
        graph = self._graph
        return self.once("engine", lambda: open(graph) if isinstance(graph, str | Path) else graph)

    @property
    def schema(self) -> StoreSchema:
        """What queries over the graph can name; made from the graph, without any store."""
        return self.once("schema", lambda: lay_out(self.engine))

    @property
    def linker(self) -> Linker:
        """Links names to entities: by meaning too, where `clew index` has made vectors of them."""
        return self.once("linker", self._open_linker)

    @property
    def store(self) -> Store:
        """The store that runs queries; an embedded one is built if there is none."""
        store = self._store
        if not isinstance(store, str):
            return store
        return self.once("store", lambda: open_store(store, self.engine, build=True, progress=self._progress))

    @property
    def encoder(self) -> "Encoder | None":
        """The encoder that ranks by meaning, if there is one."""
        return self.once("encoder", self._open_encoder)

    @property
    def parser(self) -> "Parser | None":
        """The parser of English questions, if it is on this machine."""
        from clew.answer.grammar.parse import open_parser

        return self.once("parser", open_parser)

    @property
    def sketch_parser(self) -> "SketchParser | None":
        """The parser that writes sketches of questions, if it and the encoder, which grounds them, are there."""
        return self.once("sketch parser", self._open_sketch_parser)

    @property
    def model(self) -> "LanguageModel | None":
        """The language model, if there is one."""
        return self.once("model", self._open_model)

    def close(self) -> None:
        """Close the store, the model and the engine that were opened here; closing twice is harmless."""
        with self._guard:
            self._closed = True
        for name, handed_in in (("store", self._store), ("model", self._model), ("engine", self._graph)):
            opened = self._kept.get(name)
            if opened is not None and opened is not handed_in:
                opened.close()
        self._kept.clear()

    def _open_linker(self) -> Linker:
        linker = Linker(self.engine, encoder=self.encoder, progress=self._progress)
        try:
            linker.vectors  # noqa: B018 - opened now, while it can be done without them
        except DamagedDerived:  # they were there, and answers would change silently
            raise
        except DerivedError as missing:
            log.info("names are not linked by meaning: %s", missing)
            linker.encoder = None
        return linker

    def _open_encoder(self) -> "Encoder | None":
        if not isinstance(self._encoder, str):
            return self._encoder
        if self._encoder != DEFAULT_ENCODER:
            from clew.embed import open_encoder

            return open_encoder(self._encoder)
        from clew.embed.encoders.onnx import share_minilm

        with suppress(MissingModel):
            return share_minilm()
        return None

    def _open_sketch_parser(self) -> "SketchParser | None":
        if self.encoder is None:
            log.info("questions are read by words alone: reading them by sketches needs an encoder")
            return None
        from clew.answer.hearing.parser import find_sketch_parser

        return find_sketch_parser()

    def _open_model(self) -> "LanguageModel | None":
        if not isinstance(self._model, str):
            return self._model
        from clew.lm import open_model

        model = open_model(self._model)
        try:
            model.context  # noqa: B018 - a server that does not answer is an error now, not a silent loss later
        except ClewError:
            model.close()
            raise
        return model
