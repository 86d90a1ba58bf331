"""Which language models may write queries by themselves: measured ones, known by their weights; others by their size.

Models below a billion parameters attach names to the wrong types whatever the prompt; one of 1.5 billion answered more
of the questions that the readers had declined wrongly than rightly (figures in docs/asking-measured.md).
"""

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew.lm import LanguageModel

__all__ = ["can_compose", "is_trained", "parameters_in"]

LEAST = 3e9  # parameters
TRIED = {  # identities of models that were measured
    # SmolLM2-135M-Instruct, Q4_1
    "gguf:b179c9523d0e6a0f98a330c7562b682750a6f8c8c15e5bc70ea373728110db53": False,
    # Qwen2.5-Coder-1.5B-Instruct, Q4_K_M
    "gguf:cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046": False,
}
TRAINED = frozenset({  # weights and adapter of models that were trained to write queries
    "gguf:cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046"
    "+07490d19692af7998ed407d3b07cc7c724f277cb80faf12f6e8758e003aad43d",
})  # fmt: skip
SIZE = re.compile(r"(?<![A-Za-z0-9.])(\d+(?:\.\d+)?)\s?([MB])(?![A-Za-z0-9])", re.IGNORECASE)
SCALE = {"m": 1e6, "b": 1e9}


def is_trained(model: "LanguageModel") -> bool:
    """Whether a model was trained to write queries, on questions about invented graphs."""
    return model.identity in TRAINED


def can_compose(model: "LanguageModel") -> bool:
    """Whether a model can write queries: as measured, or judging by the size in its name.

    A model at a URL whose size is unknown is assumed to be able: nobody sets up a server for a tiny model.
    """
    if model.identity in TRIED:
        return TRIED[model.identity]
    size = parameters_in(model.name)
    return model.identity.startswith("openai:") if size is None else size >= LEAST


def parameters_in(name: str) -> float | None:
    """The number of parameters that a model's name states.

    >>> parameters_in("Llama-3.2-3B-Instruct-Q4_K_M"), parameters_in("SmolLM2-135M"), parameters_in("llama3.2")
    (3000000000.0, 135000000.0, None)
    """
    found = SIZE.search(name)
    return float(found[1]) * SCALE[found[2].lower()] if found else None
