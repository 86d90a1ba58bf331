"""Arrays on disk: plain .npy files, mapped read-only, and proved safe before their first use.

The compiled walks do not check bounds, so an array is looked through once before anything indexes with it: offsets rise
from 0 to the length of what they point into, ids lie inside the graph. A flipped bit can give a wrong answer until
`doctor` finds it; it can never make a walk read outside an array.
"""

import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.errors import DamagedGraph

__all__ = ["MappedArrays", "prove_ids", "prove_offsets", "write_array"]

Ints = NDArray[np.integer]
Proof = Callable[[Ints], bool]
CHUNK = 1 << 20


def write_array(path: Path, array: NDArray[np.generic]) -> None:
    """Write one array as .npy (the caller's directory becomes a graph only when its manifest is written)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    np.save(path, np.ascontiguousarray(array), allow_pickle=False)


def prove_offsets(length: int) -> Proof:
    """Proof that offsets rise from 0 to `length`."""

    def proof(offsets: Ints) -> bool:
        if len(offsets) == 0 or offsets[0] != 0 or offsets[-1] != length:
            return False
        spans = range(0, len(offsets) - 1, CHUNK)
        return all(bool((offsets[i + 1 : i + CHUNK + 1] >= offsets[i : i + CHUNK][: len(offsets) - 1 - i]).all()) for i in spans)

    return proof


def prove_ids(below: int) -> Proof:
    """Proof that every number is at least 0 and less than `below`."""

    def proof(ids: Ints) -> bool:
        return len(ids) == 0 or (int(ids.min()) >= 0 and int(ids.max()) < below)

    return proof


class MappedArrays:
    """The arrays below one directory, each mapped and proved when first asked for; safe to share between threads."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory
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
            # An empty file cannot be mapped; asarray drops the memmap class, whose slices are slow.
            array = np.asarray(np.load(path, mmap_mode="r" if length else None, allow_pickle=False))
        except (OSError, ValueError, EOFError, SyntaxError) as error:
            raise DamagedGraph(f"{path} cannot be read as an array: restore it or build the graph again") from error
        if array.dtype != np.dtype(dtype) or array.shape != (length,):
            raise DamagedGraph(
                f"{path} holds {array.dtype} {array.shape}, expected {dtype} ({length},): restore it or build the graph again"
            )
        array.setflags(write=False)
        if not proof(array):
            raise DamagedGraph(f"{path} is damaged (numbers out of range): run `clew doctor`, then build the graph again")
        return array
