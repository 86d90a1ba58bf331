"""The encoder protocol: texts to unit vectors."""

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from clew.errors import ModelError
from clew.progress import Progress, silent

__all__ = ["Encoder", "unit_rows"]

Vectors = NDArray[np.float32]


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
