"""A column of texts in one piece, from many: written piece by piece to files that are mapped, never whole in memory."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.graph.streaming.scratch import NumberFile

__all__ = ["join_texts"]

MOST_BYTES = 2**31 - 1  # of the texts of a column with 32-bit offsets
Texts = Callable[[], Iterable[pa.ChunkedArray]]  # the pieces of a column without nulls, as often as they are asked for


def join_texts(path: Path, pieces: Texts, *, large: bool = False) -> pa.Array:
    """The texts of all pieces; offsets have 64 bits if `large`, or if there are more bytes than 32 can count."""
    total = sum(int(offsets[-1] - offsets[0]) for offsets, _ in _parts(pieces))
    large = large or total > MOST_BYTES
    kind, count, written = (pa.large_string() if large else pa.string()), 0, 0
    places, texts = path.with_suffix(".offsets"), path.with_suffix(".texts")
    with NumberFile(places, np.int64 if large else np.int32) as starts, texts.open("wb") as file:
        starts.append(np.zeros(1))
        for offsets, content in _parts(pieces):
            if content is not None:
                file.write(memoryview(content)[offsets[0] : offsets[-1]])
            starts.append(offsets[1:].astype(np.int64) - offsets[0] + written)
            count, written = count + len(offsets) - 1, written + int(offsets[-1] - offsets[0])
    return pa.Array.from_buffers(kind, count, [None, _mapped(places), _mapped(texts)])


def _parts(pieces: Texts) -> Iterator[tuple[NDArray[np.integer], pa.Buffer | None]]:
    """The offsets and the texts of every chunk."""
    for piece in pieces():
        for chunk in piece.chunks:
            width = np.dtype(np.int64 if pa.types.is_large_string(chunk.type) else np.int32)
            if len(chunk):
                _, places, content = chunk.buffers()
                yield np.frombuffer(places, width, len(chunk) + 1, chunk.offset * width.itemsize), content


def _mapped(path: Path) -> pa.Buffer:
    if not path.stat().st_size:
        return pa.py_buffer(b"")
    with pa.memory_map(str(path)) as file:
        return file.read_buffer()
