"""Sentence encoders such as MiniLM on onnxruntime: word pieces, mean pooling of the last layer, unit length.

Texts are sorted by length and batched by number of tokens. The int8 weights of the default model are dequantised when
it is loaded and nothing is quantised at run time, so a vector does not depend on the other texts in its batch
(measured in docs/embedding.md).
"""

import hashlib
import logging
import os
from collections.abc import Iterator, Sequence
from functools import cache, cached_property
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clew.embed.encoder import unit_rows
from clew.embed.session import open_session
from clew.errors import MissingModel, ModelError
from clew.models import file_checksum, locate
from clew.progress import Progress, silent

__all__ = ["OnnxEncoder", "open_minilm", "share_minilm"]

INPUTS = ("input_ids", "attention_mask", "token_type_ids")
MAX_TOKENS = 256  # the limit of all-MiniLM-L6-v2
BATCH_TOKENS, MOST_PADDING = 512, 4  # tokens of a batch; as much padding as costs more than another batch
TOKENISER_BATCH = 4096  # texts

log = logging.getLogger(__name__)
_sharing = Lock()


def open_minilm() -> "OnnxEncoder":
    """The default encoder, as installed by `clew models get`."""
    files = locate("minilm")
    return OnnxEncoder("minilm", files["model.onnx"], files["tokenizer.json"], dimension=384)


def share_minilm() -> "OnnxEncoder":
    """The default encoder, opened once for all who ask in this process."""
    files = locate("minilm")
    with _sharing:
        return _shared(files["model.onnx"], files["tokenizer.json"])


@cache
def _shared(model: Path, tokenizer: Path) -> "OnnxEncoder":
    return OnnxEncoder("minilm", model, tokenizer, dimension=384)


class OnnxEncoder:
    """Loaded when the first text is encoded; `truncated` counts the texts that were cut at `max_tokens`.

    If `dimension` is given, reading it does not load the model either.
    """

    def __init__(
        self,
        name: str,
        model: Path,
        tokenizer: Path,
        *,
        dimension: int | None = None,
        max_tokens: int = MAX_TOKENS,
        threads: int | None = None,
    ) -> None:
        for file in (model, tokenizer):
            if not Path(file).is_file():
                raise MissingModel(
                    f"the encoder {name!r} needs {file}, which does not exist: run `clew models get {name}`"
                )
        self.name = name
        self.truncated = 0
        self._model = Path(model)
        self._tokenizer_file = Path(tokenizer)
        self._stated_dimension = dimension
        self._max_tokens = max_tokens
        self._threads = threads or os.cpu_count() or 1
        self._opening = Lock()

    @cached_property
    def identity(self) -> str:
        """The name and the checksum of model and tokenizer."""
        checksums = file_checksum(self._model) + file_checksum(self._tokenizer_file)
        return f"{self.name}-{hashlib.sha256(checksums.encode()).hexdigest()[:12]}"

    @cached_property
    def dimension(self) -> int:
        """The dimension of the vectors."""
        return self._stated_dimension or int(self._session.get_outputs()[0].shape[-1])

    def encode(self, texts: Sequence[str], *, progress: Progress = silent) -> NDArray[np.float32]:
        """One unit vector for each text, in order."""
        vectors = np.empty((len(texts), self.dimension), np.float32)
        done = 0
        for start in range(0, len(texts), TOKENISER_BATCH):
            pieces = self._tokenise(texts[start : start + TOKENISER_BATCH])
            for batch in _batches([len(ids) for ids in pieces]):
                vectors[batch + start] = self._run([pieces[at] for at in batch])
                done += len(batch)
                progress("encoding", done, len(texts))
        return vectors

    def _tokenise(self, texts: Sequence[str]) -> list[list[int]]:
        """The token ids of each text, truncated to the model's limit."""
        # A lone surrogate is legal in a Python string but not in text; the tokenizer would reject the whole block.
        encoded = self._tokenizer.encode_batch_fast([text.encode("utf-8", "replace").decode() for text in texts])
        cut = sum(bool(one.overflowing) for one in encoded)
        if cut:
            self.truncated += cut
            log.warning(
                "%d of %d texts were truncated at %d tokens by %s", cut, len(texts), self._max_tokens, self.name
            )
        return [one.ids for one in encoded]

    def _run(self, pieces: list[list[int]]) -> NDArray[np.float32]:
        hidden, mask = self._hidden(pieces)
        summed = np.einsum("ntd,nt->nd", hidden, mask.astype(hidden.dtype))  # normalised below
        return unit_rows(summed, len(pieces), whose=f"the encoder {self.name!r}")

    def _hidden(self, pieces: list[list[int]]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """The last layer (texts, tokens, dimension), and which tokens there are."""
        longest = max(len(ids) for ids in pieces)
        ids = np.zeros((len(pieces), longest), np.int64)
        mask = np.zeros_like(ids)
        for row, piece in enumerate(pieces):
            ids[row, : len(piece)] = piece
            mask[row, : len(piece)] = 1
        given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
        try:
            hidden = self._session.run(None, {name: given[name] for name in self._input_names})[0]
        except Exception as error:  # onnxruntime's errors have no narrower base class
            raise ModelError(f"the encoder {self.name!r} failed: {_first_line(error)}") from error
        if hidden.ndim != 3 or hidden.shape[-1] != self.dimension:
            raise ModelError(
                f"{self._model} gives {hidden.shape}, not (texts, tokens, {self.dimension}): download it again"
            )
        return hidden, mask

    @cached_property
    def _input_names(self) -> tuple[str, ...]:
        names = tuple(given.name for given in self._session.get_inputs())
        if unknown := set(names) - set(INPUTS):
            raise ModelError(f"{self._model} requires the input {min(unknown)!r}: it is not an encoder of this kind")
        return names

    @property
    def _session(self) -> Any:
        with self._opening:
            return self._open_session

    @cached_property
    def _open_session(self) -> Any:
        try:
            return open_session(self._model, threads=self._threads)
        except Exception as error:  # as above
            raise ModelError(
                f"{self._model} cannot be loaded: {_first_line(error)}: download the model again"
            ) from error

    @property
    def _tokenizer(self) -> Any:
        with self._opening:
            return self._open_tokenizer

    @cached_property
    def _open_tokenizer(self) -> Any:
        from tokenizers import Tokenizer

        try:
            tokenizer = Tokenizer.from_file(str(self._tokenizer_file))
        except Exception as error:  # the library raises nothing narrower
            raise ModelError(
                f"{self._tokenizer_file} cannot be read: {_first_line(error)}: download the model again"
            ) from error
        tokenizer.no_padding()
        tokenizer.enable_truncation(self._max_tokens)
        return tokenizer


def _batches(lengths: Sequence[int]) -> Iterator[NDArray[np.int64]]:
    """Rows sorted by length, longest first, cut where a batch is full or would hold too much padding."""
    order = np.argsort(-np.asarray(lengths, np.int64), kind="stable")
    start = padding = 0
    for stop, row in enumerate(order):
        longest = lengths[order[start]]
        padding += longest - lengths[row]
        if stop > start and ((stop - start + 1) * longest > BATCH_TOKENS or padding > MOST_PADDING):
            yield order[start:stop]
            start, padding = stop, 0
    if len(order):
        yield order[start:]


def _first_line(error: Exception) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
