"""`clew eval diagnosis`: rankings of simulated patients, shown as a table."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from clew.app.assemble import open_graph
from clew.app.cli.terminal.output import print_json, print_table, say
from clew.app.cli.terminal.progress import terminal_progress

if TYPE_CHECKING:
    from clew.evaluate.diagnosis.patients import PatientSettings

__all__ = ["evaluate_rankings"]


def evaluate_rankings(
    graph: str,
    *,
    count: int,
    seed: int,
    settings: "PatientSettings",
    hidden: float,
    rows: str | None,
    out: Path | None,
    as_json: bool,
) -> None:
    """Rank the diagnoses of simulated patients and show how high the right ones are."""
    from clew.answer import Resources
    from clew.evaluate.diagnosis.rows import ROWS
    from clew.evaluate.diagnosis.run import run_rankings

    chosen = (
        list(ROWS) if rows is None else list(dict.fromkeys(each.strip() for each in rows.split(",") if each.strip()))
    )
    with Resources(open_graph(graph), encoder=None) as resources, terminal_progress() as progress:
        report = run_rankings(
            resources, count=count, seed=seed, settings=settings, hidden=hidden, rows=chosen, out=out, progress=progress
        )
    if as_json:
        print_json({"graph": graph, **report})
    else:
        _show(report)


def _show(report: dict[str, Any]) -> None:
    table = [
        (
            row["row"],
            row["n"],
            _share(row["top_1"]),
            _share(row["top_10"]),
            row["mean_reciprocal_rank"],
            f"{row['median_rank']:,.0f}",
            row["milliseconds"],
        )
        for row in report["rows"]
    ]
    print_table(["row", "n", "top-1", "top-10", "MRR", "median rank", "ms"], table)
    say(
        f"{report['diagnoses']:,} diagnoses; the patients are drawn from the profiles that are ranked, so this is a ceiling"
    )


def _share(figure: dict[str, float]) -> str:
    return f"{figure['mean']:.1%} ({figure['low']:.0%}-{figure['high']:.0%})"
