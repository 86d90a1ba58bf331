"""Open an encoder by name, by a model's directory or by a server's URL."""

from pathlib import Path

from clew.embed.encoder import Encoder
from clew.errors import InputError
from clew.registry import Entry, Registry

__all__ = ["ENCODERS", "open_encoder"]

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
