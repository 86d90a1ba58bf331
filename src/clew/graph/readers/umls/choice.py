"""Which vocabularies or relations to keep, as the caller named them; a name that never occurs is an error."""

from collections.abc import Sequence
from difflib import get_close_matches

import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import UnknownName

__all__ = ["Choice"]


class Choice:
    """Names to keep, upper and lower case alike; everything where none are given."""

    def __init__(self, option: str, names: Sequence[str] | None) -> None:
        self.option = option
        self.names = None if names is None else {name.upper(): name for name in names}
        self.seen: dict[str, None] = {}

    def among(self, *columns: pa.ChunkedArray) -> pa.ChunkedArray:
        """A mask of the rows with a wanted name in one of some columns."""
        mask = None
        for column in columns:
            found = column.unique().drop_null().to_pylist()
            self.seen.update(dict.fromkeys(found))
            wanted = [name for name in found if self.names is None or name.upper() in self.names]
            part = pc.is_in(column, value_set=pa.array(wanted, pa.string()))
            mask = part if mask is None else pc.or_(mask, part)
        return mask if self.names is not None else pa.chunked_array([pa.array([True] * len(columns[0]), pa.bool_())])

    def check(self) -> None:
        """Raise if a name was given that no row has."""
        known = {name.upper(): name for name in self.seen}
        for upper, name in (self.names or {}).items():
            if upper not in known:
                close = tuple(known[each] for each in get_close_matches(upper, known, n=1))
                hint = f"did you mean {close[0]!r}? " if close else ""
                some = ", ".join(sorted(self.seen)[:12])
                raise UnknownName(
                    f"{self.option}= names {name!r}, which the files do not have: {hint}they have {some}", close=close
                )
