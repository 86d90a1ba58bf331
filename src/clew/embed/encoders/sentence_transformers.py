"""Any model that the sentence-transformers library can load, by name or directory.

Nothing is downloaded: a model given by name must already be in the library's cache.
"""

import hashlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.embed.encoder import unit_rows
from clew.errors import MissingDependency, MissingModel, ModelError
from clew.progress import Progress, silent

__all__ = ["SentenceTransformersEncoder"]

BATCH_SIZE = 256  # texts between progress reports


class SentenceTransformersEncoder:
    """Loaded on first use; `model` is a name or a directory."""

    def __init__(self, model: str, *, device: str | None = None) -> None:
        _library()  # report a missing library early
        self.name = f"sentence-transformers:{model}"
        self._where = model
        self._device = device
        self._opening = Lock()

    @cached_property
    def identity(self) -> str:
        """The last part of the name and a checksum of all weights."""
        digest = hashlib.sha256()
        for name, weights in sorted(self._model.state_dict().items()):
            digest.update(name.encode())
            digest.update(weights.detach().cpu().float().contiguous().numpy().tobytes())
        return f"{Path(self._where).name}-{digest.hexdigest()[:12]}"

    @cached_property
    def dimension(self) -> int:
        """The dimension of the vectors."""
        # The library renamed this method.
        ask = getattr(self._model, "get_embedding_dimension", None) or self._model.get_sentence_embedding_dimension
        return int(ask())

    def encode(self, texts: Sequence[str], *, progress: Progress = silent) -> NDArray[np.float32]:
        """One unit vector for each text, in order."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for start in range(0, len(texts), BATCH_SIZE):
            part = [text.encode("utf-8", "replace").decode() for text in texts[start : start + BATCH_SIZE]]
            try:
                rows = self._model.encode(part, convert_to_numpy=True, show_progress_bar=False)
            except (RuntimeError, ValueError, TypeError) as error:
                raise ModelError(f"the encoder {self.name!r} failed: {error}") from error
            vectors[start : start + len(part)] = unit_rows(rows, len(part), whose=f"the encoder {self.name!r}")
            progress("encoding", start + len(part), len(texts))
        return vectors

    @property
    def _model(self) -> Any:
        with self._opening:
            return self._open_model

    @cached_property
    def _open_model(self) -> Any:
        try:
            with _without_bars():
                return _library().SentenceTransformer(
                    self._where, device=self._device, local_files_only=True, trust_remote_code=False
                )
        except (OSError, ValueError) as error:
            reason = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise MissingModel(
                f"the sentence-transformers model {self._where!r} cannot be loaded ({reason}): "
                "give the directory of a model, or a name that is in the library's cache"
            ) from error


def _library() -> Any:
    try:
        return import_module("sentence_transformers")
    except ImportError as error:
        raise MissingDependency(
            f"the 'sentence-transformers' encoder needs the library {error.name!r}: "
            "pip install 'clew[sentence-transformers]'"
        ) from error


@contextmanager
def _without_bars() -> Iterator[None]:
    """Turn off the library's own progress bars while a model is loaded."""
    logging = import_module("transformers.utils.logging")
    shown = logging.is_progress_bar_enabled()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            logging.enable_progress_bar()
