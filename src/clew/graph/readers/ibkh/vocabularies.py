"""A vocabulary of iBKH to entities: the primary identifier as a CURIE, the name, and all other identifiers as xrefs."""

import logging
from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa

from clew.errors import InputError
from clew.graph.readers.conversion import to_lists
from clew.graph.readers.delimited import Delimited
from clew.graph.readers.ibkh.files import columns_of
from clew.graph.readers.ibkh.identifiers import cross_references, entity_curie
from clew.graph.readers.ibkh.layout import IDENTIFIER_COLUMNS, Vocabulary
from clew.graph.readers.parts import Part, check_entities
from clew.graph.staging import Problems

__all__ = ["read_vocabulary"]

log = logging.getLogger(__name__)
PRIMARY = "primary"
SYNONYMS = ("synonyms", "synonym")
OURS = ("id", "name", "type", "synonyms", "xrefs")


def read_vocabulary(path: Path, vocabulary: Vocabulary, problems: Problems) -> Part:
    """The entities of one file; a column that iBKH does not have is kept as a property, under its own name."""
    file = Delimited(path, ",")
    columns = columns_of(file)
    if PRIMARY not in columns:
        listed = ", ".join(map(repr, columns.values()))
        raise InputError(f"{path} has no column {PRIMARY!r}, which identifies an entity; its columns are {listed}")
    part = file.read(list(columns.values()), problems)
    given = {name: part.table.column(column) for name, column in columns.items()}
    ids = [None if value is None else entity_curie(value, vocabulary.type) for value in given.pop(PRIMARY).to_pylist()]
    entities = {"id": pa.array(ids, pa.string())}
    if "name" in given:
        entities["name"] = given.pop("name")
    entities["type"] = pa.array([vocabulary.type] * len(ids), pa.string())
    synonyms = next((given.pop(name) for name in SYNONYMS if name in given), None)
    if synonyms is not None:
        entities["synonyms"] = to_lists(synonyms)
    others = {name: given.pop(name) for name in IDENTIFIER_COLUMNS if name in given}
    if others:
        entities["xrefs"] = _xrefs(ids, others)
    entities |= _properties(path, columns, given)
    return check_entities(Part(part.name, pa.table(entities), part.line), problems)


def _xrefs(ids: Iterable[str | None], others: dict[str, pa.ChunkedArray]) -> pa.Array:
    """All identifiers of each entity but the one it goes by."""
    columns = (
        [cross_references(value, IDENTIFIER_COLUMNS[name]) if value else () for value in column.to_pylist()]
        for name, column in others.items()
    )
    rows = zip(ids, zip(*columns, strict=True), strict=True)
    distinct = (
        list(dict.fromkeys(curie for curies in row for curie in curies if curie != own)) or None for own, row in rows
    )
    return pa.array(distinct, pa.list_(pa.string()))


def _properties(path: Path, columns: dict[str, str], left: dict[str, pa.ChunkedArray]) -> dict[str, pa.ChunkedArray]:
    """The columns that iBKH does not have; one whose name is taken by what was made here cannot be kept."""
    taken = [name for name in left if name in OURS]
    if taken:
        raise InputError(f"{path} has a column {columns[taken[0]]!r}, which Clew makes itself: rename it")
    if left:
        named = ", ".join(repr(columns[name]) for name in left)
        log.warning("%s: not columns of iBKH, kept as properties: %s", path, named)
    return {columns[name]: column for name, column in left.items()}
