"""From tables of any size to a graph on disk, in bounded memory: the same files as a build in memory.

Phases: read entities, read triples, number entities, divide rows into buckets, write rows out and in, write columns and
names. Each is noted when it is complete; a build that is run again continues after the last one.
"""

import hashlib
import json
import os
import shutil
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from clew._version import __version__
from clew.checksums import record_files
from clew.errors import InputError
from clew.graph.build import number_widths
from clew.graph.encode import check_relations
from clew.graph.partitions.strategy import GraphShape, choose_partitions
from clew.graph.readers.conversion import LIST_SEPARATOR
from clew.graph.readers.recognition import recognise
from clew.graph.readers.source_files import check_file
from clew.graph.readers.table import entity_blocks, triple_blocks
from clew.graph.schema import schema_of_joins
from clew.graph.staging import Problems, Relation, Source, Staged
from clew.graph.storage.manifest import Manifest
from clew.graph.storage.segments import segments_of_sizes
from clew.graph.storage.snapshots import new_snapshot
from clew.graph.streaming.columns import types_of_entities, write_entities, write_names, write_statements
from clew.graph.streaming.numbering import number_entities
from clew.graph.streaming.rows import described_entities, ends_of_triples, number_triples
from clew.graph.streaming.scratch import Scratch, number_blocks, read_numbers, scratch_folder
from clew.graph.streaming.segments import SegmentBuild
from clew.progress import Progress, silent
from clew.sizes import size_text

__all__ = ["Tables", "check_streamable", "stream_graph"]

STEPS = 9
ENTITY_BYTES = 40  # of memory for each entity, while all are numbered
BLOCK_BYTES, ROW_BYTES, PIECE_BYTES = 4096, 256, 1024  # of the limit for each row of a block, a bucket and a piece
MOST_BLOCK_ROWS = 1 << 20


@dataclass(frozen=True, slots=True)
class Tables:
    """Files (or tables) of triples and of entities, and how to read them; see `clew.graph.readers.table.read`."""

    triples: Any
    entities: Any = None
    columns: Mapping[str, str] | None = None
    entity_columns: Mapping[str, str] | None = None
    delimiter: str | None = None
    list_separator: str | None = None
    relations: Sequence[Relation] = ()
    sources: Sequence[Source] = ()
    drop_columns: Sequence[str] = ()

    def __post_init__(self) -> None:
        if self.list_separator == "":
            raise InputError("list_separator= is empty, expected what separates the items of a list, such as |")

    def blocks(self, what: str, rows: int, problems: Problems) -> Any:
        """The rows of triples or entities, in blocks."""
        separator = self.list_separator or LIST_SEPARATOR
        if what == "entities":
            return entity_blocks(
                self.entities, columns=self.entity_columns or {}, delimiter=self.delimiter, separator=separator,
                rows=rows, problems=problems,
            )  # fmt: skip
        return triple_blocks(
            self.triples, columns=self.columns or {}, drop_columns=self.drop_columns, delimiter=self.delimiter,
            separator=separator, rows=rows, problems=problems,
        )  # fmt: skip

    def fingerprint(self, *options: object) -> str:
        """A text that is the same if sources and options are."""
        described: list[Any] = [__version__, *map(str, options)]
        for item in [*_listed(self.triples), None, *_listed(self.entities)]:
            if isinstance(item, str | os.PathLike):
                found = check_file(item).stat()
                described.append([str(Path(item).absolute()), found.st_size, found.st_mtime_ns])
            elif item is not None:
                described.append(uuid.uuid4().hex)  # a table in memory: nothing to continue
        described += [self.columns, self.entity_columns, self.delimiter, self.list_separator, [*self.drop_columns]]
        described += [[asdict(each) for each in self.relations], [asdict(each) for each in self.sources]]
        return hashlib.sha256(json.dumps(described, default=dict).encode()).hexdigest()


