"""`clew hop`: the entities K hops from some seeds, and the supporting triples."""

from itertools import islice
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
from clew.app.cli.terminal.output import print_json, print_table, printable, say, shown_of
from clew.app.records import count_types, entity_records, hop_record
from clew.errors import InputError
from clew.plurals import counted
from clew.sizes import size_text

if TYPE_CHECKING:
    from clew import GraphEngine, HopResult, Triples

__all__ = ["hop"]

SHOWN = 20
MOST_HOPS = 1000  # whose triples are listed
REACH = {
    "exact": "exactly {hops} from",
    "within": "within {hops} of",
    "shortest": "at shortest distance {hops} from",
}
DIRECTIONS = {"out": "outgoing", "in": "incoming", "both": "either direction"}


def hop(
    graph: GraphPath,
    seeds: Annotated[list[str], typer.Argument(metavar="SEED...", help="Ids or exact names of entities.")],
    k: Annotated[
        int | None, typer.Option("--k", "-k", metavar="N", help="Number of hops (default: 1).", show_default=False)
    ] = None,
    mode: Annotated[str, typer.Option(metavar="MODE", help="exact, within or shortest.")] = "exact",
    direction: Direction = "out",
    relation: Relation = None,
    metapath: Metapath = None,
    type: Annotated[
        list[str] | None,
        typer.Option("--type", "-t", metavar="TYPE", help="Keep only this type; may be repeated.", show_default=False),
    ] = None,
    through: Through = None,
    max_degree: MaxDegree = None,
    layer: Layer = "all",
    source: SourceNames = None,
    as_of: AsOf = None,
    min_confidence: MinConfidence = None,
    qualifier: QualifierPairs = None,
    with_negated: WithNegated = False,
    triples: Annotated[bool, typer.Option("--triples", help="Also show the supporting triples.")] = False,
    limit: Annotated[
        int | None,
        typer.Option(
            "--limit",
            "-n",
            metavar="N",
            help="Maximum number of rows (default: 20, or all with --json).",
            show_default=False,
        ),
    ] = None,
    timeout: Timeout = None,
    backend: Backend = "auto",
    cache: Cache = None,
    engine: Engine = "local",
    actors: Actors = None,
    as_json: AsJson = False,
) -> None:
    """Show the entities K hops from the seeds.

    Modes: exact gives the entities reached by walks of exactly K hops; within, those at distance K or less, seeds
    included; shortest, those at distance exactly K. --type filters the result; --through and --max-degree restrict the
    entities in between.

    \b
    Examples:
      clew hop hpo.clew FBN1 --k 2
      clew hop hpo.clew HP:0001166 --k 2 --mode within --direction both --type Gene
      clew hop hpo.clew FBN1 --metapath "associated_with ; has_phenotype" --layer curated --triples
      clew hop large.clew X:1 --k 3 --cache 2GB
      clew hop large.clew X:1 --k 3 --engine ray --actors 4
    """
    check_limit(limit)
    day, snapshot = day_or_snapshot(as_of)
    steps, hops = relations(relation, metapath, k)
    if triples and hops > MOST_HOPS:
        raise InputError(f"--triples takes at most {MOST_HOPS:,} hops, not {hops:,}")
    where = conditions(
        layer=layer, sources=source, as_of=day, min_confidence=min_confidence, qualifiers=qualifier,
        with_negated=with_negated,
    )  # fmt: skip
    from clew.traverse import Walk

    walk = Walk(
        hops, mode=mode, direction=direction, relations=steps, types=type or None, through=through or None,
        max_degree=max_degree, where=where,
    )  # fmt: skip
    opened = open_graph(graph, snapshot=snapshot, backend=backend, cache=cache, engine=engine, actors=actors)
    found = opened.hop(seeds, walk, timeout=timeout)
    led = [opened.hop_triples(found, each, leading_to_result=True) for each in range(1, hops + 1)] if triples else []
    if as_json:
        listed = led if triples else None
        print_json(hop_record(opened, found, graph=graph, triples=listed, limit=limit))
    else:
        _show(opened, found, led, limit=SHOWN if limit is None else limit)
        _show_cache(opened)


def _show(engine: "GraphEngine", found: "HopResult", led: "list[Triples]", *, limit: int) -> None:
    seeds = ", ".join(printable(f"{seed['name']} ({seed['id']})") for seed in entity_records(engine, found.seeds[:3]))
    seeds += f" and {len(found.seeds) - 3:,} more" if len(found.seeds) > 3 else ""
    reach = REACH[found.walk.mode].format(hops=counted(found.walk.k, "hop"))
    say(f"{counted(len(found), 'entity')} {reach} {seeds} ({DIRECTIONS[found.walk.direction]})")
    if len(found) and limit:
        by_type = count_types(engine, found)
        if len(by_type) > 1:
            say()
            print_table(["type", "entities"], by_type.items(), shrink=["type"])
        say()
        rows = [(e["id"], e["type"], e["name"]) for e in entity_records(engine, found.ids[:limit])]
        print_table(["id", "type", "name"], rows, shrink=["name"])
    if len(found) > limit:
        say(shown_of(min(limit, len(found)), len(found)))
    if led:
        _show_triples(led, limit=limit)


def _show_cache(engine: "GraphEngine") -> None:
    """What was loaded, if the graph was loaded in parts."""
    counts = engine.cache
    if counts is not None:
        say()
        loads = f"{counted(counts.loads, 'load')} ({size_text(counts.loaded_bytes)})"
        rest = f"{counted(counts.hits, 'hit')}, {counted(counts.evictions, 'eviction')}"
        say(f"cache of {size_text(counts.capacity)}: {loads}, {rest}")


def _show_triples(led: "list[Triples]", *, limit: int) -> None:
    total = sum(map(len, led))
    say()
    say(counted(total, "supporting triple"))
    if total and limit:
        listed = ((at, each) for at, some in enumerate(led, 1) for each in some)
        rows = [(at, t.subject_name, t.relation, t.object_name) for at, t in islice(listed, limit)]
        print_table(["hop", "subject", "relation", "object"], rows, shrink=["subject", "object"])
    if total > limit:
        say(shown_of(min(limit, total), total))
