"""`clew eval facts`: graphs compared by what local search finds about facts, as a table."""

from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from clew.app.assemble import open_graph
from clew.app.cli.terminal.output import print_json, print_table, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.plurals import counted

__all__ = ["evaluate_facts"]


def evaluate_facts(
    file: Path,
    graphs: Mapping[str, str],
    *,
    count: int,
    seeds: int,
    embedding: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Ask every graph and show what its contexts state."""
    from clew.answer import Resources
    from clew.evaluate.facts import read_facts, run_facts

    facts = read_facts(file)
    with ExitStack() as opened, terminal_progress() as progress:
        encoder = "default" if embedding else None
        resources = {
            name: opened.enter_context(Resources(open_graph(path), encoder=encoder)) for name, path in graphs.items()
        }
        report = run_facts(resources, facts, count=count, seeds=seeds, out=out, progress=progress)
    if as_json:
        print_json({"file": str(file), **report})
    else:
        _show(report)


def _show(report: dict[str, Any]) -> None:
    table = [
        (
            row["graph"],
            row["recall"]["n"],
            f"{row['stated']['mean']:.1%}",
            f"{row['recall']['mean']:.1%} ({row['recall']['low']:.0%}-{row['recall']['high']:.0%})",
            ", ".join(f"{each:.1%}" for each in row["by_seed"]),
            round(row["tokens"]),
            row["seconds"],
        )
        for row in report["rows"]
    ]
    print_table(["graph", "n", "stated", "recall", "by seed", "tokens", "s/question"], table)
    for each in report["paired"]:
        say(
            f"{each['graph']} against {each['baseline']}: {each['mean']:+.1%} ({each['low']:+.1%} to "
            f"{each['high']:+.1%}, p = {each['p']:.3g}, n = {each['n']})"
        )
    if report["left_out"]:
        say(f"left out: {counted(report['left_out'], 'fact')} of which the first graph lacks an end")
