"""An encoder without a model: feature hashing of character 3-grams, each adding ±1 at a hashed position.

Texts that share letters get similar vectors; meaning plays no part. It is the public fake, for tests and for trying out
an index.
"""

import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from clew.embed.encoder import unit_rows
from clew.progress import Progress, silent

__all__ = ["HashedEncoder"]


class HashedEncoder:
    """Character 3-grams hashed into `dimension` numbers.

    >>> seizure, seizures, fingers = HashedEncoder().encode(["seizure", "seizures", "long fingers"])
    >>> bool(seizure @ seizures > 0.7 > seizure @ fingers)
    True
    """

    name = "hashed"

    def __init__(self, *, dimension: int = 256) -> None:
        self.dimension = dimension
        self.identity = f"hashed-{dimension}"

    def encode(self, texts: Sequence[str], *, progress: Progress = silent) -> NDArray[np.float32]:
        """One unit vector for each text, in order."""
        rows = np.zeros((len(texts), self.dimension), np.float32)
        for at, text in enumerate(texts):
            content = f"  {text.lower()} ".encode("utf-8", "surrogatepass")
            for start in range(len(content) - 2):
                hashed = zlib.crc32(content[start : start + 3])
                rows[at, (hashed >> 1) % self.dimension] += 1 if hashed & 1 else -1
            rows[at, 0] += 0.5  # so that no row is all zeros
        progress("encoding", len(texts), len(texts))
        return unit_rows(rows, len(texts), whose="the encoder 'hashed'")
