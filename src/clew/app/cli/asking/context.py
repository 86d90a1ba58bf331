"""`clew context`: what a graph states about a question, as cited lines within a budget of tokens."""

import sys
from typing import TYPE_CHECKING, Annotated

import typer

from clew.app.assemble import Settings, assemble, open_graph
from clew.app.cli.asking.ask import PATIENCE, mention_missing_encoder
from clew.app.cli.terminal.options import (
    AsJson,
    AsOf,
    GraphPath,
    Layer,
    MinConfidence,
    NoEmbedding,
    SourceNames,
    day_or_snapshot,
)
from clew.app.cli.terminal.output import print_json, printable, say
from clew.app.cli.terminal.progress import announced, terminal_progress
from clew.app.records import context_record
from clew.errors import InputError
from clew.plurals import counted

if TYPE_CHECKING:
    from clew.traverse.context import Context

__all__ = ["context"]

Words = Annotated[list[str], typer.Argument(metavar="QUESTION", show_default=False)]
Budget = Annotated[int, typer.Option("--budget", "-b", metavar="TOKENS", help="Maximum number of tokens.")]
Style = Annotated[str, typer.Option("--style", metavar="STYLE", help="sentences, json or table.")]
Percentile = Annotated[
    float, typer.Option(metavar="P", help="Leave out lines below this percentile of relevance (KG-RAG: 75).")
]
Floor = Annotated[float, typer.Option(metavar="X", help="Leave out lines of a relevance below X (KG-RAG: 0.5).")]


def context(
    graph: GraphPath,
    question: Words,
    budget: Budget = 1500,
    style: Style = "sentences",
    percentile: Percentile = 0.0,
    floor: Floor = 0.0,
    layer: Layer = "all",
    source: SourceNames = None,
    as_of: AsOf = None,
    min_confidence: MinConfidence = None,
    no_embedding: NoEmbedding = False,
    as_json: AsJson = False,
) -> None:
    """Show what a graph states about a question: ranked, cited lines for a language model to read.

    The entities of the question are linked, their triples are ranked by relevance, and as many lines as fit the budget
    are printed, each with its sources. Tokens are estimated, rather too many than too few.

    \b
    Examples:
      clew context hpo.clew "Which genes are linked to arachnodactyly?"
      clew context hpo.clew "How is Marfan syndrome inherited?" --budget 300 --style table
      clew context hpo.clew "What are the symptoms of Marfan syndrome?" --percentile 75 --floor 0.5 --json
    """
    given = " ".join(question).strip()
    if not given:
        raise InputError("the question is empty: write one after the graph")
    from clew.answer import Filters
    from clew.answer.ask import check_question
    from clew.answer.context.retrieval import Retrieval
    from clew.answer.context.retrieve import retrieve

    check_question(given)
    day, snapshot = day_or_snapshot(as_of)
    filters = Filters(layer=layer, sources=tuple(source or ()), as_of=day, min_confidence=min_confidence)
    retrieval = Retrieval(budget=budget, style=style, percentile=percentile, floor=floor, filters=filters)
    settings = Settings(graph, encoder=None if no_embedding else "default")
    with terminal_progress() as progress:
        prepared = announced(progress, f"preparing {graph} for questions, once", after=PATIENCE)
        asker = assemble(settings, engine=open_graph(graph, snapshot=snapshot), progress=prepared)
        if not no_embedding:
            mention_missing_encoder(asker)
        found = retrieve(given, asker.resources, retrieval)
    if as_json:
        print_json(context_record(found, graph=graph, snapshot=asker.resources.engine.snapshot.id))
        return
    for line in found.text.splitlines():
        say(printable(line))
    for said in (*found.notes, _summary(found)):
        print(f"clew: {printable(said)}", file=sys.stderr)


def _summary(found: "Context") -> str:
    """How much of what was found is shown, for stderr: stdout is the context alone."""
    if not found.entities:
        return "no entity of the graph is named in the question; `clew find` searches for one"
    if not found.lines and found.left_out:
        return f"no line fits a budget of {counted(found.budget, 'token')}: allow more"
    parts = [
        f"{counted(len(found.lines), 'line')} about {', '.join(map(printable, found.entities))}",
        f"{found.tokens:,} of {counted(found.budget, 'token')}",
    ]
    parts += [f"{found.pruned:,} pruned"] if found.pruned else []
    parts += [f"{found.left_out:,} more did not fit"] if found.left_out else []
    return "; ".join(parts)
