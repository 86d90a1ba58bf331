"""Updating a graph: a new snapshot that shares the files of its base and has a delta of its own.

Statements are withdrawn first, then added. Nothing changes until the snapshot is complete and synced; then replacing
CURRENT makes it the current one. A delta that has grown past a tenth of its base is built into a new base.
"""

import logging
import os
import shutil
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from clew._version import __version__
from clew.checksums import FileRecord, record_file, record_files
from clew.errors import InputError
from clew.graph.build import MERGED, build_graph
from clew.graph.model import Graph
from clew.graph.readers.own.graph_directory import read
from clew.graph.readers.tab_separated import read_tab_separated
from clew.graph.reading import GraphReader
from clew.graph.staging import Problems, Staged
from clew.graph.storage.manifest import Manifest
from clew.graph.storage.snapshots import new_snapshot, updating
from clew.graph.updates.additions import read_additions
from clew.graph.updates.delta import DELTA, write_delta
from clew.graph.updates.retractions import read_retractions
from clew.graph.updates.rewriting import Rewritten, rewrite
from clew.progress import Progress, silent

__all__ = ["COMPACT_PAST", "NOTHING", "Changes", "Outcome", "compact_graph", "update_graph", "write_snapshot"]

log = logging.getLogger(__name__)
COMPACT_PAST = 0.1  # of the bytes of the base
SMALL = 1 << 20  # bytes of a delta that is never built into a base by itself
SCHEMA = "schema.json"
ALL = sys.maxsize
NOTHING = pa.table({name: pa.array([], pa.string()) for name in ("subject", "relation", "object")})


@dataclass(frozen=True, slots=True)
class Changes:
    """What an update does: rows to add, rows to withdraw, documents and entities (by id) to withdraw.

    With `keep_descriptions`, entities and relations that the graph has stay as it describes them.
    """

    add: Staged | None = None
    retract: Staged | None = None
    documents: Sequence[str] = ()
    entities: Sequence[str] = ()
    keep_descriptions: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """The current snapshot after an update."""

    manifest: Manifest
    changes: Mapping[str, int]  # by kind; empty if there were none
    compacted: bool  # whether it is a new base


def update_graph(
    path: Path,
    changes: Changes,
    *,
    problems: Problems,
    compact: bool | None = None,
    progress: Progress = silent,
) -> Outcome:
    """Make the changes as a new snapshot of the graph at `path`, unless it says all of that already.

    `compact` says whether the delta is then built into a new base; by default that depends on its size.
    """
    with updating(path):
        progress("verifying checksums", 0, 3)
        graph = Graph(path, verify=True)
        progress("numbering rows", 1, 3)
        additions = read_additions(
            graph, changes.add or Staged(NOTHING), problems, keep_descriptions=changes.keep_descriptions
        )
        retractions = read_retractions(
            graph, changes.retract, documents=changes.documents, entities=changes.entities, problems=problems
        )
        made = rewrite(graph, additions, retractions)
        manifest = graph.manifest
        if made is not None:
            _check_widths(graph, made)
            progress("writing the snapshot", 2, 3)
            manifest = write_snapshot(graph, made, problems)
            log.info("updated %s: %s", path, made.changes)
        progress("updated", 3, 3)
        compacted = manifest.delta is not None and (_is_large(manifest) if compact is None else compact)
        if compacted:
            manifest = compact_graph(path, progress=progress)
        return Outcome(manifest, {} if made is None else made.changes, compacted)


def write_snapshot(graph: Graph, made: Rewritten, problems: Problems) -> Manifest:
    """Write the next snapshot of a graph; an error if another one became the current one meanwhile."""
    before = graph.manifest
    with new_snapshot(graph.path, overwrite=True, keep=ALL, after=before.snapshot) as folder:
        shared = {name: record for name, record in before.files.items() if _is_shared(name)}
        for name in shared:
            _share(graph.folder / name, folder / name)
        delta = write_delta(made.delta, folder / DELTA, before.base, before.widths)
        (folder / SCHEMA).write_text(made.schema.to_json() + "\n", "utf-8")
        own: dict[str, FileRecord] = {SCHEMA: record_file(folder / SCHEMA)}
        own |= {f"{DELTA}/{name}": record for name, record in record_files(folder / DELTA).items()}
        manifest = replace(
            before,
            counts=made.counts,
            files=shared | own,
            sources=made.sources,
            problems=dict(problems.counts),
            created_by=f"clew {__version__}",
            parent=before.snapshot,
            delta=delta,
            changes=made.changes,
        )
        manifest.write(folder)
    return manifest


def _is_shared(name: str) -> bool:
    return name != SCHEMA and not name.startswith(f"{DELTA}/")


def _share(file: Path, name: Path) -> None:
    """The same file under another name; a copy where the medium does not know such names."""
    name.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(file, name)
    except OSError:
        shutil.copyfile(file, name)


def _check_widths(graph: Graph, made: Rewritten) -> None:
    """The base fixes how wide numbers are; a graph that outgrows them is built again."""
    widths, delta = graph.manifest.widths, made.delta
    narrow = {
        "entities": (widths.entity == "int32", delta.entities, 2**31 - 1),
        "triples": (widths.offset == "int32" or widths.triple == "int32", 2 * delta.triples, 2**31 - 1),
        "relations": (widths.relation == "uint16", len(made.schema.relations), 2**16),
    }
    for what, (limited, count, most) in narrow.items():
        if limited and count >= most:
            raise InputError(
                f"with this update {graph.path} would number more {what} than it has room for: build it again with "
                "clew build"
            )


def _is_large(manifest: Manifest) -> bool:
    """Whether the delta has grown past a tenth of its base."""
    base = sum(record.size for name, record in manifest.files.items() if _is_shared(name))
    delta = sum(record.size for name, record in manifest.files.items() if name.startswith(f"{DELTA}/"))
    return delta > max(SMALL, COMPACT_PAST * base)


def compact_graph(path: Path, *, progress: Progress = silent) -> Manifest:
    """Build the current contents of a graph as a new base: a snapshot with the same contents and no delta."""
    graph = Graph(path)
    problems = Problems("refuse")
    staged = replace(read(GraphReader(graph), problems=problems, progress=progress), merged=_merged(graph))
    wide = graph.manifest.widths.entity == "int64"
    return build_graph(
        staged,
        path,
        problems=problems,
        overwrite=True,
        keep=ALL,
        parent=graph.manifest.snapshot,
        wide=wide,
        partitions=len(graph.manifest.segments),
        partitioning=graph.manifest.partitioning or "balanced",
        progress=progress,
    )


def _merged(graph: Graph) -> pa.Table | None:
    """The record of entity resolution, if the graph has one."""
    if MERGED not in graph.manifest.files:
        return None
    with open(graph.folder / MERGED, encoding="utf-8") as file:
        names = file.readline().rstrip("\n").replace('"', "").split("\t")
    found = read_tab_separated(graph.folder / MERGED, required=names, problems=Problems("refuse"))
    return pa.table({name: found.column(name) for name in names})
