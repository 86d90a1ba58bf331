"""`clew extract TEXTS --model small --out facts`: from documents to a folder of facts that `clew build` reads."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from clew.app.cli.graphs.update import derived_kinds, say_stale, told
from clew.app.cli.terminal.options import AsJson, check_limit
from clew.app.cli.terminal.output import one_line, print_json, print_table, printable, say, shown_of
from clew.app.cli.terminal.progress import terminal_progress
from clew.plurals import counted
from clew.progress import Progress

__all__ = ["texts"]

STDIN = "-"


def texts(
    inputs: Annotated[
        list[str],
        typer.Argument(metavar="TEXTS...", help="Files or folders of documents; - reads stdin.", show_default=False),
    ],
    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="DIR", help="Where the facts are written.", show_default=False)
    ],
    model: Annotated[
        str, typer.Option(metavar="MODEL", help="A model with statements and seed, by name or folder.")
    ] = "small",
    confidence: Annotated[
        float | None,
        typer.Option(
            metavar="P",
            help="Minimum confidence (default: for each relation its own, within sentences).",
            show_default=False,
        ),
    ] = None,
    processes: Annotated[int, typer.Option(metavar="N", help="Read documents in N processes at once.")] = 1,
    into: Annotated[
        str | None,
        typer.Option(
            metavar="GRAPH", help="Update this graph with the facts, or make it of them alone.", show_default=False
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Maximum number of facts shown.")] = 20,
    as_json: AsJson = False,
) -> None:
    """Extract the facts that documents state, each with its sentence and a calibrated confidence.

    Reads PubMed XML, JSON lines (id, title, text), CSV, Parquet, PubTator and plain text. A call that was stopped
    resumes when it is repeated. No torch is needed. With --into the facts are added as by `clew update
    --keep-descriptions`: every statement cites its document, so `clew update GRAPH --retract-document ID` withdraws it.

    \b
    Examples:
      clew extract abstracts/ --model small --out facts
      clew extract pubmed.xml.gz more.jsonl --out facts --confidence 0.5
      clew extract abstracts/ --out facts --into mine.clew --processes 2
      clew update mine.clew --retract-document PMID:12345
      clew build hpo.clew facts --out mine.clew
    """
    from clew.extract.facts.folder import extract_facts, read_facts
    from clew.extract.facts.status import MARKS, STATED

    check_limit(limit)
    begun = time.perf_counter()
    with _files(inputs) as files, terminal_progress() as progress:
        counts = extract_facts(
            files, out, model=Path(model), confidence=confidence, processes=processes, progress=progress
        )
        made = _add(out, into, progress) if into is not None and counts["facts"] else {}
    statements: list[dict[str, Any]] = read_facts(out).sort_by([("confidence", "descending")]).to_pylist()
    rows = [each for each in statements if each["status"] == STATED]
    if as_json:
        seconds = round(time.perf_counter() - begun, 3)
        print_json(
            {
                "out": str(out), "into": into, "update": made, "counts": counts, "facts": rows[:limit],
                "seconds": seconds,
            }
        )  # fmt: skip
        return
    say(f"{counted(counts['documents'], 'document')}, {counted(counts['facts'], 'fact')} in {printable(str(out))}")
    if any(counts[each] for each in MARKS):
        marked = ", ".join(f"{counts[each]:,} {each}" for each in MARKS if counts[each])
        say(f"not counted as facts: {marked} (column status)")
    if not rows:
        return
    say()
    shown = [
        (row["subject_name"], row["relation"], row["object_name"], round(row["confidence"], 2),
         "yes" if row["known"] else "no", row["document"], one_line(row["sentence"]))
        for row in rows[:limit]
    ]  # fmt: skip
    titles = ["subject", "relation", "object", "confidence", "in seed graph", "document", "sentence"]
    print_table(titles, shown, shrink=["sentence", "object", "subject"])
    if len(rows) > limit:
        say(shown_of(limit, len(rows)))
    say()
    if into is None:
        say(f"build a graph of them: clew build {printable(str(out))} --out extracted.clew")
    else:
        changes = told(made["changes"]) or "it has all of these facts already"
        say(f"made {printable(into)} of them" if made["new"] else f"updated {printable(into)}: {changes}")
        say(f"next: clew ask {printable(into)} QUESTION, clew find {printable(into)} NAME")
        say_stale(into, made["stale"])


def _add(facts: Path, into: str, progress: Progress) -> dict[str, Any]:
    """Add the facts to a graph as its next snapshot, or make it of them; what that changed."""
    from clew.graph.build import build_graph
    from clew.graph.readers import stage
    from clew.graph.staging import Problems
    from clew.graph.storage.snapshots import current_snapshot
    from clew.graph.updates.update import Changes, update_graph

    problems, path = Problems(), Path(into)
    new, before = not path.exists(), None if not path.exists() else current_snapshot(path)
    staged = stage(str(facts), problems=problems, progress=progress)
    if new:
        manifest, changes = build_graph(staged, path, problems=problems, progress=progress), {}
    else:
        made = update_graph(path, Changes(add=staged, keep_descriptions=True), problems=problems, progress=progress)
        manifest, changes = made.manifest, dict(made.changes)
    stale = derived_kinds(path, before) if before not in (None, manifest.snapshot) else []
    return {
        "new": new, "snapshot": manifest.snapshot, "changes": changes, "counts": dict(manifest.counts), "stale": stale,
    }  # fmt: skip


@contextmanager
def _files(inputs: list[str]) -> Iterator[list[str]]:
    """The inputs, with what stands on stdin in a file."""
    if STDIN not in inputs:
        yield inputs
        return
    with TemporaryDirectory(prefix="clew-texts-") as folder:
        path = Path(folder) / "stdin"
        path.write_bytes(sys.stdin.buffer.read())
        yield [str(path) if each == STDIN else each for each in inputs]
