"""The columns of entities and statements in their final order, and all names sorted, from pieces that fit in memory."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from clew.graph.names import name_table
from clew.graph.storage.arrays import write_array, write_table
from clew.graph.storage.manifest import Widths
from clew.graph.storage.statements import ENCODED, assertion_type
from clew.graph.streaming.rows import DETAIL, entity_chunks
from clew.graph.streaming.scratch import Scratch, TableBuckets, read_numbers, read_tables
from clew.graph.streaming.texts import join_texts

__all__ = ["types_of_entities", "write_entities", "write_names", "write_statements"]

Ints = NDArray[np.integer]
DETAIL_ROWS = 4096  # rows of a Parquet row group
NUMBER = "clew:number"
SAMPLES = 64  # of the forms of a run, for each piece of the sorted names


def types_of_entities(scratch: Scratch, entities: dict[str, Any], rank: Ints) -> Ints:
    """The type of each entity, by final number."""
    kinds, first = np.empty(len(rank), np.int32), 0
    names = pa.array(entities["types"], pa.string())
    for chunk in entity_chunks(scratch.folder, entities["chunks"]):
        codes = pc.index_in(chunk["type"].combine_chunks(), value_set=names).to_numpy(zero_copy_only=False)
        kinds[rank[first : first + len(codes)]] = codes
        first += len(codes)
    return kinds


def write_entities(
    scratch: Scratch, snapshot: Path, entities: dict[str, Any], rank: Ints, kinds: Ints, widths: Widths, rows: int
) -> dict[str, Any]:
    """Write ids, names and types, all further columns, and the index of ids; sorted runs of names are kept."""
    rows = -(-rows // DETAIL_ROWS) * DETAIL_ROWS
    pieces = max(1, -(-len(rank) // rows))
    _distribute(scratch, entities, rank, rows, pieces)
    folder = scratch.fresh("columns")
    details: pq.ParquetWriter | None = None
    for at in range(pieces):
        table = _piece(scratch, at)
        further = [name for name in table.column_names if name.startswith(DETAIL)]
        if further:
            stored = table.select(further).rename_columns([name.removeprefix(DETAIL) for name in further])
            if details is None:
                path, options = snapshot / "details.parquet", {"compression": "zstd", "write_page_checksum": True}
                details = pq.ParquetWriter(path, stored.schema, **options)
            details.write_table(stored, row_group_size=DETAIL_ROWS)
        write_table(folder / f"{at:05}.arrow", table.select(["id", "name"]))
        synonyms = table[f"{DETAIL}synonyms"].combine_chunks() if f"{DETAIL}synonyms" in further else None
        forms = name_table(table["name"].combine_chunks(), synonyms, entity_type=widths.entity)
        number = pc.add(forms["entity"], pa.scalar(at * rows, forms["entity"].type))
        write_table(folder / f"{at:05}.names", forms.set_column(1, "entity", number))
    if details is not None:
        details.close()
    columns = {
        name: join_texts(folder / name, partial(_column, folder, pieces, "arrow", name), large=widths.entity == "int64")
        for name in ("id", "name")
    }
    types = pa.array(entities["types"], pa.string())
    columns["type"] = pa.DictionaryArray.from_arrays(pa.array(kinds), types)
    write_table(snapshot / "entities.arrow", pa.table(columns))
    del columns, types
    hashes = np.empty(len(rank), np.uint64)
    hashes[rank] = read_numbers(scratch.folder / "entities" / "hash", np.uint64)
    order = np.argsort(hashes, kind="stable")
    write_array(snapshot / "id_hash.npy", hashes[order])
    write_array(snapshot / "id_entity.npy", order.astype(widths.entity))
    return {"pieces": pieces}


def write_names(scratch: Scratch, snapshot: Path, pieces: int, rows: int) -> dict[str, Any]:
    """Merge the sorted runs of names: every piece of the result lies between two forms of a sample."""
    folder = scratch.folder / "columns"
    runs = [_mapped(folder / f"{at:05}.names") for at in range(pieces)]
    total = sum(run.num_rows for run in runs)
    parts = max(1, -(-total // rows))
    sample = sorted(form for run in runs if run.num_rows for form in _sample(run["form"], SAMPLES * parts))
    splits = sorted({sample[len(sample) * at // parts] for at in range(1, parts)}) if sample else []
    cuts = [[0, *(bisect_left(_Forms(run), each) for each in splits), run.num_rows] for run in runs]
    for at in range(len(splits) + 1):
        found = pa.concat_tables(
            [run.slice(cut[at], cut[at + 1] - cut[at]) for run, cut in zip(runs, cuts, strict=True)]
        )
        keys = [("form", "ascending"), ("kind", "ascending"), ("entity", "ascending")]
        write_table(folder / f"{at:05}.sorted", found.sort_by(keys))
    del runs, found
    columns = {}
    for field in _mapped(folder / "00000.sorted").schema:
        pieces_of = partial(_column, folder, len(splits) + 1, "sorted", field.name)
        if pa.types.is_string(field.type):
            columns[field.name] = join_texts(folder / field.name, pieces_of)
        else:
            columns[field.name] = _spill(folder / f"{field.name}.column", pieces_of(), field.type)
    write_table(snapshot / "names.arrow", pa.table(columns))
    return {"names": total}


def write_statements(scratch: Scratch, snapshot: Path, columns: Sequence[str], buckets: int, rows: int) -> None:
    """Write the statements of all triples, column by column."""
    if not columns:
        write_table(snapshot / "assertions.arrow", pa.table({"negated": pa.nulls(rows, pa.bool_())}))
        return
    made = {}
    for name in columns:
        wanted = assertion_type(name)
        stored = pa.int32() if wanted == ENCODED else wanted
        found = (read_tables(scratch.folder / "said" / f"{at:05}.arrows")[name] for at in range(buckets))
        column = _spill(scratch.folder / "said" / f"{name}.column", found, stored)
        if wanted == ENCODED:
            texts = _mapped(scratch.folder / "rows" / f"{name}.texts")["text"].combine_chunks()
            column = pa.DictionaryArray.from_arrays(_whole(column), texts)
        made[name] = column
    write_table(snapshot / "assertions.arrow", pa.table(made))


def _sample(forms: pa.ChunkedArray, count: int) -> list[str]:
    """Forms at equal distances."""
    places = np.linspace(0, len(forms) - 1, count).astype(np.int64)
    listed: list[str] = forms.take(pa.array(places)).to_pylist()
    return listed


class _Forms(Sequence[str]):
    """The forms of a run, for bisection."""

    def __init__(self, run: pa.Table) -> None:
        self._forms = run["form"]

    def __len__(self) -> int:
        return len(self._forms)

    def __getitem__(self, at: Any) -> Any:
        return self._forms[at].as_py()


def _distribute(scratch: Scratch, entities: dict[str, Any], rank: Ints, rows: int, pieces: int) -> None:
    """Entities to the piece of their final number."""
    folder, first = scratch.fresh("pieces"), 0
    buckets: TableBuckets | None = None
    for chunk in entity_chunks(scratch.folder, entities["chunks"]):
        number = rank[first : first + chunk.num_rows]
        first += chunk.num_rows
        table = chunk.drop_columns(["type"]).append_column(NUMBER, pa.array(number))
        if buckets is None:
            buckets = TableBuckets(folder, pieces, table.schema)
        buckets.append(table, number // rows)
    if buckets is not None:
        buckets.close()


def _piece(scratch: Scratch, at: int) -> pa.Table:
    path = scratch.folder / "pieces" / f"{at:05}.arrows"
    if not path.exists():
        return pa.table({"id": pa.array([], pa.string()), "name": pa.array([], pa.string())})
    table = read_tables(path)
    order = np.argsort(table[NUMBER].to_numpy())
    return table.drop_columns([NUMBER]).take(pa.array(order)).combine_chunks()


def _column(folder: Path, pieces: int, suffix: str, name: str) -> Iterator[pa.ChunkedArray]:
    """A column of all pieces, one after another."""
    return (_mapped(folder / f"{at:05}.{suffix}")[name] for at in range(pieces))


def _spill(path: Path, chunks: Iterable[pa.ChunkedArray], kind: pa.DataType) -> pa.ChunkedArray:
    """One column in one piece, written to disk and mapped, so that the next can use the memory."""
    listed = [chunk for column in chunks for chunk in column.chunks]
    column = pa.chunked_array(listed, listed[0].type if listed else kind).cast(kind)
    write_table(path, pa.table({"column": column}))
    return _mapped(path)["column"]


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _mapped(path: Path) -> pa.Table:
    with pa.memory_map(str(path)) as file:
        return pa.ipc.open_file(file).read_all()
