"""Lists of text in one column of text: how the embedded store keeps the provenance of relationships.

Ladybug takes ten times longer to load a list than a string, so the elements stand in one string with a separator
between them, and a query that names such a property is rewritten to take it apart. Nobody outside sees the string.
"""

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import QueryError
from clew.store.cypher import Statement
from clew.store.cypher import syntax as s

__all__ = ["pack", "spell_out", "unpack"]

SEPARATOR, NOTHING = "\x1f", "\x1e"  # NOTHING: an empty element among several, which Ladybug's split would drop
ELEMENT = "clew_element"


def pack(lists: pa.ListArray) -> pa.Array:
    """Lists of strings, none of them empty or null, as strings."""
    lengths = np.diff(lists.offsets.to_numpy())
    values = lists.flatten()
    for control in (SEPARATOR, NOTHING):
        values = pc.replace_substring(values, control, " ")
    gaps = pc.equal(values, "").to_numpy(zero_copy_only=False) & np.repeat(lengths > 1, lengths)
    if gaps.any():
        values = pc.if_else(pa.array(gaps), NOTHING, values)
    return pc.binary_join(pa.ListArray.from_arrays(lists.offsets, values), SEPARATOR)


def unpack(text: str) -> list[str]:
    """The list again.

    >>> unpack("a\\x1f\\x1e")
    ['a', '']
    """
    return [element.replace(NOTHING, "") for element in text.split(SEPARATOR)]


def spell_out(statement: Statement, packed: frozenset[str]) -> Statement:
    """The statement with every packed property taken apart where it is named."""

    def change(part: Any) -> Any:
        match part:
            case s.Property(_, key) if key in packed:
                parts = s.StoreCall("string_split", (part, s.Literal(SEPARATOR)))
                whole = s.Call("replace", (s.Variable(ELEMENT), s.Literal(NOTHING), s.Literal("")))
                return s.ListComprehension(ELEMENT, parts, None, whole)
            case s.RelationshipPattern(properties=s.MapLiteral(entries)):
                if named := sorted(packed.intersection(key for key, _ in entries)):
                    raise QueryError(f"ask for {named[0]} after WHERE, not inside the brackets of a relationship")
        return part

    rewritten: Statement = s.rewrite(statement, change)
    return rewritten
