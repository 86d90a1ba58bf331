"""Settings turned into an asker: the one place where graph, store, encoder, model and strategy are wired together.

In: `Settings`, plain data from the command line or a server. Out: an `Asker`; nothing is opened before it is needed.
"""

from dataclasses import dataclass, fields, is_dataclass
from typing import TYPE_CHECKING

from clew.progress import Progress, silent

if TYPE_CHECKING:
    from clew import GraphEngine
    from clew.answer import Asker, Strategy
    from clew.lm import LanguageModel

__all__ = ["DEFAULT_STRATEGY", "Settings", "assemble", "make_strategy", "open_graph"]

DEFAULT_STRATEGY = "readers"


@dataclass(frozen=True, slots=True)
class Settings:
    """The parts of a question-answering system; options of a strategy have the names of its fields."""

    graph: str
    backend: str = "auto"
    store: str = "embedded"  # embedded, a path, or bolt://…
    encoder: str | None = "default"  # a name, a directory or a URL; default: minilm, if it is on this machine
    model: str | None = None  # a name, a .gguf file or a URL
    strategy: str = DEFAULT_STRATEGY
    compare: tuple[str, ...] = ()  # strategies that answer in its place, as far as they agree
    mode: int = 0  # context of rag: 0 sentences, 1 JSON, 2 with prior knowledge, 3 both
    without: tuple[str, ...] = ()  # stages of adaptive that are switched off
    choose: str = "never"  # when the model picks among interpretations: never, ties or always
    compose: bool | None = None  # whether it writes queries; None: if nothing else fits and it is large enough
    phrase: bool = True  # whether it phrases the text


def open_graph(
    path: str,
    *,
    snapshot: str | None = None,
    backend: str = "auto",
    cache: str | None = None,
    engine: str = "local",
    actors: int | None = None,
) -> "GraphEngine":
    """Open a graph directory or one snapshot of it, as `clew.open` does; the engine is imported only now."""
    from clew.traverse import open

    return open(path, snapshot=snapshot, backend=backend, cache=cache, engine=engine, actors=actors)


def assemble(
    settings: Settings,
    *,
    engine: "GraphEngine | None" = None,
    model: "LanguageModel | None" = None,
    progress: Progress = silent,
) -> "Asker":
    """The asker for these settings; an open engine or model is used instead of opening one."""
    from clew.answer import Asker, Resources

    resources = Resources(
        engine or open_graph(settings.graph, backend=settings.backend),
        store=settings.store,
        encoder=settings.encoder,
        model=model or settings.model,
        progress=progress,
    )
    return Asker(resources, make_strategy(settings))


def make_strategy(settings: Settings) -> "Strategy":
    """The strategy that the settings name, with its options; several are compared."""
    if not settings.compare:
        return _strategy(settings.strategy, settings)
    from clew.answer.strategies.comparing import ComparedStrategies

    return ComparedStrategies({name: _strategy(name, settings) for name in settings.compare})


def _strategy(name: str, settings: Settings) -> "Strategy":
    from clew.answer import STRATEGIES

    kind = STRATEGIES.load(name)
    known = {each.name for each in fields(settings)}
    options = [each.name for each in fields(kind) if each.name in known] if is_dataclass(kind) else []
    made: Strategy = kind(**{name: getattr(settings, name) for name in options})
    return made
