"""`clew index`: the name index of a graph, the embeddings of its names and its super-relations, kept beside it."""

import time
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.app.assemble import open_graph
from clew.app.cli.terminal.options import AsJson, GraphPath
from clew.app.cli.terminal.output import print_json, printable, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.app.records import index_record
from clew.app.type_names import resolve_types
from clew.errors import DerivedError
from clew.plurals import counted

if TYPE_CHECKING:
    from clew import GraphEngine
    from clew.progress import Progress

__all__ = ["index"]


def index(
    graph: GraphPath,
    vectors: Annotated[
        bool, typer.Option("--vectors/--no-vectors", help="Also embed the names, for linking by similarity.")
    ] = True,
    encoder: Annotated[
        str, typer.Option(metavar="NAME", help="minilm, a model's directory or a server's URL.")
    ] = "minilm",
    type: Annotated[
        list[str] | None,
        typer.Option("--type", "-t", metavar="TYPE", help="Embed only this type; may be repeated.", show_default=False),
    ] = None,
    relations: Annotated[
        str | None,
        typer.Option(
            metavar="BY",
            help="Also group relations by names, types or clusters, into super_relations.json.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Build the name index of a graph, and embeddings of its names.

    Up-to-date indexes are kept; interrupted runs resume. super_relations.json, in the graph's directory, is a plain
    file to edit; --relations replaces it.

    \b
    Examples:
      clew index hpo.clew
      clew index hpo.clew --no-vectors
      clew index mesh.clew --type Disease --encoder minilm
      clew index films.clew --no-vectors --relations clusters
    """
    engine = open_graph(graph)
    types = resolve_types(engine.schema, type)
    with terminal_progress() as progress:
        names = _index_names(engine, progress)
        encoded = _index_vectors(engine, encoder, types, progress) if vectors else None
    grouped = None if relations is None else _group_relations(engine, relations, encoder)
    if as_json:
        print_json(index_record(names, encoded, grouped, graph=graph, snapshot=engine.snapshot.id))
        return
    done = "built" if names["made"] else "up to date"
    say(
        f"{printable(graph)}: {counted(names['names'], 'name')} and {counted(names['ids'], 'id')} indexed, "
        f"{names['bytes'] / 1e6:,.1f} MB, {done} in {names['seconds']:.1f} s"
    )
    if encoded is not None:
        what = counted(encoded["count"], "name")
        say(f"{what} encoded by {printable(encoded['encoder'])} in {encoded['seconds']:.1f} s")
    if grouped is not None:
        what = f"{counted(grouped['relations'], 'relation')} in {counted(grouped['count'], 'super-relation')}"
        say(f"{what}, by {grouped['made_by']}: {printable(grouped['file'])}")


def _index_names(engine: "GraphEngine", progress: "Progress") -> dict[str, Any]:
    from clew.link.names.indexing import build_names, write_names
    from clew.link.names.name_index import index_path, open_index

    begun, made = time.perf_counter(), True
    with suppress(DerivedError):
        open_index(engine)
        made = False
    if made:
        write_names(engine, build_names(engine, progress=progress))
    opened = open_index(engine)
    size = sum(file.stat().st_size for file in index_path(engine).iterdir())
    seconds = round(time.perf_counter() - begun, 3)
    return {"made": made, "names": opened.form_count, "ids": opened.id_count, "bytes": size, "seconds": seconds}


def _index_vectors(engine: "GraphEngine", spec: str, types: list[str] | None, progress: "Progress") -> dict[str, Any]:
    from clew.embed import open_encoder
    from clew.link.vectors import build_vectors

    encoder = open_encoder(spec)
    begun = time.perf_counter()
    count = len(build_vectors(engine, encoder, types=types, progress=progress))
    seconds = round(time.perf_counter() - begun, 3)
    return {"encoder": encoder.identity, "types": types, "count": count, "seconds": seconds}


def _group_relations(engine: "GraphEngine", by: str, spec: str) -> dict[str, Any]:
    from clew.answer.super_relations.grouping import make_groups
    from clew.embed import open_encoder
    from clew.graph.super_relations import save_groups

    made = make_groups(by, engine.schema, open_encoder(spec) if by == "clusters" else None)
    path = save_groups(engine.snapshot, made)
    members = sum(len(group) for group in made.groups.values())
    return {"made_by": made.made_by, "relations": members, "count": len(made.groups), "file": str(path)}