def check_streamable(
    source: Any, format: str | Callable[..., Any] | None, **others: Sequence[object] | Mapping[str, str] | None
) -> None:
    """Raise `InputError` unless a source can be built in bounded memory: tables can, without the `others` options."""
    if given := [name for name, value in others.items() if value]:
        raise InputError(f"{given[0]}= cannot be given with memory=, which builds from tables as they are")
    kinds = {recognise(item) for item in _listed(source)} if format is None else {format}
    other = next((kind for kind in kinds if kind != "table"), None)
    if other is not None or any(isinstance(item, Staged) for item in _listed(source)):
        name = other if isinstance(other, str) else "what a reader of your own gives"
        raise InputError(f"memory= builds from tables (CSV, TSV, Parquet, Arrow), not from {name}: leave it out")


def stream_graph(
    tables: Tables,
    out: Path,
    *,
    memory: int,
    problems: Problems,
    overwrite: bool = False,
    keep: int = 0,
    wide: bool = False,
    partitions: int = 1,
    partitioning: str = "balanced",
    progress: Progress = silent,
) -> Manifest:
    """Write tables as a graph directory in about `memory` bytes; options are those of `build_graph`."""
    check_relations(tables.relations)
    choose_partitions(GraphShape(0, np.empty(0, int), np.empty(0, int)), partitions, partitioning)
    options = (memory, wide, partitions, partitioning, problems.on_error)
    with scratch_folder(out) as folder, new_snapshot(out, overwrite=overwrite, keep=keep) as directory:
        scratch = Scratch(folder, tables.fingerprint(*options))
        work = _Work(scratch, tables, problems, progress, memory, wide, (partitions, partitioning))
        manifest = work.run(directory)
    progress("built", STEPS, STEPS)
    return manifest


