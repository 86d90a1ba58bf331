"""`clew update`: statements and entities added to a graph, changed or withdrawn, as its next snapshot."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clew.app.cli.graphs.row_options import (
    Codebook,
    Columns,
    CuratedSources,
    Delimiter,
    DroppedColumns,
    EntityColumns,
    EntityTable,
    FormatName,
    ListSeparator,
    NegatedRelations,
    OnError,
    Symmetric,
    Transitive,
    declared_relations,
    declared_sources,
    print_counted,
)
from clew.app.cli.terminal.options import AsJson, GraphPath, pairs
from clew.app.cli.terminal.output import print_json, printable, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.app.records import update_record
from clew.errors import InputError
from clew.plurals import counted, singular

if TYPE_CHECKING:
    from clew.graph.updates.update import Outcome

__all__ = ["derived_kinds", "say_stale", "told", "update"]


def update(
    graph: GraphPath,
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SOURCE...]", help="Rows to add, in any format of clew build.", show_default=False),
    ] = None,
    retract: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Withdraw the statements that these rows describe; all of a triple if a row has no more than subject, "
            "relation and object. May be repeated.",
            show_default=False,
        ),
    ] = None,
    retract_document: Annotated[
        list[str] | None,
        typer.Option(
            metavar="ID", help="Withdraw every statement that cites this document; may be repeated.", show_default=False
        ),
    ] = None,
    retract_entity: Annotated[
        list[str] | None,
        typer.Option(metavar="ID", help="Remove this entity and all its triples; may be repeated.", show_default=False),
    ] = None,
    format: FormatName = None,
    entities: EntityTable = None,
    column: Columns = None,
    drop_column: DroppedColumns = None,
    entity_column: EntityColumns = None,
    delimiter: Delimiter = None,
    list_separator: ListSeparator = None,
    codebook: Codebook = None,
    symmetric: Symmetric = None,
    negated: NegatedRelations = None,
    transitive: Transitive = None,
    curated_source: CuratedSources = None,
    keep_descriptions: Annotated[
        bool,
        typer.Option(
            "--keep-descriptions",
            help="Entities and relations that the graph has keep their names, types, properties and flags.",
        ),
    ] = False,
    on_error: OnError = "refuse",
    compact: Annotated[
        bool, typer.Option("--compact", help="Build the result as a new base, however little has changed.")
    ] = False,
    as_json: AsJson = False,
) -> None:
    """Add statements and entities to a graph, change entities, or withdraw statements, as a new snapshot.

    Statements are withdrawn first, then rows are added. What the graph says already is not added again, so that an
    update may be repeated. What rows say of an entity (name, type, properties) replaces what was said before. A triple
    goes with its last statement; its entities stay. Programs that have the graph open keep the snapshot they opened.

    \b
    Examples:
      clew update hpo.clew new.tsv
      clew update hpo.clew new.tsv --entities entities.tsv
      clew update hpo.clew --retract wrong.tsv
      clew update hpo.clew --retract-document PMID:12345 corrected.tsv
      clew update hpo.clew --retract-entity HP:0000001
      clew update hpo.clew --compact
    """
    from clew.graph.readers import stage
    from clew.graph.staging import Problems
    from clew.graph.storage.manifest import read_manifest
    from clew.graph.storage.snapshots import snapshot_folder
    from clew.graph.updates.update import Changes, update_graph

    if entities is not None and not sources:
        raise InputError("--entities describes the entities of SOURCE, which was not given")
    if not (sources or retract or retract_document or retract_entity or compact):
        raise InputError(
            f"nothing to do: give rows to add, such as clew update {graph} new.tsv, a --retract option or --compact"
        )
    begun = time.perf_counter()
    path, problems = Path(graph), Problems(on_error)
    before = read_manifest(snapshot_folder(path))
    with terminal_progress() as progress:
        added = None
        if sources:
            added = stage(
                sources[0] if len(sources) == 1 else sources,
                format=format,
                entities=entities,
                columns=pairs(column, "--column") or None,
                drop_columns=drop_column,
                entity_columns=pairs(entity_column, "--entity-column") or None,
                delimiter=delimiter,
                list_separator=list_separator,
                relations=declared_relations(symmetric, negated, transitive),
                sources=declared_sources(curated_source),
                codebook=codebook,
                problems=problems,
                progress=progress,
            )
        withdrawn = (
            None
            if not retract
            else stage(list(retract), drop_columns=drop_column, codebook=codebook, problems=problems, progress=progress)
        )
        changes = Changes(added, withdrawn, retract_document or (), retract_entity or (), keep_descriptions)
        made = update_graph(path, changes, problems=problems, compact=compact or None, progress=progress)
    seconds = time.perf_counter() - begun
    stale = derived_kinds(path, before.snapshot) if made.manifest.snapshot != before.snapshot else []
    if as_json:
        print_json(update_record(made, problems, graph=graph, stale=stale, seconds=seconds))
        return
    _say(printable(graph), made, seconds)
    print_counted("left out", "rows", problems.counts, problems.examples)
    print_counted("noted", "times", problems.differences, problems.difference_examples)
    say_stale(graph, stale)


def _say(graph: str, made: "Outcome", seconds: float) -> None:
    if made.changes:
        say(f"updated {graph} in {seconds:.1f} s: {told(made.changes)}")
    else:
        say(f"nothing was changed: {graph} is as these rows want it already")
    if made.compacted:
        say("its changes were built into a new base")
    counts = made.manifest.counts
    say(
        f"snapshot {made.manifest.snapshot} has {counted(counts['entities'], 'entity')}, "
        f"{counted(counts['triples'], 'triple')}, {counted(counts['assertions'], 'assertion')}"
    )


def told(changes: Mapping[str, int]) -> str:
    """Changes in words.

    >>> told({"entities added": 1, "triples removed": 2})
    '1 entity added, 2 triples removed'
    """
    parts = [(what.split(" "), count) for what, count in changes.items()]
    return ", ".join(f"{counted(count, singular(noun))} {done}" for (noun, done), count in parts)


def say_stale(graph: str, stale: list[str]) -> None:
    """What an update has left behind."""
    if stale:
        say()
        say(f"computed for the snapshot before, and not for this one: {', '.join(stale)}")
        say(f"`clew index {printable(graph)}` computes names and vectors again; a Cypher store is loaded when needed")


def derived_kinds(path: Path, snapshot: str) -> list[str]:
    """Kinds of data that were derived from a snapshot."""
    from clew.graph.storage.derived import derived_folders

    folders = derived_folders(path.absolute(), snapshot)
    return sorted({each.name for folder in folders for each in folder.iterdir() if not each.name.startswith(".")})
