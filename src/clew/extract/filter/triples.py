"""From tails to final triples: filters applied and counted, every place verified, written as run/triples.

triples.parquet holds all columns; extracted_nodes.jsonl and extracted_edges.jsonl are the same for `clew build`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.embed import Encoder
from clew.errors import InputError
from clew.extract.corpus.tables import read_documents
from clew.extract.filter.assertions import SCHEMA, SOURCE, verify_spans, write_kgx
from clew.extract.filter.entities import known_triples
from clew.extract.filter.evidence import Evidence
from clew.extract.filter.masks import FilteredTable, cosines, threshold
from clew.extract.filter.tails import FilterSettings, filter_tails
from clew.extract.mentions.heads import read_heads
from clew.extract.predict.tails import read_tails
from clew.extract.seed.selection import read_matches
from clew.extract.seed.word_similarity import relation_words
from clew.extract.sequences.texts import document_texts, sequence_texts
from clew.extract.stage import PartFolder, Stage, write_counts, write_table
from clew.graph import Relation, Source
from clew.progress import Progress, silent
from clew.traverse import GraphEngine

__all__ = ["NOT_SIMILAR", "STAGE", "prepare_triples", "read_triples"]

STAGE = Stage(
    "triples",
    "filter",
    "final triples, as a table and as KGX",
    reads=("tails",),
    headline=("assertions", "triples"),
)
PART_ROWS = 8192
NOT_SIMILAR = "less similar to its sequence than beta"


def prepare_triples(
    run: Path,
    graph: GraphEngine,
    *,
    model: str,
    settings: FilterSettings | None = None,
    encoder: Encoder | None = None,
    progress: Progress = silent,
) -> dict[str, Any]:
    """Filter the tails of a run and write run/triples; `model` is the name that stands in every assertion."""
    run, settings = Path(run), settings or FilterSettings()
    if settings.beta > 0 and encoder is None:
        raise InputError("the similarity of triples and text needs an encoder: give one, or set beta to 0")
    made_from = {
        "settings": settings,
        "graph": graph.snapshot.id,
        "encoder": "none" if encoder is None or settings.beta == 0 else encoder.identity,
        "model_name": model,
    }
    work = STAGE.start(run, made_from)
    if work.finished is not None:
        return work.finished
    sieve = filter_tails(run, graph, settings, work.parts("filtered"), progress=progress)
    counts: dict[str, Any] = {"tails": read_tails(run).num_rows, "after all but similarity": sieve.table.num_rows}
    if settings.beta > 0 and encoder is not None:
        counts |= _keep_similar(sieve, run, graph, encoder, settings, work.parts("compared"), progress)
    else:
        sieve.table = sieve.table.append_column("similarity", pa.nulls(sieve.table.num_rows, pa.float32()))
    triples = _finish(sieve, run, graph, model)
    verify_spans(triples, document_texts(run))
    counts |= _describe(triples) | {"left out": sieve.left_out}
    with work.seal() as directory:
        write_table(triples, directory / f"{STAGE.name}.parquet")
        write_kgx(directory, triples, relations=_relations(graph, triples), source=_source(run, model))
        write_counts(directory, counts)
    return counts


def read_triples(run: Path) -> pa.Table:
    """The final triples of a run."""
    return STAGE.read_table(run)


def _keep_similar(
    sieve: FilteredTable,
    run: Path,
    graph: GraphEngine,
    encoder: Encoder,
    settings: FilterSettings,
    parts: PartFolder,
    progress: Progress,
) -> dict[str, Any]:
    """Keep the triples that are similar enough to their sequences; returns what the threshold is and comes from."""
    texts = sequence_texts(run)
    table = sieve.table
    said = _in_words(*sieve.columns("head_text", "asked", "tail_text"))
    where = [texts[row] for row in table["sequence"].to_pylist()]
    for start in range(parts.finished * PART_ROWS, len(said), PART_ROWS):
        rows = slice(start, start + PART_ROWS)
        scores = cosines(said[rows], where[rows], encoder)
        parts.write({STAGE.name: pa.table({"similarity": scores})}, {"rows": len(scores)})
        progress("comparing with the text", min(start + PART_ROWS, len(said)), len(said))
    joined = pa.concat_tables([pa.table({"similarity": pa.array([], pa.float32())}), *parts.tables(STAGE.name)])
    similarity: NDArray[np.float32] = joined["similarity"].to_numpy()
    matched = _matched_similarity(run, graph, texts, encoder, settings.sample)
    beta = threshold(similarity if matched is None else matched, settings.beta)
    sieve.table = table.append_column("similarity", pa.array(similarity, pa.float32()))
    sieve.keep(NOT_SIMILAR, similarity >= beta)
    return {"beta": round(beta, 4), "beta of": "predicted triples" if matched is None else "matched triples"}


def _matched_similarity(
    run: Path, graph: GraphEngine, texts: Sequence[str], encoder: Encoder, sample: int
) -> NDArray[np.float32] | None:
    """The same cosine for matched seed triples, an even sample of them; None for a run without any."""
    if not (run / "matches").is_dir():
        return None
    matches = read_matches(run)
    if not matches.num_rows:
        return None
    rows = np.unique(np.linspace(0, matches.num_rows - 1, min(sample, matches.num_rows)).astype(np.int64))
    chosen = matches.take(pa.array(rows))
    heads = read_heads(run)["text"].take(chosen["head"]).to_pylist()
    said = _in_words(heads, chosen["relation"].to_pylist(), chosen["tail"].to_pylist())
    return cosines(said, [texts[row] for row in chosen["sequence"].to_pylist()], encoder)


def _in_words(heads: Sequence[str], relations: Sequence[str], tails: Sequence[str]) -> list[str]:
    rows = zip(heads, relations, tails, strict=True)
    return [f"{head} {relation_words(relation)} {tail}" for head, relation, tail in rows]


def _finish(sieve: FilteredTable, run: Path, graph: GraphEngine, model: str) -> pa.Table:
    """The columns of `assertions.SCHEMA`: with sentences, places, licences, and whether the seed knows the triple."""
    evidence, heads, documents = Evidence(run), read_heads(run), read_documents(run)
    licences = dict(zip(documents["document"].to_pylist(), documents["license"].to_pylist(), strict=True))
    rows, tails = sieve.columns("head", "tail_text")
    found = [evidence.find(head, tail) for head, tail in zip(rows, tails, strict=True)]
    sieve.keep("head outside of all sentences", np.array([place is not None for place in found], bool))
    places = [place for place in found if place is not None]
    table, names = sieve.table, sieve.table["document"].to_pylist()
    mentions = heads.take(pa.array([place.head for place in places], pa.int32()))
    made = {
        "known": known_triples(graph, *(table[name].to_pylist() for name in ("subject", "relation", "object"))),
        "license": [licences[name] for name in names],
        "sentence": [evidence.texts[name][slice(*place.sentence)] for name, place in zip(names, places, strict=True)],
        "sentence_start": [place.sentence[0] for place in places],
        "sentence_end": [place.sentence[1] for place in places],
        "head_text": mentions["text"].to_pylist(),
        "head_start": mentions["start"].to_pylist(),
        "head_end": mentions["end"].to_pylist(),
        "tail_start": [None if place.tail is None else place.tail[0] for place in places],
        "tail_end": [None if place.tail is None else place.tail[1] for place in places],
        "model": [model] * table.num_rows,
        "head": [place.head for place in places],
    }
    arrays = [
        pa.array(made[each.name], each.type) if each.name in made else table[each.name].combine_chunks().cast(each.type)
        for each in SCHEMA
    ]
    finished = pa.table(arrays, schema=SCHEMA)
    return finished.sort_by([("document", "ascending"), ("head_start", "ascending"), ("log_prob", "descending")])


def _describe(triples: pa.Table) -> dict[str, Any]:
    distinct = triples.select(["subject", "relation", "object"]).group_by(["subject", "relation", "object"])
    named = triples["tail_start"].is_valid().to_pylist()
    counted = triples["relation"].value_counts().to_pylist()
    return {
        "assertions": triples.num_rows,
        "triples": distinct.aggregate([]).num_rows,
        "assertions that the seed states too": sum(triples["known"].to_pylist()),
        "assertions whose sentence names the tail": sum(named),
        "assertions with both ends in the seed": _count_linked(triples),
        "relations": {each["values"]: each["counts"] for each in sorted(counted, key=lambda each: -each["counts"])},
    }


def _count_linked(triples: pa.Table) -> int:
    both = zip(triples["subject_type"].to_pylist(), triples["object_type"].to_pylist(), strict=True)
    return sum(None not in pair for pair in both)


def _relations(graph: GraphEngine, triples: pa.Table) -> list[Relation]:
    """What the seed declares of the relations that occur."""
    used = sorted(set(triples["relation"].to_pylist()))
    schemas = [graph.schema.relation(name) for name in used]
    return [Relation(r.name, r.negated, r.symmetric, r.transitive, r.inverse) for r in schemas]


def _source(run: Path, model: str) -> Source:
    licences = sorted(set(read_documents(run)["license"].drop_null().to_pylist()))
    return Source(
        SOURCE,
        version=model,
        license="; ".join(licences) or None,
        attribution="extracted from text by a trained model; every statement names its document and sentence",
    )
