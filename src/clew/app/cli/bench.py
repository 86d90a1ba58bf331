"""`clew bench`: runs a benchmark of the source checkout; benchmarks are not part of the installed package."""

from pathlib import Path
from typing import Annotated, Any

import typer

from clew.app.cli.checkout import load_from_checkout
from clew.app.cli.terminal.output import print_json, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.errors import ClewError, UnknownName

__all__ = ["bench"]

BENCHMARKS = {  # name → its module in the checkout
    "khop": "benchmarks.khop.single",
    "batch": "benchmarks.khop.batch",
    "cost": "benchmarks.khop.cost",
    "partitions": "benchmarks.partitions.table",
    "cluster": "benchmarks.partitions.cluster",
    "updates": "benchmarks.updates.cost",
    "linking": "benchmarks.linking.accuracy",
    "vectors": "benchmarks.linking.vectors",
    "stores": "benchmarks.stores.comparison",
    "context": "benchmarks.contexts.latency",
    "serve": "benchmarks.serving.load",
}


def bench(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help="khop, batch, cost, partitions, cluster, updates, linking, vectors, stores, context or serve.",
            show_default=False,
        ),
    ],
    quick: Annotated[bool, typer.Option("--quick", help="Fewer queries and repeats: about a minute.")] = False,
    json: Annotated[
        str | None,
        typer.Option(
            "--json",
            metavar="FILE",
            help="Also write the report to FILE; - prints only the report.",
            show_default=False,
        ),
    ] = None,
) -> None:
    """Time Clew and other libraries on the same graphs and queries.

    All must return the same results before anything is timed. khop: single k-hop queries. batch: many queries at once.
    cost: building, opening and a fresh process. partitions: a graph larger than memory, built and walked from disk.
    cluster: the same on two actors of Ray. updates: an update beside a rebuild, and hops over updates. stores: loading
    and querying the Cypher stores. vectors: nearest-name search. linking: accuracy and speed of entity linking.
    context: retrieval for questions about HPO. serve: requests to a server under load (needs wrk). Runs from a source
    checkout with the other libraries installed (pip install 'clew[bench,ray]'). The exit code is 1 if a documented
    claim does not hold.

    \b
    Examples:
      clew bench khop --quick
      clew bench batch --json batch.json
    """
    from clew.files import write_text

    if name not in BENCHMARKS:
        raise UnknownName(f"no benchmark is called {name!r}: known: {', '.join(BENCHMARKS)}")
    module = load_from_checkout(BENCHMARKS[name], what=f"benchmark {name}")
    with terminal_progress(lines=True) as progress:
        try:
            report: dict[str, Any] = module.run(quick=quick, progress=progress)
        except AssertionError as error:  # engines that disagree: nothing may be timed
            raise ClewError(f"benchmark {name} failed: {error}") from error
    if json == "-":
        print_json(report)
    else:
        say(module.show(report))
        if json is not None:
            from json import dumps

            write_text(Path(json), dumps(report, indent=1) + "\n")
    if not all(claim["holds"] for claim in report.get("claims", ())):
        raise typer.Exit(1)
