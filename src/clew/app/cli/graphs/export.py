"""`clew export`: a graph in the format of another tool."""

from pathlib import Path
from typing import Annotated

import typer

from clew.app.assemble import open_graph
from clew.app.cli.terminal.options import AsJson, AsOfSnapshot, GraphPath
from clew.app.cli.terminal.output import print_json, print_table, printable, say
from clew.app.cli.terminal.progress import terminal_progress
from clew.app.records import export_record
from clew.graph.writers import WRITERS
from clew.plurals import counted

__all__ = ["export"]


def export(
    graph: GraphPath,
    to: Annotated[str, typer.Option("--to", metavar="FORMAT", help=f"{', '.join(WRITERS)}.", show_default=False)],
    out: Annotated[
        str, typer.Option("--out", "-o", metavar="DIR", help="Where to write the files.", show_default=False)
    ],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace an existing export.")] = False,
    as_of: AsOfSnapshot = None,
    as_json: AsJson = False,
) -> None:
    """Write a graph in the format of another tool; `clew build` reads all but tensors back.

    Parquet loses nothing. KGX as TSV loses the types of numbers and writes | inside the items of lists as %7C. What
    else a format cannot carry is listed (docs/formats.md). Checksums are verified first.

    \b
    Examples:
      clew export hpo.clew --to kgx --out hpo-kgx
      clew export hpo.clew --to parquet --out hpo-parquet --overwrite
      clew export hpo.clew --to neo4j --out hpo-neo4j
    """
    from clew.graph.writers.losses import left_out

    write = WRITERS.load(to)
    engine = open_graph(graph, snapshot=as_of)
    with terminal_progress() as progress:
        written: list[Path] = write(engine, Path(out), overwrite=overwrite, progress=progress)
    lost = left_out(to, engine)
    files = [(file.relative_to(out).as_posix(), file.stat().st_size) for file in written]
    if as_json:
        print_json(export_record(files, graph=graph, to=to, out=out, left_out=lost))
        return
    say(f"wrote {counted(engine.counts['triples'], 'triple')} of {printable(graph)} to {printable(out)} as {to}")
    print_table(["file", "bytes"], files)
    for each in lost:
        say(f"not carried by {to}: {printable(each)}")
