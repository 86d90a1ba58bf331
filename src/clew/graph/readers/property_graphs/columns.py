"""Attributes of nodes and edges as columns of entities and statements, whoever named them."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from clew.graph.staging import ASSERTION_TYPES, QUALIFIER_PREFIX

__all__ = ["UNNAMED_RELATION", "as_column", "entity_column", "relation_key", "statement_column"]

NAMES = ("name", "label", "title")  # attributes of a node that may be its name, the best first
TYPES = ("type", "category", "kind")
RELATIONS = ("relation", "predicate", "label", "type")
UNNAMED_RELATION = "related_to"


def entity_column(attribute: str, present: Iterable[str]) -> str:
    """What an attribute of nodes is called here, given all that there are.

    >>> entity_column("label", ["label", "size"]), entity_column("label", ["name", "label"])
    ('name', 'label')
    """
    for ours, theirs in (("name", NAMES), ("type", TYPES)):
        if attribute == next((each for each in theirs if each in present), None):
            return ours
    return f"{attribute}_property" if attribute in ("id", "name", "type") else attribute


def relation_key(present: Iterable[str]) -> str | None:
    """The attribute of edges that names their relation."""
    return next((each for each in RELATIONS if each in present), None)


def statement_column(attribute: str) -> str:
    """What an attribute of edges is called here: a column of assertions, or a qualifier."""
    return attribute if attribute in ASSERTION_TYPES else QUALIFIER_PREFIX + attribute


def as_column(values: Sequence[Any]) -> pa.Array:
    """The values as one array; mixed ones become text."""
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError, TypeError):
        return pa.array([None if value is None else str(value) for value in values], pa.string())


def attribute_names(rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Every attribute of some nodes or edges, in the order in which they are met."""
    return list(dict.fromkeys(str(name) for row in rows for name in row))
