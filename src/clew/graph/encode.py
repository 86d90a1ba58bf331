"""Strings to numbers: which entities and relations there are, and every staged row in terms of them.

Rows that cannot be numbered (dangling references, conflicting records) are reported with file and line.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.errors import BuildError
from clew.graph.staging import Problems, Relation, Staged

__all__ = [
    "UNTYPED",
    "EncodedEntities",
    "Ints",
    "check_relations",
    "distinct_entities",
    "encode_entities",
    "encode_relations",
    "encode_triples",
    "entity_columns",
    "first_rows",
    "unite",
]

Ints = NDArray[np.integer]
UNTYPED = "Entity"  # the type of an entity that was given none
DESCRIBED = ("name", "type")
Report = Callable[[str, Ints, Ints, pa.Array], None]  # column, rows that differ, the rows they differ from, values
ROW = "clew:row"  # the row of the triples in which an entity stands; a name that no property will have


@dataclass(frozen=True, slots=True)
class EncodedEntities:
    """Entities in the order of their numbers; `details` holds every further column."""

    ids: pa.Array
    names: pa.Array
    types: pa.DictionaryArray
    details: pa.Table | None


def encode_entities(staged: Staged, problems: Problems) -> EncodedEntities:
    """Distinct entities, from the entity table or, without one, from the ends of the triples."""
    ids, names, types, details = entity_columns(distinct_entities(staged, problems))
    return EncodedEntities(ids, names, _sorted_types(types), details)


def entity_columns(table: pa.Table) -> tuple[pa.Array, pa.Array, pa.Array, pa.Table | None]:
    """Ids, names, types and all further columns of some entities as they are stored; what is absent is filled in."""
    ids = table["id"].combine_chunks()
    names = _filled(table, "name", ids)
    types = _filled(table, "type", pa.array([UNTYPED]).take(pa.array(np.zeros(len(ids), np.int64))))
    further = [name for name in table.column_names if name not in ("id", *DESCRIBED)]
    details = pa.table({name: _detail(table[name]) for name in further}) if further else None
    return ids, names, types, details


def distinct_entities(staged: Staged, problems: Problems) -> pa.Table:
    """One row per entity, as its table (or the ends of the triples) describes it; contradictions are problems."""
    described = staged.entities if staged.entities is not None else _entities_of_triples(staged.triples)
    origin = staged.entity_origin if staged.entities is not None else staged.triple_origin
    places = described[ROW].to_numpy() if staged.entities is None else None

    def report(column: str, rows: Ints, firsts: Ints, values: pa.Array) -> None:
        for row, first in zip(rows[:20].tolist(), firsts[:20].tolist(), strict=True):
            stated, before = values[row].as_py(), values[first].as_py()
            problems.add(
                "conflicting entity",
                origin(row if places is None else int(places[row])),
                f"{described['id'][row].as_py()!r} has {column} {stated!r}, earlier {before!r}",
            )
        problems.counts["conflicting entity"] += max(0, len(rows) - 20)

    return unite(described.drop_columns([ROW]) if places is not None else described, report)


def encode_relations(staged: Staged) -> list[Relation]:
    """Every relation that occurs, by name, with what was declared about it."""
    declared = {relation.name: relation for relation in staged.relations}
    check_relations(staged.relations)
    used = _encoded(staged.triples["relation"]).dictionary.to_pylist()
    return [declared.get(name, Relation(name)) for name in sorted(used)]


def check_relations(relations: Sequence[Relation]) -> None:
    """Raise `BuildError` if what is declared about a relation contradicts itself."""
    for relation in relations:
        if relation.symmetric and relation.inverse not in (None, relation.name):
            raise BuildError(
                f"relation {relation.name!r} is declared symmetric and has another inverse {relation.inverse!r}"
            )


def encode_triples(
    staged: Staged, entities: EncodedEntities, relations: Sequence[Relation], problems: Problems
) -> tuple[Ints, Ints, Ints, Ints]:
    """Subject, relation and object numbers of every usable row, and the row numbers those are."""
    ends = []
    dangling = np.zeros(staged.triples.num_rows, bool)
    for column in ("subject", "object"):
        encoded = _encoded(staged.triples[column])
        number = pc.index_in(encoded.dictionary, value_set=entities.ids).fill_null(-1).to_numpy().astype(np.int64)
        codes = encoded.indices.to_numpy(zero_copy_only=False)
        end = number[codes] if len(number) else np.empty(0, np.int64)
        missing = end < 0
        if missing.any():
            _report_dangling(missing & ~dangling, column, staged, problems)
            dangling |= missing
        ends.append(end)
    names = pa.array([relation.name for relation in relations], pa.string())
    encoded = _encoded(staged.triples["relation"])
    number = pc.index_in(encoded.dictionary.cast(pa.string()), value_set=names).to_numpy(zero_copy_only=False)
    relation = (
        number.astype(np.int64)[encoded.indices.to_numpy(zero_copy_only=False)]
        if len(number)
        else np.empty(0, np.int64)
    )
    if not dangling.any():
        return ends[0], relation, ends[1], np.arange(len(dangling))
    kept = np.flatnonzero(~dangling)
    return ends[0][kept], relation[kept], ends[1][kept], kept


def _encoded(column: pa.ChunkedArray) -> pa.DictionaryArray:
    """One dictionary array over one dictionary."""
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    array = column.chunk(0) if column.num_chunks == 1 else column.unify_dictionaries().combine_chunks()
    if array.null_count:
        raise BuildError(
            "a triple without subject, relation or object reached the build; its reader should have refused it"
        )
    used = np.zeros(len(array.dictionary), bool)
    used[array.indices.to_numpy(zero_copy_only=False)] = True
    if used.all():
        return array
    fresh = np.cumsum(used) - 1  # values no row uses (any more) are no entities
    indices = pa.array(fresh[array.indices.to_numpy(zero_copy_only=False)])
    return pa.DictionaryArray.from_arrays(indices, array.dictionary.filter(pa.array(used)))


def _report_dangling(rows: NDArray[np.bool_], column: str, staged: Staged, problems: Problems) -> None:
    numbers = np.flatnonzero(rows)
    for row in numbers[:20]:
        identifier = staged.triples[column][int(row)].as_py()
        problems.add(
            "dangling reference", staged.triple_origin(int(row)), f"{column} {identifier!r} is not in the entity table"
        )
    if len(numbers) > 20:
        problems.counts["dangling reference"] += len(numbers) - 20


def _entities_of_triples(triples: pa.Table) -> pa.Table:
    """Both ends of every triple as entity rows, each id once unless its descriptions must be compared."""
    described = any(f"{end}_{part}" in triples.column_names for end in ("subject", "object") for part in DESCRIBED)
    parts = []
    for end in ("subject", "object"):
        if described:
            columns = {"id": triples[end]}
            for part in DESCRIBED:
                name = f"{end}_{part}"
                columns[part] = (
                    triples[name] if name in triples.column_names else pa.nulls(triples.num_rows, pa.string())
                )
            columns[ROW] = pa.array(np.arange(triples.num_rows))
            part_table = pa.table({name: _plain(column) for name, column in columns.items()})
            parts.append(part_table.group_by(["id", *DESCRIBED], use_threads=False).aggregate([(ROW, "min")]))
        else:
            ids = _encoded(triples[end]).dictionary.cast(pa.string())
            parts.append(pa.table({"id": ids, f"{ROW}_min": pa.array(np.zeros(len(ids), np.int64))}))
    return pa.concat_tables(parts).rename_columns({f"{ROW}_min": ROW})


def _plain(column: pa.ChunkedArray | pa.Array) -> pa.ChunkedArray | pa.Array:
    return (
        column.cast(pa.string())
        if pa.types.is_dictionary(column.type) or pa.types.is_large_string(column.type)
        else column
    )


def unite(table: pa.Table, report: Report) -> pa.Table:
    """One row per id: the first, with its gaps filled from later ones; contradictions are reported and left out.

    Lists (synonyms, xrefs) do not contradict each other: their items are put together.
    """
    table = table.set_column(table.column_names.index("id"), "id", _plain(table["id"]))
    encoded = table["id"].combine_chunks().dictionary_encode()
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    if len(encoded.dictionary) == table.num_rows:
        return table
    order = np.argsort(codes, kind="stable")
    first = order[np.searchsorted(codes[order], np.arange(len(encoded.dictionary)))]
    merged = table.take(pa.array(np.sort(first)))
    position = np.empty(len(first), np.int64)  # code → row of merged
    position[codes[np.sort(first)]] = np.arange(len(first))
    owner = position[codes]  # row of table → row of merged
    for place, part in enumerate(table.column_names):
        if part == "id":
            continue
        column = _plain(table[part]).combine_chunks()
        if pa.types.is_list(column.type):
            merged = merged.set_column(place, part, _unite_lists(column, owner, len(first)))
            continue
        given = _encoded_or_null(column)
        present = np.flatnonzero(given >= 0)
        source = np.full(len(first), table.num_rows, np.int64)
        np.minimum.at(source, owner[present], present)  # the first row that says something about each entity
        clash = present[given[present] != given[source[owner[present]]]]
        if len(clash):
            report(part, clash, source[owner[clash]], column)
        chosen = pa.array(np.where(source < table.num_rows, source, 0), mask=source == table.num_rows)
        merged = merged.set_column(place, part, column.take(chosen))
    return merged


def first_rows(ids: pa.ChunkedArray, rows: Ints) -> Ints:
    """For every row of a table the first of some `rows` that has the same id; the number of rows where none has."""
    codes = ids.combine_chunks().dictionary_encode().indices.to_numpy(zero_copy_only=False)
    first = np.full(codes.max(initial=-1) + 1, len(codes), np.int64)
    np.minimum.at(first, codes[rows], rows)
    return np.asarray(first[codes])


def _unite_lists(lists: pa.ListArray, owner: Ints, count: int) -> pa.ListArray:
    """For each of `count` owners the distinct items of all its rows, in order; null where there are none."""
    items = pc.list_flatten(lists)
    holder = owner[pc.list_parent_indices(lists).to_numpy()]
    codes = items.dictionary_encode().indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    _, kept = np.unique(np.stack((holder, codes)), axis=1, return_index=True)
    kept = np.sort(kept)
    kept = kept[np.argsort(holder[kept], kind="stable")]
    offsets = np.zeros(count + 1, np.int32)
    np.cumsum(np.bincount(holder[kept], minlength=count), out=offsets[1:])
    empty = pa.array(np.diff(offsets) == 0)
    return pa.ListArray.from_arrays(pa.array(offsets), items.take(pa.array(kept)), type=lists.type, mask=empty)


def _encoded_or_null(column: pa.Array) -> Ints:
    """Codes of a column, -1 for an absent value; an empty string counts as absent."""
    if pa.types.is_nested(column.type):  # cannot be encoded: its text is as good
        column = pa.array([None if value is None else repr(value) for value in column.to_pylist()], pa.string())
    encoded = column.dictionary_encode()
    codes = encoded.indices.fill_null(-1).to_numpy(zero_copy_only=False).astype(np.int64)
    empty = pc.index(encoded.dictionary, "").as_py() if pa.types.is_string(column.type) else -1
    if empty >= 0:
        codes = np.where(codes == empty, -1, codes)
    return np.asarray(codes)


def _detail(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """A column as it is stored: without a dictionary; an empty list says no more than an absent one."""
    if pa.types.is_dictionary(column.type):
        return column.cast(column.type.value_type)
    if not pa.types.is_list(column.type):
        return column
    return pc.if_else(pc.equal(pc.list_value_length(column), 0), pa.scalar(None, column.type), column)


def _filled(table: pa.Table, name: str, otherwise: pa.Array) -> pa.Array:
    if name not in table.column_names:
        return otherwise
    column = _plain(table[name]).combine_chunks().cast(pa.string())
    return pc.if_else(pc.fill_null(pc.not_equal(column, ""), False), column, otherwise)


def _sorted_types(types: pa.Array) -> pa.DictionaryArray:
    """Types as a dictionary in alphabetical order, so that numbers do not depend on row order."""
    names = pa.array(sorted(pc.unique(types).to_pylist()), pa.string())
    return pa.DictionaryArray.from_arrays(pc.index_in(types, value_set=names).cast(pa.int32()), names)
