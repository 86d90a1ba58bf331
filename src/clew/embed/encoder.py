"""The encoder protocol (texts to unit vectors), and how an encoder is chosen by name."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.errors import InputError, ModelError
from clew.progress import Progress, silent
from clew.registry import Entry, Registry

__all__ = ["ENCODERS", "Encoder", "open_encoder", "unit_rows"]

Vectors = NDArray[np.float32]

ENCODERS = Registry(
    "encoder",
    {
        "minilm": Entry("clew.embed.encoders.onnx:open_minilm", "all-MiniLM-L6-v2 on onnxruntime, 384 dimensions"),
        "sentence-transformers": Entry(
            "clew.embed.encoders.sentence_transformers:SentenceTransformersEncoder",
            "any sentence-transformers model: sentence-transformers:NAME, or a model's directory",
            extra="sentence-transformers",
        ),
        "openai": Entry(
            "clew.embed.encoders.openai:OpenAIEncoder",
            "a server that speaks OpenAI's /v1/embeddings: http://HOST:PORT/v1#MODEL",
        ),
    },
)


class Encoder(Protocol):
    """Encodes texts as vectors whose inner product is the similarity of their meaning."""

    @property
    def name(self) -> str:
        """The name as given by the user, such as "minilm"."""
        ...

    @property
    def identity(self) -> str:
        """The name and a short checksum of the weights, which a stored index must match."""
        ...

    @property
    def dimension(self) -> int:
        """The dimension of the vectors."""
        ...

    def encode(self, texts: Sequence[str], *, progress: Progress = silent) -> Vectors:
        """One unit vector for each text, in order; no texts give no rows."""
        ...


def open_encoder(spec: str = "minilm") -> Encoder:
    """Open an encoder by name, as "sentence-transformers:NAME", or by a model's directory or a server's URL.

    A directory contains either `model.onnx` and `tokenizer.json`, or a whole sentence-transformers model.
    """
    kind, _, rest = spec.partition(":")
    if kind.lower() in ("http", "https"):
        return _open("openai", spec)
    if kind == "sentence-transformers":
        if not rest:
            raise InputError("sentence-transformers needs the name of a model: sentence-transformers:NAME")
        return _open("sentence-transformers", rest)
    if spec == "openai":
        raise InputError("the openai encoder needs the URL of a server: give http://HOST:PORT/v1#MODEL")
    if spec not in ENCODERS and Path(spec).expanduser().is_dir():
        return _open_directory(Path(spec).expanduser())
    return _open(spec)


def _open_directory(directory: Path) -> Encoder:
    if (directory / "model.onnx").is_file() and (directory / "tokenizer.json").is_file():
        from clew.embed.encoders.onnx import OnnxEncoder

        return OnnxEncoder(directory.name, directory / "model.onnx", directory / "tokenizer.json")
    if (directory / "modules.json").is_file() or (directory / "config.json").is_file():
        return _open("sentence-transformers", str(directory))
    raise InputError(
        f"{directory} contains no encoder: expected model.onnx and tokenizer.json, or a sentence-transformers model"
    )


def _open(name: str, *arguments: str) -> Encoder:
    return ENCODERS.load(name)(*arguments)  # type: ignore[no-any-return]


def unit_rows(rows: Any, count: int, *, whose: str) -> Vectors:
    """Normalise an encoder's output to unit vectors; a wrong count, shape or value is a `ModelError`."""
    try:
        vectors = np.asarray(rows, np.float32)  # (count, dimension)
    except (ValueError, TypeError) as error:
        raise ModelError(f"{whose} returned vectors that are not numeric rows of equal length") from error
    if vectors.ndim != 2 or vectors.shape[0] != count or (count and vectors.shape[1] == 0):
        raise ModelError(f"{whose} returned vectors of shape {vectors.shape} for {count} texts")
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors, dtype=np.float64))[:, None]
    if not np.isfinite(lengths).all() or (lengths == 0).any():
        raise ModelError(f"{whose} returned a vector that is zero or not finite")
    return np.asarray(vectors / lengths, np.float32)
