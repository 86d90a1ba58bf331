"""Assertions: each source's statement of a triple, and which triples pass a condition on them.

Assertions stand in triple order; `offsets` says which rows belong to a triple. A triple passes a condition if one
single assertion passes all of it.
"""

import threading
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import DamagedGraph, InputError, UnknownName
from clew.graph.staging import ASSERTION_TYPES, QUALIFIER_PREFIX, Source

__all__ = [
    "ENCODED",
    "LAYERS",
    "Assertion",
    "Assertions",
    "Where",
    "assertion_type",
    "distinct_statements",
    "statement_columns",
    "stored_statements",
]

Ints = NDArray[np.integer]
Mask = NDArray[np.bool_]
LAYERS = ("all", "curated", "no-extracted")
CURATED_AGENTS = ("manual_agent", "manual_validation_of_automated_agent")
CURATED_LEVELS = ("knowledge_assertion", "logical_entailment")
EXTRACTED_AGENT = "text_mining_agent"
NOT_PROVIDED = (None, "not_provided")
ENCODED = pa.dictionary(pa.int32(), pa.string())


def assertion_type(column: str) -> pa.DataType | None:
    """The type in which a column of assertions stands on disk: strings by dictionary; None for an unknown column."""
    wanted = pa.string() if column.startswith(QUALIFIER_PREFIX) else ASSERTION_TYPES.get(column)
    return ENCODED if wanted == pa.string() else wanted


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
    """The assertion table of a graph with the rows of each triple."""

    def __init__(self, table: pa.Table, offsets: Ints, sources: Iterable[Source]) -> None:
        self.table = table
        self.offsets = offsets  # (triples + 1,) strictly rising
        self._sources = tuple(sources)
        self._masks: dict[Where, Mask] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def of(self, triple: int) -> list[Assertion]:
        """Every assertion of one triple."""
        start, end = int(self.offsets[triple]), int(self.offsets[triple + 1])
        try:
            return [_record(row) for row in self.table.slice(start, end - start).to_pylist()]
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
        return Assertions(rows, np.arange(rows.num_rows + 1), self._sources)._rows(where)

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
        known = set(_one_chunk(self.table["source"]).dictionary.to_pylist()) if self._has("source") else set()
        if unknown := sorted(where.sources - known):
            listed = ", ".join(sorted(known)[:12]) or "none"
            raise UnknownName(f"nothing in this graph has the source {unknown[0]!r}; known: {listed}")

    def _qualifier(self, name: str) -> str:
        column = QUALIFIER_PREFIX + name
        if column not in self.table.column_names:
            known = sorted(
                c.removeprefix(QUALIFIER_PREFIX) for c in self.table.column_names if c.startswith(QUALIFIER_PREFIX)
            )
            raise UnknownName(f"this graph has no qualifier {name!r}; known: {', '.join(known) or 'none'}")
        return column

    def _has(self, column: str) -> bool:
        return column in self.table.column_names and self.table[column].null_count < len(self)

    def _among(self, column: str, values: Iterable[str | None]) -> Mask:
        """Rows whose value is one of `values`; None stands for an absent value."""
        wanted = set(values)
        if not self._has(column):
            return np.full(len(self), None in wanted)
        array = _one_chunk(self.table[column])  # dictionary-encoded strings
        hit = np.array([value in wanted for value in array.dictionary.to_pylist()] + [None in wanted])
        return np.asarray(hit[array.indices.fill_null(len(hit) - 1).to_numpy(zero_copy_only=False)])

    def _flags(self, column: str) -> Mask:
        return np.asarray(_one_chunk(self.table[column]).fill_null(False).to_numpy(zero_copy_only=False), bool)

    def _numbers(self, column: str, absent: float) -> NDArray[np.float64]:
        if not self._has(column):
            return np.full(len(self), absent)
        return np.asarray(_one_chunk(self.table[column]).fill_null(absent).to_numpy(zero_copy_only=False))

    def _days(self, column: str, absent: int) -> NDArray[np.int64]:
        if not self._has(column):
            return np.full(len(self), absent, np.int64)
        days = _one_chunk(self.table[column]).cast(pa.int32()).cast(pa.int64()).fill_null(absent)
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


def statement_columns(table: pa.Table) -> pa.Table:
    """The columns of staged rows that belong to statements."""
    return table.select([n for n in table.column_names if n in ASSERTION_TYPES or n.startswith(QUALIFIER_PREFIX)])


def stored_statements(table: pa.Table, rows: Ints) -> pa.Table:
    """Some rows of statements in the types in which they stand on disk, without columns that say nothing."""
    columns: dict[str, pa.Array] = {}
    for name in table.column_names:
        column = table[name]
        if column.null_count == table.num_rows:
            continue
        array, wanted = column.combine_chunks(), assertion_type(name)
        if wanted == ENCODED:
            array = _dictionary(array)
        elif array.type != wanted:
            array = array.cast(wanted)
        columns[name] = array.take(pa.array(rows))
    if not columns:  # a table without columns has no rows: keep the count
        columns["negated"] = pa.nulls(len(rows), pa.bool_())
    return pa.table(columns)


def distinct_statements(table: pa.Table, rows: Ints, offsets: Ints) -> Ints:
    """Positions in `rows` that stay when identical statements of the same triple, one span of offsets, collapse."""
    sizes = np.diff(offsets)
    crowded = np.flatnonzero(np.repeat(sizes > 1, sizes))
    if len(crowded) == 0:
        return np.arange(len(rows))
    group = np.repeat(np.arange(len(sizes)), sizes)[crowded]
    taken = pa.array(rows[crowded])
    for name in table.column_names:
        column = _comparable(table[name].combine_chunks().take(taken))
        codes = column.indices.fill_null(len(column.dictionary)).to_numpy(zero_copy_only=False).astype(np.int64)
        group = np.unique(group * (len(column.dictionary) + 1) + codes, return_inverse=True)[1]
    _, first = np.unique(group, return_index=True)
    stays = np.ones(len(rows), bool)
    stays[crowded] = False
    stays[crowded[first]] = True
    return np.flatnonzero(stays)


def _comparable(column: pa.Array) -> pa.DictionaryArray:
    """A column by dictionary, values alike where statements are: no list is an empty one, no flag a false one."""
    import pyarrow.compute as pc

    if pa.types.is_boolean(column.type):
        column = column.fill_null(False)
    elif pa.types.is_list(column.type):
        items = pc.list_flatten(column).dictionary_encode().indices.fill_null(-1).cast(pa.string())
        lengths = pc.list_value_length(column).fill_null(0).to_numpy()
        offsets = pa.array(np.concatenate(([0], np.cumsum(lengths))).astype(np.int32))
        column = pc.binary_join(pa.ListArray.from_arrays(offsets, items), ",")  # numbers of items: no text to confuse
    return column if pa.types.is_dictionary(column.type) else column.dictionary_encode()


def _dictionary(array: pa.Array) -> pa.DictionaryArray:
    if not pa.types.is_dictionary(array.type):
        array = array.cast(pa.string()).dictionary_encode()
    return array.cast(pa.dictionary(pa.int32(), pa.string()))
