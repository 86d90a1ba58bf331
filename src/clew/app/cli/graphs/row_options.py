"""Options of commands that read rows (`clew build`, `clew update`), what they declare, and the report of bad rows."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from clew.app.cli.terminal.output import print_table, printable, say
from clew.graph.readers import READERS

if TYPE_CHECKING:
    from clew.graph import Relation, Source

__all__ = [
    "Codebook",
    "Columns",
    "CuratedSources",
    "Delimiter",
    "DroppedColumns",
    "EntityColumns",
    "EntityTable",
    "FormatName",
    "ListSeparator",
    "NegatedRelations",
    "OnError",
    "Symmetric",
    "Transitive",
    "declared_relations",
    "declared_sources",
    "print_counted",
]

EXAMPLES_SHOWN = 10
Names = list[str] | None
FormatName = Annotated[
    str | None,
    typer.Option(
        metavar="NAME",
        help=f"{', '.join(READERS)} (default: detected from names and first lines; docs/formats.md).",
        show_default=False,
    ),
]
EntityTable = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="A table of entities: id, name, type, synonyms, xrefs, and any further property.",
        show_default=False,
    ),
]
Columns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="OURS=THEIRS", help="Map a column, such as subject=head; may be repeated.", show_default=False
    ),
]
DroppedColumns = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME", help="Leave a column of the statements out; may be repeated.", show_default=False),
]
Codebook = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="What codes stand for: a table of code and name, and of what (type, relation, column, or the column of a "
        "value). The graph has the names.",
        show_default=False,
    ),
]
EntityColumns = Annotated[
    list[str] | None,
    typer.Option(
        metavar="OURS=THEIRS", help="The same for --entities, such as id=code; may be repeated.", show_default=False
    ),
]
Delimiter = Annotated[
    str | None,
    typer.Option(
        metavar="CHARACTER",
        help="Field delimiter: a character, tab, comma, semicolon or pipe (default: detected).",
        show_default=False,
    ),
]
ListSeparator = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help="Separator of synonyms, xrefs and evidence in one field.  [default: |]",
        show_default=False,
    ),
]
Symmetric = Annotated[
    list[str] | None, typer.Option(metavar="R", help="A symmetric relation; may be repeated.", show_default=False)
]
NegatedRelations = Annotated[
    list[str] | None,
    typer.Option(
        metavar="R", help="A relation that states an absence, such as lacks; may be repeated.", show_default=False
    ),
]
Transitive = Annotated[
    list[str] | None,
    typer.Option(metavar="R", help="A transitive relation, such as is_a; may be repeated.", show_default=False),
]
CuratedSources = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME", help="A source whose statements count as curated; may be repeated.", show_default=False
    ),
]
OnError = Annotated[
    str, typer.Option(metavar="WHAT", help="refuse: stop at bad rows; skip: leave them out and count them.")
]


def declared_relations(symmetric: Names, negated: Names, transitive: Names) -> "list[Relation]":
    """What the options declare about relations."""
    from clew.graph import Relation

    named = dict.fromkeys(name for names in (symmetric, negated, transitive) for name in names or ())

    def among(name: str, names: Names) -> bool:
        return name in (names or ())

    return [
        Relation(
            name, symmetric=among(name, symmetric), negated=among(name, negated), transitive=among(name, transitive)
        )
        for name in named
    ]


def declared_sources(names: Sequence[str] | None) -> "list[Source]":
    """Sources whose statements count as curated."""
    from clew.graph import Source

    return [Source(name, curated=True) for name in dict.fromkeys(names or ())]


def print_counted(what: str, unit: str, counts: Mapping[str, int], examples: Sequence[str]) -> None:
    """A table of counts, and the first examples of what was counted."""
    if not counts:
        return
    say()
    print_table([what, unit], sorted(counts.items()))
    say()
    for example in examples[:EXAMPLES_SHOWN]:
        say(printable(example))
    more = sum(counts.values()) - min(len(examples), EXAMPLES_SHOWN)
    if more > 0:
        say(f"and {more:,} more")
