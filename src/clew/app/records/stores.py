"""Cypher: rows, schemas, and graphs loaded into stores."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from clew.store.layout import Property, StoreSchema
    from clew.store.values import Rows

__all__ = ["loaded_record", "rows_record", "schema_record"]


def rows_record(rows: "Rows", *, graph: str, store: str, query: str) -> dict[str, Any]:
    """The rows of a query."""
    return {
        "graph": graph,
        "store": store,
        "query": query,
        "columns": list(rows.columns),
        "count": len(rows),
        "truncated": rows.truncated,
        "seconds": round(rows.seconds, 4),
        "rows": rows.records(),
    }


def schema_record(schema: "StoreSchema", *, graph: str) -> dict[str, Any]:
    """What queries over a graph can name."""
    return {
        "graph": graph,
        "snapshot": schema.snapshot,
        "labels": [{"label": each.name, "type": each.type, "count": each.count} for each in schema.labels],
        "properties": _properties(schema.properties),
        "relationships": [
            {
                "name": each.name,
                "relation": each.relation,
                "count": each.count,
                "negated": each.negated,
                "symmetric": each.symmetric,
                "ends": [asdict(ends) for ends in each.ends],
                "properties": _properties(each.properties),
            }
            for each in schema.relationships
        ],
    }


def _properties(listed: "Sequence[Property]") -> list[dict[str, str]]:
    return [{"name": each.name, "kind": each.kind} for each in listed]


def loaded_record(entities: int, relationships: int, *, graph: str, store: str, seconds: float) -> dict[str, Any]:
    """How much of a graph was loaded into a store."""
    return {
        "graph": graph,
        "store": store,
        "entities": entities,
        "relationships": relationships,
        "seconds": round(seconds, 2),
    }
