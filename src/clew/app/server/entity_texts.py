"""Entities as JSON text, encoded once: a list of thousands is one gather of bytes, without a Python object for each.

And back: the numbers of entities by their ids.
"""

import json

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.traverse import GraphEngine

__all__ = ["EntityTexts"]

MOST_KEPT = 2_000_000  # entities; the texts of larger graphs are made when they are asked for
MOST_NUMBERED = 250_000  # entities; the ids of larger graphs are looked up in the files
FEW = 256  # entities; the texts of more are gathered by Arrow, their types counted by NumPy
SPECIAL = r'["\\\x00-\x1f]'  # what JSON writes as an escape
Ints = NDArray[np.integer]


class _Texts:
    """Many texts: in one buffer, and those of a small graph as bytes of their own too."""

    def __init__(self, texts: pa.Array) -> None:
        self._texts = texts
        _, offsets, content = texts.buffers()
        self._ends = memoryview(offsets).cast("q")[: len(texts) + 1]  # whose items are plain integers
        self._content = memoryview(content if content is not None else b"")
        self._pieces = texts.cast(pa.large_binary()).to_pylist() if len(texts) <= MOST_NUMBERED else None

    def joined(self, numbers: Ints) -> bytes:
        """Some of them, one after another."""
        if len(numbers) > FEW:
            return _whole(self._texts.take(pa.array(numbers)))
        if self._pieces is not None:
            return b"".join(map(self._pieces.__getitem__, numbers.tolist()))
        content, ends = self._content, self._ends
        return b"".join([content[ends[number] : ends[number + 1]] for number in numbers.tolist()])


def _whole(texts: pa.Array) -> bytes:
    """Texts one after another."""
    _, offsets, content = texts.buffers()
    ends = memoryview(offsets).cast("q")
    return b"" if content is None else bytes(memoryview(content)[ends[0] : ends[len(texts)]])


class EntityTexts:
    """The JSON of the entities of one graph: `{"id": …, "name": …, "type": …}`, or the id alone."""

    def __init__(self, engine: GraphEngine) -> None:
        self._engine = engine
        self._types = [json.dumps(name, ensure_ascii=False).encode() for name in engine.schema.types]
        self._type_names = list(engine.schema.types)
        self._type_of = np.ascontiguousarray(engine.types_of()).data  # by entity, as plain integers
        self._kept: tuple[_Texts, _Texts] | None = None
        if engine.counts["entities"] <= MOST_KEPT:
            every = np.arange(engine.counts["entities"])
            self._kept = _Texts(self._encoded(every, ids_only=False)), _Texts(self._encoded(every, ids_only=True))
        self._numbers: dict[str, int] | None = None
        if engine.counts["entities"] <= MOST_NUMBERED:
            listed = engine.describe(np.arange(engine.counts["entities"]))["id"].to_pylist()
            self._numbers = {each: number for number, each in enumerate(listed)}

    def numbers(self, ids: list[str]) -> Ints | None:
        """The numbers of entities given by id; None if one of them is no id."""
        if self._numbers is None:
            found = self._engine.lookup(ids)
            return found if found.min() >= 0 else None
        known = self._numbers
        try:
            return np.array([known[each] for each in ids], np.int32)
        except KeyError:
            return None

    def listed(self, entities: Ints, *, ids_only: bool = False) -> bytes:
        """A JSON list of entities given by number, in the order given."""
        if self._kept is None:
            texts = _whole(self._encoded(entities, ids_only=ids_only))
        else:
            texts = self._kept[ids_only].joined(entities)
        return b"[%b]" % texts[:-1]

    def counted_types(self, entities: Ints) -> bytes:
        """The JSON of how many entities are of each type, the most frequent first."""
        counts: dict[int, int] = {}
        if len(entities) > FEW:
            counted = np.bincount(self._engine.types_of(entities))
            counts = {at: counted.item(at) for at in counted.nonzero()[0].tolist()}
        else:
            type_of = self._type_of
            for each in entities.tolist():
                at = type_of[each]
                counts[at] = counts.get(at, 0) + 1
        order = sorted(counts, key=lambda at: (-counts[at], self._type_names[at])) if len(counts) > 1 else counts
        return b"{%b}" % b", ".join([b"%b: %d" % (self._types[at], counts[at]) for at in order])

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