class _Work:
    """The phases of one build."""

    def __init__(
        self, scratch: Scratch, tables: Tables, problems: Problems, progress: Progress, memory: int, wide: bool,
        partitioning: tuple[int, str],
    ) -> None:  # fmt: skip
        self._scratch, self._tables, self._problems, self._progress = scratch, tables, problems, progress
        self._memory, self._wide, self._partitioning = memory, wide, partitioning
        self._block = min(max(64, memory // BLOCK_BYTES), MOST_BLOCK_ROWS)
        self._snapshot = scratch.folder / "snapshot"
        self._step = 0

    def run(self, directory: Path) -> Manifest:
        """Run the phases that are not done yet and write the files to `directory`."""
        entities = self._phase("reading entities", self._read_entities)
        rows = self._phase("reading triples", partial(self._read_triples, entities))
        relations, final = self._relations(rows["relations"])
        n, bucket_rows = entities["count"], max(64, self._memory // ROW_BYTES)
        numbered = self._phase("numbering entities", lambda: number_entities(
            self._scratch, final, entities=n, bucket_rows=bucket_rows, block_rows=self._block,
            partitioning=self._partitioning,
        ))  # fmt: skip
        segments = segments_of_sizes(numbered["sizes"])
        widths = number_widths(n, rows["rows"], len(relations), wide=self._wide)
        build = SegmentBuild(
            self._scratch, self._snapshot, segments, relations, widths, n, rows["columns"], bucket_rows
        )
        self._phase("sorting triples", lambda: build.distribute(final, rows["chunks"]))
        rank = np.array(read_numbers(self._scratch.folder / "numbers" / "rank", np.int32 if n < 2**31 else np.int64))
        kinds = types_of_entities(self._scratch, entities, rank)
        out = self._phase("writing triples", lambda: self._fresh(build.write_out, kinds, len(entities["types"])))
        into = self._phase("writing adjacency", build.write_in)
        pieces = self._phase("writing entities", lambda: write_entities(
            self._scratch, self._snapshot, entities, rank, kinds, widths, max(64, self._memory // PIECE_BYTES)
        ))  # fmt: skip
        names = self._phase("writing names", lambda: write_names(
            self._scratch, self._snapshot, pieces["pieces"], max(64, self._memory // PIECE_BYTES)
        ))  # fmt: skip
        self._progress("writing statements", STEPS - 1, STEPS)
        write_statements(self._scratch, self._snapshot, rows["columns"], len(build.bounds()) - 1, out["assertions"])
        counted = np.bincount(kinds, minlength=len(entities["types"]))
        joins = np.array(out["joins"], np.int64).reshape(-1, 4)
        schema = schema_of_joins(joins, relations, dict(zip(entities["types"], counted.tolist(), strict=True)))
        (self._snapshot / "schema.json").write_text(schema.to_json() + "\n", "utf-8")
        shutil.copytree(self._snapshot, directory, copy_function=_link, dirs_exist_ok=True)
        manifest = Manifest(
            counts={
                "entities": n, "triples": out["triples"], "assertions": out["assertions"], "pairs": into["pairs"],
                "names": names["names"], "relations": len(relations), "types": len(entities["types"]),
            },
            widths=widths,
            segments=segments,
            files=record_files(directory),
            sources=tuple(self._tables.sources),
            problems=dict(self._problems.counts),
            created_by=f"clew {__version__}",
            partitioning=self._partitioning[1] if len(segments) > 1 else None,
        )  # fmt: skip
        manifest.write(directory)
        return manifest

    def _phase(self, name: str, do: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        self._progress(name, self._step, STEPS)
        self._step += 1
        notes = self._scratch.notes(name)
        if notes is None:
            notes = do()
            self._scratch.finish(name, notes)
            pa.default_memory_pool().release_unused()
        return notes

    def _fresh(self, do: Callable[..., dict[str, Any]], *arguments: Any) -> dict[str, Any]:
        self._scratch.fresh("snapshot")
        return do(*arguments)

    def _read_entities(self) -> dict[str, Any]:
        if self._tables.entities is None:
            found = ends_of_triples(
                self._scratch, lambda: self._tables.blocks("triples", self._block, Problems("skip"))
            )
        else:
            found = described_entities(
                self._scratch, lambda: self._tables.blocks("entities", self._block, self._problems)
            )
        if self._memory < ENTITY_BYTES * found["count"]:
            raise InputError(
                f"memory={size_text(self._memory)} is too little to number {found['count']:,} entities: allow at least "
                f"{size_text(ENTITY_BYTES * found['count'])}"
            )
        return found | {"problems": self._noted()}

    def _read_triples(self, entities: dict[str, Any]) -> dict[str, Any]:
        self._restore(entities["problems"])
        found = number_triples(
            self._scratch, lambda: self._tables.blocks("triples", self._block, self._problems), self._tables.relations,
            entities["chunks"], self._problems,
        )  # fmt: skip
        return found | {"problems": self._noted()}

    def _relations(self, named: Sequence[str]) -> tuple[list[Relation], Any]:
        """The relations that occur, by name, and the final number of each one that was read."""
        notes = self._scratch.notes("reading triples")
        assert notes is not None
        self._restore(notes["problems"])
        declared = {relation.name: relation for relation in self._tables.relations}
        times = np.zeros(len(named), np.int64)
        for stated in number_blocks(self._scratch.folder / "rows" / "relation", np.int32, self._block):
            times += np.bincount(stated, minlength=len(named))
        used = sorted(name for name, count in zip(named, times.tolist(), strict=True) if count)
        place = {name: at for at, name in enumerate(used)}
        final = np.array([place.get(name, 0) for name in named], np.int32)
        return [declared.get(name, Relation(name)) for name in used], final

    def _noted(self) -> dict[str, Any]:
        return {"counts": dict(self._problems.counts), "examples": self._problems.examples}

    def _restore(self, noted: dict[str, Any]) -> None:
        self._problems.counts.clear()
        self._problems.counts.update(noted["counts"])
        self._problems.examples[:] = noted["examples"]


def _link(source: str, target: str) -> None:
    """A second name for a finished file; where the file system has none, a copy."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _listed(given: Any) -> list[Any]:
    return [] if given is None else list(given) if isinstance(given, list | tuple) else [given]
