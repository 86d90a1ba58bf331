"""`clew info` and `clew find`: the contents of a graph, and entities by name."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.app.assemble import open_graph
from clew.app.cli.terminal.options import AsJson, AsOfSnapshot, GraphPath, check_limit
from clew.app.cli.terminal.output import bold, one_line, print_json, print_table, printable, say
from clew.app.records import found_record, graph_record
from clew.plurals import counted
from clew.sizes import size_text

if TYPE_CHECKING:
    from clew import GraphEngine
    from clew.graph.schema import RelationSchema

__all__ = ["find", "info"]

FLAGS = ("negated", "symmetric", "transitive")
SIGNATURES_SHOWN = 3
GROUPS_SHOWN = 10


def info(graph: GraphPath, as_of: AsOfSnapshot = None, as_json: AsJson = False) -> None:
    """Show the contents of a graph: counts, types, relations and their groups, sources and licences.

    \b
    Examples:
      clew info hpo.clew
      clew info hpo.clew --json
    """
    engine = open_graph(graph, snapshot=as_of)
    record = graph_record(engine, graph=graph)
    if as_json:
        print_json(record)
        return
    counts = engine.counts
    say(
        f"{printable(graph)}: {counted(counts['entities'], 'entity')}, "
        f"{counted(counts['triples'], 'triple')}, {counted(counts['assertions'], 'assertion')}, "
        f"{record['bytes'] / 1e6:,.1f} MB"
    )
    say(f"snapshot {record['snapshot']}, made by {printable(record['created_by'])}, format {record['format_version']}")
    if record["partitions"] > 1:
        strategy, largest = record["partitioning"] or "by range", size_text(record["largest_load"])
        say(f"{counted(record['partitions'], 'partition')} ({printable(strategy)}), largest load {largest}")
    say()
    types = sorted(engine.schema.types.items(), key=lambda each: (-each[1], each[0]))
    print_table(["type", "entities"], types, shrink=["type"])
    say()
    relations = sorted(engine.schema.relations, key=lambda relation: (-relation.triples, relation.name))
    rows = [(r.name, r.triples, _flags(r), _connects(r)) for r in relations]
    print_table(["relation", "triples", "flags", "connects"], rows, shrink=["connects"])
    _show_super_relations(engine, record["super_relations"])
    _show_sources(engine)
    if record["problems"]:
        say()
        print_table(["skipped when built", "rows"], sorted(record["problems"].items()))


def _flags(relation: "RelationSchema") -> str:
    flags = [flag for flag in FLAGS if getattr(relation, flag)]
    return ", ".join([*flags, *([f"inverse of {relation.inverse}"] if relation.inverse else [])])


def _connects(relation: "RelationSchema") -> str:
    signatures = relation.signatures
    shown = [f"{s.subject} → {s.object}" for s in signatures[:SIGNATURES_SHOWN]]
    more = len(signatures) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _show_super_relations(engine: "GraphEngine", record: dict[str, Any]) -> None:
    """The largest groups of two or more relations."""
    groups = {label: members for label, members in record["groups"].items() if len(members) > 1}
    if not groups:
        return
    triples = {relation.name: relation.triples for relation in engine.schema.relations}
    rows = [(label, len(members), sum(triples[name] for name in members)) for label, members in groups.items()]
    rows.sort(key=lambda row: (-row[2], row[0]))
    say()
    say(f"{counted(len(record['groups']), 'super-relation')}, made by {printable(record['made_by'])}")
    print_table(["super-relation", "relations", "triples"], rows[:GROUPS_SHOWN], shrink=["super-relation"])
    if len(rows) > GROUPS_SHOWN:
        say(f"{GROUPS_SHOWN} of {len(rows)} with two or more relations (--json lists all)")


def _show_sources(engine: "GraphEngine") -> None:
    for source in engine.snapshot.sources:
        say()
        version = f" {source.version}" if source.version else ""
        say(bold(one_line(f"source {source.name}{version}")) + (" (declared curated)" if source.curated else ""))
        for title, value in (("licence", source.license), ("url", source.url), ("credit", source.attribution)):
            if value:
                say(f"  {title}: {one_line(value)}")


def find(
    graph: GraphPath,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="An id or a name; prefixes and misspellings are matched too.")
    ],
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Maximum number of entities.")] = 10,
    as_of: AsOfSnapshot = None,
    as_json: AsJson = False,
) -> None:
    """Find entities by id, name, synonym, prefix or misspelling, best first.

    \b
    Examples:
      clew find hpo.clew "marfan syndrom"
      clew find hpo.clew HP:0001166
      clew find hpo.clew arach --limit 3 --json
    """
    check_limit(limit)
    engine = open_graph(graph, snapshot=as_of)
    found = engine.find(text, limit=limit)
    if as_json:
        print_json(found_record(found, graph=graph, text=text))
        return
    if not found:
        say(f"nothing in {printable(graph)} has a name like {text!r}")
        return
    rows = [(hit.id, hit.type, hit.name, _how(hit.how, hit.matched, hit.name), hit.score) for hit in found]
    print_table(["id", "type", "name", "found by", "score"], rows, shrink=["name", "found by"])


def _how(how: str, matched: str, name: str) -> str:
    return how if how in ("id", "name") or matched == name.lower() else f"{how} {matched}"
