"""What kinds of things a graph holds: its types, its relations with their flags, and which types each relation joins.

Computed once when the graph is built and stored as schema.json.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clew.errors import DamagedGraph, UnknownName
from clew.files import read_regular
from clew.graph.staging import Relation

__all__ = [
    "RelationSchema",
    "Schema",
    "Signature",
    "count_joins",
    "joins_of",
    "make_schema",
    "read_schema",
    "schema_of_joins",
    "sum_joins",
]

Ints = NDArray[np.integer]
Joins = NDArray[np.int64]  # (n, 4): relation, type of subject, type of object, and how many triples
MAX_BYTES = 256 << 20  # of schema.json
JOINS = re.compile(r"(\d+,\d+,\d+(;\d+,\d+,\d+)*)?", re.ASCII)
STORED = ("name", "number", "triples", "negated", "symmetric", "transitive", "inverse", "joins")


@dataclass(frozen=True, slots=True)
class Signature:
    """How many triples of a relation lead from one type to another."""

    subject: str
    object: str
    triples: int


@dataclass(frozen=True, slots=True)
class RelationSchema:
    """One relation: its number inside the graph, its flags, how often it occurs and between which types."""

    name: str
    number: int
    triples: int
    negated: bool = False
    symmetric: bool = False
    transitive: bool = False
    inverse: str | None = None
    joins: str = field(default="", repr=False)  # "subject,object,triples;…", types by number
    type_names: tuple[str, ...] = field(default=(), repr=False)

    @property
    def signatures(self) -> tuple[Signature, ...]:
        """Which types it joins, the commonest first. Decoded when asked for: there can be very many."""
        rows = [tuple(map(int, each.split(","))) for each in self.joins.split(";") if each]
        try:
            return tuple(Signature(self.type_names[s], self.type_names[o], triples) for s, o, triples in rows)
        except IndexError as error:
            raise DamagedGraph(f"the schema joins types by {self.name} that do not exist: run `clew doctor`") from error


@dataclass(frozen=True, slots=True)
class Schema:
    """Types with their entity counts, and relations in the order of their numbers."""

    types: Mapping[str, int]
    relations: tuple[RelationSchema, ...]
    _numbers: dict[str, int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_numbers", {relation.name: relation.number for relation in self.relations})

    def relation(self, name: str) -> RelationSchema:
        """The relation of that name; an unknown name is an error that lists close ones."""
        number = self._numbers.get(name)
        if number is not None:
            return self.relations[number]
        raise _unknown("relation", name, [relation.name for relation in self.relations])

    def type_number(self, name: str) -> int:
        """The number of a type; an unknown name is an error that lists close ones."""
        names = list(self.types)
        if name in self.types:
            return names.index(name)
        raise _unknown("type", name, names)

    def to_json(self) -> str:
        """One property a line."""
        types = _lines("{}", 1, [f"{json.dumps(name)}: {count}" for name, count in self.types.items()])
        relations = [
            _lines("{}", 2, [f'"{name}": {json.dumps(getattr(each, name))}' for name in STORED])
            for each in self.relations
        ]
        return _lines("{}", 0, [f'"types": {types}', f'"relations": {_lines("[]", 1, relations)}'])

    @classmethod
    def from_json(cls, text: str) -> "Schema":
        """The reverse of `to_json`; raises ValueError, KeyError or the like where the text is no schema."""
        body = json.loads(text)
        names = tuple(body["types"])
        relations = tuple(RelationSchema(**relation, type_names=names) for relation in body["relations"])
        if [relation.number for relation in relations] != list(range(len(relations))):
            raise ValueError("relation numbers")
        for each in relations:
            flags = (each.negated, each.symmetric, each.transitive)
            if type(each.name) is not str or type(each.triples) is not int or {type(flag) for flag in flags} != {bool}:
                raise ValueError(f"the relation {each.name!r}")
            if (each.inverse is not None and type(each.inverse) is not str) or not JOINS.fullmatch(each.joins):
                raise ValueError(f"the relation {each.name!r}")
        return cls({str(name): int(count) for name, count in body["types"].items()}, relations)


def _lines(brackets: str, depth: int, parts: Sequence[str]) -> str:
    """What json.dumps with indent=1 writes, which is slow where there are many relations."""
    if not parts:
        return brackets
    before = "\n" + " " * depth
    return brackets[0] + ",".join(f"{before} {part}" for part in parts) + before + brackets[1]


def _unknown(what: str, name: str, known: list[str]) -> UnknownName:
    folded = {candidate.casefold(): candidate for candidate in known}
    close = tuple(folded[match] for match in get_close_matches(str(name).casefold(), folded, n=3, cutoff=0.5))
    offer = "did you mean " + " or ".join(map(repr, close)) if close else "known: " + ", ".join(sorted(known)[:12])
    return UnknownName(f"this graph has no {what} {name!r}; {offer}", close=close)


def read_schema(path: Path) -> Schema:
    """Read schema.json."""
    try:
        return Schema.from_json(read_regular(path, most=MAX_BYTES).decode("utf-8"))
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise DamagedGraph(f"{path} is damaged: restore it or build the graph again") from error


def make_schema(
    subject: Ints, relation: Ints, object_: Ints, relations: Sequence[Relation], types: Sequence[str], kind: Ints
) -> Schema:
    """The schema of triples between entities of some kinds, numbers of `types`; relations keep their order."""
    joins = count_joins(subject, relation, object_, kind, len(types))
    counts = np.bincount(kind, minlength=len(types)).tolist()
    return schema_of_joins(joins, relations, dict(zip(types, counts, strict=True)))


def count_joins(subject: Ints, relation: Ints, object_: Ints, kind: Ints, types: int) -> Joins:
    """How many triples there are of each relation from each type to each, all as numbers."""
    kind = kind.astype(np.int64)
    key = (relation.astype(np.int64) * types + kind[subject]) * types + kind[object_]
    joined, counts = np.unique(key, return_counts=True)
    number, pair = np.divmod(joined, max(1, types * types))
    return np.stack((number, *np.divmod(pair, max(1, types)), counts), axis=1)


def joins_of(schema: Schema) -> Joins:
    """What `count_joins` counted when the schema was made."""
    texts = [each.joins for each in schema.relations if each.joins]
    numbers = [each.number for each in schema.relations if each.joins]
    rows = np.array(",".join(texts).replace(";", ",").split(",") if texts else [], np.int64).reshape(-1, 3)
    return np.column_stack((np.repeat(numbers, [text.count(";") + 1 for text in texts]).astype(np.int64), rows))


def sum_joins(parts: Sequence[Joins]) -> Joins:
    """The counts of all parts together; what comes to 0 is left out."""
    rows = np.concatenate([np.empty((0, 4), np.int64), *parts])
    rows = rows[np.lexsort(rows.T[2::-1])]
    first = np.flatnonzero(np.append(True, (rows[1:, :3] != rows[:-1, :3]).any(axis=1))) if len(rows) else rows[:, 0]
    counts = np.add.reduceat(rows[:, 3], first) if len(rows) else rows[:, 3]
    summed: Joins = np.column_stack((rows[first, :3], counts))
    kept: Joins = summed[counts != 0]
    return kept


def schema_of_joins(joins: Joins, relations: Sequence[Relation], types: Mapping[str, int]) -> Schema:
    """The schema with these counts."""
    number, start, end, triples = joins.T
    texts = _join_texts(joins[np.lexsort((end, start, -triples, number))], len(relations))  # the commonest first
    totals = np.bincount(number, weights=triples, minlength=len(relations)).astype(np.int64).tolist()
    made = [
        RelationSchema(
            each.name,
            number,
            totals[number],
            each.negated,
            each.symmetric,
            each.transitive,
            each.inverse,
            texts[number],
            tuple(types),
        )
        for number, each in enumerate(relations)
    ]
    return Schema(dict(types), tuple(made))


def _join_texts(joins: Joins, relations: int) -> list[str]:
    """The counts of each relation as text: "from,to,triples;…"."""
    import pyarrow as pa
    import pyarrow.compute as pc

    rows = pc.binary_join_element_wise(*(pa.array(column).cast(pa.string()) for column in joins.T[1:]), ",")
    offsets = pa.array(np.searchsorted(joins[:, 0], np.arange(relations + 1)).astype(np.int32))
    texts: list[str] = pc.binary_join(pa.ListArray.from_arrays(offsets, rows), ";").to_pylist()
    return texts
