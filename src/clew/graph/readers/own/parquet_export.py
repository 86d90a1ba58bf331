"""The directory that `clew export --to parquet` writes: entities, triples (a row per assertion), relations, sources.

The tables are taken as they are, so that the graph built from them is the one that was exported.
"""

import os
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from clew.errors import InputError
from clew.graph.readers.columnar_sizes import check_rows
from clew.graph.readers.source_files import reading
from clew.graph.staging import ASSERTION_TYPES, QUALIFIER_PREFIX, Origin, Problems, Relation, Source, Staged
from clew.progress import Progress, silent, track

__all__ = ["ENTITIES", "RELATIONS", "SOURCES", "TRIPLES", "is_export", "read"]

ENTITIES, TRIPLES, RELATIONS, SOURCES = (f"{name}.parquet" for name in ("entities", "triples", "relations", "sources"))
TEXT = pa.string()
LISTS = pa.list_(TEXT)
EXPECTED = {
    ENTITIES: {"id": TEXT, "name": TEXT, "type": TEXT},
    TRIPLES: {"subject": TEXT, "relation": TEXT, "object": TEXT},
    RELATIONS: {"name": TEXT, "negated": pa.bool_(), "symmetric": pa.bool_(), "transitive": pa.bool_()},
    SOURCES: {"name": TEXT, "curated": pa.bool_()},
}


def is_export(path: Path) -> bool:
    """Whether a directory has the four files of an export."""
    return all((path / name).is_file() for name in EXPECTED)


def read(source: str | os.PathLike[str], *, problems: Problems, progress: Progress = silent) -> Staged:
    """Read the four files of an export."""
    folder = Path(source)
    tables = {
        name: _table(folder / name, columns)
        for name, columns in track(EXPECTED.items(), f"reading {folder.name}", progress, total=len(EXPECTED))
    }
    stated = tables[TRIPLES].column_names
    kept = [name for name in stated if name in (*EXPECTED[TRIPLES], *ASSERTION_TYPES) or _qualifies(name)]
    try:
        relations = [Relation(**row) for row in tables[RELATIONS].to_pylist()]
        sources = [Source(**row) for row in tables[SOURCES].to_pylist()]
    except TypeError as error:
        raise InputError(f"{folder} was not written by `clew export --to parquet`: {error}") from error
    return Staged(
        tables[TRIPLES].select(kept),
        tables[ENTITIES],
        relations,
        sources,
        Origin(files=(str(folder / TRIPLES),)),
        Origin(files=(str(folder / ENTITIES),)),
    )


def _qualifies(name: str) -> bool:
    return name.startswith(QUALIFIER_PREFIX)


def _table(path: Path, required: dict[str, pa.DataType]) -> pa.Table:
    """A table whose known columns have the types that an export gives them, and whose required ones have no gaps."""
    with reading(path, "Parquet"):
        with pq.ParquetFile(path) as file:
            check_rows(path, file)
        table = pq.read_table(path, memory_map=True)
        table.validate(full=True)
    known = required | {"synonyms": LISTS, "xrefs": LISTS} if path.name == ENTITIES else required | ASSERTION_TYPES
    for name, wanted in known.items():
        if name not in table.column_names:
            if name in required:
                raise InputError(f"{path} has no column {name!r}, which `clew export --to parquet` writes")
            continue
        found = table.schema.field(name).type
        if found != wanted or (name in required and table[name].null_count):
            gaps = ", with gaps" if found == wanted else ""
            raise InputError(
                f"{path}: column {name!r} holds {found}{gaps}, expected {wanted} as `clew export --to parquet` writes "
                "it; to read tables of your own name the files"
            )
    return table
