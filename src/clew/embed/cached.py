"""An encoder with a cache: recent vectors in memory, and all of them in a file if one is given.

The file is an SQLite database, so several processes may share it.
"""

import hashlib
import sqlite3
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock

import numpy as np
from numpy.typing import NDArray

from clew.embed.encoder import Encoder
from clew.errors import DerivedError
from clew.progress import Progress, silent

__all__ = ["CachedEncoder"]

MAX_IN_MEMORY = 20_000  # vectors: 30 MB at 384 dimensions
BUSY_TIMEOUT = 10.0  # seconds to wait while another process writes
KEYS_PER_QUERY = 500  # keys in a query
TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL) WITHOUT ROWID"


class CachedEncoder:
    """Another encoder's vectors, computed once; `computed` counts the texts that had to be encoded.

    >>> from clew.embed.encoders.hashed import HashedEncoder
    >>> encoder = CachedEncoder(HashedEncoder(dimension=8))
    >>> encoder.encode(["fever", "cough", "fever"]).shape, encoder.computed
    ((3, 8), 2)
    """

    def __init__(self, encoder: Encoder, *, max_in_memory: int = MAX_IN_MEMORY, file: Path | None = None) -> None:
        self.encoder = encoder
        self.computed = 0
        self._max = max_in_memory
        self._file = None if file is None else Path(file)
        self._recent: OrderedDict[str, NDArray[np.float32]] = OrderedDict()
        self._lock = Lock()

    @property
    def name(self) -> str:
        """The name of the wrapped encoder."""
        return self.encoder.name

    @property
    def identity(self) -> str:
        """The identity of the wrapped encoder."""
        return self.encoder.identity

    @property
    def dimension(self) -> int:
        """The dimension of the vectors."""
        return self.encoder.dimension

    def encode(self, texts: Sequence[str], *, progress: Progress = silent) -> NDArray[np.float32]:
        """One unit vector for each text, in order."""
        found = self._from_memory(texts)
        if missing := [text for text in dict.fromkeys(texts) if text not in found]:
            found |= self._from_file(missing)
            if missing := [text for text in missing if text not in found]:
                rows = self.encoder.encode(missing, progress=progress)
                self.computed += len(missing)
                fresh = dict(zip(missing, rows, strict=True))
                self._to_file(fresh)
                found |= fresh
            self._remember(found)
        vectors = np.empty((len(texts), self.dimension), np.float32)
        for at, text in enumerate(texts):
            vectors[at] = found[text]
        return vectors

    def _from_memory(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        with self._lock:
            found = {text: vector for text in texts if (vector := self._recent.get(text)) is not None}
            for text in found:
                self._recent.move_to_end(text)
        return found

    def _remember(self, found: dict[str, NDArray[np.float32]]) -> None:
        with self._lock:
            for text, vector in found.items():
                self._recent[text] = vector.copy()  # a view of a large block would keep the block alive
                self._recent.move_to_end(text)
            while len(self._recent) > self._max:
                self._recent.popitem(last=False)

    def _from_file(self, texts: Sequence[str]) -> dict[str, NDArray[np.float32]]:
        if self._file is None:
            return {}
        keys = {self._key(text): text for text in texts}
        found = {}
        with self._database() as database:
            wanted = list(keys)
            for start in range(0, len(wanted), KEYS_PER_QUERY):
                part = wanted[start : start + KEYS_PER_QUERY]
                marks = ",".join("?" * len(part))
                for key, content in database.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part):
                    if len(content) == 4 * self.dimension:
                        found[keys[key]] = np.frombuffer(content, "<f4").astype(np.float32)
        return found

    def _to_file(self, fresh: dict[str, NDArray[np.float32]]) -> None:
        if self._file is None:
            return
        with self._database() as database, database:
            database.executemany(
                "INSERT OR REPLACE INTO vectors VALUES (?, ?)",
                [(self._key(text), vector.astype("<f4").tobytes()) for text, vector in fresh.items()],
            )

    def _key(self, text: str) -> bytes:
        content = f"{self.identity}\0{text}".encode("utf-8", "surrogatepass")
        return hashlib.sha256(content).digest()

    @contextmanager
    def _database(self) -> Iterator[sqlite3.Connection]:
        """A connection for one call: cheap compared with encoding, and safe with threads and forks."""
        assert self._file is not None
        try:
            self._file.parent.mkdir(parents=True, exist_ok=True)
            with closing(sqlite3.connect(self._file, timeout=BUSY_TIMEOUT)) as database:
                database.execute(TABLE)
                yield database
        except (sqlite3.Error, OSError) as error:
            raise DerivedError(f"the vector cache {self._file} cannot be used ({error}): remove the file") from error
