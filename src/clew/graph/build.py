"""From staged tables to a graph on disk.

Rows of strings become numbers, triples are sorted and stored once, every source's statement stays an assertion, and the
walking order is laid out: hubs first. Nothing at the destination changes until all of it is written.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
from numpy.typing import NDArray

from clew._version import __version__
from clew.checksums import record_files
from clew.errors import BuildError
from clew.graph.adjacency import Adjacency, TripleRows, adjacency_from_pairs
from clew.graph.encode import EncodedEntities, encode_entities, encode_relations, encode_triples
from clew.graph.names import hash_strings, name_table
from clew.graph.schema import make_schema
from clew.graph.staging import Problems, Relation, Staged
from clew.graph.storage.arrays import write_array, write_table
from clew.graph.storage.manifest import Manifest, Segment, Widths
from clew.graph.storage.segments import segments_of_sizes, write_rows, write_triples
from clew.graph.storage.snapshots import new_snapshot
from clew.graph.storage.statements import distinct_statements, statement_columns, stored_statements
from clew.graph.triples import SortedTriples, hubs_first, partitioned
from clew.graph.writers.tab_separated import write_tab_separated
from clew.progress import Progress, silent

__all__ = ["MERGED", "build_graph", "number_widths"]

log = logging.getLogger(__name__)
Ints = NDArray[np.integer]
MERGED = "merged.sssom.tsv"  # which ids entity resolution merged, and why
STEPS = 7
DETAIL_ROWS = 4096  # rows of a Parquet row group, so that the details of one entity cost one small read


def build_graph(
    staged: Staged,
    out: Path,
    *,
    problems: Problems,
    overwrite: bool = False,
    keep: int = 0,
    parent: str | None = None,
    wide: bool = False,
    partitions: int = 1,
    partitioning: str = "balanced",
    progress: Progress = silent,
) -> Manifest:
    """Write `staged` as a graph directory, or with `overwrite` as the new snapshot of one; `keep` older ones stay.

    With `parent` the snapshot continues that one, which must still be the current one. `wide` forces 64-bit numbers
    throughout. With `partitions` the rows are divided into that many segments, which can be loaded one at a time.
    """
    progress("numbering entities", 0, STEPS)
    entities = encode_entities(staged, problems)
    relations = encode_relations(staged)
    subject, relation, object_, kept = encode_triples(staged, entities, relations, problems)
    problems.settle()
    relations, relation = _used(relations, relation)

    progress("sorting triples", 1, STEPS)
    widths = number_widths(len(entities.ids), len(subject), len(relations), wide=wide)
    subject, object_ = _orient(subject, object_, relation, relations, entities)
    order, triples = hubs_first(subject, object_, relation, kept, len(entities.ids), len(relations))
    order, triples, sizes = partitioned(order, triples, len(relations), partitions, partitioning)
    segments = segments_of_sizes(sizes)
    entities = _reordered(entities, order)
    del subject, object_, relation, kept, order

    with new_snapshot(Path(out), overwrite=overwrite, keep=keep, after=parent) as directory:
        progress("writing assertions", 2, STEPS)
        assertions, offsets = _assertions(staged, triples)
        write_table(directory / "assertions.arrow", assertions)
        write_array(directory / "assertion_offsets.npy", offsets.astype(widths.offset))
        positive = _positive(assertions, offsets, triples, relations)

        progress("writing triples", 3, STEPS)
        _write_triples(directory, segments, triples, len(entities.ids), widths)
        progress("writing adjacency", 4, STEPS)
        adjacency = _adjacency(triples, positive, relations, len(entities.ids), widths)
        _write_adjacency(directory, segments, adjacency)

        progress("writing names", 5, STEPS)
        names = _write_entities(directory, entities, widths)
        types, kind = entities.types.dictionary.to_pylist(), entities.types.indices.to_numpy(zero_copy_only=False)
        schema = make_schema(triples.subject, triples.relation, triples.object, relations, types, kind)
        (directory / "schema.json").write_text(schema.to_json() + "\n", "utf-8")

        if staged.merged is not None:
            record = staged.merged
            write_tab_separated(directory / MERGED, lambda: iter([record]))
        progress("checksums and manifest", 6, STEPS)
        counts = {
            "entities": len(entities.ids),
            "triples": len(triples.subject),
            "assertions": assertions.num_rows,
            "pairs": adjacency.pairs,
            "names": names,
            "relations": len(relations),
            "types": len(schema.types),
        }
        manifest = Manifest(
            counts=counts,
            widths=widths,
            segments=segments,
            files=record_files(directory),
            sources=tuple(staged.sources),
            problems=dict(problems.counts),
            created_by=f"clew {__version__}",
            parent=parent,
            partitioning=partitioning if len(segments) > 1 else None,
        )
        manifest.write(directory)
    progress("built", STEPS, STEPS)
    log.info("built %s: %s", out, counts)
    return manifest


def number_widths(entities: int, rows: int, relations: int, *, wide: bool) -> Widths:
    """The types of numbers on disk: 32 bits if they suffice, unless `wide`."""
    if relations > 2**31 - 1:
        raise BuildError(f"{relations} relations: more than Clew can number")
    limit = 0 if wide else 2**31 - 1
    return Widths(
        entity="int32" if entities < limit else "int64",
        offset="int32" if 2 * rows < limit else "int64",  # symmetric relations may list a triple twice
        relation="uint16" if relations < 2**16 and not wide else "int32",
        triple="int32" if rows < limit else "int64",
    )


def _used(relations: Sequence[Relation], relation: Ints) -> tuple[list[Relation], Ints]:
    """Without the relations that no row is left of, renumbered."""
    used = np.flatnonzero(np.bincount(relation, minlength=len(relations)))
    if len(used) == len(relations):
        return list(relations), relation
    return [relations[number] for number in used.tolist()], np.searchsorted(used, relation)


def _orient(
    subject: Ints, object_: Ints, relation: Ints, relations: Sequence[Relation], entities: EncodedEntities
) -> tuple[Ints, Ints]:
    """Write symmetric triples one way only: the id that sorts first is the subject."""
    symmetric = np.array([r.symmetric for r in relations], bool)
    if not symmetric.any():
        return subject, object_
    rank = np.empty(len(entities.ids), np.int64)
    rank[pc.sort_indices(entities.ids).to_numpy()] = np.arange(len(entities.ids))
    turn = symmetric[relation] & (rank[subject] > rank[object_])
    return np.where(turn, object_, subject), np.where(turn, subject, object_)


def _reordered(entities: EncodedEntities, order: Ints) -> EncodedEntities:
    take = pa.array(order)
    return replace(
        entities,
        ids=entities.ids.take(take),
        names=entities.names.take(take),
        types=entities.types.take(take),
        details=None if entities.details is None else entities.details.take(take),
    )


def _assertions(staged: Staged, triples: SortedTriples) -> tuple[pa.Table, Ints]:
    """The assertion table in triple order, identical statements of one triple collapsed, and its offsets."""
    table = statement_columns(staged.triples)
    rows = distinct_statements(table, triples.rows, triples.row_offsets)
    owner = np.repeat(np.arange(len(triples.subject)), np.diff(triples.row_offsets))[rows]
    offsets = np.zeros(len(triples.subject) + 1, np.int64)
    np.cumsum(np.bincount(owner, minlength=len(triples.subject)), out=offsets[1:])
    return stored_statements(table, triples.rows[rows]), offsets


def _positive(
    assertions: pa.Table, offsets: Ints, triples: SortedTriples, relations: Sequence[Relation]
) -> NDArray[np.bool_]:
    """Triples that are walked by default: of a relation that is not negated, with a statement that is not."""
    keep = ~np.array([r.negated for r in relations], bool)[triples.relation]
    if "negated" in assertions.column_names and len(keep):
        said = ~assertions["negated"].combine_chunks().fill_null(False).to_numpy(zero_copy_only=False)
        keep &= np.logical_or.reduceat(said, offsets[:-1])
    return keep


def _write_triples(
    directory: Path, segments: Sequence[Segment], triples: SortedTriples, entities: int, widths: Widths
) -> None:
    """Forward order, and backward order with the triple number of each entry, segment by segment."""
    out = TripleRows(
        _offsets(triples.subject, entities, widths.offset),
        triples.object.astype(widths.entity),
        triples.relation.astype(widths.relation),
        None,
    )
    backward = np.argsort(triples.object, kind="stable")  # stable: subjects and relations stay ascending in a row
    into = TripleRows(
        _offsets(triples.object, entities, widths.offset),
        triples.subject[backward].astype(widths.entity),
        triples.relation[backward].astype(widths.relation),
        backward.astype(widths.triple),
    )
    for segment in segments:
        write_triples(directory / segment.folder, "out", out.part(segment.first_entity, segment.entities))
        write_triples(directory / segment.folder, "in", into.part(segment.first_entity, segment.entities))


def _offsets(owner: Ints, entities: int, dtype: str) -> Ints:
    offsets = np.zeros(entities + 1, dtype)
    np.cumsum(np.bincount(owner, minlength=entities), out=offsets[1:])
    return offsets


def _adjacency(
    triples: SortedTriples, keep: NDArray[np.bool_], relations: Sequence[Relation], entities: int, widths: Widths
) -> Adjacency:
    start, end = triples.subject[keep], triples.object[keep]
    mirrored = np.array([r.symmetric for r in relations], bool)[triples.relation[keep]]
    ordered = not mirrored.any()
    if not ordered:
        start, end = np.concatenate((start, end[mirrored])), np.concatenate((end, start[mirrored]))
    return adjacency_from_pairs(
        entities,
        start.astype(widths.entity),
        end.astype(widths.entity),
        entities=entities,
        offset_type=widths.offset,
        sorted_=ordered,
    )


def _write_adjacency(directory: Path, segments: Sequence[Segment], adjacency: Adjacency) -> None:
    assert adjacency.backward is not None
    for segment in segments:
        first, count = segment.first_entity, segment.entities
        write_rows(directory / segment.folder, "forward", adjacency.forward.part(first, count))
        write_rows(directory / segment.folder, "backward", adjacency.backward.part(first, count))


def _write_entities(directory: Path, entities: EncodedEntities, widths: Widths) -> int:
    """Write ids, names, types, their indexes and all further columns; returns how many names there are."""
    text = pa.large_string() if widths.entity == "int64" else pa.string()
    table = pa.table({"id": entities.ids.cast(text), "name": entities.names.cast(text), "type": entities.types})
    write_table(directory / "entities.arrow", table)
    hashes = hash_strings(entities.ids)
    order = np.argsort(hashes, kind="stable")
    write_array(directory / "id_hash.npy", hashes[order])
    write_array(directory / "id_entity.npy", order.astype(widths.entity))
    synonyms = None
    if entities.details is not None and "synonyms" in entities.details.column_names:
        synonyms = entities.details["synonyms"].combine_chunks()
    names = name_table(entities.names, synonyms, entity_type=widths.entity)
    write_table(directory / "names.arrow", names)
    if entities.details is not None and entities.details.num_columns:
        pq.write_table(
            entities.details,
            directory / "details.parquet",
            row_group_size=DETAIL_ROWS,
            compression="zstd",
            write_page_checksum=True,
        )
    return int(names.num_rows)
