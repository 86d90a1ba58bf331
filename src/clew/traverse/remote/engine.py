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

from clew.graph import Assertion, Snapshot, TripleColumns, Where
from clew.graph.contents import BLOCK_ROWS, Seeds
from clew.graph.names import Found
from clew.graph.schema import Schema
from clew.traverse.blocks import Block, ListedBlock, SeedLists
from clew.traverse.deadline import Deadline
from clew.traverse.engine import GraphEngine
from clew.traverse.paths.search import Found as FoundPath
from clew.traverse.remote.wire import pack, unpack, unpack_error
from clew.traverse.request import HopRequest, PathRequest, as_ends
from clew.traverse.result import HopResult, Triples
from clew.traverse.walk import StepOptions, TripleOptions, Walk

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

    def assertion_table(self, numbers: ArrayLike, *, where: Where | None = None) -> pa.Table:
        return self._ask("assertion_table", np.asarray(numbers, np.int64), where=where)

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

    def find(self, text: str, *, limit: int = 10, whole: bool = False) -> list[Found]:
        return self._ask("find", text, limit=limit, whole=whole)  # type: ignore[no-any-return]

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


class RemoteEngine(RemoteReader, GraphEngine):
    """An engine on another machine or in another process."""

    def __init__(self, send: Send, *, folder: FolderPath | None = None) -> None:
        super().__init__(send, folder=folder)
        self._reader = RemoteReader(send, folder=folder)  # what results keep: they must not hold the engine
        self.kept = {}

    def _hop(self, seeds: Seeds, walk: Walk, deadline: Deadline) -> tuple[Ints, Ints]:
        request = HopRequest(self.snapshot.id, as_ends(seeds), walk)
        start, ids = self._ask_within(deadline, "hop", request.to_json())
        return start, ids

    def _batch(self, queries: Sequence[Seeds], walk: Walk, deadline: Deadline) -> tuple[SeedLists, "_RemoteBlocks"]:
        dtype = np.dtype(self.snapshot.widths.entity)
        seeds = SeedLists.joined([np.unique(self.resolve(each)) for each in queries], dtype)
        return seeds, _RemoteBlocks(self._ask_within, seeds, walk, deadline)

    def _hop_triples(self, of: HopResult | HopRequest, hop: int | None, leading_to_result: bool) -> NDArray[np.int64]:
        request = of.request if isinstance(of, HopResult) else of
        return np.asarray(self._ask("hop_triples", request.to_json(), hop, leading_to_result=leading_to_result))

    def _distances(self, seeds: Seeds, walk: Walk, deadline: Deadline) -> tuple[Ints, Ints]:
        ids, distance = self._ask_within(deadline, "distances", _sendable(seeds), walk)
        return ids, distance

    def _paths(self, request: PathRequest, deadline: Deadline) -> tuple[PathRequest, "_RemotePaths"]:
        asked, found, reason = self._ask_within(deadline, "paths", request.to_json())
        return PathRequest.from_json(asked), _RemotePaths(self._ask_within, deadline, asked, found, reason)

    def _ask_within(self, deadline: Deadline, call: str, *positional: Any) -> Any:
        """The answer to a call, whose time limit holds on the other side too."""
        deadline.check()
        answer = self._ask(call, *positional, timeout=deadline.seconds)
        deadline.check()
        return answer

    def triples(self, seeds: Seeds, **options: Unpack[StepOptions]) -> Triples:
        """Permitted triples that leave a set of entities."""
        return Triples(self._reader, self._ask("triples", _sendable(seeds), **_sendable_options(options)))

    def subgraph(self, seeds: Seeds, **options: Unpack[TripleOptions]) -> Triples:
        """Permitted triples with subject and object in a set of entities."""
        return Triples(self._reader, self._ask("subgraph", _sendable(seeds), **_sendable_options(options)))

    def degree(self, seeds: Seeds | None = None, **options: Unpack[StepOptions]) -> NDArray[np.int64]:
        """The number of permitted triples of each of some entities (or of all), in the order given."""
        given = None if seeds is None else _sendable(seeds)
        return np.asarray(self._ask("degree", given, **_sendable_options(options)))


class _RemoteBlocks:
    """The blocks of a batch, requested on demand."""

    width = QUERIES

    def __init__(self, ask: Callable[..., Any], seeds: SeedLists, walk: Walk, deadline: Deadline) -> None:
        self._ask, self._seeds, self._walk, self._deadline = ask, seeds, walk, deadline

    def block(self, number: int) -> Block:
        seeds = self._seeds.part(number * QUERIES, min((number + 1) * QUERIES, len(self._seeds)))
        ids, offsets = self._ask(self._deadline, "hop_batch", seeds.starts, seeds.flat, self._walk)
        return ListedBlock(ids, offsets)


class _RemotePaths:
    """Paths found by the other side; their number is requested on demand."""

    def __init__(
        self, ask: Callable[..., Any], deadline: Deadline, request: str, found: list[FoundPath], reason: str | None
    ) -> None:
        self._ask, self._deadline, self._request, self._found = ask, deadline, request, found
        self.reason = reason

    def get(self, index: int) -> FoundPath | None:
        return self._found[index] if index < len(self._found) else None

    @cached_property
    def counted(self) -> tuple[int, str]:
        total, kind = self._ask(self._deadline, "count_paths", self._request)
        return total, kind


def _sendable(seeds: Seeds) -> Any:
    return seeds if isinstance(seeds, np.ndarray) else list(as_ends(seeds))


def _sendable_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Options with sets as lists."""
    return {name: list(each) if isinstance(each, set | frozenset) else each for name, each in options.items()}
