"""Several runs of one bench compared, as Markdown and as an HTML page."""

from collections.abc import Sequence

from clew.evaluate.report.frame import comparison_sections, document
from clew.evaluate.report.markdown import comparison_parts, plain
from clew.evaluate.report.rows import RUN_HEAD, run_rows
from clew.evaluate.report.run import Compared, Figure, RunFigures
from clew.evaluate.report.tables import html_table, markdown_table
from clew.evaluate.report.words import html, interval, percent

__all__ = ["write_compared_markdown", "write_compared_page"]


def _subtitle(compared: Compared) -> str:
    return f"{compared['n']:,} questions on {compared['graph']}, snapshot {compared['snapshot']}"


def write_compared_markdown(compared: Compared) -> str:
    """The comparison as a Markdown document."""
    rows = [[plain(cell) for cell in row] for row in run_rows(compared["runs"])]
    levels = [[plain(cell) for cell in row] for row in _level_rows(compared["runs"])]
    parts = [
        f"# {plain(compared['bench'])}: runs compared",
        f"{plain(_subtitle(compared))}.",
        "## Runs",
        markdown_table(RUN_HEAD, rows, figures=True),
        "## Result match by level",
        markdown_table(_level_head(compared["runs"]), levels, figures=True),
        *comparison_parts(compared["comparisons"], compared["models"]),
    ]
    return "\n\n".join(parts) + "\n"


def write_compared_page(compared: Compared) -> str:
    """The comparison as a whole HTML document."""
    runs = [(name, [html(cell) for cell in cells]) for name, *cells in run_rows(compared["runs"])]
    levels = [(name, [html(cell) for cell in cells]) for name, *cells in _level_rows(compared["runs"])]
    body = [
        "<h2>Runs</h2>",
        html_table(RUN_HEAD, runs, label="Runs"),
        "<h2>Result match by level</h2>",
        html_table(_level_head(compared["runs"]), levels, label="Result match by level"),
        comparison_sections(compared["comparisons"], compared["models"]),
    ]
    title = f"{compared['bench']}: runs compared"
    return document(title, title, _subtitle(compared), "\n".join(body))


def _level_head(runs: Sequence[RunFigures]) -> list[str]:
    return ["run", *(f"{level['level']} ({level['n']:,})" for level in runs[0]["levels"])]


def _level_rows(runs: Sequence[RunFigures]) -> list[list[str]]:
    return [[run["name"], *(_sure(level["measures"]["result_match"]) for level in run["levels"])] for run in runs]


def _sure(figure: Figure) -> str:
    return f"{percent(figure['mean'])} ({interval(figure)})"
