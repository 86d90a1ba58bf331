"""`clew words`: the everyday words for a graph's types and relations, shown, proposed and saved."""

import csv
from collections.abc import Sequence
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clew.app.assemble import open_graph
from clew.app.cli.terminal.options import AsJson, GraphPath
from clew.app.cli.terminal.output import print_json, print_table, printable, say
from clew.app.records import codebook_rows, words_record
from clew.errors import InputError
from clew.files import write_text

if TYPE_CHECKING:
    from clew import GraphEngine
    from clew.answer.lexicon.own_words import OwnWords

__all__ = ["words"]


def words(
    graph: GraphPath,
    save: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Check a file of words and keep it with the graph.", show_default=False),
    ] = None,
    propose: Annotated[
        bool, typer.Option("--propose", help="Keep a file of words for all types and relations, to be edited.")
    ] = False,
    codebook: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a table of the names that no word reaches, with examples, to be filled in for "
            "`clew build --codebook`.",
            show_default=False,
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Show the words by which questions can name the types and relations of a graph, and what no word reaches.

    The graph's own words are in words.json in its directory, a plain file to edit; `--propose` writes one with every
    type and relation, `--save` checks one and keeps it.

    \b
    Examples:
      clew words hpo.clew
      clew words sky.clew --propose
      clew words sky.clew --save words.json
      clew words register.clew --codebook codes.csv
    """
    from clew.answer.lexicon.own_words import read_words, save_words
    from clew.answer.resources import Resources

    if save is not None and propose:
        raise InputError("--save keeps a file of yours and --propose writes a new one: use one of them")
    if codebook is not None and codebook.exists():
        raise InputError(f"{codebook} exists already: name another file, or remove it first")
    engine = open_graph(graph)
    if save is not None:
        save_words(engine.snapshot, engine.schema, read_words(save))
    elif propose:
        save_words(engine.snapshot, engine.schema, _proposed(engine))
    with Resources(engine) as resources:
        record = words_record(resources, graph=graph)
        if codebook is not None:
            _write_codebook(codebook, codebook_rows(resources, record["unreached"]))
    if as_json:
        print_json(record)
        return
    if codebook is not None:
        say(f"{printable(str(codebook))}: fill in the names, then clew build … --codebook {printable(str(codebook))}")
        return
    for family in ("types", "relations"):
        rows = [(name, ", ".join(listed)) for name, listed in record[family].items()]
        print_table([family[:-1], "words"], rows, shrink=["words"])
        say()
    unreached = {family: names for family, names in record["unreached"].items() if names}
    for family, names in unreached.items():
        say(f"No everyday word reaches the {family} {printable(', '.join(names))}")
    if unreached:
        say("Give them words in words.json (--propose), or their names: fill in a table from --codebook FILE")
    if record["file"]:
        say(f"{printable(record['file'])}: edit it, questions use it at once")


def _write_codebook(path: Path, rows: Sequence[tuple[str, ...]]) -> None:
    if not rows:
        raise InputError("everyday words reach every name of this graph: it needs no codebook")
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("code", "name", "of", "examples"))
    writer.writerows(rows)
    write_text(path, text.getvalue())


def _proposed(engine: "GraphEngine") -> "OwnWords":
    """The words that a graph has already, and words of similar relations for those that have none."""
    from clew.answer.kept import words_of
    from clew.answer.lexicon.own_words import load_words
    from clew.answer.lexicon.proposals import propose_words
    from clew.answer.resources import Resources

    with Resources(engine) as resources:
        known = words_of(resources)
        more = {} if resources.encoder is None else propose_words(known, resources.encoder)
    relations = {
        each.relation: list(dict.fromkeys([*known.said_forward(each.name), *more.get(each.relation, ())]))
        for each in known.schema.relationships
        if not each.negated_only
    }
    types = {label.type: known.types[label.name] for label in known.schema.labels}
    return {**load_words(engine.snapshot), "types": types, "relations": relations}
