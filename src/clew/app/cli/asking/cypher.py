"""`clew cypher`: query a graph in Cypher, load it into a store, or show its schema."""

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.app.assemble import open_graph
from clew.app.cli.terminal.options import AsJson, GraphPath, check_limit, pairs
from clew.app.cli.terminal.output import print_json, print_table, printable, say
from clew.app.cli.terminal.progress import announced, terminal_progress
from clew.app.records import loaded_record, rows_record, schema_record
from clew.errors import InputError
from clew.plurals import counted

if TYPE_CHECKING:
    from clew import GraphEngine
    from clew.store.layout import Relationship
    from clew.store.values import Rows

__all__ = ["cypher"]

SHOWN = 20  # rows
ELEMENTS_SHOWN = 3  # of a list
ENDS_SHOWN = 3


def cypher(
    graph: GraphPath,
    query: Annotated[
        str | None, typer.Argument(metavar="QUERY", help="A read-only Cypher query.", show_default=False)
    ] = None,
    store: Annotated[
        str, typer.Option("--store", metavar="STORE", help="embedded, a path, or bolt://user:password@host:port/name.")
    ] = "embedded",
    param: Annotated[
        list[str] | None,
        typer.Option(
            "--param",
            "-p",
            metavar="NAME=VALUE",
            help="A query parameter, as JSON or text; may be repeated.",
            show_default=False,
        ),
    ] = None,
    timeout: Annotated[float, typer.Option(metavar="SECONDS", help="Time limit.")] = 30.0,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            "-n",
            metavar="N",
            help="Maximum number of rows (default: 20, or 10,000 with --json).",
            show_default=False,
        ),
    ] = None,
    load: Annotated[
        bool, typer.Option("--load", help="Load the graph into the store, replacing its contents.")
    ] = False,
    schema: Annotated[bool, typer.Option("--schema", help="Show labels, relationship names and properties.")] = False,
    as_json: AsJson = False,
) -> None:
    """Query a graph in Cypher.

    The embedded store is built beside the graph on first use; --load fills a server, whose password may be given in
    CLEW_NEO4J_PASSWORD. Queries are read-only. docs/stores.md describes the schema.

    \b
    Examples:
      clew cypher hpo.clew --schema
      clew cypher hpo.clew "MATCH (g:Gene)-[:ASSOCIATED_WITH]->(d {name: 'Marfan syndrome'}) RETURN g.name"
      clew cypher hpo.clew "MATCH (n:Gene {name: $gene}) RETURN n" --param gene=FBN1 --json
      clew cypher hpo.clew --load --store bolt://neo4j@localhost:7687/neo4j
    """
    check_limit(limit)
    if [query is not None, load, schema].count(True) != 1:
        raise InputError("give a query, or --load, or --schema: exactly one of them")
    engine = open_graph(graph)
    if schema:
        _show_schema(graph, engine, as_json=as_json)
    elif load:
        _load(graph, engine, store, as_json=as_json)
    elif query is not None:
        rows = _ask(engine, store, query, _parameters(param), timeout=timeout, limit=limit, as_json=as_json)
        if as_json:
            print_json(rows_record(rows, graph=graph, store=_shown_store(store), query=query))
        else:
            _show_rows(rows)


def _parameters(given: list[str] | None) -> dict[str, Any]:
    """Parameters by name; what is not JSON is text."""
    made: dict[str, Any] = {}
    for name, text in pairs(given, "--param").items():
        try:
            made[name] = json.loads(text)
        except ValueError:
            made[name] = text
    return made


def _ask(
    engine: "GraphEngine",
    store: str,
    query: str,
    parameters: dict[str, Any],
    *,
    timeout: float,
    limit: int | None,
    as_json: bool,
) -> "Rows":
    from clew.store.cypher import parse
    from clew.store.deadline import Deadline
    from clew.store.prepare import DEFAULT_LIMIT
    from clew.store.store import open_store

    deadline = Deadline.after(timeout)
    statement = parse(query, deadline=deadline)  # before anything is built for it
    left = deadline.left
    most = (DEFAULT_LIMIT if as_json else SHOWN) if limit is None else limit
    with terminal_progress() as progress:
        opened = open_store(
            store,
            engine,
            build=True,
            progress=announced(progress, f"building the embedded Cypher store of {engine.snapshot.name}, once"),
        )
    with opened:
        return opened.run(statement, parameters, timeout=left, limit=most)


