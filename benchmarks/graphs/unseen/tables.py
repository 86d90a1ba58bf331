"""Entities and triples as they are gathered from raw files: the two tables that a graph is built from."""

import json
import re
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any

import pyarrow as pa

from clew.graph.staging import QUALIFIER_PREFIX

__all__ = ["Tables", "slug", "written"]

Row = dict[str, str]
ASSERTION = ("source", "evidence")  # columns of a statement that are no qualifiers


@dataclass(slots=True)
class Tables:
    """Rows of text; an absent value has no cell. An entity is described by the first who names it."""

    entities: dict[str, Row] = field(default_factory=dict)
    synonyms: dict[str, dict[str, None]] = field(default_factory=dict)  # in order, without repeats
    triples: dict[tuple[str, str, str], Row] = field(default_factory=dict)

    def entity(
        self,
        identifier: str,
        name: str,
        type: str,
        synonyms: Iterable[str] = (),
        *,
        properties: Mapping[str, object] | None = None,
    ) -> str:
        """Describe an entity and return its id; further synonyms are added to what is known of it."""
        row = {"id": identifier, "name": name, "type": type}
        known = self.entities.setdefault(identifier, row | _cells(properties or {}))
        named = self.synonyms.setdefault(identifier, {})
        named.update(dict.fromkeys(each for each in synonyms if each and each != known["name"]))
        return identifier

    def triple(
        self, subject: str, relation: str, object_: str, *, statement: Mapping[str, object] | None = None
    ) -> None:
        """State a triple; `statement` is what the first who states it says about it."""
        self.triples.setdefault((subject, relation, object_), _cells(statement or {}))

    def entity_rows(self) -> list[Row]:
        """Every entity with its synonyms in one cell."""
        rows = []
        for identifier, row in self.entities.items():
            synonyms = "|".join(each.replace("|", "/") for each in self.synonyms[identifier])
            rows.append(row | _cells({"synonyms": synonyms}))
        return rows

    def triple_rows(self) -> list[Row]:
        """Every triple with what is stated about it."""
        ends = ("subject", "relation", "object")
        return [dict(zip(ends, triple, strict=True)) | cells for triple, cells in self.triples.items()]

    def entity_table(self) -> pa.Table:
        """The entities as `clew.build` reads them."""
        return _table(self.entity_rows())

    def triple_table(self) -> pa.Table:
        """The triples as `clew.build` reads them; what a statement has beside source and evidence qualifies it."""
        table = _table(self.triple_rows())
        plain = ("subject", "relation", "object", *ASSERTION)
        return table.rename_columns([name if name in plain else QUALIFIER_PREFIX + name for name in table.column_names])


def _cells(values: Mapping[str, object]) -> Row:
    return {name: str(value) for name, value in values.items() if value not in (None, "")}


def _table(rows: list[Row]) -> pa.Table:
    columns = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: pa.array([row.get(name) for row in rows], pa.string()) for name in columns})


def slug(text: str, separator: str = "_") -> str:
    """Text as part of an id: plain small letters and digits."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", separator, plain).strip(separator)


def written(name: str) -> Any:
    """What was written by hand for a graph, such as synonyms."""
    return json.loads(files(__package__).joinpath("written", f"{name}.json").read_text("utf-8"))
