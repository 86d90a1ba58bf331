"""Entities and triples as they are read: ids become numbers, statements become codes, and all of it goes to disk.

An id is known by its 64-bit hash. Numbers are those of a build in memory: the order of the table of entities, or else
that in which the ends of triples first appear.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.errors import BuildError, InputError
from clew.graph.encode import UNTYPED, entity_columns
from clew.graph.names import hash_strings
from clew.graph.readers.parts import DESCRIPTIONS, Part
from clew.graph.staging import ASSERTION_TYPES, Problems, Relation
from clew.graph.storage.arrays import write_table
from clew.graph.storage.statements import ENCODED, assertion_type, statement_columns
from clew.graph.streaming.scratch import NumberFile, Scratch, read_numbers

__all__ = ["DETAIL", "described_entities", "ends_of_triples", "entity_chunks", "number_triples", "statement_chunks"]

Ints = NDArray[np.integer]
Blocks = Callable[[], Iterable[Part]]
DETAIL = "detail:"  # begins the name of a further column of entities
SHOWN = 20  # problems of one kind and block, with their lines


def described_entities(scratch: Scratch, blocks: Blocks) -> dict[str, Any]:
    """Keep the table of entities in chunks, and the hash of every id."""
    folder, types, count, at = scratch.fresh("entities"), set[str](), 0, -1
    with NumberFile(folder / "hash", np.uint64) as hashes:
        for at, part in enumerate(blocks()):
            ids, names, kinds, details = entity_columns(part.table)
            hashes.append(hash_strings(ids))
            types |= set(pc.unique(kinds).to_pylist())
            table = pa.table({"id": ids, "name": names, "type": kinds})
            for name, column in zip(details.column_names, details.columns, strict=True) if details else ():
                table = table.append_column(f"{DETAIL}{name}", column)
            write_table(folder / f"{at:06}.arrow", table)
            count += part.table.num_rows
    return {"count": count, "chunks": at + 1, "types": sorted(types)}


def ends_of_triples(scratch: Scratch, blocks: Blocks) -> dict[str, Any]:
    """The ends of triples as entities: all subjects in the order in which they first appear, then all other objects."""
    folder = scratch.fresh("entities")
    for end in ("subject", "object"):
        with NumberFile(folder / end, np.uint64) as hashes:
            for part in blocks():
                if described := [name for name in DESCRIPTIONS if name in part.table.column_names]:
                    raise InputError(
                        f"{part.name} describes its ends ({', '.join(described)}), which a build with memory= takes "
                        "from a table of entities only: give one with entities=, or map these columns to nothing"
                    )
                hashes.append(hash_strings(_plain(part.table[end])))
    known, first = np.unique(read_numbers(folder / "subject", np.uint64), return_index=True)
    places = {"subject": np.sort(first)}
    others, first = np.unique(read_numbers(folder / "object", np.uint64), return_index=True)
    places["object"] = np.sort(first[~np.isin(others, known, assume_unique=True)])
    del known, others, first
    count = at = 0
    with NumberFile(folder / "hash", np.uint64) as hashes:
        for end in ("subject", "object"):
            row = 0
            for part in blocks():
                low, high = np.searchsorted(places[end], (row, row + part.table.num_rows))
                ids = _plain(part.table[end]).take(pa.array(places[end][low:high] - row))
                row += part.table.num_rows
                hashes.append(hash_strings(ids))
                ids, names, kinds, _ = entity_columns(pa.table({"id": ids}))
                write_table(folder / f"{at:06}.arrow", pa.table({"id": ids, "name": names, "type": kinds}))
                count, at = count + len(ids), at + 1
    return {"count": count, "chunks": at, "types": [UNTYPED] if count else []}


def entity_chunks(folder: Path, count: int) -> Iterator[pa.Table]:
    """The chunks of entities in order."""
    return (_mapped(folder / "entities" / f"{at:06}.arrow") for at in range(count))


def statement_chunks(folder: Path, count: int) -> Iterator[pa.Table]:
    """The chunks of statements in the order of their rows; all have the same columns."""
    return (_mapped(folder / "rows" / f"{at:06}.arrow") for at in range(count))


class _Numbers:
    """From ids to the numbers of entities, by sorted hashes."""

    def __init__(self, scratch: Scratch, chunks: int) -> None:
        hashes = read_numbers(scratch.folder / "entities" / "hash", np.uint64)
        self.order = np.argsort(hashes, kind="stable").astype(np.int32 if len(hashes) < 2**31 else np.int64)
        self._sorted = hashes[self.order]
        repeated = np.flatnonzero(self._sorted[1:] == self._sorted[:-1])
        if len(repeated):
            rows = np.sort(self.order[repeated[0] : repeated[0] + 2]).tolist()
            one, other = (_id_at(entity_chunks(scratch.folder, chunks), row) for row in rows)
            same = f"{one!r} is described twice" if one == other else f"{one!r} and {other!r} have the same hash"
            raise BuildError(
                f"{same} (rows {rows[0] + 1} and {rows[1] + 1} of the entities): a build with memory= needs one row "
                "for each entity; without it, descriptions are merged"
            )

    def __call__(self, ids: pa.Array) -> Ints:
        """The entity with each id; -1 where there is none."""
        wanted, place = np.unique(hash_strings(ids), return_inverse=True)
        at = np.minimum(np.searchsorted(self._sorted, wanted), max(0, len(self._sorted) - 1))
        if not len(self._sorted):
            return np.full(len(ids), -1)
        found = np.where(self._sorted[at] == wanted, self.order[at], -1)
        return np.asarray(found[place])


class _Dictionary:
    """Texts of a column, numbered in the order in which they first appear."""

    def __init__(self) -> None:
        self.values: dict[str, int] = {}

    def codes(self, column: pa.ChunkedArray) -> pa.Array:
        encoded = _plain(column).dictionary_encode()
        values = self.values
        numbers = np.array([values.setdefault(each, len(values)) for each in encoded.dictionary.to_pylist()], np.int32)
        return pa.array(numbers).take(encoded.indices)


def number_triples(
    scratch: Scratch, blocks: Blocks, relations: Sequence[Relation], chunks: int, problems: Problems
) -> dict[str, Any]:
    """Every row as numbers of subject, object and relation (in order of appearance), its statement as codes."""
    folder, number = scratch.fresh("rows"), _Numbers(scratch, chunks)
    symmetric = {each.name for each in relations if each.symmetric}
    named, texts, present, at = _Dictionary(), dict[str, _Dictionary](), set[str](), -1
    names, count = list[str](), 0
    files = {name: NumberFile(folder / name, number.order.dtype) for name in ("subject", "object")}
    files["relation"] = NumberFile(folder / "relation", np.int32)
    for at, part in enumerate(blocks()):
        table = part.table
        ends = {end: _plain(table[end]) for end in ("subject", "object")}
        found = {end: number(ids) for end, ids in ends.items()}
        relation = named.codes(table["relation"]).to_numpy(zero_copy_only=False)
        turned = _turned(ends, relation, symmetric, named)
        statements = statement_columns(table)
        names += [name for name in statements.column_names if name not in names]
        present |= {name for name in names if name in statements.column_names and _says(statements[name])}
        coded = {name: _stored(name, statements[name], texts) for name in statements.column_names}
        kept = _without_dangling(part, ends, found, problems)
        count += len(kept)
        for end, other in (("subject", "object"), ("object", "subject")):
            files[end].append(np.where(turned, found[other], found[end])[kept])
        files["relation"].append(relation[kept])
        rows = pa.table(coded).take(pa.array(kept)) if coded else pa.table({"clew:none": pa.nulls(len(kept))})
        write_table(folder / f"{at:06}.arrow", rows)
    for file in files.values():
        file.__exit__(None, None, None)
    ordered = sorted(present, key=_statement_order)
    for name, text in texts.items():
        write_table(folder / f"{name}.texts", pa.table({"text": pa.array(list(text.values), pa.string())}))
    problems.settle()
    return {"rows": count, "chunks": at + 1, "relations": list(named.values), "columns": ordered}


def _turned(ends: dict[str, pa.Array], relation: Ints, symmetric: set[str], named: _Dictionary) -> NDArray[np.bool_]:
    """Symmetric triples are written one way only: the id that sorts first is the subject."""
    marked = np.array([name in symmetric for name in named.values], bool)
    if not marked.any():
        return np.zeros(len(relation), bool)
    greater = pc.greater(ends["subject"], ends["object"]).to_numpy(zero_copy_only=False)
    return np.asarray(marked[relation] & greater)


def _stored(name: str, column: pa.ChunkedArray, texts: dict[str, _Dictionary]) -> pa.Array:
    wanted = assertion_type(name)
    if wanted == ENCODED:
        return texts.setdefault(name, _Dictionary()).codes(column)
    array = column.combine_chunks()
    return array if array.type == wanted else array.cast(wanted)


def _without_dangling(part: Part, ends: dict[str, pa.Array], found: dict[str, Ints], problems: Problems) -> Ints:
    """The rows whose ends are entities; others are reported."""
    dangling = np.zeros(part.table.num_rows, bool)
    for end, numbers in found.items():
        rows = np.flatnonzero((numbers < 0) & ~dangling)
        for row in rows[:SHOWN].tolist():
            what = f"{end} {ends[end][row].as_py()!r} is not in the entity table"
            problems.add("dangling reference", f"{part.name}:{part.line(row)}", what)
        problems.counts["dangling reference"] += max(0, len(rows) - SHOWN)
        dangling |= numbers < 0
    if not problems.counts["dangling reference"]:
        del problems.counts["dangling reference"]
    return np.flatnonzero(~dangling)


def _says(column: pa.ChunkedArray) -> bool:
    return bool(column.null_count < len(column))


def _statement_order(name: str) -> tuple[int, str]:
    fixed = list(ASSERTION_TYPES)
    return (fixed.index(name), "") if name in fixed else (len(fixed), name)


def _plain(column: pa.ChunkedArray) -> pa.Array:
    array = column.combine_chunks()
    return array.cast(pa.string()) if array.type != pa.string() else array


def _mapped(path: Path) -> pa.Table:
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).read_all()


def _id_at(chunks: Iterable[pa.Table], row: int) -> str | None:
    for chunk in chunks:
        if row < chunk.num_rows:
            return str(chunk["id"][row].as_py())
        row -= chunk.num_rows
    return None
