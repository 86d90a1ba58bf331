"""Assertions: each source's statement of a triple, and which triples pass a condition on them.

Assertions stand in triple order; `offsets` says which rows belong to a triple. A triple passes a condition if one
single assertion passes all of it.
"""

import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import DamagedGraph, InputError, UnknownName
from clew.graph.adjacency import spans
from clew.graph.staging import QUALIFIER_PREFIX, Source
from clew.graph.storage.arrays import arrow_of
from clew.graph.storage.statements import decoded

__all__ = ["DEFAULT", "LAYERS", "Assertion", "Assertions", "Where"]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
LAYERS = ("all", "curated", "no-extracted")
CURATED_AGENTS = ("manual_agent", "manual_validation_of_automated_agent")
CURATED_LEVELS = ("knowledge_assertion", "logical_entailment")
EXTRACTED_AGENT = "text_mining_agent"
NOT_PROVIDED = (None, "not_provided")


@dataclass(frozen=True, slots=True)
class Assertion:
    """One source's statement of a triple, as a record."""

    source: str | None = None
    source_version: str | None = None
    license: str | None = None
    retrieved_at: str | None = None
    document: str | None = None
    evidence: tuple[str, ...] = ()
    valid_from: date | None = None
    valid_to: date | None = None
    knowledge_level: str | None = None
    agent_type: str | None = None
    confidence: float | None = None
    negated: bool = False
    qualifiers: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class Where:
    """Conditions on assertions; a triple passes if one single assertion meets them all.

    `layer` is all, curated or no-extracted. `as_of` keeps what was valid on that day (an absent bound is open).
    `qualifiers` asks for exact values, such as {"frequency": "HP:0040281"}. Negated statements are left out unless
    `negated` lets them in.

    >>> Where(layer="curated", as_of="2020-05-01").as_of
    datetime.date(2020, 5, 1)
    """

    layer: str = "all"
    sources: frozenset[str] | None = None
    as_of: date | None = None
    min_confidence: float | None = None
    qualifiers: frozenset[tuple[str, str]] = frozenset()
    negated: bool = False

    def __init__(
        self,
        *,
        layer: str = "all",
        sources: str | Iterable[str] | None = None,
        as_of: date | str | None = None,
        min_confidence: float | None = None,
        qualifiers: Mapping[str, str] | Iterable[tuple[str, str]] = (),
        negated: bool = False,
    ) -> None:
        if layer not in LAYERS:
            raise UnknownName(f"no layer is called {layer!r}: known: {', '.join(LAYERS)}")
        try:
            day = date.fromisoformat(as_of) if isinstance(as_of, str) else as_of
        except ValueError:
            raise InputError(f"as_of= takes a day such as 2020-05-01, not {as_of!r}") from None
        chosen = (sources,) if isinstance(sources, str) else sources
        pairs = qualifiers.items() if isinstance(qualifiers, Mapping) else qualifiers
        for name, value in (
            ("layer", layer),
            ("sources", None if chosen is None else frozenset(chosen)),
            ("as_of", day),
            ("min_confidence", min_confidence),
            ("qualifiers", frozenset((str(key), str(value)) for key, value in pairs)),
            ("negated", bool(negated)),
        ):
            object.__setattr__(self, name, value)

    @property
    def is_default(self) -> bool:
        return self is DEFAULT or self == DEFAULT

    def to_record(self) -> dict[str, Any]:
        """As JSON takes it."""
        return {
            "layer": self.layer,
            "sources": None if self.sources is None else sorted(self.sources),
            "as_of": None if self.as_of is None else self.as_of.isoformat(),
            "min_confidence": self.min_confidence,
            "qualifiers": [list(pair) for pair in sorted(self.qualifiers)],
            "negated": self.negated,
        }

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> "Where":
        """The reverse of `to_record`; conditions left out are not made."""
        if unknown := record.keys() - set(cls.__slots__):
            raise InputError(f"where has no condition {min(unknown)!r}: known: {', '.join(cls.__slots__)}")
        return cls(**record)


DEFAULT = Where()


