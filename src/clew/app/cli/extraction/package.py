"""`clew extract package`: a trained model as a wheel."""

from pathlib import Path
from typing import Annotated

import typer

from clew.app.cli.terminal.options import AsJson
from clew.app.cli.terminal.output import print_json, printable, say
from clew.app.cli.terminal.progress import terminal_progress

__all__ = ["package"]


def package(
    run: Annotated[Path, typer.Argument(metavar="RUN", help="A run, or a model folder such as weights/small.")],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Where to write the wheel.")],
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The name of the model (default: that of RUN).", show_default=False),
    ] = None,
    version: Annotated[str, typer.Option(metavar="V", help="The version of the wheel.")] = "1.0",
    seed_graph: Annotated[
        str | None,
        typer.Option(metavar="GRAPH", help="The seed graph (default: that of the run).", show_default=False),
    ] = None,
    card: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The model card (default: generated).", show_default=False),
    ] = None,
    numbers: Annotated[str, typer.Option(metavar="TYPE", help="Weights as int8, bfloat16 or float32.")] = "int8",
    as_json: AsJson = False,
) -> None:
    """Make a wheel of a trained model: its config, weights, names, card and licences.

    `clew models get NAME --find-links DIR` installs it elsewhere, and `clew extract predict --model NAME` uses it. A
    seed graph is refused if its licences require more than attribution (share-alike, non-commercial) or are missing.

    \b
    Examples:
      clew extract package diabetes --out dist
      clew extract package weights/small --out dist
      clew models get diabetes --find-links dist
    """
    from clew.extract.packaging.package import package_model

    with terminal_progress() as progress:
        made = package_model(
            run,
            out,
            name=name or run.resolve().name,
            version=version,
            seed_graph=seed_graph,
            card=card,
            numbers=numbers,
            progress=progress,
        )
    if as_json:
        print_json({"model": made.name, "wheel": str(made.wheel), "bytes": made.wheel.stat().st_size, **made.counts})
        return
    say(f"wrote {printable(str(made.wheel))} ({made.wheel.stat().st_size / 1e6:,.1f} MB)")
    say(f"install it elsewhere: clew models get {made.name} --find-links {printable(str(made.wheel.parent))}")
