"""The server side of a remote engine: replies to messages, with any engine behind it."""

from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pyarrow as pa

from clew.errors import ClewError, InputError
from clew.traverse.blocks import SeedLists
from clew.traverse.engine import GraphEngine
from clew.traverse.paths.search import Found as FoundPath
from clew.traverse.paths.search_graph import COST_UNITS
from clew.traverse.remote.wire import pack, pack_error, unpack
from clew.traverse.request import HopRequest, PathRequest, check_snapshot

__all__ = ["Service"]

READS = (  # calls that are passed through
    "describe", "details", "triple_columns", "assertions", "assertion_table", "types_of", "resolve", "lookup",
    "lookup_name", "find", "verify", "distances", "degree",
)  # fmt: skip


class Service:
    """Answers the calls of `RemoteEngine`. Errors that Clew raises on purpose travel back as records."""

    def __init__(self, engine: GraphEngine) -> None:
        self._engine = engine
        self._scans: dict[int, Iterator[pa.RecordBatch]] = {}
        self._numbers = count()

    def answer(self, message: bytes) -> bytes:
        """The reply to one message."""
        asked = unpack(message)
        try:
            return pack({"value": self._call(asked["call"], asked["positional"], asked["named"])})
        except ClewError as error:
            return pack({"error": pack_error(error)})

    def _call(self, name: str, positional: list[Any], named: dict[str, Any]) -> Any:
        if name in READS:
            return getattr(self._engine, name)(*positional, **named)
        calls: dict[str, Callable[..., Any]] = {
            "open": self._open,
            "hop": self._hop,
            "hop_batch": self._hop_batch,
            "hop_triples": self._hop_triples,
            "paths": self._paths,
            "count_paths": self._count_paths,
            "triples": self._triples,
            "subgraph": self._subgraph,
            "scan_entities": self._scan_entities,
            "scan_triples": self._scan_triples,
            "next_block": self._next_block,
        }
        if name not in calls:
            raise InputError(f"an engine has no call {name!r}")
        return calls[name](*positional, **named)

    def _open(self) -> Any:
        return [self._engine.snapshot, self._engine.schema]

    def _hop(self, request: str, *, timeout: float | None) -> Any:
        asked = HopRequest.from_json(request)
        check_snapshot(asked.snapshot, self._engine.snapshot)
        found = self._engine.hop(asked.seeds, asked.walk, timeout=timeout)
        return [found.seeds, found.ids]

    def _hop_batch(self, starts: Any, flat: Any, walk: Any, *, timeout: float | None) -> Any:
        seeds = SeedLists(starts, flat)
        found = self._engine.hop_batch([seeds.of(at) for at in range(len(seeds))], walk, timeout=timeout)
        return [found.ids, found.offsets]

    def _hop_triples(self, request: str, hop: int | None, *, leading_to_result: bool) -> Any:
        asked = HopRequest.from_json(request)
        return self._engine.hop_triples(asked, hop, leading_to_result=leading_to_result).numbers

    def _paths(self, request: str, *, timeout: float | None) -> Any:
        found = self._asked(request, timeout)
        listed = [FoundPath(path.numbers, path.entities, round(path.cost * COST_UNITS)) for path in found]
        return [found.request.to_json(), listed, found.reason]

    def _count_paths(self, request: str, *, timeout: float | None) -> Any:
        found = self._asked(request, timeout)
        return [found.count, found.count_kind]

    def _asked(self, request: str, timeout: float | None) -> Any:
        asked = PathRequest.from_json(request)
        check_snapshot(asked.snapshot, self._engine.snapshot)
        return self._engine.paths(
            asked.sources, asked.targets, asked.walk, kind=asked.kind, limit=asked.limit, timeout=timeout
        )

    def _triples(self, seeds: Any, **options: Any) -> Any:
        return self._engine.triples(seeds, **options).numbers

    def _subgraph(self, seeds: Any, **options: Any) -> Any:
        return self._engine.subgraph(seeds, **options).numbers

    def _scan_entities(self, columns: list[str] | None, rows: int) -> int:
        return self._scan(self._engine.scan_entities(columns, rows=rows))

    def _scan_triples(self, **options: Any) -> int:
        return self._scan(self._engine.scan_triples(**options))

    def _scan(self, blocks: Iterator[pa.RecordBatch]) -> int:
        number = next(self._numbers)
        self._scans[number] = blocks
        return number

    def _next_block(self, number: int) -> Any:
        block = next(self._scans[number], None)
        if block is None:
            del self._scans[number]
        return block
