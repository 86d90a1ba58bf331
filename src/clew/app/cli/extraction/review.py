"""`clew extract review`: a reader judges extracted facts one by one; the verdicts are kept, and give the precision."""

from pathlib import Path
from typing import Annotated, Any

import typer

from clew.app.cli.terminal.options import AsJson, check_limit
from clew.app.cli.terminal.output import print_json, print_table, printable, say
from clew.plurals import counted

__all__ = ["review"]

KEYS = {"r": "right", "w": "wrong", "u": "unsure"}
QUIT = "q"


def review(
    folder: Annotated[Path, typer.Argument(metavar="FACTS", help="A folder of facts.", show_default=False)],
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Maximum number of facts to judge.")] = 50,
    seed: Annotated[int, typer.Option(metavar="N", help="Decides the random order.")] = 0,
    report: Annotated[bool, typer.Option("--report", help="Print the precision so far and judge nothing.")] = False,
    as_json: AsJson = False,
) -> None:
    """Judge extracted facts: each is shown with its sentence; answer r (right), w (wrong), u (unsure) or q (quit).

    The confidence is not shown, so that it does not lead the reader. Verdicts are kept beside the folder as JSON lines.

    \b
    Examples:
      clew extract review facts
      clew extract review facts --report --json
    """
    from clew.extract.facts.review import add_verdict, precision_of, read_verdicts, verdicts_path, waiting

    check_limit(limit)
    path = verdicts_path(folder)
    if not report and not as_json:
        for number, fact in zip(range(limit), waiting(folder, seed=seed), strict=False):
            verdict = _ask(number + 1, fact)
            if verdict is None:
                break
            add_verdict(path, fact, verdict)
    found = precision_of(read_verdicts(path))
    if as_json:
        print_json(
            {
                "verdicts": str(path),
                "precision": {
                    name: {
                        "right": each.right, "wrong": each.wrong, "unsure": each.unsure,
                        "precision": each.value, "interval": each.interval,
                    }
                    for name, each in found.items()
                },
            }
        )  # fmt: skip
        return
    rows = [
        (name, each.right, each.wrong, each.unsure, "" if each.value is None else f"{each.value:.2f}",
         f"{each.interval[0]:.2f}-{each.interval[1]:.2f}")
        for name, each in found.items()
    ]  # fmt: skip
    print_table(["relation", "right", "wrong", "unsure", "precision", "95 % interval"], rows)
    say(f"{counted(sum(rows[-1][1:4]), 'verdict')} in {printable(str(path))}")


def _ask(number: int, fact: dict[str, Any]) -> str | None:
    say()
    say(f"{number}. {printable(fact['subject_name'])} {fact['relation']} {printable(fact['object_name'])}")
    say(f"   {printable(fact['sentence'])}  [{printable(fact['document'])}]")
    while True:
        try:
            key = input("   right, wrong, unsure or quit? [r/w/u/q] ").strip().lower()[:1]
        except EOFError:
            return None
        if key == QUIT:
            return None
        if key in KEYS:
            return KEYS[key]
