"""`clew eval cypher`: how much of real-world Cypher parses and becomes a plan."""

from json import dumps
from pathlib import Path
from typing import Any

from clew.app.cli.terminal.output import bold, print_json, print_table, printable, say, shorten
from clew.app.cli.terminal.progress import terminal_progress
from clew.errors import InputError
from clew.plurals import counted

__all__ = ["evaluate_cypher"]

SHOWN = 10  # reasons of each kind
EXAMPLE = 70  # columns of an example


def evaluate_cypher(data: Path, *, out: Path | None, as_json: bool) -> None:
    """Parse every query of text2cypher and show the rates."""
    from clew.evaluate.benches.text2cypher import load_pairs, rates_record
    from clew.files import write_text

    if out is not None and out.suffix != ".json":
        raise InputError("--out of clew eval cypher takes a file that ends in .json")
    pairs = load_pairs(data)
    with terminal_progress() as progress:
        record = rates_record(pairs, progress=progress)
    if out is not None:
        write_text(out, dumps(record, indent=1, ensure_ascii=False) + "\n")
    if as_json:
        print_json(record)
        return
    say(
        f"of {record['n']:,} queries {record['parsed']:,} parse ({record['parse_rate']:.1%}) and "
        f"{record['planned']:,} become plans ({record['plan_rate']:.1%}); {record['seconds']:.0f} s"
    )
    say()
    print_table(["text2cypher's type", "n", "parsed", "plans"], [_row(each, "type") for each in record["types"]])
    say()
    print_table(["by operation", "n", "parsed", "plans"], [_row(each, "kind") for each in record["kinds"]])
    _show_reasons("Not parsed", record["not_parsed"])
    _show_reasons("Parsed, but no plan", record["not_planned"])


def _row(rates: dict[str, Any], name: str) -> tuple[str, int, str, str]:
    return rates[name], rates["n"], f"{rates['parse_rate']:.1%}", f"{rates['plan_rate']:.1%}"


def _show_reasons(title: str, reasons: list[dict[str, Any]]) -> None:
    if not reasons:
        return
    say()
    say(bold(f"{title}: {sum(each['n'] for each in reasons):,}"))
    rows = [(each["reason"], each["n"], _example(each["example"])) for each in reasons[:SHOWN]]
    print_table(["reason", "n", "example"], rows, shrink=["example"])
    if len(reasons) > SHOWN:
        say(f"and {counted(len(reasons) - SHOWN, 'more reason')}: --json lists all")


def _example(query: str) -> str:
    return printable(shorten(" ".join(query.split()), EXAMPLE))
