"""NAME_relations.json: what KGX files cannot say of a graph, written beside them by Clew's own writer.

It holds the flags of relations (negated, symmetric, transitive, inverse) and the sources with their licences. Where the
file is absent, relations have the flags that the Biolink model gives them.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from clew.errors import InputError
from clew.graph.staging import Relation, Source
from clew.json_files import read_json

__all__ = ["beside", "declarations", "read_declarations"]


def beside(edges: Path) -> Path:
    """Where the declarations of a file of edges are: x_edges.tsv.gz has x_relations.json."""
    stem = edges.name.removesuffix(".gz").rpartition(".")[0]
    return edges.with_name(f"{stem.removesuffix('edges')}relations.json")


def declarations(relations: Sequence[Relation], sources: Sequence[Source]) -> str:
    """The text of such a file."""
    body = {"relations": [asdict(each) for each in relations], "sources": [asdict(each) for each in sources]}
    return json.dumps(body, indent=1) + "\n"


def read_declarations(path: Path) -> tuple[list[Relation], list[Source]]:
    """Read such a file."""
    try:
        body = read_json(path)
        return [Relation(**each) for each in body["relations"]], [Source(**each) for each in body["sources"]]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InputError(f"{path} does not declare relations and sources as Clew writes them ({error!r})") from error
