"""A delta: whole rows that replace rows of a base, in the numbers under which the base stores its contents.

Stored numbers never change within a lineage: new entities and triples get the next ones, removed ones are not used
again. Snapshots of a lineage share the files of their base; each has one delta with all changes since.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import DamagedGraph
from clew.graph.storage.arrays import MappedArrays, prove_ids, prove_offsets, write_array, write_table
from clew.graph.storage.manifest import DeltaRecord, Widths

__all__ = ["DELTA", "Delta", "RowPatch", "read_delta", "write_delta"]

Ints = NDArray[np.integer]
TableOf = Callable[[str, int, Mapping[str, pa.DataType] | None], pa.Table]  # name, rows, expected columns
DELTA = "delta"
TRIPLE_WAYS, PAIR_WAYS = ("out", "in"), ("forward", "backward")


def _none() -> Ints:
    return np.empty(0, np.int64)


@dataclass(frozen=True, slots=True, eq=False)
class RowPatch:
    """The whole rows of some entities: of triples, or of neighbours, which have neither relations nor numbers."""

    entity: Ints  # (e,) ascending
    offsets: Ints  # (e + 1,)
    end: Ints  # (r,)
    relation: Ints = field(default_factory=_none)
    triple: Ints = field(default_factory=_none)


@dataclass(frozen=True, slots=True, eq=False)
class Delta:
    """Everything that differs from the base, in stored numbers."""

    entities: int  # numbers given to entities so far, those of the base and of removed ones included
    triples: int  # the same for triples
    described: Ints  # (d,) ascending: entities that are new or described otherwise than in the base
    descriptions: pa.Table  # (d) id, name, type
    details: pa.Table | None  # (d) every further column of all entities
    removed: Ints  # ascending: entities that are no more
    patches: Mapping[str, RowPatch]  # out, in, forward, backward
    stated: Ints  # (s,) ascending: triples that are new or stated otherwise than in the base
    statement_offsets: Ints  # (s + 1,) strictly rising
    statements: pa.Table


def write_delta(delta: Delta, folder: Path, base: Mapping[str, int], widths: Widths) -> DeltaRecord:
    """Write a delta into a new folder; returns the record of it for the manifest."""
    lengths = {"details": 0 if delta.details is None else delta.details.num_columns}

    def write(name: str, array: Ints, dtype: str) -> None:
        lengths[name] = len(array)
        write_array(folder / f"{name}.npy", array.astype(dtype))

    write("described", delta.described, widths.entity)
    write("removed", delta.removed, widths.entity)
    write("stated", delta.stated, widths.triple)
    write("statement_offsets", delta.statement_offsets, widths.offset)
    for way, patch in delta.patches.items():
        write(f"{way}_entity", patch.entity, widths.entity)
        write(f"{way}_offsets", patch.offsets, widths.offset)
        write(f"{way}_end", patch.end, widths.entity)
        if way in TRIPLE_WAYS:
            write(f"{way}_relation", patch.relation, widths.relation)
            write(f"{way}_triple", patch.triple, widths.triple)
    lengths["statements"] = delta.statements.num_rows
    write_table(folder / "statements.arrow", delta.statements)
    write_table(folder / "descriptions.arrow", delta.descriptions)
    if delta.details is not None and delta.details.num_columns:
        write_table(folder / "details.arrow", delta.details)
    return DeltaRecord(folder.name, dict(base), {"entities": delta.entities, "triples": delta.triples}, lengths)


def read_delta(
    record: DeltaRecord, widths: Widths, arrays: MappedArrays, table: TableOf, *, relations: int, text: pa.DataType
) -> Delta:
    """A delta with its arrays mapped and proved safe; `table` reads an Arrow file of the snapshot."""
    lengths, folder = record.lengths, record.folder
    entities, triples = record.stored["entities"], record.stored["triples"]

    def get(name: str, dtype: str, proof: Callable[[Ints], bool]) -> Ints:
        if name not in lengths:
            raise DamagedGraph(f"the manifest does not list {folder}/{name}: build the graph again")
        return arrays.get(f"{folder}/{name}", dtype, lengths[name], proof)

    def patch(way: str) -> RowPatch:
        entries = lengths.get(f"{way}_end", 0)
        listed = get(f"{way}_entity", widths.entity, _ascending(entities))
        offsets = get(f"{way}_offsets", widths.offset, prove_offsets(entries))
        if len(offsets) != len(listed) + 1:
            raise DamagedGraph(f"{folder}/{way}_offsets does not fit {folder}/{way}_entity: build the graph again")
        end = get(f"{way}_end", widths.entity, prove_ids(entities))
        if way in PAIR_WAYS:
            return RowPatch(listed, offsets, end)
        numbers = get(f"{way}_triple", widths.triple, prove_ids(triples))
        relation = get(f"{way}_relation", widths.relation, prove_ids(relations))
        if not len(end) == len(numbers) == len(relation):
            raise DamagedGraph(f"the arrays {folder}/{way}_… differ in length: build the graph again")
        return RowPatch(listed, offsets, end, relation, numbers)

    rows = lengths.get("statements", 0)
    described = get("described", widths.entity, _ascending(entities))
    stated = get("stated", widths.triple, _ascending(triples))
    offsets = get("statement_offsets", widths.offset, prove_offsets(rows))
    if len(offsets) != len(stated) + 1 or bool((np.diff(offsets) < 1).any()):
        raise DamagedGraph(f"{folder}/statement_offsets does not fit {folder}/stated: build the graph again")
    encoded = pa.dictionary(pa.int32(), pa.string())
    columns = {"id": text, "name": text, "type": encoded}
    return Delta(
        entities,
        triples,
        described,
        table(f"{folder}/descriptions", len(described), columns),
        table(f"{folder}/details", len(described), {}) if lengths.get("details") else None,
        get("removed", widths.entity, _ascending(entities)),
        {way: patch(way) for way in (*TRIPLE_WAYS, *PAIR_WAYS)},
        stated,
        offsets,
        table(f"{folder}/statements", rows, None),
    )


def _ascending(below: int) -> Callable[[Ints], bool]:
    inside = prove_ids(below)
    return lambda ids: inside(ids) and bool((ids[1:] > ids[:-1]).all())
