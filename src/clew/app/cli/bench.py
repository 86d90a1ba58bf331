"""`clew bench`: the benchmarks of the source checkout; they are no part of the installed package."""

import sys
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer

from clew.app.cli.output import print_json, say
from clew.app.cli.progress import terminal_progress
from clew.errors import ClewError, UnknownName

__all__ = ["bench"]

KINDS = ("khop", "batch", "cost", "linking", "vectors", "stores")


def bench(
    kind: Annotated[
        str, typer.Argument(metavar="KIND", help="khop, batch, cost, linking, vectors or stores.", show_default=False)
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Fewer queries and repeats: about a minute.")] = False,
    json: Annotated[
        str | None,
        typer.Option("--json", metavar="FILE", help="Also write the report; - prints only that.", show_default=False),
    ] = None,
) -> None:
    """Time Clew against other libraries on the same graphs and queries.

    All must agree before anything is timed. khop times single hops, batch many at once, cost opening, building and a
    fresh process, stores loading and asking the Cypher stores, vectors nearest-name search; linking measures how well
    and how fast names are found. Runs from a source checkout with the peers installed (pip install 'clew[bench]'). The
    exit code is 1 when a claim of the README does not hold.

    \b
    Examples:
      clew bench khop --quick
      clew bench batch --json batch.json
    """
    from clew.files import write_text

    if kind not in KINDS:
        raise UnknownName(f"no benchmark is called {kind!r}: known: {', '.join(KINDS)}")
    module = _load(kind)
    with terminal_progress() as progress:
        try:
            report: dict[str, Any] = module.run(quick=quick, progress=progress)
        except AssertionError as error:  # engines that disagree: nothing may be timed
            raise ClewError(f"benchmark {kind} failed: {error}") from error
    if json == "-":
        print_json(report)
    else:
        show = getattr(module, "show", None) or import_module("benchmarks.report").markdown
        say(show(report))
        if json is not None:
            from json import dumps

            write_text(Path(json), dumps(report, indent=1) + "\n")
    if not all(claim["holds"] for claim in report.get("claims", ())):
        raise typer.Exit(1)


def _load(kind: str) -> Any:
    """Import a benchmark from the checkout this package runs from, or from the current directory."""
    import clew

    places = [Path(clew.__file__).resolve().parents[2], Path.cwd()]
    root = next((place for place in places if (place / "benchmarks" / f"{kind}.py").is_file()), None)
    if root is None:
        raise ClewError(
            f"benchmark {kind} is not here: run it from a source checkout of Clew (looked for benchmarks/{kind}.py in "
            f"{' and '.join(dict.fromkeys(map(str, places)))})"
        )
    if str(root) not in sys.path:
        sys.path.insert(0, str(root))
    try:
        return import_module(f"benchmarks.{kind}")
    except ModuleNotFoundError as error:
        raise ClewError(f"benchmark {kind} needs the library {error.name!r}: pip install 'clew[bench]'") from error
