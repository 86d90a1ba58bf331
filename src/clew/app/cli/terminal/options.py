"""Arguments and options that several commands share, and what is made of them."""

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clew.errors import InputError

if TYPE_CHECKING:
    from clew import Where

__all__ = [
    "Actors",
    "AsJson",
    "AsOf",
    "AsOfSnapshot",
    "Backend",
    "Cache",
    "Choose",
    "Compose",
    "Direction",
    "Engine",
    "FindingRelation",
    "GraphPath",
    "HierarchyRelation",
    "Layer",
    "MaxDegree",
    "Metapath",
    "MinConfidence",
    "NegatedRelation",
    "NoEmbedding",
    "QualifierPairs",
    "QuestionTimeout",
    "Relation",
    "SourceNames",
    "Through",
    "Timeout",
    "WithNegated",
    "check_limit",
    "conditions",
    "day_or_snapshot",
    "pairs",
    "relations",
]

SNAPSHOT = re.compile(r"[0-9a-f]{4,16}")
GraphPath = Annotated[str, typer.Argument(metavar="GRAPH", help="A graph directory.", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
FindingRelation = Annotated[
    str | None,
    typer.Option("--relation", metavar="R", help="From a diagnosis to its findings.", show_default=False),
]
NegatedRelation = Annotated[
    str | None,
    typer.Option("--negated", metavar="R", help="From a diagnosis to findings it lacks.", show_default=False),
]
HierarchyRelation = Annotated[
    str | None,
    typer.Option("--hierarchy", metavar="R", help="From a finding to a more general one.", show_default=False),
]
Direction = Annotated[str, typer.Option(metavar="DIRECTION", help="Follow triples out, in or both.")]
Relation = Annotated[
    list[str] | None,
    typer.Option(
        "--relation", "-r", metavar="R", help="Follow only this relation; may be repeated.", show_default=False
    ),
]
Metapath = Annotated[
    str | None,
    typer.Option(metavar="STEPS", help='Relations for each hop: "r1,r2 ; r3"; * is any.', show_default=False),
]
Through = Annotated[
    list[str] | None,
    typer.Option(metavar="TYPE", help="Only pass through entities of this type; may be repeated.", show_default=False),
]
MaxDegree = Annotated[
    int | None,
    typer.Option(metavar="N", help="Do not pass through entities with more than N triples.", show_default=False),
]
Layer = Annotated[str, typer.Option(metavar="LAYER", help="Statements to use: all, curated or no-extracted.")]
SourceNames = Annotated[
    list[str] | None,
    typer.Option("--source", metavar="NAME", help="Use only this source; may be repeated.", show_default=False),
]
AsOf = Annotated[
    str | None,
    typer.Option(
        metavar="WHEN",
        help="Use statements valid on this day, such as 2020-05-01; or the snapshot of this name (see clew log).",
        show_default=False,
    ),
]
AsOfSnapshot = Annotated[
    str | None,
    typer.Option(
        "--as-of",
        metavar="SNAPSHOT",
        help="An earlier snapshot, or how its name begins (see clew log).",
        show_default=False,
    ),
]
MinConfidence = Annotated[
    float | None, typer.Option(metavar="X", help="Minimum confidence of a statement.", show_default=False)
]
QualifierPairs = Annotated[
    list[str] | None,
    typer.Option(
        "--qualifier",
        metavar="NAME=VALUE",
        help="Require this value of a qualifier; may be repeated.",
        show_default=False,
    ),
]
WithNegated = Annotated[bool, typer.Option("--with-negated", help="Also follow negated statements.")]
Timeout = Annotated[float | None, typer.Option(metavar="SECONDS", help="Time limit.", show_default=False)]
QuestionTimeout = Annotated[
    float | None,
    typer.Option(
        "--timeout",
        metavar="SECONDS",
        help="Time limit of each question (default: 30, or 120 with a language model).",
        show_default=False,
    ),
]
NoEmbedding = Annotated[
    bool, typer.Option("--no-embedding", help="Use no embeddings; questions are then read by words alone.")
]
Choose = Annotated[
    str,
    typer.Option("--choose", metavar="WHEN", help="Let the model pick among interpretations: never, ties or always."),
]
Compose = Annotated[
    bool | None,
    typer.Option(
        "--compose/--no-compose",
        help="Let the model write the query (default: if nothing sure is found and it is large enough).",
        show_default=False,
    ),
]
Cache = Annotated[
    str | None,
    typer.Option(
        metavar="SIZE",
        help="Load the graph partition by partition and keep at most this much, such as 2GB.",
        show_default=False,
    ),
]
Engine = Annotated[
    str,
    typer.Option(
        metavar="NAME",
        help="local; ray: partitions on processes of this machine; ray:HOST:PORT: on a cluster.",
    ),
]
Actors = Annotated[
    int | None,
    typer.Option(
        metavar="N",
        help="With --engine ray: the number of processes (default: one for each CPU).",
        show_default=False,
    ),
]
Backend = Annotated[str, typer.Option(metavar="NAME", help="auto, numba, numpy, scipy, torch or reference.")]


def pairs(given: Sequence[str] | None, option: str) -> dict[str, str]:
    """NAME=VALUE options as a mapping.

    >>> pairs(["subject=head"], "--column")
    {'subject': 'head'}
    """
    made: dict[str, str] = {}
    for each in given or ():
        name, equals, value = each.partition("=")
        if not equals or not name or not value:
            raise InputError(f"{option} takes NAME=VALUE, not {each!r}")
        if name in made:
            raise InputError(f"{option} gives {name!r} twice: {made[name]!r} and {value!r}")
        made[name] = value
    return made


def relations(named: Sequence[str] | None, metapath: str | None, k: int | None) -> tuple[Any, int]:
    """What `relations=` and `k=` of a walk should be; a metapath brings its own number of hops.

    >>> relations(None, "associated_with ; has_phenotype,is_a", None)
    ([['associated_with'], ['has_phenotype', 'is_a']], 2)
    """
    if metapath is None:
        return (list(named) if named else None), 1 if k is None else k
    if named:
        raise InputError("give --relation for all hops or --metapath for each, not both")
    steps = [_step(step.strip(), metapath) for step in metapath.split(";")]
    if k is not None and k != len(steps):
        raise InputError(f"--metapath {metapath!r} has {len(steps)} hops, --k says {k}: leave --k out")
    return steps, len(steps)


def _step(text: str, metapath: str) -> list[str] | None:
    if text == "*":
        return None
    names = [name.strip() for name in text.split(",")]
    if not all(names):
        raise InputError(f'--metapath takes relations for each hop, as "r1,r2 ; r3" (* is any), not {metapath!r}')
    return names


def conditions(
    *,
    layer: str,
    sources: Sequence[str] | None,
    as_of: str | None,
    min_confidence: float | None,
    qualifiers: Sequence[str] | None,
    with_negated: bool,
) -> "Where":
    """Conditions on assertions, from the options that state them."""
    from clew.graph import Where

    asked: Mapping[str, str] = pairs(qualifiers, "--qualifier")
    return Where(
        layer=layer,
        sources=list(sources) if sources else None,
        as_of=as_of,
        min_confidence=min_confidence,
        qualifiers=asked,
        negated=with_negated,
    )


def check_limit(limit: int | None) -> int | None:
    """The limit, if it is a number of rows."""
    if limit is not None and limit < 0:
        raise InputError(f"--limit is a number of rows, 0 or more, not {limit}")
    return limit


def day_or_snapshot(as_of: str | None) -> tuple[str | None, str | None]:
    """What --as-of names: a day, or a snapshot.

    >>> day_or_snapshot("2020-05-01"), day_or_snapshot("2de17dbe"), day_or_snapshot("now"), day_or_snapshot(None)
    (('2020-05-01', None), (None, '2de17dbe'), ('now', None), (None, None))
    """
    if as_of is None or not SNAPSHOT.fullmatch(as_of) or (len(as_of) == 8 and as_of.isdecimal()):
        return as_of, None
    return None, as_of
