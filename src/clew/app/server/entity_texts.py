"""Entities as JSON text, encoded once: a list of thousands is one gather of bytes, without a Python object for each."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.traverse import GraphEngine

__all__ = ["EntityTexts"]

MOST_KEPT = 2_000_000  # entities; the texts of larger graphs are made when they are asked for
SPECIAL = r'["\\\x00-\x1f]'  # what JSON writes as an escape
Ints = NDArray[np.integer]


class EntityTexts:
    """The JSON of the entities of one graph: `{"id": …, "name": …, "type": …}`, or the id alone."""

    def __init__(self, engine: GraphEngine) -> None:
        self._engine = engine
        self._kept: tuple[pa.Array, pa.Array] | None = None
        if engine.counts["entities"] <= MOST_KEPT:
            every = np.arange(engine.counts["entities"])
            self._kept = self._encoded(every, ids_only=False), self._encoded(every, ids_only=True)

    def listed(self, entities: Ints, *, ids_only: bool = False) -> bytes:
        """A JSON list of entities given by number, in the order given."""
        if not len(entities):
            return b"[]"
        if self._kept is None:
            chosen = self._encoded(entities, ids_only=ids_only)
        else:
            chosen = self._kept[ids_only].take(pa.array(entities))
        _, offsets, texts = chosen.buffers()
        ends = np.frombuffer(offsets, np.int64, count=2 if len(chosen) == 1 else len(chosen) + 1)
        return b"".join((b"[", memoryview(texts)[int(ends[0]) : int(ends[-1]) - 1], b"]"))

    def _encoded(self, entities: Ints, *, ids_only: bool) -> pa.Array:
        """The text of each entity with a comma after it."""
        table = self._engine.describe(entities)
        columns = [_literals(table[name]) for name in (("id",) if ids_only else ("id", "name", "type"))]
        if ids_only:
            return _joined(columns[0], ",")
        return _joined('{"id": ', columns[0], ', "name": ', columns[1], ', "type": ', columns[2], "},")


def _joined(*parts: str | pa.Array) -> pa.Array:
    """Columns and texts side by side."""
    texts = [pa.scalar(each, pa.large_string()) if isinstance(each, str) else each for each in parts]
    return pc.binary_join_element_wise(*texts, pa.scalar("", pa.large_string()))


def _literals(column: pa.ChunkedArray) -> pa.Array:
    """Strings as JSON literals."""
    plain = column.cast(pa.large_string()).combine_chunks()
    plain = pc.fill_null(plain, "")
    quoted = _joined('"', plain, '"')
    special = pc.match_substring_regex(plain, SPECIAL)
    if not pc.any(special).as_py():
        return quoted
    escaped = [json.dumps(text, ensure_ascii=False) for text in plain.filter(special).to_pylist()]
    return pc.replace_with_mask(quoted, special, pa.array(escaped, pa.large_string()))
