"""From a graph to its asker, and `clew.ask` itself."""

from contextlib import suppress
from weakref import WeakKeyDictionary

from clew.answer.answer import Answer
from clew.answer.ask import Asker
from clew.errors import MissingModel
from clew.progress import Progress, silent
from clew.traverse import Engine

__all__ = ["ask", "open_asker"]

_askers: "WeakKeyDictionary[Engine, Asker]" = WeakKeyDictionary()


def open_asker(
    engine: Engine,
    *,
    store: str = "embedded",
    model: str | None = None,
    choose: str = "never",
    compose: bool | None = None,
    kinds: bool | None = None,
    timeout: float = 30.0,
    embedding: bool = True,
    progress: Progress = silent,
) -> Asker:
    """An asker with the default encoder where its model is at hand, else with none.

    `model` is a name, a .gguf file or a URL; what it does is set by `choose` and `compose`, as `Asker` says.
    """
    encoder = writer = None
    if embedding:
        from clew.embed import open_encoder

        with suppress(MissingModel):  # readings are then ranked by words alone
            encoder = open_encoder()
    if model is not None:
        from clew.lm import open_model

        writer = open_model(model)
    return Asker(
        engine,
        store=store,
        encoder=encoder,
        model=writer,
        choose=choose,
        compose=compose,
        kinds=kinds,
        timeout=timeout,
        progress=progress,
    )


def ask(graph: Engine, question: str) -> Answer:
    """Answer a question about an opened graph, with its evidence, or abstain with a reason.

    What answering needs is opened at the first question and kept with the graph; `Asker` has more to set.
    """
    if graph not in _askers:
        _askers[graph] = open_asker(graph)
    return _askers[graph].ask(question)
