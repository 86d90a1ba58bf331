"""Arrays on disk: plain .npy files, mapped read-only, and proved safe before their first use.

The compiled walks do not check bounds, so an array is looked through once before anything indexes with it: offsets rise
from 0 to the length of what they point into, ids lie inside the graph. A flipped bit can give a wrong answer until
`doctor` finds it; it can never make a walk read outside an array.
"""

import threading
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import DamagedGraph, GraphError
from clew.files import map_regular, open_regular

__all__ = [
    "MappedArrays",
    "Proof",
    "array_length",
    "array_of",
    "arrow_of",
    "numbers_of",
    "prove_ids",
    "prove_offsets",
    "texts_as_arrow",
    "write_array",
    "write_table",
]

Ints = NDArray[np.integer]
Proof = Callable[[Ints], bool]
CHUNK = 1 << 20
MAGIC = b"\x93NUMPY\x01\x00"
HEADER_BYTES = 128  # of the header that NumPy writes for one dimension, whatever its length


def write_array(path: Path, array: NDArray[np.generic]) -> None:
    """Write one array as .npy (the caller's directory becomes a graph only when its manifest is written)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.ascontiguousarray(array), allow_pickle=False)


def write_table(path: Path, table: pa.Table) -> None:
    """One uncompressed record batch, so that the columns can be mapped as they are."""
    batches = table.combine_chunks().to_batches() or [pa.RecordBatch.from_pylist([], schema=table.schema)]
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        for batch in batches:
            writer.write_batch(batch)


def prove_offsets(length: int) -> Proof:
    """Proof that offsets rise from 0 to `length`."""

    def proof(offsets: Ints) -> bool:
        if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != length:
            return False
        spans = range(0, len(offsets) - 1, CHUNK)
        return all(
            bool((offsets[i + 1 : i + CHUNK + 1] >= offsets[i : i + CHUNK][: len(offsets) - 1 - i]).all())
            for i in spans
        )

    return proof


def prove_ids(below: int) -> Proof:
    """Proof that every number is at least 0 and less than `below`."""

    def proof(ids: Ints) -> bool:
        return len(ids) == 0 or (int(ids.min()) >= 0 and int(ids.max()) < below)

    return proof


def _data_start(content: "pa.Buffer", dtype: np.dtype[np.generic], length: int) -> int:
    """Where the numbers of a .npy file begin, once its header says exactly what is expected and its size agrees.

    `np.load` would evaluate a damaged header as a Python expression, and take one that ends early for a shifted array.
    """
    beginning = memoryview(content)[: len(MAGIC) + 2 + 0xFFFF]
    magic, begin = bytes(beginning[: len(MAGIC)]), len(MAGIC) + 2
    start = begin + int.from_bytes(beginning[len(MAGIC) : begin], "little")
    header = bytes(beginning[begin:start])
    expected = f"{{'descr': {dtype.str!r}, 'fortran_order': False, 'shape': ({length},), }}"
    whole = content.size == start + length * dtype.itemsize
    if magic != MAGIC or header.rstrip() != expected.encode() or not whole:
        raise ValueError(f"magic {magic!r}, header {header!r}, {content.size} bytes")
    return start


class MappedArrays:
    """The arrays below one directory, each mapped and proved when first asked for; safe to share between threads."""

    def __init__(self, directory: Path, fault: Callable[[str], GraphError] = DamagedGraph) -> None:
        self._directory = directory
        self._fault = fault  # the error for an array that cannot be read
        self._arrays: dict[str, Ints] = {}
        self._lock = threading.Lock()

    def get(self, name: str, dtype: str, length: int, proof: Proof) -> Ints:
        """The array of that name, of exactly that type and length."""
        array = self._arrays.get(name)
        if array is None:
            with self._lock:
                array = self._arrays.get(name)
                if array is None:
                    array = self._arrays[name] = self._map(self._directory / f"{name}.npy", dtype, length, proof)
        return array

    def _map(self, path: Path, dtype: str, length: int, proof: Proof) -> Ints:
        try:
            with open_regular(path) as file:
                array = array_of(map_regular(file), dtype, length)
        except (OSError, ValueError) as error:
            raise self._fault(
                f"{path} is not an array of {length} {dtype}: run `clew doctor`, then build the graph again"
            ) from error
        if not proof(array):
            raise DamagedGraph(
                f"{path} is damaged (numbers out of range): run `clew doctor`, then build the graph again"
            )
        return array


def array_length(size: int, dtype: str) -> int | None:
    """How many numbers of a type a .npy file of some bytes holds; None if it is not the size of such a file."""
    length, rest = divmod(size - HEADER_BYTES, np.dtype(dtype).itemsize)
    return length if length >= 0 and not rest else None


def array_of(content: "pa.Buffer", dtype: str, length: int) -> Ints:
    """The numbers of a mapped .npy file of exactly that type and length; raises ValueError where it is none."""
    return np.frombuffer(content, dtype, length, _data_start(content, np.dtype(dtype), length))


def numbers_of(array: "pa.Array") -> Ints:
    """The numbers of an Arrow array without nulls, as they lie in memory (`to_numpy` would import pandas)."""
    dtype = np.dtype(array.type.to_pandas_dtype())
    if not len(array):
        return np.empty(0, dtype)
    return np.frombuffer(array.buffers()[1], dtype, count=len(array), offset=array.offset * dtype.itemsize)


def arrow_of(numbers: Ints) -> "pa.Array":
    """Numbers as an Arrow array over the same memory (`pa.array` would import pandas)."""
    numbers = np.ascontiguousarray(numbers)
    return pa.Array.from_buffers(pa.from_numpy_dtype(numbers.dtype), len(numbers), [None, pa.py_buffer(numbers)])


def texts_as_arrow(texts: Sequence[str]) -> "pa.Array":
    """Texts as an Arrow array (`pa.array` would import pandas); half a surrogate pair raises UnicodeEncodeError."""
    encoded = [text.encode() for text in texts]
    ends = np.cumsum([0, *map(len, encoded)], dtype=np.int64)
    return pa.LargeStringArray.from_buffers(len(encoded), pa.py_buffer(ends), pa.py_buffer(b"".join(encoded)))
