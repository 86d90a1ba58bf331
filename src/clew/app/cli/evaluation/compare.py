"""`clew eval compare`: saved runs compared with a baseline run, in tables and as a report."""

from collections.abc import Sequence
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING

from clew.app.cli.terminal.output import bold, print_json, print_table, printable, say

if TYPE_CHECKING:
    from clew.evaluate.report.run import Comparison, ModelChange

__all__ = ["evaluate_runs", "show_models", "show_tests"]


def evaluate_runs(paths: Sequence[Path], *, out: Path | None, as_json: bool) -> None:
    """Compare saved runs, write a report, and show the tests."""
    from clew.evaluate.comparison import compare_all, load_runs
    from clew.evaluate.report import write_compared_markdown, write_compared_page
    from clew.evaluate.report.rows import RUN_HEAD, run_rows
    from clew.files import write_text

    compared = compare_all(load_runs(paths))
    if out is not None:
        write = {".md": write_compared_markdown, ".html": write_compared_page}.get(out.suffix)
        write_text(out, dumps(compared, indent=1, ensure_ascii=False) + "\n" if write is None else write(compared))
    if as_json:
        print_json(compared)
        return
    say(f"{compared['bench']}: {compared['n']:,} questions on {printable(compared['graph'])}")
    say()
    print_table(RUN_HEAD, run_rows(compared["runs"]))
    show_tests(compared["comparisons"])
    show_models(compared["models"])
    if out is not None:
        say()
        say(f"written to {printable(str(out))}")


def show_tests(comparisons: "Sequence[Comparison]") -> None:
    """The paired tests, where there are any."""
    from clew.evaluate.report.rows import TEST_HEAD, test_rows

    if comparisons:
        say()
        print_table(TEST_HEAD, test_rows(comparisons))


def show_models(models: "Sequence[ModelChange]") -> None:
    """What a language model changed, where one was called."""
    from clew.evaluate.report.rows import MODEL_HEAD, model_note, model_rows

    if models:
        say()
        say(bold("With a language model"))
        print_table(MODEL_HEAD, model_rows(models))
        if note := model_note(models):
            say(note)