class Assertions:
    """The assertions of a graph with the rows of each triple.

    They stand in triple order in one table, or anywhere in several: then `begin` has the place of the first assertion
    of each triple in these tables one after another, and a column is put in order when it is first asked for.
    """

    def __init__(
        self, tables: Sequence[pa.Table], offsets: Ints, sources: Iterable[Source], *, begin: Ints | None = None
    ) -> None:
        self.offsets = offsets  # (triples + 1,) strictly rising
        self._tables = tuple(tables)
        self._begin = begin  # (triples,)
        self._sources = tuple(sources)
        self._columns: dict[str, pa.Array] = {}
        self._masks: dict[Where, Mask] = {}
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return int(self.offsets[-1])

    @cached_property
    def column_names(self) -> list[str]:
        return list(dict.fromkeys(name for table in self._tables for name in table.column_names))

    @cached_property
    def table(self) -> pa.Table:
        """All assertions in triple order."""
        if self._begin is None:
            return self._tables[0]
        return pa.table({name: self.column(name) for name in self.column_names})

    def column(self, name: str) -> pa.Array:
        """One column of all assertions in triple order; strings by one dictionary."""
        with self._lock:
            if name not in self._columns:
                self._columns[name] = self._in_order(name)
        return self._columns[name]

    def _in_order(self, name: str) -> pa.Array:
        if self._begin is None:
            return _one_chunk(self._tables[0][name])
        wanted = next(table.schema.field(name).type for table in self._tables if name in table.column_names)
        parts = [
            _one_chunk(table[name]) if name in table.column_names else pa.nulls(table.num_rows, wanted)
            for table in self._tables
        ]
        whole = pa.chunked_array(parts).unify_dictionaries().combine_chunks()
        return whole.take(arrow_of(self._places))

    @cached_property
    def _places(self) -> Ints:
        """Where each assertion stands in the tables one after another."""
        assert self._begin is not None
        return spans(self._begin, np.diff(self.offsets))

    def rows(self, numbers: Ints) -> pa.Table:
        """Some assertions, given by row, without dictionaries, which may be those of a whole graph."""
        if self._begin is None:
            return decoded(self._tables[0].take(arrow_of(numbers)))
        triple = np.searchsorted(self.offsets, numbers, side="right") - 1
        place = self._begin[triple] + (numbers - self.offsets[triple])
        found, order, first = [], [], 0
        for table in self._tables:
            here = np.flatnonzero((place >= first) & (place < first + table.num_rows))
            found.append(decoded(table.take(arrow_of(place[here] - first))))
            order.append(here)
            first += table.num_rows
        back = np.argsort(np.concatenate(order), kind="stable")
        return pa.concat_tables(found, promote_options="default").combine_chunks().take(arrow_of(back))

    def of(self, triple: int) -> list[Assertion]:
        """Every assertion of one triple."""
        start, end = int(self.offsets[triple]), int(self.offsets[triple + 1])
        whole = self._begin is None
        found = self.table.slice(start, end - start) if whole else self.rows(np.arange(start, end))
        try:
            return [_record(row) for row in found.to_pylist()]
        except (ValueError, OverflowError) as error:  # a day outside the years 1 to 9999
            raise DamagedGraph(
                f"an assertion of triple {triple} cannot be read ({error}): run `clew doctor`"
            ) from error

    def passing(self, where: Where) -> Mask:
        """Which triples have an assertion that meets all conditions; kept, so asking again is free."""
        with self._lock:
            mask = self._masks.get(where)
            if mask is None:
                self._check_sources(where)
                rows = self._rows(where)
                mask = rows if len(rows) == len(self.offsets) - 1 else np.logical_or.reduceat(rows, self.offsets[:-1])
                mask.setflags(write=False)
                self._masks[where] = mask
        return mask

    def meeting(self, where: Where, rows: pa.Table) -> Mask:
        """Which of some rows of the table meet all conditions."""
        self._check_sources(where)
        return Assertions([rows], np.arange(rows.num_rows + 1), self._sources)._rows(where)

    def _rows(self, where: Where) -> Mask:
        keep = np.ones(len(self), bool)
        if not where.negated and self._has("negated"):
            keep &= ~self._flags("negated")
        if where.layer == "curated":
            keep &= self._curated
        elif where.layer == "no-extracted":
            keep &= ~self._among("agent_type", (EXTRACTED_AGENT,))
        if where.sources is not None:
            keep &= self._among("source", where.sources)
        if where.min_confidence is not None:
            keep &= self._numbers("confidence", np.nan) >= where.min_confidence
        if where.as_of is not None:
            day = np.datetime64(where.as_of, "D").astype(np.int64)
            keep &= self._days("valid_from", np.iinfo(np.int64).min) <= day
            keep &= self._days("valid_to", np.iinfo(np.int64).max) >= day
        for name, value in where.qualifiers:
            keep &= self._among(self._qualifier(name), (value,))
        return keep

    @cached_property
    def _curated(self) -> Mask:
        stated = self._among("agent_type", CURATED_AGENTS) & self._among("knowledge_level", CURATED_LEVELS)
        if declared := {source.name for source in self._sources if source.curated}:
            silent = self._among("knowledge_level", NOT_PROVIDED) & self._among("agent_type", NOT_PROVIDED)
            stated |= silent & self._among("source", declared)
        return stated

    def _check_sources(self, where: Where) -> None:
        if where.sources is None:
            return
        known = set(self.column("source").dictionary.to_pylist()) if self._has("source") else set()
        if unknown := sorted(where.sources - known):
            listed = ", ".join(sorted(known)[:12]) or "none"
            raise UnknownName(f"nothing in this graph has the source {unknown[0]!r}; known: {listed}")

    def _qualifier(self, name: str) -> str:
        column = QUALIFIER_PREFIX + name
        if column not in self.column_names:
            known = sorted(
                c.removeprefix(QUALIFIER_PREFIX) for c in self.column_names if c.startswith(QUALIFIER_PREFIX)
            )
            raise UnknownName(f"this graph has no qualifier {name!r}; known: {', '.join(known) or 'none'}")
        return column

    def _has(self, column: str) -> bool:
        tables = [table for table in self._tables if column in table.column_names]
        return any(table[column].null_count < table.num_rows for table in tables)

    def _among(self, column: str, values: Iterable[str | None]) -> Mask:
        """Rows whose value is one of `values`; None stands for an absent value."""
        wanted = set(values)
        if not self._has(column):
            return np.full(len(self), None in wanted)
        array = self.column(column)  # dictionary-encoded strings
        hit = np.array([value in wanted for value in array.dictionary.to_pylist()] + [None in wanted])
        return np.asarray(hit[array.indices.fill_null(len(hit) - 1).to_numpy(zero_copy_only=False)])

    def _flags(self, column: str) -> Mask:
        return np.asarray(self.column(column).fill_null(False).to_numpy(zero_copy_only=False), bool)

    def _numbers(self, column: str, absent: float) -> NDArray[np.float64]:
        if not self._has(column):
            return np.full(len(self), absent)
        return np.asarray(self.column(column).fill_null(absent).to_numpy(zero_copy_only=False))

    def _days(self, column: str, absent: int) -> NDArray[np.int64]:
        if not self._has(column):
            return np.full(len(self), absent, np.int64)
        days = self.column(column).cast(pa.int32()).cast(pa.int64()).fill_null(absent)
        return np.asarray(days.to_numpy(zero_copy_only=False))


def _one_chunk(column: pa.ChunkedArray) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _record(row: dict[str, Any]) -> Assertion:
    qualifiers = {
        name.removeprefix(QUALIFIER_PREFIX): value
        for name, value in row.items()
        if name.startswith(QUALIFIER_PREFIX) and value is not None
    }
    plain = {name: value for name, value in row.items() if not name.startswith(QUALIFIER_PREFIX)}
    plain["evidence"] = tuple(plain.get("evidence") or ())
    plain["negated"] = bool(plain.get("negated"))
    return Assertion(**plain, qualifiers=qualifiers or None)
