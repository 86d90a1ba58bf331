"""An opened graph: its entities, triples, assertions and adjacency, all read from disk when first needed."""

from collections.abc import Mapping
from functools import cached_property, partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import ArrayLike, NDArray

from clew.errors import DamagedGraph, GraphError
from clew.graph.adjacency import Adjacency, Rows, TripleEntries, TripleRows, entries_of, join_rows, join_triples
from clew.graph.assertions import Assertions
from clew.graph.names import NameIndex
from clew.graph.schema import Schema, read_schema
from clew.graph.storage.arrays import MappedArrays, arrow_of, numbers_of, prove_ids, prove_offsets
from clew.graph.storage.manifest import BlockCheck, Manifest, find_damage, read_manifest
from clew.graph.storage.segments import SegmentArrays, Side
from clew.graph.storage.snapshots import Lease, replaced_or
from clew.graph.storage.statements import ENCODED
from clew.graph.storage.tables import MappedTables
from clew.graph.updates.composition import Composition
from clew.graph.updates.delta import Delta, read_delta

__all__ = ["Graph"]

Ints = NDArray[np.integer]
DETAILS = "details.parquet"


class Graph:
    """A snapshot of a graph directory, held until this object is gone. Arrays are mapped when first used.

    One object serves many threads: everything it holds is read-only.
    """

    def __init__(self, path: str | Path, *, snapshot: str | None = None, verify: bool = False) -> None:
        self.path = Path(path)
        self._lease = Lease(self.path, snapshot)
        self.folder = self._lease.folder
        self.manifest = read_manifest(self.folder)
        if self.manifest.snapshot != self.folder.name:
            raise DamagedGraph(f"{self.folder} holds another snapshot, {self.manifest.snapshot}: build the graph again")
        self._whole = False
        if verify:
            self.require_whole()
        self.schema = self._schema()
        self._arrays = MappedArrays(self.folder, partial(replaced_or, folder=self.folder))
        self._tables = MappedTables(self.folder)
        self.segments = SegmentArrays(self.manifest, self.folder)
        counts = self.manifest.counts
        self.entity_count = counts["entities"]
        self.triple_count = counts["triples"]
        if len(self.schema.relations) != counts["relations"] or len(self.schema.types) != counts["types"]:
            raise DamagedGraph(f"{self.folder / 'schema.json'} does not fit the manifest: build the graph again")

    def __repr__(self) -> str:
        return f"Graph({str(self.path)!r}, entities={self.entity_count}, triples={self.triple_count})"

    def damage(self) -> list[str]:
        """Every block of every file that differs from its checksum, as sentences; empty when all is well."""
        try:
            return find_damage(self.folder)
        except GraphError as error:
            raise self._fault(str(error)) from error

    def require_whole(self) -> None:
        """Raise `DamagedGraph` if any block of any file differs from its checksum; looks once."""
        if not self._whole and (damage := self.damage()):
            more = f" (and {len(damage) - 1} more)" if damage[1:] else ""
            raise self._fault(f"{self.path} is damaged: {damage[0]}{more}")
        self._whole = True

    def _fault(self, damage: str) -> GraphError:
        return replaced_or(damage, self.folder)

    def _schema(self) -> Schema:
        check = self._check_blocks("schema.json")
        check(0, check.record.size)
        return read_schema(self.folder / "schema.json")

    def _check_blocks(self, name: str) -> BlockCheck:
        if name not in self.manifest.files:
            raise DamagedGraph(f"{self.folder / name} is missing from the manifest: build the graph again")
        return BlockCheck(self.folder, name, self.manifest.files[name])

    @cached_property
    def delta(self) -> Delta | None:
        """What differs from the base; None if nothing does."""
        record, relations = self.manifest.delta, len(self.schema.relations)
        if record is None:
            return None
        return read_delta(
            record, self.manifest.widths, self._arrays, self._tables.read, relations=relations, text=self._text
        )

    @cached_property
    def _composed(self) -> Composition | None:
        if self.delta is None:
            return None
        return Composition(self.delta, self.manifest.base, self.manifest.widths)

    @property
    def stored_entities(self) -> Ints:
        """The number under which each entity is stored: the same in all snapshots with the same base."""
        return np.arange(self.entity_count) if self._composed is None else self._composed.stored

    # entities ---------------------------------------------------------------------------------------------------

    @cached_property
    def entities(self) -> pa.Table:
        """All entities in the order of their numbers: id, name, type."""
        rows, types = self.manifest.base["entities"], list(self.schema.types)
        table = self._tables.read("entities", rows, {"id": self._text, "name": self._text, "type": ENCODED})
        own = _single(table["type"]).dictionary.to_pylist() if rows else []
        if own != (types if rows and self._composed is None else types[: len(own)]):
            raise DamagedGraph(f"{self.folder / 'entities.arrow'} does not fit schema.json: run `clew doctor`")
        return table if self._composed is None else self._composed.entities(table, types)

    @property
    def _text(self) -> pa.DataType:
        return pa.large_string() if self.manifest.widths.entity == "int64" else pa.string()

    @cached_property
    def entity_types(self) -> Ints:
        """The type number of every entity, in as few bytes as they fit."""
        numbers = numbers_of(_single(self.entities["type"]).indices)
        return numbers.astype(np.min_scalar_type(-max(1, len(self.schema.types))))

    @cached_property
    def names(self) -> NameIndex:
        """Look-up by id and by name."""
        n = self.manifest.base["entities"]
        id_hash = self._arrays.get("id_hash", "uint64", n, lambda hashes: True).view(np.uint64)
        id_entity = self._arrays.get("id_entity", self.manifest.widths.entity, n, prove_ids(n))
        if self._composed is not None:
            id_hash, id_entity = self._composed.id_index(id_hash, id_entity)
        names = partial(_sorted_names, self._tables, self.manifest, self._composed)  # no reference to the graph
        return NameIndex(self.entities, names, id_hash, id_entity)

    def describe(self, ids: Ints) -> pa.Table:
        """Id, name and type of some entities; names are references into the mapped columns, not copies."""
        indices = arrow_of(ids)
        columns = {
            name: pa.DictionaryArray.from_arrays(indices, _single(self.entities[name]), safe=False)
            for name in ("id", "name")
        }
        types = arrow_of(self.entity_types.take(ids))
        columns["type"] = pa.DictionaryArray.from_arrays(types, _single(self.entities["type"]).dictionary, safe=False)
        return pa.table(columns)

    def details(self, ids: ArrayLike) -> pa.Table:
        """Every further column of some entities: synonyms, xrefs, properties."""
        wanted = np.atleast_1d(np.asarray(ids, np.int64))
        named = self.entities["id"].take(arrow_of(wanted))
        try:
            if self._composed is not None:
                return pa.table({"id": named, **self._composed.details(wanted, self._stored_details)})
            return pa.table({"id": named, **self._stored_details(wanted)})
        except GraphError as error:
            raise self._fault(str(error)) from error
        except (pa.ArrowException, OSError, ValueError) as error:
            path = self.folder / DETAILS
            raise self._fault(f"{path} cannot be read: run `clew doctor`, then build the graph again") from error

    def _stored_details(self, wanted: NDArray[np.int64]) -> Mapping[str, pa.ChunkedArray]:
        """Parquet does not defend itself against damage, so its blocks are compared with their checksums first."""
        if DETAILS not in self.manifest.files:
            return {}
        import pyarrow.parquet as pq

        check, end = self._details_check, self._details_check.record.size
        check(end - 8, end)
        with open(check.path, "rb") as file:
            file.seek(end - 8)
            check(end - 8 - int.from_bytes(file.read(4), "little"), end)
        with pq.ParquetFile(check.path) as file:
            size = max(1, file.metadata.row_group(0).num_rows) if file.num_row_groups else 1
            groups = np.unique(wanted // size)
            for group in groups.tolist():
                check(*_byte_range(file.metadata.row_group(group)))
            table = file.read_row_groups(groups.tolist())
        found = table.take(arrow_of(np.searchsorted(groups, wanted // size) * size + wanted % size))
        return dict(zip(found.column_names, found.columns, strict=True))

    @cached_property
    def _details_check(self) -> BlockCheck:
        return self._check_blocks(DETAILS)

    # triples ----------------------------------------------------------------------------------------------------

    @cached_property
    def forward(self) -> TripleRows:
        """Triples under their subjects, in (subject, object, relation) order: the position is the triple's number."""
        base = self._triples("out")
        return base if self._composed is None else self._composed.forward(base)

    @cached_property
    def stored_triples(self) -> Ints:
        """The number under which each triple is stored: the same in all snapshots with the same base."""
        if self._composed is None:
            return np.arange(self.triple_count)
        return self._composed.stored_triples(self._triples("out"))

    @cached_property
    def backward(self) -> TripleRows:
        """Triples under their objects, in (object, subject, relation) order, with their numbers."""
        base = self._triples("in")
        if self._composed is None:
            return base
        return self._composed.backward(base, self._composed.triple_number(self.stored_triples))

    def triples_under(self, side: Side, entities: Ints) -> TripleEntries:
        """The triples under some subjects ("out") or objects ("in")."""
        if side == "in" and self._composed is not None and "backward" not in self.__dict__:
            return self._composed.backward_of(self._triples("in"), self._triple_number, entities)
        return entries_of(self.forward if side == "out" else self.backward, entities)

    def triple_numbers(self, stored: Ints) -> Ints:
        """The numbers of the triples that are stored under others and still there, ascending."""
        numbers = stored if self._composed is None else self._triple_number[stored]
        return np.sort(numbers[numbers >= 0])

    @cached_property
    def _triple_number(self) -> Ints:
        """Which triple has each stored number, where only some rows are read."""
        assert self._composed is not None
        return self._composed.triple_number(self.stored_triples)

    @cached_property
    def adjacency(self) -> Adjacency:
        """Distinct neighbours over all triples that are not negated."""
        return Adjacency(self._adjacent("forward"), self._adjacent("backward"))

    @cached_property
    def assertions(self) -> Assertions:
        """Every source's statement of every triple."""
        rows, triples = (self.manifest.base[name] for name in ("assertions", "triples"))
        table = self._tables.read("assertions", rows)
        offsets = self._arrays.get(
            "assertion_offsets", self.manifest.widths.offset, triples + 1, _prove_each_has_some(rows)
        )
        if self._composed is not None:
            begin, offsets = self._composed.assertions(rows, offsets, self.stored_triples)
            return Assertions([table, self._composed.delta.statements], offsets, self.manifest.sources, begin=begin)
        return Assertions([table], offsets, self.manifest.sources)

    @cached_property
    def degree(self) -> NDArray[np.int64]:
        """How many distinct triples touch each entity, as subject or as object."""
        n = self.entity_count
        out = np.diff(self.forward.offsets).astype(np.int64)
        loops = np.bincount(self.forward.end[self.forward.end == self.owners()], minlength=n)
        return np.asarray(out + np.diff(self.backward.offsets) - loops)

    def owners(self) -> Ints:
        """The subject of every triple."""
        entities = np.arange(self.entity_count, dtype=self.manifest.widths.entity)
        return np.repeat(entities, np.diff(self.forward.offsets))

    def triples_at(self, numbers: Ints | None) -> tuple[Ints, Ints, Ints]:
        """Subject, relation and object of some triples, or of all."""
        rows = self.forward
        if numbers is None:
            return self.owners(), rows.relation, rows.end
        subject = np.searchsorted(rows.offsets, numbers, side="right") - 1
        width = self.manifest.widths.entity
        return subject.astype(width), np.asarray(rows.relation[numbers]), np.asarray(rows.end[numbers])

    def relation_of(self, triples: Ints) -> Ints:
        """The relation of each of some triples."""
        return np.asarray(self.forward.relation[triples])

    def _triples(self, side: Side) -> TripleRows:
        """The triples of the base in one direction: mapped if it has one segment, else joined in memory."""
        read, get = self.segments.triples, self._arrays.get
        return join_triples([read(number, side, get) for number in range(len(self.segments))])

    def base_neighbours(self, side: Side) -> Rows:
        """Distinct neighbours in the base alone, in one direction."""
        read, get = self.segments.neighbours, self._arrays.get
        rows = join_rows([read(number, side, get, first=True) for number in range(len(self.segments))])
        if len(rows.neighbour) != self.manifest.base["pairs"]:
            raise DamagedGraph(f"the segments of {self.folder} do not fit the manifest: build the graph again")
        return rows

    def _adjacent(self, side: Side) -> Rows:
        rows = self.base_neighbours(side)
        return rows if self._composed is None else self._composed.neighbours(rows, side)


def _sorted_names(tables: MappedTables, manifest: Manifest, composed: Composition | None) -> pa.Table:
    """Every name and synonym with its entity."""
    number = pa.type_for_alias(manifest.widths.entity)
    expected = {"form": pa.large_string(), "entity": number, "kind": pa.int8()}
    names = tables.read("names", manifest.base["names"], expected)
    limits = (("entity", manifest.base["entities"]), ("kind", 2))
    if not all(prove_ids(below)(numbers_of(_single(names[part]))) for part, below in limits):
        path = tables.folder / "names.arrow"
        raise DamagedGraph(f"{path} is damaged: run `clew doctor`, then build the graph again")
    return names if composed is None else composed.names(names)


def _byte_range(group: Any) -> tuple[int, int]:
    """Where a Parquet row group begins and ends in its file."""
    columns = [group.column(number) for number in range(group.num_columns)]
    starts = [c.dictionary_page_offset if c.has_dictionary_page else c.data_page_offset for c in columns]
    return min(starts), max(start + c.total_compressed_size for start, c in zip(starts, columns, strict=True))


def _single(column: pa.ChunkedArray) -> Any:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _prove_each_has_some(rows: int) -> Any:
    rising = prove_offsets(rows)
    return lambda offsets: rising(offsets) and bool((offsets[1:] > offsets[:-1]).all())
