"""Query results in plain Python: rows of scalars, lists, entities, relationships and paths.

Both stores return the same values for the same graph, whatever their drivers use.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, time
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from clew.errors import StoreError
from clew.graph import Reader

__all__ = ["EntityValue", "PathValue", "RelationshipValue", "Rows", "Triples", "Value", "to_record"]

Value: TypeAlias = Any  # None, bool, int, float, str, date, list, dict, or one of the records below


@dataclass(frozen=True, slots=True)
class EntityValue:
    """An entity, with its properties besides id, name and type."""

    id: str
    name: str
    type: str
    properties: dict[str, Value] = field(default_factory=dict, hash=False, repr=False)


@dataclass(frozen=True, slots=True)
class RelationshipValue:
    """A triple: its relation as named in the graph, the ids of subject and object, its number and its provenance.

    `properties` are parallel lists with one element per assertion of the triple.
    """

    relation: str
    subject_id: str
    object_id: str
    triple: int
    negated: bool = False  # every assertion is negated
    properties: dict[str, Value] = field(default_factory=dict, hash=False, repr=False)


@dataclass(frozen=True, slots=True)
class PathValue:
    """Entities and the relationships between them, in path order; a relationship may be traversed backwards."""

    entities: tuple[EntityValue, ...]
    relationships: tuple[RelationshipValue, ...]

    def __len__(self) -> int:
        return len(self.relationships)


@dataclass(frozen=True, slots=True)
class Rows:
    """The result of a query. `truncated`: there were more rows than requested."""

    columns: tuple[str, ...]
    rows: list[tuple[Value, ...]]
    truncated: bool = False
    seconds: float = 0.0

    def __len__(self) -> int:
        return len(self.rows)

    def __iter__(self) -> Iterator[tuple[Value, ...]]:
        return iter(self.rows)

    def records(self) -> list[list[Any]]:
        """The rows as JSON values."""
        return [[to_record(value) for value in row] for row in self.rows]

    def to_arrow(self) -> pa.Table:
        """The rows as an Arrow table; a column of mixed types becomes JSON text."""
        return pa.Table.from_arrays(
            [_arrow([to_record(row[at]) for row in self.rows]) for at in range(len(self.columns))],
            names=list(self.columns),
        )


class Triples:
    """Subjects and objects of triples by number, for stores whose relationships do not carry their ids."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    def ends(self, triple: object) -> tuple[str, str]:
        """The ids of a triple's subject and object."""
        (found,) = self.ends_of([triple]).values()
        return found

    def ends_of(self, triples: Iterable[object]) -> dict[int, tuple[str, str]]:
        """The ids of the subjects and objects of several triples, in one look-up."""
        snapshot = self._reader.snapshot
        numbers: dict[int, None] = {}
        for triple in triples:
            if not isinstance(triple, int) or not 0 <= triple < snapshot.counts["triples"]:
                raise StoreError(
                    f"the store has a relationship that {snapshot} does not (triple {triple!r}): load the graph again"
                )
            numbers[triple] = None
        if not numbers:
            return {}
        found = self._reader.triple_columns(list(numbers))
        ids = self._reader.describe(np.append(found.subject, found.object))["id"].to_pylist()
        return dict(zip(numbers, zip(ids, ids[len(numbers) :], strict=False), strict=True))


def to_record(value: Value) -> Any:
    """A value as JSON."""
    match value:
        case EntityValue():
            properties = {name: to_record(each) for name, each in value.properties.items()}
            return {"id": value.id, "name": value.name, "type": value.type, "properties": properties}
        case RelationshipValue():
            return {
                "subject": value.subject_id,
                "relation": value.relation,
                "object": value.object_id,
                "negated": value.negated,
                "triple": value.triple,
                "properties": {name: to_record(each) for name, each in value.properties.items()},
            }
        case PathValue():
            return {
                "entities": [to_record(each) for each in value.entities],
                "relationships": [to_record(each) for each in value.relationships],
            }
        case list() | tuple():
            return [to_record(each) for each in value]
        case dict():
            return {str(name): to_record(each) for name, each in value.items()}
        case date() | datetime() | time():
            return value.isoformat()
        case float() if not np.isfinite(value):
            return None
    return value


def _arrow(values: list[Any]) -> pa.Array:
    import json

    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError, TypeError):
        return pa.array([None if value is None else json.dumps(value, ensure_ascii=False) for value in values])
