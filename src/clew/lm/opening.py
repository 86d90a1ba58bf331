"""Open a language model by name, path or URL."""

import os
from difflib import get_close_matches
from pathlib import Path

from clew.errors import InputError, MissingModel, UnknownName
from clew.lm.messages import LanguageModel
from clew.models import MODELS, locate, models_directory
from clew.registry import Entry, Registry

__all__ = ["CLIENTS", "DEFAULT", "WRITER", "open_model"]

DEFAULT, WRITER = "smollm2", "writer"
ADAPTER = "adapter.gguf"
CHECKOUT = Path(__file__).resolve().parents[3]
SECONDS = 300.0
CLIENTS = Registry(
    "language model client",
    {
        "llamacpp": Entry("clew.lm.clients.llamacpp:LlamaCpp", "a GGUF file, inside this process"),
        "openai": Entry("clew.lm.clients.openai:OpenAI", "any OpenAI-compatible server, at a URL"),
        "scripted": Entry("clew.lm.clients.scripted:Scripted", "scripted responses, for tests"),
    },
)


def open_model(
    spec: str = DEFAULT,
    *,
    context: int | None = None,
    threads: int | None = None,
    api_key: str | None = None,
    listen: bool = False,
    timeout: float = SECONDS,
) -> LanguageModel:
    """A model by name ("smollm2"), by the path of a .gguf file, or by URL ("http://127.0.0.1:11434/v1#llama3.2").

    `context`, `threads` and `listen` are for models inside this process, `api_key` for servers; `timeout` is the
    default time limit of a call in seconds. Nothing is downloaded.
    """
    model: LanguageModel
    if spec.startswith(("http://", "https://")):
        if context is not None or threads is not None or listen:
            raise InputError("context, threads and listen are settings of the server, not of its client")
        url, _, name = spec.partition("#")
        model = CLIENTS.load("openai")(url, model=name or None, api_key=api_key, timeout=timeout)
        return model
    path, name = _file(spec)
    settings = {"context": context, "threads": threads, "listen": listen, "timeout": timeout}
    model = CLIENTS.load("llamacpp")(path, name=name, adapter=_adapter(name), **settings)
    return model


def _adapter(name: str) -> Path | None:
    """What the model that writes queries has learned: in the repository, or beside its weights."""
    if name != WRITER:
        return None
    places = [folder / WRITER / ADAPTER for folder in (CHECKOUT / "weights", models_directory())]
    for place in places:
        if place.is_file():
            return place
    raise MissingModel(f"what the model {WRITER!r} has learned is not on this machine ({places[-1]} is missing)")


def _file(spec: str) -> tuple[Path, str]:
    """The path of the GGUF file and the name of the model."""
    known = [name for name, model in MODELS.items() if model.kind == "lm"]
    if spec in known:
        return next(iter(locate(spec).values())), spec
    if spec in MODELS:
        raise InputError(f"{spec!r} is an encoder, not a language model: known: {', '.join(known)}")
    if spec.lower().endswith(".gguf") or os.sep in spec or Path(spec).is_file():
        return Path(spec).expanduser(), Path(spec).stem
    close = tuple(get_close_matches(spec, known, n=1))
    hint = f"did you mean {close[0]!r}? " if close else ""
    raise UnknownName(
        f"no language model is called {spec!r}: {hint}give {', '.join(known)}, the path of a .gguf file, or a URL",
        close=close,
    )
