"""`clew eval paths`: questions over chains of relations, asked of several searches and shown as a table."""

from pathlib import Path
from typing import Any

from clew.app.cli.evaluation.graphs import asked_graph
from clew.app.cli.terminal.output import print_json, print_table, say
from clew.app.cli.terminal.progress import terminal_progress

__all__ = ["evaluate_paths"]

FB15K237 = "fb15k237"  # a graph that is built from the data folder


def evaluate_paths(
    graph: str,
    *,
    data: Path,
    count: int,
    seed: int,
    part: str,
    rows: list[str] | None,
    model: str | None,
    sample: int,
    absence: bool,
    embedding: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Ask the rows and show what each found."""
    from clew.answer import Resources
    from clew.evaluate.paths.rows import ROWS, WITH_MODEL
    from clew.evaluate.paths.run import run_paths
    from clew.evaluate.row_names import known_rows

    usual = [row for row in ROWS if (model or row not in WITH_MODEL) and (embedding or ROWS[row].random)]
    chosen = known_rows(rows or usual, ROWS)
    with terminal_progress() as progress:
        engine = asked_graph(graph, (FB15K237,), data, progress)
        with Resources(engine, encoder="default" if embedding else None, model=model) as resources:
            report = run_paths(
                resources,
                rows=chosen,
                count=count,
                seed=seed,
                part=part,
                sample=sample,
                absence=absence,
                out=out,
                progress=progress,
            )
    if as_json:
        print_json({"graph": graph, **report})
    else:
        _show(report)


def _show(report: dict[str, Any]) -> None:
    from clew.evaluate.paths.run import MEASURES

    table = [
        (
            row["row"],
            row["n"],
            *(f"{row[name]['mean']:.1%} ({row[name]['low']:.0%}-{row[name]['high']:.0%})" for name in MEASURES),
            f"{row['no answer']:.0%}",
            round(row["triples"]),
            f"{row['calls']:.1f}",
            round(row["tokens"]),
            f"{row['seconds']:.3f}",
        )
        for row in report["rows"]
    ]
    print_table(["row", "n", *MEASURES, "no answer", "triples", "calls", "tokens", "s/question"], table)
    for each in report["paired"]:
        say(
            f"{each['row']} against tog, {each['measure']}: {each['gain']:+.1%} ({each['low']:+.1%} to "
            f"{each['high']:+.1%}, p = {each['p']:.3g}); {each['misses removed']:.0%} of its misses removed"
        )
    for each in report.get("absence", ()):
        say(
            f"absence within {each['steps']}: {each['absent']} of {report['questions']} questions; brute force agrees "
            f"on {each['agreed']}"
        )
