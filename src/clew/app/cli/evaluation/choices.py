"""`clew eval mcq`: multiple-choice questions from a graph, asked and shown as a table."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from clew.app.assemble import open_graph
from clew.app.cli.terminal.output import print_json, print_table, say
from clew.app.cli.terminal.progress import terminal_progress

__all__ = ["evaluate_choices"]


def evaluate_choices(
    graph: str,
    *,
    count: int,
    seed: int,
    rows: str | None,
    model: str | None,
    sample: int,
    embedding: bool,
    out: Path | None,
    as_json: bool,
) -> None:
    """Ask the rows and show what each answered right."""
    from clew.answer import Resources
    from clew.evaluate.choices.run import run_choices

    chosen = _rows(rows, with_model=model is not None, embedding=embedding)
    encoder = "default" if embedding else None
    with ExitStack() as opened, terminal_progress() as progress:
        engine = open_graph(graph)
        plain = opened.enter_context(Resources(engine, encoder=encoder))
        reading = None if model is None else opened.enter_context(Resources(engine, encoder=encoder, model=model))
        report = run_choices(
            plain, reading, rows=chosen, count=count, seed=seed, sample=sample, out=out, progress=progress
        )
    if as_json:
        print_json({"graph": graph, **report})
    else:
        _show(report)


def _rows(given: str | None, *, with_model: bool, embedding: bool) -> list[str]:
    from clew.evaluate.choices.rows import ROWS, WITH_MODEL

    if given is None:
        return [row for row in ROWS if (with_model or row not in WITH_MODEL) and (embedding or row != "vectors")]
    return [row.strip() for row in given.split(",") if row.strip()]


def _show(report: dict[str, Any]) -> None:
    kinds = list(dict.fromkeys(kind for row in report["rows"] for kind in row["by_kind"]))
    table = [
        (
            row["row"],
            row["n"],
            f"{row['right']:.1%} ({row['low']:.0%}-{row['high']:.0%})",
            f"{row['abstained']:.0%}",
            *(f"{row['by_kind'][kind]['right']:.1%}" if kind in row["by_kind"] else "–" for kind in kinds),
            row["calls"],
            row["tokens"],
            f"{row['seconds'] / row['n']:.3f}",
        )
        for row in report["rows"]
    ]
    print_table(["row", "n", "right", "abstained", *kinds, "calls", "tokens", "s/question"], table)
    for each in report["paired"]:
        if each["baseline"] != each["row"]:
            say(
                f"{each['row']} against {each['baseline']}: {each['gain']:+.1%} "
                f"({each['low']:+.1%} to {each['high']:+.1%}, p = {each['p']:.3g}, n = {each['n']})"
            )
