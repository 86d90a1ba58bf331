"""`clew link`: names linked to entities, one by one or in running text."""

from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.app.assemble import open_graph
from clew.app.cli.terminal.conversation import read_input
from clew.app.cli.terminal.options import AsJson, GraphPath, check_limit
from clew.app.cli.terminal.output import bold, print_json, print_table, printable, say, shown_of
from clew.app.cli.terminal.progress import terminal_progress
from clew.app.records import links_record, mentions_record
from clew.app.records.links import MARKS
from clew.app.type_names import resolve_types
from clew.errors import InputError
from clew.plurals import counted

if TYPE_CHECKING:
    from clew.link import Linked, Linker, Mention

__all__ = ["link"]


def link(
    graph: GraphPath,
    texts: Annotated[
        list[str] | None, typer.Argument(metavar="TEXT...", help="Names, or sentences with --text.", show_default=False)
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="Find the mentions in running text.")] = False,
    file: Annotated[
        str | None, typer.Option(metavar="FILE", help="Running text from a file; - reads stdin.", show_default=False)
    ] = None,
    type: Annotated[
        list[str] | None,
        typer.Option(
            "--type", "-t", metavar="TYPE", help="Link only to this type; may be repeated.", show_default=False
        ),
    ] = None,
    context: Annotated[
        str | None,
        typer.Option(metavar="TEXT", help="The text around a name, to disambiguate it.", show_default=False),
    ] = None,
    encoder: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help="Also link by embedding similarity, such as minilm (see clew index).",
            show_default=False,
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", metavar="N", help="Maximum number of rows.")] = 10,
    as_json: AsJson = False,
) -> None:
    """Link names to entities: ids, names, synonyms, spelling variants, misspellings, embeddings; each with its reason.

    With --text or --file, find the mentions in running text and flag those that are negated, uncertain, historical or
    about family members.

    \b
    Examples:
      clew link hpo.clew "marfan syndrom" UMLS:C0003706
      clew link hpo.clew --text "No sign of arachnodactyly; the mother has Marfan syndrome (MFS)."
      clew link hpo.clew --file letter.txt --type Phenotype --json
    """
    check_limit(limit)
    running = _running_text(texts, text, file)
    engine = open_graph(graph)
    types = resolve_types(engine.schema, type)
    with terminal_progress() as progress:
        from clew.link import Linker

        linker = Linker(engine, encoder=_encoder(encoder), progress=progress)
    if running is not None:
        _show_mentions(graph, linker, running, types, limit=limit, as_json=as_json)
        return
    found = [linker.link(each, type=types, context=context, limit=limit) for each in texts or ()]
    if as_json:
        print_json(links_record(found, graph=graph, snapshot=engine.snapshot.id, types=types))
        return
    for at, each in enumerate(found):
        if at:
            say()
        _show_linked(graph, each)


def _running_text(texts: list[str] | None, text: bool, file: str | None) -> str | None:
    """The running text to search, or None where names are to be linked one by one."""
    if file is not None:
        if texts:
            raise InputError("give --file or TEXT, not both")
        return read_input(file)
    if not texts:
        raise InputError("nothing to link: give names, --text with sentences, or --file")
    return " ".join(texts) if text else None


def _encoder(spec: str | None) -> Any:
    if spec is None:
        return None
    from clew.embed import open_encoder

    return open_encoder(spec)


def _show_linked(graph: str, linked: "Linked") -> None:
    say(bold(printable(linked.mention)))
    if not linked.candidates:
        say(f"no entity of {printable(graph)} has a name like that")
        return
    if linked.best is None:
        say("no match is good enough; the nearest are:")
    elif linked.ambiguous:
        say(f"{counted(len(linked.alternatives), 'alternative')} with a similar score")
    rows = [(each.id, each.type, each.name, each.stage, each.score, each.reason) for each in linked.candidates]
    print_table(["id", "type", "name", "stage", "score", "reason"], rows, shrink=["name", "reason"])


def _show_mentions(
    graph: str, linker: "Linker", text: str, types: list[str] | None, *, limit: int, as_json: bool
) -> None:
    mentions = linker.detect(text, types=types)
    if as_json:
        snapshot = linker.engine.snapshot.id
        print_json(mentions_record(mentions, graph=graph, snapshot=snapshot, types=types))
        return
    say(f"{counted(len(mentions), 'mention')} in {counted(len(text), 'character')}")
    if mentions and limit:
        rows = [_mention_row(mention) for mention in mentions[:limit]]
        print_table(
            ["at", "mention", "id", "type", "name", "marks", "reason"], rows, shrink=["mention", "name", "reason"]
        )
    if len(mentions) > limit:
        say(shown_of(min(limit, len(mentions)), len(mentions)))


def _marks(mention: "Mention") -> list[str]:
    return [mark for mark in MARKS if getattr(mention.marks, mark, False)]


def _mention_row(mention: "Mention") -> tuple[int, str, str, str, str, str, str]:
    best = mention.linked.best
    assert best is not None  # a mention is only one if it means something
    alternatives = (
        f" ({counted(len(mention.linked.alternatives), 'alternative')})" if mention.linked.alternatives else ""
    )
    marks = ", ".join(_marks(mention))
    return mention.start, mention.text, best.id, best.type, best.name, marks, best.reason + alternatives
