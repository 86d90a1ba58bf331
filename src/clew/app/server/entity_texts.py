"""Entities as JSON text, encoded once: a list of thousands is one gather of bytes, without a Python object for each."""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.traverse import GraphEngine

__all__ = ["EntityTexts"]

MOST_KEPT = 2_000_000  # entities; the texts of larger graphs are made when they are asked for
FEW = 256  # texts; more are gathered by Arrow
SPECIAL = r'["\\\x00-\x1f]'  # what JSON writes as an escape
Ints = NDArray[np.integer]


class _Texts:
    """Many texts in one buffer."""

    def __init__(self, texts: pa.Array) -> None:
        self._texts = texts
        _, offsets, content = texts.buffers()
        self._ends = np.frombuffer(offsets, np.int64, count=len(texts) + 1)
        self._content = memoryview(content if content is not None else b"")

    def joined(self, numbers: Ints) -> bytes:
        """Some of them, one after another."""
        if len(numbers) > FEW:
            return _Texts(self._texts.take(pa.array(numbers))).whole()
        content = self._content
        if len(numbers) == 1:
            number = numbers.item()
            return bytes(content[self._ends.item(number) : self._ends.item(number + 1)])
        starts, ends = self._ends[numbers].tolist(), self._ends[numbers + 1].tolist()
        return b"".join([content[start:end] for start, end in zip(starts, ends, strict=True)])

    def whole(self) -> bytes:
        """All of them."""
        return bytes(self._content[int(self._ends[0]) : int(self._ends[-1])])


class EntityTexts:
    """The JSON of the entities of one graph: `{"id": …, "name": …, "type": …}`, or the id alone."""

    def __init__(self, engine: GraphEngine) -> None:
        self._engine = engine
        self._types = [json.dumps(name, ensure_ascii=False).encode() for name in engine.schema.types]
        self._type_names = list(engine.schema.types)
        self._kept: tuple[_Texts, _Texts] | None = None
        if engine.counts["entities"] <= MOST_KEPT:
            every = np.arange(engine.counts["entities"])
            self._kept = self._encoded(every, ids_only=False), self._encoded(every, ids_only=True)

    def listed(self, entities: Ints, *, ids_only: bool = False) -> bytes:
        """A JSON list of entities given by number, in the order given."""
        if self._kept is None:
            texts = self._encoded(entities, ids_only=ids_only).whole()
        else:
            texts = self._kept[ids_only].joined(entities)
        return b"[%b]" % texts[:-1]

    def counted_types(self, entities: Ints) -> bytes:
        """The JSON of how many entities are of each type, the most frequent first."""
        counts = np.bincount(self._engine.types_of(entities), minlength=1)
        found = [(-counts.item(at), self._type_names[at], at) for at in counts.nonzero()[0].tolist()]
        return b"{%b}" % b", ".join([b"%b: %d" % (self._types[at], -count) for count, _, at in sorted(found)])

    def _encoded(self, entities: Ints, *, ids_only: bool) -> _Texts:
        """The text of each entity with a comma after it."""
        table = self._engine.describe(entities)
        columns = [_literals(table[name]) for name in (("id",) if ids_only else ("id", "name", "type"))]
        if ids_only:
            return _Texts(_joined(columns[0], ","))
        return _Texts(_joined('{"id": ', columns[0], ', "name": ', columns[1], ', "type": ', columns[2], "},"))


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
