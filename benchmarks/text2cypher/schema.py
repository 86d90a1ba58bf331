"""A schema of text2cypher: types with attributes and their kinds, and the relations that join them.

In: schemas.jsonl.gz of the collection. Out: `Schema`, which also says where a graph of Clew keeps each attribute.
"""

import ast
import gzip
import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from clew.errors import InputError

__all__ = ["TEXT", "Attribute", "Schema", "load_schemas"]

SCHEMAS = "schemas.jsonl.gz"
DAY = re.compile(r"^(\d{4})-\d\d-\d\d.*$")
TEXT, INTEGER, NUMBER, BOOLEAN, TEXTS = "text", "integer", "number", "boolean", "texts"
KINDS = {
    "STRING": TEXT, "DATE": TEXT, "DATE_TIME": TEXT, "INTEGER": INTEGER, "FLOAT": NUMBER, "BOOLEAN": BOOLEAN,
    "LIST": TEXTS,
}  # fmt: skip
LONGEST_LIST = 100  # longer ones are embeddings
NAMING = ("name", "title", "label", "display_name", "screen_name", "ip", "address", "text", "url", "link")
RESERVED = ("type", "synonyms", "xrefs")  # columns that every graph has


@dataclass(frozen=True, slots=True)
class Attribute:
    """A property in the schema: its kind, values that it has, and its bounds where the schema gives them.

    Bounds of days, which are text, are their years.
    """

    kind: str
    values: tuple[str, ...] = ()
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Schema:
    """Types and relations of one database, under the names that it gives them."""

    database: str
    types: Mapping[str, Mapping[str, Attribute]]
    ends: frozenset[tuple[str, str, str]]  # subject type, relation, object type
    statements: Mapping[str, Mapping[str, Attribute]]  # relation → attributes of its statements

    @property
    def relations(self) -> frozenset[str]:
        return frozenset(relation for _, relation, _ in self.ends)

    def naming(self, type: str) -> str | None:
        """The attribute that is the name of entities of a type."""
        own = self.types[type]
        return next((key for key in NAMING if key in own and own[key].kind == TEXT), None)

    def column(self, type: str, key: str) -> str:
        """Where the graph keeps an attribute."""
        if key == self.naming(type):
            return "name"
        return f"{type.lower()}_{key}" if key in RESERVED or key == "name" else key

    def columns(self) -> dict[str, str]:
        """The kind of each column of entities; one column serves all types that have the attribute."""
        found: dict[str, str] = {}
        for type, own in self.types.items():
            for key, attribute in own.items():
                found[self.column(type, key)] = attribute.kind
        return found | {"id": TEXT, "name": TEXT}


def load_schemas(data: Path) -> dict[str, Schema]:
    """The schemas in a data folder, or in its folder text2cypher, by the names of their databases."""
    found = [path for path in (data / "text2cypher" / SCHEMAS, data / SCHEMAS) if path.is_file()]
    if not found:
        raise InputError(f"{data} holds no text2cypher/{SCHEMAS}: give the data folder with --data")
    try:
        with gzip.open(found[0], "rt", encoding="utf-8") as lines:
            rows = list(map(json.loads, lines))
            return {
                row["database"]: _schema(row["database"], ast.literal_eval(row["structured_schema"])) for row in rows
            }
    except (OSError, ValueError, KeyError, TypeError, SyntaxError) as error:
        raise InputError(f"{found[0]} is not text2cypher's list of schemas: {error}") from error


def _schema(database: str, given: Mapping[str, Any]) -> Schema:
    return Schema(
        database,
        {type: _attributes(own) for type, own in given["node_props"].items()},
        frozenset((each["start"], each["type"], each["end"]) for each in given["relationships"]),
        {relation: _attributes(own) for relation, own in given["rel_props"].items()},
    )


def _attributes(given: Iterable[Mapping[str, Any]]) -> dict[str, Attribute]:
    return {
        each["property"]: Attribute(
            KINDS[each["type"]],
            tuple(str(value) for value in each.get("values", ()) if str(value).strip()),
            _number(each.get("min")),
            _number(each.get("max")),
        )
        for each in given
        if each["type"] in KINDS and each.get("max_size", 0) <= LONGEST_LIST
    }


def _number(text: str | None) -> float | None:
    try:
        return None if text is None else float(DAY.sub(r"\1", text))
    except ValueError:  # an id that is no number
        return None
