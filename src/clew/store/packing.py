"""Lists of strings packed into one string column: how the embedded store keeps the provenance of relationships.

Ladybug takes ten times longer to load a list than a string, so the elements are stored in one string with a separator,
and a query that uses such a property is rewritten to split it. Callers never see the packed string.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import QueryError
from clew.store.cypher import Statement
from clew.store.cypher import syntax as s

__all__ = ["pack", "unpack", "unpack_properties"]

SEPARATOR, NOTHING = (
    "\x1f",
    "\x1e",
)  # NOTHING: an empty element, which Ladybug's split drops
ELEMENT = "clew_element"


def pack(lists: pa.ListArray) -> pa.Array:
    """Pack lists of strings, none of them empty or null."""
    lengths = np.diff(lists.offsets.to_numpy())
    values = lists.flatten()
    for control in (SEPARATOR, NOTHING):
        values = pc.replace_substring(values, control, " ")
    gaps = pc.equal(values, "").to_numpy(zero_copy_only=False) & np.repeat(lengths > 1, lengths)
    if gaps.any():
        values = pc.if_else(pa.array(gaps), NOTHING, values)
    return pc.binary_join(pa.ListArray.from_arrays(lists.offsets, values), SEPARATOR)


def unpack(text: str) -> list[str]:
    """Unpack a list.

    >>> unpack("a\\x1f\\x1e")
    ['a', '']
    """
    return [element.replace(NOTHING, "") for element in text.split(SEPARATOR)]


def unpack_properties(statement: Statement, packed: frozenset[str]) -> Statement:
    """The statement with every packed property split where it is used."""

    def change(part: Any) -> Any:
        match part:
            case s.Property(_, key) if key in packed:
                parts = s.StoreCall("string_split", (part, s.Literal(SEPARATOR)))
                whole = s.Call("replace", (s.Variable(ELEMENT), s.Literal(NOTHING), s.Literal("")))
                return s.ListComprehension(ELEMENT, parts, None, whole)
            case s.RelationshipPattern(properties=s.MapLiteral(entries)):
                if named := sorted(packed.intersection(key for key, _ in entries)):
                    raise QueryError(f"filter on {named[0]} in WHERE, not inside the brackets of a relationship")
        return part

    rewritten: Statement = s.rewrite(statement, change)
    return rewritten
