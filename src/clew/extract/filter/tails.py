"""The filters that need no encoder, over the tails of a run: block by block, each of whole documents.

Tails in; those that pass out, with both ends as entities, and how many each filter removed.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.filter.contradictions import are_uncontradicted
from clew.extract.filter.entities import EntityResolver, ResolvedEntity
from clew.extract.filter.evidence import Evidence
from clew.extract.filter.masks import (
    FilteredTable,
    are_attested,
    are_best_of_duplicates,
    are_most_likely,
    are_words,
    find_faults,
    fit_signatures,
    have_different_ends,
)
from clew.extract.filter.treatment_cues import HARM, HELP, agree_with_cues
from clew.extract.mentions.heads import read_heads
from clew.extract.mentions.syntax import Syntax
from clew.extract.predict.decoder import MENTION, SEQUENCE
from clew.extract.predict.queries import read_queries
from clew.extract.predict.tails import read_tails
from clew.extract.seed.hierarchy import Hierarchy
from clew.extract.seed.signatures import Signatures
from clew.extract.sequences.packing import read_sequences
from clew.extract.sequences.texts import document_texts
from clew.extract.stage import PartFolder
from clew.graph import read_entities
from clew.link.normalise import words_of
from clew.progress import Progress, silent
from clew.traverse import GraphEngine

__all__ = ["FILTERED", "FilterSettings", "filter_tails", "filter_texts", "filter_triples"]

BLOCK_ROWS = 200_000
FILTERED = pa.schema(
    [
        ("query", pa.int32()),
        ("head", pa.int32()),
        ("sequence", pa.int32()),
        ("document", pa.string()),
        ("asked", pa.string()),  # the relation, or its inverse
        ("relation", pa.string()),
        ("turned", pa.bool_()),
        ("head_text", pa.string()),
        ("tail_text", pa.string()),
        ("log_prob", pa.float32()),
        ("confidence", pa.float32()),
        ("decoder", pa.string()),
        ("tail_linked", pa.bool_()),
        ("subject", pa.string()),
        ("subject_name", pa.string()),
        ("subject_type", pa.string()),
        ("object", pa.string()),
        ("object_name", pa.string()),
        ("object_type", pa.string()),
    ]
)


@dataclass(frozen=True, slots=True)
class FilterSettings:
    """What a triple must be to be kept.

    `beta` is a quantile: a triple must be as similar to its sequence as the matched seed triples above this quantile
    are (the predicted ones, where nothing was matched); 0 asks for nothing and needs no encoder. `sample` is how many
    matches are compared for it. A tail must have the minimum `confidence`, and `most` of each query are kept. At the
    default, precision and recall of statements about pairs that the model was never shown are about equal. Tails that
    are no mentions never come that far.
    """

    beta: float = 0.0
    most: int = 3
    confidence: float = 0.5
    cross_sentence: bool = False  # keep triples whose head and tail stand in different sentences
    new_is_a: bool = False  # keep is_a triples absent from the seed hierarchy
    signatures: bool = True
    unlinked: bool = True  # keep tails that no entity of the seed is called, where the text itself says them
    sample: int = 2000
    syntax: Syntax = field(default_factory=Syntax)

    def __post_init__(self) -> None:
        for name, stated in (("beta", self.beta), ("the minimum confidence", self.confidence)):
            if not 0 <= stated <= 1:
                raise InputError(f"{name} is {stated}, expected 0 to 1")
        if self.most < 1 or self.sample < 1:
            raise InputError("at least one tail of each query is kept, and one match compared")


def filter_tails(
    run: Path, graph: GraphEngine, settings: FilterSettings, parts: PartFolder, *, progress: Progress = silent
) -> FilteredTable:
    """The tails of a run that pass, and what was left out; `parts` keeps finished blocks of a killed run."""
    tails, heads = read_tails(run), read_heads(run)
    documents = read_sequences(run)["document"]
    _, signatures = read_queries(run)
    blocks = list(_blocks(documents.take(tails["sequence"])))
    if parts.finished < len(blocks):
        words, ends = _known_words(run, graph), EntityResolver(graph, signatures)
        evidence = Evidence(run)
        hierarchy = None if settings.new_is_a else Hierarchy(graph)
        for start, end in blocks[parts.finished :]:
            progress("filtering tails", start, tails.num_rows)
            sieve = filter_texts(_with_heads(tails.slice(start, end - start), heads, documents), settings, words=words)
            if not settings.cross_sentence:
                sieve.keep("no sentence names both head and tail", _are_in_one_sentence(sieve, evidence))
            sieve.table = _with_ends(sieve.table, heads, ends, signatures)
            sieve.keep("treatment cues contradict the relation", _agree_with_cues(sieve, evidence))
            filter_triples(sieve, signatures, settings, hierarchy=hierarchy)
            parts.write({"filtered": sieve.table.cast(FILTERED)}, sieve.left_out)
    progress("filtering tails", tails.num_rows, tails.num_rows)
    left_out: Counter[str] = Counter()
    for note in parts.notes():
        left_out.update(note)  # not a sum of Counters: what left nothing out is listed too
    return FilteredTable(pa.concat_tables([FILTERED.empty_table(), *parts.tables("filtered")]), dict(left_out))


def filter_texts(candidates: pa.Table, settings: FilterSettings, *, words: frozenset[str]) -> FilteredTable:
    """The filters that look at tails alone; `words` are all that texts and names hold, folded."""
    sieve = FilteredTable(candidates)
    sieve.keep("tail without words or out of vocabulary", are_words(sieve.table["tail_text"]))
    sieve.keep("below the confidence threshold", sieve.table["confidence"].to_numpy() >= settings.confidence)
    sieve.keep("tail with an unattested word", are_attested(sieve.table["tail_text"].to_pylist(), words))
    return sieve


def filter_triples(
    sieve: FilteredTable, signatures: Signatures, settings: FilterSettings, *, hierarchy: Hierarchy | None = None
) -> None:
    """The filters that look at both ends of a triple, and at other triples."""
    subjects, objects, heads, tails = sieve.columns("subject", "object", "head_text", "tail_text")
    sieve.keep("tail equal to its head", have_different_ends(subjects, objects, heads, tails))
    tails, asked = sieve.columns("tail_text", "asked")
    sieve.keep_without_faults(find_faults(tails, asked, _are_linked(sieve), syntax=settings.syntax))
    if settings.signatures:
        starts, relations, ends = sieve.columns("subject_type", "relation", "object_type")
        sieve.keep(
            "types that the relation does not connect in the seed", fit_signatures(starts, relations, ends, signatures)
        )
    if settings.unlinked:
        said = np.isin(sieve.table["decoder"].to_pylist(), (MENTION, SEQUENCE))
        sieve.keep("tail neither in the text nor a name of the seed", said | _are_linked(sieve))
    else:
        sieve.keep("tail not linked", _are_linked(sieve))
    if hierarchy is not None:
        room = hierarchy.has_room_for(*sieve.columns("subject", "relation", "object"))
        sieve.keep("absent from the seed hierarchy", room)
    documents, subjects, relations, objects = sieve.columns("document", "subject", "relation", "object")
    scores = sieve.table["confidence"].to_numpy()
    unopposed = are_uncontradicted(documents, subjects, relations, objects, scores, symmetric=signatures.symmetric)
    sieve.keep("contradicted by a more confident statement in its document", unopposed)
    documents, subjects, relations, objects = sieve.columns("document", "subject", "relation", "object")
    scores = sieve.table["confidence"].to_numpy()
    best = are_best_of_duplicates(documents, subjects, relations, objects, scores, symmetric=signatures.symmetric)
    sieve.keep("stated with more confidence elsewhere in its document", best)
    likely = are_most_likely(sieve.table["query"].to_numpy(), sieve.table["confidence"].to_numpy(), most=settings.most)
    sieve.keep("not among the top tails of its query", likely)


def _are_in_one_sentence(sieve: FilteredTable, evidence: Evidence) -> NDArray[np.bool_]:
    heads, tails = sieve.columns("head", "tail_text")
    places = [evidence.find(head, tail) for head, tail in zip(heads, tails, strict=True)]
    return np.array([place is not None and place.tail is not None for place in places], bool)


def _agree_with_cues(sieve: FilteredTable, evidence: Evidence) -> NDArray[np.bool_]:
    """Whether the sentence of a statement of harm or benefit has fitting cues."""
    relations, heads, tails, documents = sieve.columns("relation", "head", "tail_text", "document")
    kept = np.ones(len(relations), bool)
    said = np.flatnonzero(np.isin(relations, [*HARM, *HELP])).tolist()
    places = [evidence.find(heads[at], tails[at]) for at in said]
    found = [(at, place.sentence) for at, place in zip(said, places, strict=True) if place is not None]
    sentences = [evidence.texts[documents[at]][slice(*sentence)] for at, sentence in found]
    kept[[at for at, _ in found]] = agree_with_cues([relations[at] for at, _ in found], sentences)
    return kept


def _blocks(documents: pa.ChunkedArray) -> Iterator[tuple[int, int]]:
    """Ranges of about BLOCK_ROWS rows that split no document; the rows of a document are adjacent."""
    codes = documents.combine_chunks().dictionary_encode().indices.to_numpy()
    borders = (
        np.concatenate(([0], np.flatnonzero(np.diff(codes)) + 1, [len(codes)])) if len(codes) else np.zeros(1, int)
    )
    start = 0
    while start < len(codes):
        end = int(borders[np.searchsorted(borders, min(start + BLOCK_ROWS, len(codes)))])
        yield start, end
        start = end


def _with_heads(tails: pa.Table, heads: pa.Table, documents: pa.ChunkedArray) -> pa.Table:
    return pa.table(
        {
            **{name: tails[name] for name in ("query", "head", "sequence", "log_prob", "confidence", "decoder")},
            "document": documents.take(tails["sequence"]),
            "asked": tails["relation"],
            "head_text": heads["text"].take(tails["head"]),
            "tail_text": tails["tail"],
            "mention": tails["mention"],
        }
    )


def _with_ends(table: pa.Table, heads: pa.Table, ends: EntityResolver, signatures: Signatures) -> pa.Table:
    """The table with subject, relation and object as they are stored: what an inverse asked for is turned round."""
    about = heads.take(table["head"])
    asked, types = table["asked"].to_pylist(), about["type"].to_pylist()
    starts = ends.mentioned(about["text"].to_pylist(), about["entity"].to_pylist(), types)
    found = _tail_ends(table, heads, ends, types)
    turned = [name in signatures.inverses for name in asked]
    pairs = [(b, a) if turn else (a, b) for a, b, turn in zip(starts, found, turned, strict=True)]
    columns: dict[str, Any] = {
        **{name: table[name] for name in table.column_names},
        "relation": pa.array([signatures.inverses.get(name, name) for name in asked], pa.string()),
        "turned": pa.array(turned, pa.bool_()),
        "tail_linked": pa.array([each.linked for each in found], pa.bool_()),
    }
    for at, end in enumerate(("subject", "object")):
        for part in ("id", "name", "type"):
            name = end if part == "id" else f"{end}_{part}"
            columns[name] = pa.array([getattr(pair[at], part) for pair in pairs], pa.string())
    return pa.table([columns[name] for name in FILTERED.names], FILTERED.names)


def _tail_ends(
    table: pa.Table, heads: pa.Table, ends: EntityResolver, types: Sequence[str | None]
) -> list[ResolvedEntity]:
    """Tails that are mentions by what these name, the others by their own names."""
    mentions = heads.select(["entity", "type"]).take(table["mention"])
    texts, asked = table["tail_text"].to_pylist(), table["asked"].to_pylist()
    found = ends.mentioned(texts, mentions["entity"].to_pylist(), mentions["type"].to_pylist())
    others = np.flatnonzero(table["mention"].is_null().to_numpy(zero_copy_only=False)).tolist()
    named = ends.objects([texts[at] for at in others], [asked[at] for at in others], [types[at] for at in others])
    for at, end in zip(others, named, strict=True):
        found[at] = end
    return found


def _known_words(run: Path, graph: GraphEngine) -> frozenset[str]:
    """Every word of the texts and of the seed's names."""
    texts: Sequence[str] = (*document_texts(run).values(), *read_entities(graph, ("name",))["name"].to_pylist())
    return frozenset(word for text in texts for word in words_of(text))


def _are_linked(sieve: FilteredTable) -> NDArray[np.bool_]:
    return np.asarray(sieve.table["tail_linked"].to_numpy(zero_copy_only=False), bool)