def _shown_store(store: str) -> str:
    """A store's name without any password."""
    from clew.bolt.address import read_address

    return str(read_address(store)) if "://" in store else store


def _show_rows(rows: "Rows") -> None:
    if len(rows):
        print_table(rows.columns, ([_cell(value) for value in row] for row in rows), shrink=rows.columns)
    more = " (there are more: --limit)" if rows.truncated else ""
    say(f"{counted(len(rows), 'row')}{more} in {rows.seconds:.2f} s")


def _cell(value: Any) -> str | int | float | None:
    from clew.store.values import EntityValue, PathValue, RelationshipValue

    match value:
        case None | str() | float():
            return value
        case bool():
            return str(value).lower()
        case int():
            return value
        case EntityValue():
            return f"{value.name} ({value.id})"
        case RelationshipValue():
            return f"{value.subject_id} {'not ' * value.negated}{value.relation} {value.object_id}"
        case PathValue():
            return " – ".join(each.name for each in value.entities)
        case list():
            shown = ", ".join(str(_cell(each)) for each in value[:ELEMENTS_SHOWN])
            more = f", … ({len(value)} in all)" if len(value) > ELEMENTS_SHOWN else ""
            return f"[{shown}{more}]"
    return str(value)


def _load(graph: str, engine: "GraphEngine", store: str, *, as_json: bool) -> None:
    import time

    begun = time.perf_counter()
    with terminal_progress() as progress:
        if "://" in store:
            from clew.store.server_load import load_server

            done = load_server(engine, store, progress=progress)
            entities, relationships = done.entities, done.relationships
        else:
            from clew.store.embedded import build_embedded

            build_embedded(engine, path=None if store == "embedded" else Path(store), progress=progress)
            entities, relationships = engine.counts["entities"], engine.counts["triples"]
    seconds = time.perf_counter() - begun
    shown = _shown_store(store)
    if as_json:
        print_json(loaded_record(entities, relationships, graph=graph, store=shown, seconds=seconds))
        return
    said = f"{counted(entities, 'entity')} and {counted(relationships, 'relationship')}"
    say(f"loaded {said} of {printable(graph)} into {printable(shown)} in {seconds:.1f} s")


def _show_schema(graph: str, engine: "GraphEngine", *, as_json: bool) -> None:
    from clew.store.layout import lay_out

    layout = lay_out(engine)
    if as_json:
        print_json(schema_record(layout, graph=graph))
        return
    print_table(["label", "entities", "type"], [(each.name, each.count, each.type) for each in layout.labels])
    say()
    listed = ["id", "name", *(f"{each.name} ({each.kind})" for each in layout.properties)]
    say(f"properties of entities: {printable(', '.join(listed))}")
    say()
    relationships = sorted(layout.relationships, key=lambda each: (-each.count, each.name))
    rows = [(each.name, each.count, each.relation, _flags(each), _connects(each)) for each in relationships]
    print_table(["relationship", "count", "relation", "flags", "connects"], rows, shrink=["connects"])
    say()
    properties = {each.name: each.kind for relationship in relationships for each in relationship.properties}
    named = ["triple (integer)", *(f"{name} ({kind})" for name, kind in properties.items())]
    say(f"properties of relationships, if stated: {printable(', '.join(named))}")


def _flags(relationship: "Relationship") -> str:
    return ", ".join(flag for flag in ("negated", "symmetric") if getattr(relationship, flag))


def _connects(relationship: "Relationship") -> str:
    shown = [f"{each.subject} → {each.object}" for each in relationship.ends[:ENDS_SHOWN]]
    more = len(relationship.ends) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")
