"""The cache of a partitioned graph: rows of one segment in one direction, in at most a given number of bytes.

The least recently used are dropped before more is read. Files are read into memory of our own and their pages released,
so that what is kept is what the limit says; the next rows can be read ahead while others are walked.
"""

import os
import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import DamagedGraph, GraphError, InputError
from clew.files import open_regular
from clew.graph.adjacency import Rows, TripleRows
from clew.graph.storage.arrays import Proof, array_of
from clew.graph.storage.segments import NEIGHBOURS, TRIPLES, SegmentArrays, Side
from clew.sizes import size_text

__all__ = ["CacheCounts", "PartitionCache"]

Ints = NDArray[np.integer]
Key = tuple[int, Side]
AHEAD_BYTES = 1 << 20  # less is not worth a thread


@dataclass(frozen=True, slots=True)
class CacheCounts:
    """What a cache did since it was opened. A load is one segment in one direction."""

    capacity: int  # bytes
    held: int  # bytes now
    hits: int
    loads: int
    evictions: int
    loaded_bytes: int
    loads_by_side: Mapping[str, int]


class PartitionCache:
    """Reads the rows of segments when they are asked for, and keeps the most recently used. Safe for many threads."""

    def __init__(
        self,
        arrays: SegmentArrays,
        folder: Path,
        capacity: int,
        *,
        fault: Callable[[str], GraphError] = DamagedGraph,
        ahead_bytes: int = AHEAD_BYTES,
    ) -> None:
        self._arrays, self._folder, self._fault = arrays, folder, fault
        self._capacity, self._ahead_bytes = capacity, ahead_bytes
        if isinstance(capacity, bool) or not isinstance(capacity, int) or capacity < 1:
            raise InputError(f"cache must be a number of bytes above 0, not {capacity!r}")
        self._require(arrays.largest(*NEIGHBOURS), "hops without filters")
        self._largest_triples = arrays.largest(*TRIPLES)
        self._held: OrderedDict[Key, Rows | TripleRows] = OrderedDict()
        self._loading: dict[Key, Future[Rows | TripleRows]] = {}
        self._ahead: set[Key] = set()  # read ahead and not used yet: their first use is no hit
        self._bytes = self._hits = self._evictions = self._loaded_bytes = 0
        self._loads: Counter[str] = Counter()
        self._lock = threading.Lock()

    @property
    def counts(self) -> CacheCounts:
        """Hits, loads and evictions so far."""
        with self._lock:
            return CacheCounts(
                self._capacity, self._bytes, self._hits, self._loads.total(), self._evictions, self._loaded_bytes,
                dict(sorted(self._loads.items())),
            )  # fmt: skip

    def triples(self, number: int, side: Side) -> TripleRows:
        """The triples of a segment, `out` or `in`."""
        rows = self._get((number, side))
        assert isinstance(rows, TripleRows)
        return rows

    def neighbours(self, number: int, side: Side) -> Rows:
        """The distinct neighbours of a segment, `forward` or `backward`."""
        rows = self._get((number, side))
        assert isinstance(rows, Rows)
        return rows

    def holds(self, number: int, side: Side) -> bool:
        """Whether these rows need no load now."""
        return (number, side) in self._held

    def read_ahead(self, number: int, side: Side) -> None:
        """Begin to read rows that will be asked for next."""
        key = number, side
        if self._arrays.bytes_of(*key) < self._ahead_bytes:
            return
        with self._lock:
            if key in self._held or key in self._loading:
                return
            promise: Future[Rows | TripleRows] = Future()
            self._loading[key] = promise
            self._ahead.add(key)
        threading.Thread(target=self._load, args=(key, promise), daemon=True).start()

    def _get(self, key: Key) -> Rows | TripleRows:
        with self._lock:
            rows = self._held.get(key)
            if rows is not None:
                self._held.move_to_end(key)
                self._hits += key not in self._ahead
                self._ahead.discard(key)
                return rows
            promise = self._loading.get(key)
            mine = promise is None
            if promise is None:
                promise = self._loading[key] = Future()
        if mine:
            self._load(key, promise)
        rows = promise.result()
        with self._lock:
            self._hits += not mine and key not in self._ahead
            self._ahead.discard(key)
        return rows

    def _load(self, key: Key, promise: "Future[Rows | TripleRows]") -> None:
        size = self._arrays.bytes_of(*key)
        with self._lock:
            self._make_room(size)
            self._bytes += size
        try:
            rows = self._read(key)
        except BaseException as error:
            with self._lock:
                self._bytes -= size
                del self._loading[key]
                self._ahead.discard(key)
            promise.set_exception(error)
            return
        with self._lock:
            self._held[key] = rows
            self._loads[key[1]] += 1
            self._loaded_bytes += size
            del self._loading[key]
            self._make_room(0)  # other threads may have loaded at the same time
        promise.set_result(rows)

    def _make_room(self, size: int) -> None:
        while len(self._held) > (size == 0) and self._bytes + size > self._capacity:
            key, _ = self._held.popitem(last=False)
            self._bytes -= self._arrays.bytes_of(*key)
            self._ahead.discard(key)
            self._evictions += 1

    def _require(self, size: int, what: str) -> None:
        if size > self._capacity:
            raise InputError(
                f"a cache of {size_text(self._capacity)} cannot hold the largest partition in one direction, which for "
                f"{what} needs {size:,} bytes: allow at least that, or build the graph with more partitions"
            )

    def _read(self, key: Key) -> Rows | TripleRows:
        number, side = key
        if side in TRIPLES:
            self._require(self._largest_triples, "filters, triples and paths")
            return self._arrays.triples(number, side, self._array)
        return self._arrays.neighbours(number, side, self._array, first=False)

    def _array(self, name: str, dtype: str, length: int, proof: Proof) -> Ints:
        """An array, read and proved safe like one that is mapped."""
        path = self._folder / f"{name}.npy"
        try:
            array = array_of(_content(path), dtype, length)
        except (OSError, ValueError) as error:
            raise self._fault(
                f"{path} is not an array of {length} {dtype}: run `clew doctor`, then build the graph again"
            ) from error
        if not proof(array):
            raise DamagedGraph(
                f"{path} is damaged (numbers out of range): run `clew doctor`, then build the graph again"
            )
        return array


def _content(path: Path) -> pa.Buffer:
    """A whole file, without leaving it in the page cache."""
    with open_regular(path) as file:
        content = np.empty(os.fstat(file.fileno()).st_size, np.uint8)
        filled = 0
        while filled < len(content) and (count := file.readinto(content[filled:].data)):  # type: ignore[attr-defined]
            filled += count
        if hasattr(os, "posix_fadvise"):
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    content.setflags(write=False)
    return pa.py_buffer(content[:filled])
