"""`clew paths`: ranked paths from one entity to another, each triple with its sources, and a drawing of them."""

import sys
from collections.abc import Iterator, Sequence
from math import log10
from typing import TYPE_CHECKING, Annotated

import typer

from clew.app.assemble import open_graph
from clew.app.cli.terminal.options import (
    Actors,
    AsJson,
    AsOf,
    Backend,
    Cache,
    Direction,
    Engine,
    GraphPath,
    Layer,
    MaxDegree,
    Metapath,
    MinConfidence,
    QualifierPairs,
    Relation,
    SourceNames,
    Through,
    Timeout,
    WithNegated,
    check_limit,
    conditions,
    day_or_snapshot,
    relations,
)
from clew.app.cli.terminal.output import one_line, print_json, printable, say, shorten, terminal_width
from clew.app.cli.terminal.quotations import quoted
from clew.app.records import entity_records, paths_record
from clew.plurals import counted, plural

if TYPE_CHECKING:
    from clew import GraphEngine, Path, Paths, Triple
    from clew.app.drawing import Scene

__all__ = ["describe_paths", "drawn_paths", "paths", "show_paths"]

Entity = dict[str, str]
DEFAULT_HOPS = 3
CITED = 4  # publications shown of one triple
LONG_COUNT = 10**15  # from here on, numbers of paths are shown as powers of ten


def paths(
    graph: GraphPath,
    source: Annotated[str, typer.Argument(metavar="FROM", help="Id or exact name of an entity.", show_default=False)],
    target: Annotated[str, typer.Argument(metavar="TO", help="Id or exact name of an entity.", show_default=False)],
    k: Annotated[
        int | None,
        typer.Option("--k", "-k", metavar="N", help="Maximum number of hops (default: 3).", show_default=False),
    ] = None,
    kind: Annotated[str, typer.Option(metavar="KIND", help="simple, walks or shortest.")] = "simple",
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Maximum number of paths.")] = 10,
    direction: Direction = "out",
    relation: Relation = None,
    metapath: Metapath = None,
    through: Through = None,
    max_degree: MaxDegree = None,
    layer: Layer = "all",
    sources: SourceNames = None,
    as_of: AsOf = None,
    min_confidence: MinConfidence = None,
    qualifier: QualifierPairs = None,
    with_negated: WithNegated = False,
    draw: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Also draw them: FILE.html or FILE.svg.", show_default=False),
    ] = None,
    timeout: Timeout = None,
    backend: Backend = "auto",
    cache: Cache = None,
    engine: Engine = "local",
    actors: Actors = None,
    as_json: AsJson = False,
) -> None:
    """Show the paths between two entities, with the sources of every triple.

    Shorter paths come first; among those of one length, paths through rarer entities. Kinds: simple paths visit no
    entity twice, walks may, shortest are the simple paths of minimum length.

    \b
    Examples:
      clew paths hpo.clew FBN1 Arachnodactyly
      clew paths hpo.clew FBN1 TGFBR1 --direction both --kind shortest --draw shared.html
      clew paths hpo.clew FBN1 HP:0001166 --metapath "associated_with ; has_phenotype" --layer curated --json
    """
    check_limit(limit)
    day, snapshot = day_or_snapshot(as_of)
    steps, hops = relations(relation, metapath, DEFAULT_HOPS if k is None and metapath is None else k)
    where = conditions(
        layer=layer, sources=sources, as_of=day, min_confidence=min_confidence, qualifiers=qualifier,
        with_negated=with_negated,
    )  # fmt: skip
    if draw is not None:
        from clew.app.drawing.write import check_drawing_name, write_drawing

        check_drawing_name(draw)
    from clew.traverse import Walk

    walk = Walk(hops, direction=direction, relations=steps, through=through or None, max_degree=max_degree, where=where)
    opened = open_graph(graph, snapshot=snapshot, backend=backend, cache=cache, engine=engine, actors=actors)
    found = opened.paths(source, target, walk, kind=kind, limit=limit, timeout=timeout)
    start, end = (entity_records(opened, opened.resolve(each))[0] for each in (source, target))
    shown = list(found)
    if draw is not None:
        write_drawing(drawn_paths(opened, start, end, found, shown), draw)
    if as_json:
        sys.set_int_max_str_digits(0)  # a number of walks may have any number of digits
        print_json(paths_record(opened, found, shown, graph=graph, source=start, target=end, drawing=draw))
    else:
        say(describe_paths(found, len(shown), start, end) + (" (--limit)" if found.truncated else ""))
        show_paths(opened, shown)
        if draw is not None:
            say()
            say(f"drawn in {printable(draw)}")


def describe_paths(found: "Paths", shown: int, start: Entity, end: Entity) -> str:
    """One sentence: how many paths there are and how many are shown."""
    ends = printable(f"from {start['name']} ({start['id']}) to {end['name']} ({end['id']})")
    noun = {"simple": "path", "walks": "walk", "shortest": "shortest path"}[found.kind]
    hops = f"of up to {counted(found.k, 'hop')}"
    if not found.truncated and shown == 0:
        return f"No {noun} {hops} {ends} in this graph under these conditions"
    total = found.count
    number = f"{total:,}" if total < LONG_COUNT else f"about 10^{round(log10(total))}"
    at_most = "at most " if found.count_kind != "exact" else ""
    part = f"{shown:,} of " if found.truncated else ""
    return f"{part}{at_most}{number} {plural(noun, total)} {hops} {ends}"


def show_paths(engine: "GraphEngine", shown: "Sequence[Path]") -> None:
    """Each path with, below it, the sources of its triples; each triple is explained once."""
    explained: dict[int, int] = {}
    width = terminal_width()
    for number, path in enumerate(shown, 1):
        say()
        say(f"{number:>3}  {printable(str(path))}")
        for triple in path.triples:
            if triple.number in explained:
                words = f"as in {explained[triple.number]}"
            else:
                explained[triple.number] = number
                words = "; ".join(_said(engine, triple)) or "no source stated"
            line = f"{triple.relation}: {words}"
            say("       " + (one_line(line) if width is None else shorten(one_line(line), width - 7)))


def _said(engine: "GraphEngine", triple: "Triple") -> Iterator[str]:
    """What each source states about a triple, in a few words."""
    from clew.app.drawing.scene import statement, value_name

    for assertion in engine.assertions(triple.number):
        cited = [*assertion.evidence[:CITED]]
        if len(assertion.evidence) > CITED:
            cited.append(f"and {len(assertion.evidence) - CITED} more")
        words = [", ".join(cited)] if cited else [statement(engine, assertion).source]
        frequency = (assertion.qualifiers or {}).get("frequency")
        if frequency:
            words.append(f"frequency {value_name(engine, frequency)}")
        if assertion.negated:
            words.append("negated")
        if sentence := quoted(assertion):
            words.append(sentence)
        yield ", ".join(words)


def drawn_paths(engine: "GraphEngine", start: Entity, end: Entity, found: "Paths", shown: "Sequence[Path]") -> "Scene":
    """The paths as a scene."""
    from clew.app.drawing import scene_of_paths

    return scene_of_paths(
        engine,
        start["id"],
        end["id"],
        shown,
        title=f"From {start['name']} to {end['name']}",
        description=f"{describe_paths(found, len(shown), start, end)}.",
    )
