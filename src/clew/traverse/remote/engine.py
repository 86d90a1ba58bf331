"""A remote engine: requests are sent as bytes, and results are built from the bytes of the reply.

`RemoteEngine(Service(engine).answer)` is a loopback: the whole contract over bytes within one process.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path as FolderPath
from typing import Any, Unpack

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from clew.errors import InputError
from clew.graph import Assertion, Snapshot, TripleColumns, Where
from clew.graph.contents import BLOCK_ROWS, Seeds
from clew.graph.names import Found
from clew.graph.schema import Schema
from clew.traverse.batch import BatchResult
from clew.traverse.blocks import Block, ListedBlock, SeedLists
from clew.traverse.deadline import Deadline, Signal
from clew.traverse.paths.result import Paths
from clew.traverse.paths.search import Found as FoundPath
from clew.traverse.remote.wire import pack, unpack, unpack_error
from clew.traverse.request import HopRequest, PathRequest
from clew.traverse.result import HopResult, Triples
from clew.traverse.walk import PathOptions, ReachOptions, StepOptions, TripleOptions, Walk, WalkOptions, as_walk

__all__ = ["RemoteEngine", "RemoteReader"]

Ints = NDArray[np.integer]
Send = Callable[[bytes], bytes]
QUERIES = 1024  # of a batch, in one message


class RemoteReader:
    """The contents of a remote graph; data derived from it can be kept in `folder` on this machine."""

    def __init__(self, send: Send, *, folder: FolderPath | None = None) -> None:
        self._send = send
        snapshot, self._schema = self._ask("open")
        self._snapshot: Snapshot = replace(snapshot, folder=folder)

    def _ask(self, call: str, *positional: Any, **named: Any) -> Any:
        reply = unpack(self._send(pack({"call": call, "positional": list(positional), "named": named})))
        if "error" in reply:
            raise unpack_error(reply["error"])
        return reply["value"]

    @property
    def snapshot(self) -> Snapshot:
        return self._snapshot

    @property
    def schema(self) -> Schema:
        return self._schema  # type: ignore[no-any-return]

    @property
    def counts(self) -> Mapping[str, int]:
        return self._snapshot.counts

    def describe(self, ids: ArrayLike) -> pa.Table:
        return self._ask("describe", np.asarray(ids))

    def details(self, seeds: Seeds) -> pa.Table:
        return self._ask("details", _sendable(seeds))

    def triple_columns(self, numbers: ArrayLike | None = None) -> TripleColumns:
        found: TripleColumns = self._ask("triple_columns", None if numbers is None else np.asarray(numbers, np.int64))
        return found

    def assertions(self, number: int) -> list[Assertion]:
        return self._ask("assertions", int(number))  # type: ignore[no-any-return]

    def assertion_table(self, numbers: ArrayLike) -> pa.Table:
        return self._ask("assertion_table", np.asarray(numbers, np.int64))

    def types_of(self, ids: ArrayLike | None = None) -> Ints:
        return self._types if ids is None else self._types[np.asarray(ids)]

    @cached_property
    def _types(self) -> Ints:
        return np.asarray(self._ask("types_of", None))

    def resolve(self, seeds: Seeds) -> Ints:
        return np.asarray(self._ask("resolve", _sendable(seeds)))

    def lookup(self, ids: Sequence[str] | pa.Array | pa.ChunkedArray) -> Ints:
        plain = ids.to_pylist() if isinstance(ids, pa.Array | pa.ChunkedArray) else list(ids)
        return np.asarray(self._ask("lookup", ["" if each is None else each for each in plain]))

    def lookup_name(self, name: str) -> list[int]:
        return self._ask("lookup_name", name)  # type: ignore[no-any-return]

    def find(self, text: str, *, limit: int = 10) -> list[Found]:
        return self._ask("find", text, limit=limit)  # type: ignore[no-any-return]

    def scan_entities(
        self, columns: Sequence[str] | None = None, *, rows: int = BLOCK_ROWS
    ) -> Iterator[pa.RecordBatch]:
        return self._blocks(self._ask("scan_entities", None if columns is None else list(columns), rows))

    def scan_triples(
        self,
        *,
        relations: Iterable[str] | None = None,
        where: Where | None = None,
        assertions: bool | Sequence[str] = False,
        rows: int = BLOCK_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        named = relations if relations is None or isinstance(relations, str) else list(relations)
        wanted = assertions if isinstance(assertions, bool) else list(assertions)
        return self._blocks(self._ask("scan_triples", relations=named, where=where, assertions=wanted, rows=rows))

    def _blocks(self, scan: int) -> Iterator[pa.RecordBatch]:
        while (block := self._ask("next_block", scan)) is not None:
            whole = block.combine_chunks()
            arrays = [column.chunk(0) if column.num_chunks else pa.array([], column.type) for column in whole.columns]
            yield pa.RecordBatch.from_arrays(arrays, whole.column_names)

    def verify(self) -> None:
        self._ask("verify")

    def close(self) -> None:
        """Nothing is held open here."""


class RemoteEngine(RemoteReader):
    """An engine on another machine or in another process."""

    def __init__(self, send: Send, *, folder: FolderPath | None = None) -> None:
        super().__init__(send, folder=folder)
        self._reader = RemoteReader(send, folder=folder)  # what results keep: they must not hold the engine

    def hop(
        self,
        seeds: Seeds,
        k: int | Walk = 1,
        *,
        timeout: float | None = None,
        cancel: Signal | None = None,
        **options: Unpack[WalkOptions],
    ) -> HopResult:
        """The entities k hops from the seeds."""
        deadline, walk = Deadline(timeout, cancel), as_walk(k, options)
        request = HopRequest(self.snapshot.id, tuple(_listed(seeds)), walk)
        deadline.check()
        start, ids = self._ask("hop", request.to_json(), timeout=timeout)
        deadline.check()
        return HopResult(self._reader, start, walk, ids)

    def hop_batch(
        self,
        queries: Sequence[Seeds],
        k: int | Walk = 1,
        *,
        timeout: float | None = None,
        cancel: Signal | None = None,
        memory: int = 1 << 30,
        **options: Unpack[WalkOptions],
    ) -> BatchResult:
        """`hop` for many sets of seeds; a block of them in each message."""
        walk, dtype = as_walk(k, options), np.dtype(self.snapshot.widths.entity)
        seeds = SeedLists.joined([np.unique(self.resolve(each)) for each in queries], dtype)
        blocks = _RemoteBlocks(self._ask, seeds, walk, Deadline(timeout, cancel), timeout)
        return BatchResult(self._reader, seeds, walk, blocks, memory=memory)

    def hop_triples(
        self, of: HopResult | HopRequest, hop: int | None = None, *, leading_to_result: bool = False
    ) -> Triples:
        """The permitted triples that leave the set of hop - 1 of a walk, or of all its hops where `hop` is None."""
        request = of.request if isinstance(of, HopResult) else of
        if hop is not None and (isinstance(hop, bool) or not isinstance(hop, int)):
            raise InputError(f"hop must be a number from 1 to {request.walk.k}, not {hop!r}")
        numbers = self._ask("hop_triples", request.to_json(), hop, leading_to_result=leading_to_result)
        return Triples(self._reader, numbers)

    def distances(
        self,
        seeds: Seeds,
        k: int | Walk,
        *,
        timeout: float | None = None,
        cancel: Signal | None = None,
        **options: Unpack[ReachOptions],
    ) -> tuple[Ints, Ints]:
        """Every entity within k hops, ascending, and its distance from the nearest seed."""
        deadline = Deadline(timeout, cancel)
        deadline.check()
        ids, distance = self._ask("distances", _sendable(seeds), as_walk(k, options), timeout=timeout)
        return ids, distance

    def paths(
        self,
        source: Seeds,
        target: Seeds,
        k: int | Walk = 3,
        *,
        kind: str = "simple",
        limit: int = 100,
        timeout: float | None = None,
        cancel: Signal | None = None,
        **options: Unpack[PathOptions],
    ) -> Paths:
        """Paths of 1 to k triples from a source to a target: shortest first, then through the rarest entities."""
        deadline, walk = Deadline(timeout, cancel), as_walk(k, options)
        request = PathRequest(self.snapshot.id, tuple(_listed(source)), tuple(_listed(target)), walk, kind, limit)
        deadline.check()
        asked, found, reason = self._ask("paths", request.to_json(), timeout=timeout)
        deadline.check()
        listing = _RemotePaths(self._ask, asked, found, reason, timeout)
        return Paths(self._reader, PathRequest.from_json(asked), listing)

    def triples(self, seeds: Seeds, **options: Unpack[StepOptions]) -> Triples:
        """Permitted triples that leave a set of entities."""
        return Triples(self._reader, self._ask("triples", _sendable(seeds), **_sendable_options(options)))

    def numbered(self, numbers: Iterable[int]) -> Triples:
        """Triples given by their numbers inside this snapshot."""
        wanted = np.unique(np.fromiter(numbers, np.int64))
        if len(wanted) and not 0 <= wanted[0] <= wanted[-1] < self.counts["triples"]:
            raise InputError(f"triples are numbered from 0 to {self.counts['triples'] - 1}")
        return Triples(self._reader, wanted)

    def subgraph(self, seeds: Seeds, **options: Unpack[TripleOptions]) -> Triples:
        """Permitted triples with both ends in a set of entities."""
        return Triples(self._reader, self._ask("subgraph", _sendable(seeds), **_sendable_options(options)))

    def degree(self, seeds: Seeds | None = None, **options: Unpack[StepOptions]) -> NDArray[np.int64]:
        """How many permitted triples touch each of some entities (or of all), in the order given."""
        given = None if seeds is None else _sendable(seeds)
        return np.asarray(self._ask("degree", given, **_sendable_options(options)))


class _RemoteBlocks:
    """The blocks of a batch, requested on demand."""

    width = QUERIES

    def __init__(
        self, ask: Callable[..., Any], seeds: SeedLists, walk: Walk, deadline: Deadline, timeout: float | None
    ) -> None:
        self._ask, self._seeds, self._walk = ask, seeds, walk
        self._deadline, self._timeout = deadline, timeout

    def block(self, number: int) -> Block:
        self._deadline.check()
        seeds = self._seeds.part(number * QUERIES, min((number + 1) * QUERIES, len(self._seeds)))
        ids, offsets = self._ask("hop_batch", seeds.starts, seeds.flat, self._walk, timeout=self._timeout)
        return ListedBlock(ids, offsets)


class _RemotePaths:
    """Paths that were found elsewhere; how many there are is asked for when needed."""

    def __init__(
        self, ask: Callable[..., Any], request: str, found: list[FoundPath], reason: str | None, timeout: float | None
    ) -> None:
        self._ask, self._request, self._found, self._timeout = ask, request, found, timeout
        self.reason = reason

    def get(self, index: int) -> FoundPath | None:
        return self._found[index] if index < len(self._found) else None

    @cached_property
    def counted(self) -> tuple[int, str]:
        total, kind = self._ask("count_paths", self._request, timeout=self._timeout)
        return total, kind


def _listed(seeds: Seeds) -> list[int | str]:
    """Seeds as a request holds them; whatever is no seed is left for the answering side to refuse."""
    if isinstance(seeds, np.ndarray):
        return list(map(int, seeds.reshape(-1)))
    if isinstance(seeds, str | int | np.integer):
        return [seeds if isinstance(seeds, str | bool) else int(seeds)]
    return [int(each) if isinstance(each, np.integer) else each for each in seeds]


def _sendable(seeds: Seeds) -> Any:
    return seeds if isinstance(seeds, np.ndarray) else _listed(seeds)


def _sendable_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options with sets as lists."""
    return {name: list(each) if isinstance(each, set | frozenset) else each for name, each in options.items()}
