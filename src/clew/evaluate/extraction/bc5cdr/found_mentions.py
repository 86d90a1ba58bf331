"""BC5CDR with the mentions that a run found and linked itself, instead of the annotated ones.

Abstracts and a run with heads go in; the same abstracts come out, with mentions of what the seed's *induces* begins and
ends at, as chemicals and diseases with their MeSH ids. Their gold pairs stay: a mention that was missed costs recall.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.abstracts import CHEMICAL, DISEASE, Abstract, Mentioned
from clew.evaluate.extraction.bc5cdr.end_to_end import DOCUMENT, mesh_ids
from clew.evaluate.extraction.bc5cdr.examples import RELATION
from clew.extract.mentions.heads import read_heads
from clew.extract.seed.signatures import Signatures
from clew.extract.sequences.packing import read_sequences
from clew.graph import GraphContents
from clew.traverse import GraphEngine

__all__ = ["find_mentions"]

COLUMNS = ("start", "end", "text", "type", "entity")


def find_mentions(
    abstracts: Sequence[Abstract], run: Path, graph: GraphContents, *, mesh: GraphEngine | None = None
) -> list[Abstract]:
    """The abstracts with a run's mentions; `graph` is its seed, `mesh` names what the seed has no MeSH id of."""
    wanted = {DOCUMENT + each.document: each for each in abstracts}
    sequences = read_sequences(run).select(["document"])["document"]
    if missing := wanted.keys() - set(sequences.to_pylist()):
        raise InputError(f"{run} has no text of {min(missing)}: prepare it from a corpus that holds BC5CDR")
    heads = read_heads(run)
    documents = sequences.take(heads["sequence"]).to_pylist()
    columns = (heads[name].to_pylist() for name in COLUMNS)
    types = _types(graph)
    heads_there = [
        (document, *row)
        for document, *row in zip(documents, *columns, strict=True)
        if document in wanted and row[3] in types and row[4] is not None
    ]
    ids = mesh_ids(graph, (row[-1] for row in heads_there), mesh=mesh)
    found: dict[str, list[Mentioned]] = {document: [] for document in wanted}
    for document, start, end, text, type, entity in heads_there:
        if wanted[document].text[start:end] != text:
            raise InputError(f"{run} has another text of {document} than BC5CDR: characters {start} to {end} differ")
        found[document].append(Mentioned(start, end, text, types[type], ids.get(entity, ())))
    return [
        replace(each, mentions=tuple(sorted(found[document], key=lambda mention: mention.start)))
        for document, each in wanted.items()
    ]


def _types(graph: GraphContents) -> dict[str, str]:
    """What BC5CDR calls the types that the relation joins in the seed."""
    if RELATION not in {each.name for each in graph.schema.relations}:
        raise InputError(f"{graph.snapshot} has no relation {RELATION!r}: give the seed graph of the run")
    pairs = Signatures.of_schema(graph.schema, relations=[RELATION]).pairs[RELATION]
    return {object_: DISEASE for _, object_ in pairs} | {subject: CHEMICAL for subject, _ in pairs}
