"""`clew log`, `clew diff` and `clew gc`: the snapshots of a graph, what differs between two, and removing old ones."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clew.app.cli.graphs.update import told
from clew.app.cli.terminal.options import AsJson, GraphPath, check_limit
from clew.app.cli.terminal.output import print_json, print_table, printable, say
from clew.app.records import difference_record, history_record, removal_record
from clew.errors import InputError
from clew.plurals import counted

if TYPE_CHECKING:
    from clew.graph.updates.history import Difference, Entry, Key

__all__ = ["diff", "gc", "log"]

SHOWN = 20
MARKS = {
    "entities_added": "+",
    "entities_removed": "-",
    "entities_changed": "~",
    "assertions_added": "+",
    "assertions_removed": "-",
}
MADE = {"build": "built", "compaction": "built from the snapshot before, without changes"}


def log(graph: GraphPath, as_json: AsJson = False) -> None:
    """List the snapshots of a graph: the current one, those it was made from, and others that are still there.

    Every command that takes --as-of can read an earlier snapshot.

    \b
    Examples:
      clew log hpo.clew
      clew log hpo.clew --json
    """
    from clew.graph.updates.history import history

    entries = history(Path(graph))
    if as_json:
        print_json(history_record(entries, graph=graph))
        return
    rows = [
        (
            each.snapshot + (" (current)" if each.current else ""),
            f"{each.made:%Y-%m-%d %H:%M}",
            each.manifest.counts["entities"],
            each.manifest.counts["triples"],
            _made(each),
        )
        for each in entries
    ]
    print_table(["snapshot", "made (UTC)", "entities", "triples", "how"], rows, shrink=["how"])


def _made(entry: "Entry") -> str:
    return MADE.get(entry.kind) or told(entry.manifest.changes)


def diff(
    graph: GraphPath,
    one: Annotated[str, typer.Argument(metavar="FROM", help="A snapshot, or how its name begins.", show_default=False)],
    other: Annotated[
        str | None, typer.Argument(metavar="[TO]", help="Another one (default: the current one).", show_default=False)
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option("--limit", "-n", metavar="N", help=f"Lines of each kind (default: {SHOWN}; all with --json)."),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show what differs between two snapshots of a graph: entities, triples and what is stated of them.

    \b
    Examples:
      clew diff hpo.clew b8790b57
      clew diff hpo.clew b8790b57 2de17dbe --json
    """
    from clew.graph.updates.history import compare_snapshots

    check_limit(limit)
    found = compare_snapshots(Path(graph), one, other)
    if as_json:
        print_json(difference_record(found, graph=graph, limit=limit))
        return
    say(f"{printable(graph)}: from {found.one} to {found.other}")
    _show(found, SHOWN if limit is None else limit)


def _show(found: "Difference", limit: int) -> None:
    changes = {name.replace("_", " "): count for name, count in found.counts.items()}
    say(told({name: count for name, count in changes.items() if count}) or "nothing differs")
    for name, mark in MARKS.items():
        listed = getattr(found, name)
        for each in listed[:limit]:
            say(printable(f"{mark} {each if isinstance(each, str) else _statement(*each)}"))
        if len(listed) > limit:
            say(f"{mark} and {len(listed) - limit:,} more")


def _statement(key: "Key", said: Mapping[str, str]) -> str:
    told_of = ", ".join(f"{name} {value}" for name, value in said.items())
    return " ".join(key) + (f" ({told_of})" if told_of else "")


def gc(
    graph: GraphPath,
    keep: Annotated[int, typer.Option(metavar="N", help="Keep the N newest beside the current one.", min=0)] = 0,
    as_json: AsJson = False,
) -> None:
    """Remove older snapshots of a graph, with what is derived from them; those that are open somewhere stay.

    Snapshots of updates share files, so removing one frees only what no other uses.

    \b
    Examples:
      clew gc hpo.clew
      clew gc hpo.clew --keep 5
    """
    from clew.graph.storage.snapshots import prune, snapshots_of

    path = Path(graph)
    if keep < 0:
        raise InputError(f"--keep is a number of snapshots, 0 or more, not {keep}")
    removed = prune(path, keep=keep, unsure=True)
    kept = snapshots_of(path)
    if as_json:
        print_json(removal_record(removed, kept, graph=graph))
        return
    for name in removed:
        say(f"removed the snapshot {name}")
    say(f"{printable(graph)} has {counted(len(kept), 'snapshot')}")
