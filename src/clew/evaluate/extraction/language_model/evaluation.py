"""The language-model baseline over the documents of a run: a table of triples, linked and scored as a run's own are."""

from collections.abc import Collection, Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from clew.errors import InputError
from clew.evaluate.extraction.bc5cdr.abstracts import Abstract
from clew.evaluate.extraction.bc5cdr.end_to_end import DOCUMENT, mesh_ids
from clew.evaluate.extraction.bc5cdr.scoring import Ancestors, Scored, score_row
from clew.evaluate.extraction.judge.factuality import Factuality, TypedTriple, validity_by_signature
from clew.evaluate.extraction.judge.wordings import Statement
from clew.evaluate.extraction.language_model.reading import Chunk, Read, chunks, read_triples, stored_relations
from clew.extract.filter.entities import EntityResolver
from clew.extract.predict.queries import read_queries
from clew.extract.seed.signatures import Signatures
from clew.extract.sequences.texts import document_texts
from clew.extract.stage import write_table
from clew.lm import LanguageModel
from clew.progress import Progress, silent
from clew.traverse import Engine, open

__all__ = [
    "BASELINE",
    "baseline_statements",
    "link_triples",
    "read_baseline",
    "score_baseline",
    "score_read_baseline",
    "validity_of_baseline",
]

BASELINE = pa.schema(
    [
        ("subject", pa.string()),
        ("relation", pa.string()),
        ("object", pa.string()),
        ("documents", pa.list_(pa.string())),
        ("times", pa.int32()),
        ("text", pa.string()),  # of the first chunk that it was read from
    ]
)
ENDS = ("subject", "object")


def read_baseline(
    model: LanguageModel,
    run: Path,
    out: Path,
    *,
    limit: int = 50,
    seed: int = 0,
    documents: Collection[str] | None = None,
    signatures: Signatures | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Read at most `limit` chunks, drawn at random, with the relations that the run's model was asked about.

    `documents` are the ids of those that may be drawn; `signatures` are needed of a run that was asked nothing yet.
    """
    if limit < 1:
        raise InputError(f"at least 1 chunk is read, not {limit}")
    relations = stored_relations(read_queries(run)[1] if signatures is None else signatures)
    texts = document_texts(run)
    if documents is not None and (unknown := [each for each in documents if each not in texts]):
        raise InputError(f"{unknown[0]} is no document of {run}: expected ids as its corpus has them")
    pieces = list(chunks((name, text) for name, text in texts.items() if documents is None or name in documents))
    drawn = np.sort(np.random.default_rng(seed).permutation(len(pieces))[:limit]).tolist()
    chosen = [pieces[at] for at in drawn]
    read = read_triples(model, chosen, relations, progress=progress)
    write_table(_table(read, chosen), out)
    return {
        "model": model.name,
        "chunks": len(chosen),
        "documents": sorted({each.document for each in chosen}),
        "triples": len(read.triples),
        "left_out": read.left_out,
        "relations": list(relations),
        "seconds": {"a chunk, median": median(read.seconds) if read.seconds else None, "all": sum(read.seconds)},
    }


def _table(read: Read, pieces: Sequence[Chunk]) -> pa.Table:
    rows = [
        {
            "subject": each.subject,
            "relation": each.relation,
            "object": each.object,
            "documents": sorted({pieces[at].document for at in each.chunks}),
            "times": len(each.chunks),
            "text": pieces[each.chunks[0]].text,
        }
        for each in read.triples
    ]
    return pa.Table.from_pylist(rows, schema=BASELINE)


def link_triples(triples: pa.Table, graph: Engine) -> pa.Table:
    """The triples with subject_id, subject_type, object_id and object_type: null where no entity has that name.

    Names are linked as tails are, to entities of the types that the relation joins, else of any.
    """
    signatures = Signatures.of_schema(graph.schema)
    turned = Signatures({name: {(b, a): n for (a, b), n in pairs.items()} for name, pairs in signatures.pairs.items()})
    relations = triples["relation"].to_pylist()
    for end, sides in zip(ENDS, (turned, signatures), strict=True):
        found = EntityResolver(graph, sides).objects(triples[end].to_pylist(), relations, [None] * len(relations))
        ids = [each.id if each.linked else None for each in found]
        triples = triples.append_column(f"{end}_id", pa.array(ids, pa.string()))
        triples = triples.append_column(f"{end}_type", pa.array([each.type for each in found], pa.string()))
    return triples


def score_baseline(
    linked: pa.Table,
    graph: Engine,
    abstracts: Sequence[Abstract],
    *,
    name: str,
    relation: str = "induces",
    ancestors: Ancestors | None = None,
) -> Scored:
    """Pairs of the relation scored by the gold of some abstracts of BC5CDR, by MeSH ids; the rest is ignored."""
    rows = [row for row in linked.to_pylist() if row["relation"] == relation]
    mesh = mesh_ids(graph, (row[f"{end}_id"] for row in rows for end in ENDS if row[f"{end}_id"] is not None))
    predicted: dict[str, set[tuple[str, str]]] = {each.document: set() for each in abstracts}
    for row in rows:
        pairs = {(a, b) for a in mesh.get(row["subject_id"], ()) for b in mesh.get(row["object_id"], ())}
        for document in row["documents"]:
            predicted.get(document.removeprefix(DOCUMENT), set()).update(pairs)
    return score_row(name, f"{len(abstracts)} abstracts", abstracts, predicted, ancestors)


def validity_of_baseline(linked: pa.Table, graph: Engine) -> Factuality:
    """ValidityScore by signatures and types alone."""
    columns = (linked[name].to_pylist() for name in ("subject_type", "relation", "object_type"))
    triples = [TypedTriple(*each) for each in zip(*columns, strict=True)]
    return validity_by_signature(triples, Signatures.of_schema(graph.schema))


def score_read_baseline(
    out: Path, graph: Path, documents: Collection[str], dev: Sequence[Abstract] | None
) -> dict[str, Any]:
    """What a baseline that was read reaches: its validity, and its pairs scored by the gold of the documents read."""
    opened = open(graph)
    linked = link_triples(pq.read_table(out), opened)
    if not linked.num_rows:
        return {}
    validity = validity_of_baseline(linked, opened)
    said = {"ValidityScore by signatures and types": f"{validity.yes.mean:.3f}, maybe {validity.maybe:.3f}"}
    if dev is None:
        return {"scores": said, "validity": validity.to_json()}
    read = [each for each in dev if f"{DOCUMENT}{each.document}" in documents]
    row = score_baseline(linked, opened, read, name="language model")
    figures = [f"{each.mean:.3f}" for each in (row.figures.precision, row.figures.recall, row.figures.f1)]
    said[f"BC5CDR, {len(read)} abstracts of dev, end to end"] = " / ".join(figures)
    return {"scores": said, "validity": validity.to_json(), "bc5cdr": row.to_json()}


def baseline_statements(triples: pa.Table) -> list[Statement]:
    """The triples with their chunks, for a judge."""
    return [
        Statement(*(row[name] for name in ("subject", "relation", "object", "text"))) for row in triples.to_pylist()
    ]
