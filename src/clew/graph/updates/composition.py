"""A base and a delta as one graph: for every entity the rows of the delta if it has them, else those of the base.

Rows are chosen whole, once, when a part of the graph is first used, so everything that walks sees plain rows. Outside,
entities and triples are numbered without gaps: removed ones are left out, and the others keep their order.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import DamagedGraph
from clew.graph.adjacency import Rows, TripleEntries, TripleRows, entries_of, first_of_rows
from clew.graph.names import Hashes, SortedText, hash_strings, name_table
from clew.graph.storage.arrays import arrow_of, numbers_of
from clew.graph.storage.manifest import Widths
from clew.graph.updates.delta import Delta, RowPatch

__all__ = ["Composition", "names_of", "one_chunk"]

Ints = NDArray[np.integer]
Columns = Mapping[str, pa.ChunkedArray]
MANY = 20_000  # pieces that are laid out one by one
DAMAGED = "the delta of {what} does not fit its base: run `clew doctor`, then build the graph again"


class Composition:
    """Parts of a graph made from those of its base; every method takes a part of the base."""

    def __init__(self, delta: Delta, base: Mapping[str, int], widths: Widths) -> None:
        self.delta = delta
        self._base = base
        self._widths = widths

    @cached_property
    def stored(self) -> Ints:
        """The stored number of every entity, ascending."""
        return np.delete(np.arange(self.delta.entities, dtype=self._widths.entity), self.delta.removed)

    @cached_property
    def number(self) -> Ints:
        """Which entity has each stored number; -1 for removed ones."""
        numbers = np.full(self.delta.entities, -1, self._widths.entity)
        numbers[self.stored] = np.arange(len(self.stored))
        return numbers

    # rows -------------------------------------------------------------------------------------------------------

    def forward(self, base: TripleRows) -> TripleRows:
        """Triples under their subjects, numbered by their position."""
        patch = self.delta.patches["out"]
        chosen = _Choice(base.offsets, self.delta.entities, patch)
        return TripleRows(
            self._offsets(chosen), self._numbered(chosen(base.end, patch.end)), chosen(base.relation, patch.relation),
            None,
        )  # fmt: skip

    def stored_triples(self, base: TripleRows) -> Ints:
        """The stored number of every triple."""
        patch = self.delta.patches["out"]
        return _Choice(base.offsets, self.delta.entities, patch)(_numbers(base), patch.triple)

    def triple_number(self, stored_triples: Ints) -> Ints:
        """Which triple has each stored number; -1 for removed ones."""
        numbers = np.full(self.delta.triples, -1, self._widths.triple)
        numbers[stored_triples] = np.arange(len(stored_triples))
        return numbers

    def backward(self, base: TripleRows, triple_number: Ints) -> TripleRows:
        """Triples under their objects, with their numbers."""
        patch = self.delta.patches["in"]
        chosen = _Choice(base.offsets, self.delta.entities, patch)
        triple = _found(triple_number, chosen(_numbers(base), patch.triple), "triples")
        if len(triple) != np.count_nonzero(triple_number >= 0):
            raise DamagedGraph(DAMAGED.format(what="triples"))
        end = self._numbered(chosen(base.end, patch.end))
        return TripleRows(self._offsets(chosen), end, chosen(base.relation, patch.relation), triple)

    def backward_of(self, base: TripleRows, triple_number: Ints, entities: Ints) -> TripleEntries:
        """The triples under some objects alone: all rows together need not be laid out for them."""
        patch, stored = self.delta.patches["in"], self.stored[entities]
        at = np.searchsorted(patch.entity, stored)
        listed = np.append(patch.entity, -1)[at] == stored
        ours, theirs = np.flatnonzero(listed), np.flatnonzero(~listed & (stored < len(base.offsets) - 1))
        rewritten = TripleRows(patch.offsets, patch.end, patch.relation, patch.triple)
        found = [entries_of(rewritten, at[ours]), entries_of(base, stored[theirs])]
        owner = np.concatenate((ours[found[0].owner], theirs[found[1].owner]))
        end, relation, triple = (
            np.concatenate([getattr(each, name) for each in found]) for name in ("end", "relation", "triple")
        )
        return TripleEntries(owner, self._numbered(end), relation, _found(triple_number, triple, "triples"))

    def neighbours(self, base: Rows, way: str) -> Rows:
        """Distinct neighbours, forward or backward."""
        patch = self.delta.patches[way]
        chosen = _Choice(base.offsets, self.delta.entities, patch)
        offsets, end = self._offsets(chosen), self._numbered(chosen(base.neighbour, patch.end))
        return Rows(offsets, end, first_of_rows(len(self.stored), offsets, end))

    def _offsets(self, chosen: "_Choice") -> Ints:
        """Offsets of the rows of entities that are left; removed ones must have none."""
        lengths = chosen.lengths
        if lengths[self.delta.removed].any():
            raise DamagedGraph(DAMAGED.format(what="removed entities"))
        offsets = np.zeros(len(self.stored) + 1, self._widths.offset)
        np.cumsum(lengths[self.stored], out=offsets[1:])
        return offsets

    def _numbered(self, stored: Ints) -> Ints:
        """Entities in the numbers they have outside."""
        if not len(self.delta.removed):
            return stored
        return _found(self.number, stored, "removed entities")

    # assertions -------------------------------------------------------------------------------------------------

    def assertions(self, base_rows: int, base_offsets: Ints, stored_triples: Ints) -> tuple[Ints, Ints]:
        """Where the assertions of each triple begin, in the base or past it in the delta, and their offsets."""
        delta, known, width = self.delta, self._base["triples"], self._widths.offset
        begin, length = np.full(delta.triples, -1, width), np.zeros(delta.triples, width)
        begin[:known], length[:known] = base_offsets[:-1], np.diff(base_offsets)
        begin[delta.stated] = delta.statement_offsets[:-1] + base_rows
        length[delta.stated] = np.diff(delta.statement_offsets)
        begin, length = begin[stored_triples], length[stored_triples]
        if len(begin) and begin.min() < 0:
            raise DamagedGraph(DAMAGED.format(what="statements"))
        offsets = np.zeros(len(begin) + 1, self._widths.offset)
        np.cumsum(length, out=offsets[1:])
        return begin, offsets

    # entities ---------------------------------------------------------------------------------------------------

    def entities(self, base: pa.Table, types: Sequence[str]) -> pa.Table:
        """Id, name and type of every entity."""
        given = self.delta.descriptions
        take = self.places
        columns: dict[str, pa.Array] = {
            name: pa.concat_arrays([one_chunk(base[name]), one_chunk(given[name])]).take(take)
            for name in ("id", "name")
        }
        codes = pa.concat_arrays([one_chunk(each["type"]).indices for each in (base, given)]).take(take)
        columns["type"] = pa.DictionaryArray.from_arrays(codes, pa.array(list(types), pa.string()))
        return pa.table(columns)

    @cached_property
    def places(self) -> pa.Array:
        """Where every entity is described: its row in the base, or past those its row in the delta."""
        delta, known = self.delta, self._base["entities"]
        places = np.arange(delta.entities)
        places[known:] = -1
        places[delta.described] = known + np.arange(len(delta.described))
        chosen = places[self.stored]
        if len(chosen) and chosen.min() < 0:
            raise DamagedGraph(DAMAGED.format(what="entities"))
        return arrow_of(chosen)

    def details(self, wanted: Ints, of_base: Callable[[NDArray[np.int64]], Columns]) -> Columns:
        """Every further column of some entities; those of the delta are all there are."""
        given = self.delta.details
        if given is None:
            return {}
        place, known = numbers_of(self.places)[wanted].astype(np.int64), self._base["entities"]
        ours = place >= known
        base, rows = of_base(place[~ours]), arrow_of(place[ours] - known)
        order = np.empty(len(place), np.int64)
        order[~ours] = np.arange(len(place) - len(rows))
        order[ours] = len(place) - len(rows) + np.arange(len(rows))
        made: dict[str, pa.ChunkedArray] = {}
        for field in given.schema:
            before = base.get(field.name, pa.chunked_array([pa.nulls(len(place) - len(rows), field.type)]))
            parts = [*before.cast(field.type).chunks, *given[field.name].take(rows).chunks]
            made[field.name] = pa.chunked_array(parts, field.type).take(arrow_of(order))
        return made

    def id_index(self, base_hash: Hashes, base_entity: Ints) -> tuple[Hashes, Ints]:
        """Sorted hashes of all ids, and the entity of each."""
        delta, known = self.delta, self._base["entities"]
        new = delta.described >= known
        hashes = hash_strings(one_chunk(delta.descriptions["id"]))[new]
        number = self.number
        base_number, new_number = number[base_entity], number[delta.described[new]]
        kept = base_number >= 0
        order = np.argsort(hashes, kind="stable")
        hashes, new_number = hashes[order], new_number[order]
        at = np.searchsorted(base_hash[kept], hashes)
        return np.insert(base_hash[kept], at, hashes), np.insert(base_number[kept], at, new_number)

    def names(self, base: pa.Table) -> pa.Table:
        """Every name and synonym, sorted, with its entity."""
        delta = self.delta
        replaced = np.zeros(delta.entities, bool)
        replaced[delta.described] = replaced[delta.removed] = True
        owner = numbers_of(one_chunk(base["entity"]))
        kept = base.take(arrow_of(np.flatnonzero(~replaced[owner])))
        entity = arrow_of(self.number[numbers_of(one_chunk(kept["entity"]))])
        kept = kept.set_column(1, "entity", entity)
        given = names_of(delta.descriptions, delta.details, entity_type=self._widths.entity)
        owners = self.number[delta.described][numbers_of(one_chunk(given["entity"]))]
        given = given.set_column(1, "entity", arrow_of(owners))
        return _merged(kept.combine_chunks(), given.combine_chunks())


class _Choice:
    """Rows of a base, or those of a patch for the entities it lists: pieces of both in turns, or by masks if many."""

    def __init__(self, offsets: Ints, entities: int, patch: RowPatch) -> None:
        self.lengths = np.zeros(entities, np.int64)
        self.lengths[: len(offsets) - 1] = np.diff(offsets)
        self.lengths[patch.entity] = np.diff(patch.offsets)
        listed = patch.entity[: np.searchsorted(patch.entity, len(offsets) - 1)]  # those that the base has too
        runs = np.flatnonzero(np.diff(listed, prepend=-2) > 1)  # where entities that follow each other begin
        ends = np.append(runs[1:], len(listed)) if len(listed) else runs
        last = listed[ends - 1] if len(listed) else listed
        self._base = np.stack((np.append(0, offsets[last + 1]), np.append(offsets[listed[runs]], offsets[-1])), axis=1)
        self._cuts = np.append(patch.offsets[ends], patch.offsets[-1])

    def __call__(self, base: Ints, patch: Ints) -> Ints:
        if len(self._base) > MANY:
            chosen = np.empty(len(self._from_base), base.dtype)
            chosen[self._from_base], chosen[~self._from_base] = base[self._kept], patch
            return chosen
        before, pieces = 0, list[Ints]()
        for (begin, end), cut in zip(self._base.tolist(), self._cuts.tolist(), strict=True):
            pieces += (base[begin:end], patch[before:cut])
            before = cut
        return np.concatenate(pieces, dtype=base.dtype)

    @cached_property
    def _kept(self) -> NDArray[np.bool_]:
        """Which entries of the base stay."""
        return np.repeat(np.tile((True, False), len(self._base))[:-1], np.diff(self._base.ravel()))

    @cached_property
    def _from_base(self) -> NDArray[np.bool_]:
        """Which entries of the result are among them."""
        sizes = np.stack((self._base[:, 1] - self._base[:, 0], np.diff(self._cuts, prepend=0)), axis=1)
        return np.repeat(np.tile((True, False), len(sizes)), sizes.ravel())


def _found(number: Ints, stored: Ints, what: str) -> Ints:
    """Numbers outside of what is stored under others; all must have one."""
    numbers = number[stored]
    if len(numbers) and numbers.min() < 0:
        raise DamagedGraph(DAMAGED.format(what=what))
    return numbers


def _numbers(rows: TripleRows) -> Ints:
    return np.arange(len(rows.end)) if rows.triple is None else rows.triple


def names_of(descriptions: pa.Table, details: pa.Table | None, *, entity_type: str) -> pa.Table:
    """Every name and synonym of some entities, sorted, with the row it comes from."""
    listed = details is not None and "synonyms" in details.column_names
    synonyms = one_chunk(details["synonyms"]) if details is not None and listed else None
    return name_table(one_chunk(descriptions["name"]), synonyms, entity_type=entity_type)


def one_chunk(column: pa.ChunkedArray) -> Any:
    """A column as one array."""
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


class _Sorted(Sequence[tuple[bytes, int, int]]):
    """The rows of a table of names as keys of their order, one at a time."""

    def __init__(self, names: pa.Table) -> None:
        self.form = SortedText(one_chunk(names["form"]))
        self._entity, self._kind = (numbers_of(one_chunk(names[name])) for name in ("entity", "kind"))

    def __len__(self) -> int:
        return len(self.form)

    def __getitem__(self, at: Any) -> Any:
        return self.form[at], int(self._kind[at]), int(self._entity[at])


def _merged(names: pa.Table, more: pa.Table) -> pa.Table:
    """Two sorted tables of names as one."""
    at = _places(_Sorted(names), _Sorted(more))
    order = np.insert(np.arange(names.num_rows), np.array(at, np.int64), names.num_rows + np.arange(len(at)))
    return pa.concat_tables([names, more]).combine_chunks().take(arrow_of(order)).combine_chunks()


def _places(keys: _Sorted, inserted: _Sorted) -> list[int]:
    """Where sorted rows go among others, each sought from the place of the one before it in growing steps."""
    at, places = 0, list[int]()
    for key in inserted:
        form, step = key[0], 1
        while at + step < len(keys) and keys.form[at + step] < form:
            at, step = at + step, 2 * step
        at = bisect_left(keys.form, form, at, min(at + step, len(keys)))
        if at < len(keys) and keys.form[at] == form:
            at = bisect_left(keys, key, at, bisect_right(keys.form, form, at))
        places.append(at)
    return places
