"""Types as people write them: in any case, with small typos."""

from collections.abc import Sequence
from difflib import get_close_matches
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clew.graph.schema import Schema

__all__ = ["resolve_types"]


def resolve_types(schema: "Schema", names: Sequence[str] | None) -> list[str] | None:
    """Types as the graph spells them, ignoring case and small typos; anything else is an error."""
    if not names:
        return None
    folded = {name.casefold(): name for name in schema.types}
    resolved = []
    for name in names:
        close = get_close_matches(name.casefold(), folded, n=1, cutoff=0.75)
        if name not in schema.types and close:
            name = folded[close[0]]
        schema.type_number(name)  # an unknown type is an error that lists close ones
        resolved.append(name)
    return resolved
