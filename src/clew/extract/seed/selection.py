"""Contextual selection: for each linked head, the triples of its entity that are nearest to the sequence it stands in.

Triples are verbalised ("head relation tail"). The default similarity is that of weighted words and linked entities
(`similarity`); with an encoder, the nearest by words are ranked again by the cosine of vectors.
"""

import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from clew.errors import InputError
from clew.extract.corpus.tables import read_documents
from clew.extract.mentions.heads import read_heads
from clew.extract.seed.candidate_triples import FEWEST, CandidateTriples, collect_candidate_triples, short_tails
from clew.extract.seed.word_similarity import WordSimilarity, relation_words
from clew.extract.sequences.packing import read_sequences
from clew.extract.sequences.spans import SequenceTokens
from clew.extract.sequences.vocabulary import open_vocabulary
from clew.extract.stage import Stage
from clew.graph import GraphContents, read_entities
from clew.progress import Progress, silent

if TYPE_CHECKING:
    from clew.embed import Encoder

__all__ = [
    "MATCHES",
    "STAGE",
    "Context",
    "SelectionSettings",
    "drop_rare",
    "prepare_matches",
    "read_context",
    "read_matches",
    "select_triples",
]

Ints = NDArray[np.integer]
STAGE = Stage("matches", "prepare", "seed triples nearest to each head's text", reads=("heads",), headline=("matches",))
MATCHES = pa.schema(
    [
        ("head", pa.int32()),
        ("sequence", pa.int32()),
        ("subject", pa.string()),
        ("relation", pa.string()),
        ("object", pa.string()),
        ("tail", pa.string()),
        ("score", pa.float32()),
    ]
)
TAILS = ("name", "mention")
SEQUENCES_AT_ONCE = 20_000  # vectors held at a time
REPORT = 500  # sequences between two reports of progress


@dataclass(frozen=True, slots=True)
class SelectionSettings:
    """How many triples a head keeps, and how a tail is worded: by its name, or as the sequence itself calls it.

    `compared` is how many of the nearest by words an encoder ranks again; `covered` how much of a tail a sequence
    must contain (1 if it mentions it, else the weighted share of its words): one word such as "system" is no context.
    """

    most: int = 40
    compared: int = 40
    fewest: int = FEWEST
    covered: float = 0.5
    tails: str = "mention"  # "name" in the paper: then a tail may be worded as the text never does

    def __post_init__(self) -> None:
        if min(self.most, self.compared) < 1:
            raise InputError("most and compared are at least 1")
        if self.tails not in TAILS:
            raise InputError(f"tails are worded by {' or '.join(TAILS)}, not {self.tails!r}")


@dataclass(frozen=True, slots=True)
class Context:
    """What selection reads: each head's sequence and entity (by number, -1 for none), and all texts."""

    sequence: Ints  # (heads,) ascending
    entity: Ints  # (heads,)
    texts: Sequence[str]  # of sequences
    written: Sequence[str | None]  # what each head says; None where it is an abbreviation, which is no tail


@dataclass(frozen=True, slots=True)
class _Chosen:
    """Rows of matches as arrays."""

    head: Ints
    row: Ints  # of the candidates
    score: NDArray[np.float32]

    def take(self, at: Ints) -> "_Chosen":
        return _Chosen(self.head[at], self.row[at], self.score[at])


def prepare_matches(
    run: Path,
    graph: GraphContents,
    *,
    settings: SelectionSettings | None = None,
    without: Ints | None = None,
    encoder: "Encoder | None" = None,
    progress: Progress = silent,
) -> dict[str, int]:
    """Select triples for the heads of a run and write run/matches; returns the counts.

    `without` are numbers of triples that are excluded.
    """
    settings = settings or SelectionSettings()
    made_from = {
        "settings": settings,
        "graph": graph.snapshot.id,
        "encoder": "words" if encoder is None else encoder.identity,
        "without": "" if without is None else hashlib.sha256(np.asarray(without).tobytes()).hexdigest(),
    }
    work = STAGE.start(run, made_from)
    if work.finished is not None:
        return work.finished
    candidates = collect_candidate_triples(graph, without=() if without is None else without, fewest=settings.fewest)
    vocabulary = open_vocabulary(Path(run) / "sequences" / "tokenizer.json")
    table, counts = select_triples(
        read_context(run, graph),
        candidates,
        graph,
        settings=settings,
        short=short_tails(graph, candidates, vocabulary),
        encoder=encoder,
        progress=progress,
    )
    work.write({STAGE.name: table}, counts)
    return counts


def read_matches(run: Path) -> pa.Table:
    """The matches of a run."""
    return STAGE.read_table(run)


def read_context(run: Path, graph: GraphContents) -> Context:
    """The heads of a run with their sequences' texts."""
    heads = read_heads(run)
    sequences = read_sequences(run).select(["document", "starts", "ends"])
    tokens = SequenceTokens(sequences)
    documents = read_documents(run)
    texts = dict(zip(documents["document"].to_pylist(), documents["text"].to_pylist(), strict=True))
    return Context(
        heads["sequence"].to_numpy(),
        graph.lookup(heads["entity"]),
        [tokens.text(row, texts[name]) for row, name in enumerate(sequences["document"].to_pylist())],
        pc.if_else(pc.equal(heads["method"], "abbreviation"), None, heads["text"]).to_pylist(),
    )


def select_triples(
    context: Context,
    candidates: CandidateTriples,
    graph: GraphContents,
    *,
    settings: SelectionSettings | None = None,
    short: NDArray[np.bool_] | None = None,
    encoder: "Encoder | None" = None,
    progress: Progress = silent,
) -> tuple[pa.Table, dict[str, int]]:
    """The nearest triples of every head, the nearest first, and the counts.

    `short` says of every entity whether its name fits into a leaf; others are no tails.
    """
    settings = settings or SelectionSettings()
    names = read_entities(graph, ("name",))["name"].to_pylist()
    counts: Counter[str] = Counter({"heads": len(context.sequence), "candidates": len(candidates)})
    counts.update({f"relation too rare before: {name}": count for name, count in candidates.dropped.items()})
    chosen = _nearest_by_words(context, candidates, names, settings, short, counts, progress)
    if encoder is not None:
        chosen = _nearest_by_meaning(chosen, context, candidates, names, encoder, settings, progress)
    chosen = drop_rare(chosen, candidates, settings.fewest, counts)
    counts["matches"] = len(chosen.head)
    counts["heads with a match"] = len(np.unique(chosen.head))
    for name, count in zip(candidates.relations, _relation_counts(chosen, candidates).tolist(), strict=True):
        counts[f"matches of {name}"] += count
    return _table(chosen, context, candidates, graph, names, settings), dict(counts)


def _nearest_by_words(
    context: Context,
    candidates: CandidateTriples,
    names: Sequence[str],
    settings: SelectionSettings,
    short: NDArray[np.bool_] | None,
    counts: Counter[str],
    progress: Progress,
) -> "_Chosen":
    borders = np.searchsorted(context.sequence, np.arange(len(context.texts) + 1))
    linked = [context.entity[start:end] for start, end in pairwise(borders.tolist())]
    progress("counting words", 0, None)
    words = WordSimilarity(names, candidates.relations, context.texts, [each[each >= 0] for each in linked])
    usable = np.ones(len(candidates), bool) if short is None else short[candidates.object]
    counts["candidates with too long a tail"] = int((~usable).sum())
    heads, rows, scores = [], [], []
    for sequence, entities in enumerate(linked):
        if sequence % REPORT == 0:
            progress("selecting triples", sequence, len(linked))
        known: dict[int, tuple[Ints, NDArray[np.float32]]] = {}
        for at, entity in enumerate(entities.tolist()):
            if entity < 0:
                continue
            if entity not in known:
                near = np.arange(candidates.offsets[entity], candidates.offsets[entity + 1])
                near = near[usable[near]]
                score, share = words.score(sequence, entity, candidates.relation[near], candidates.object[near])
                told = np.flatnonzero(share >= settings.covered)
                counts["triples whose tail the sequence hardly contains"] += len(near) - len(told)
                best = told[np.argsort(-score[told], kind="stable")[: max(settings.most, settings.compared)]]
                known[entity] = near[best], score[best]
            row, score = known[entity]
            heads.append(np.full(len(row), borders[sequence] + at))
            rows.append(row)
            scores.append(score)
    progress("selecting triples", len(linked), len(linked))
    empty = np.zeros(0, np.int64)
    chosen = _Chosen(
        np.concatenate([empty, *heads]),
        np.concatenate([empty, *rows]),
        np.concatenate([empty, *scores], dtype=np.float32),
    )
    return chosen


def _nearest_by_meaning(
    chosen: "_Chosen",
    context: Context,
    candidates: CandidateTriples,
    names: Sequence[str],
    encoder: "Encoder",
    settings: SelectionSettings,
    progress: Progress,
) -> "_Chosen":
    """The same triples scored by vectors, each distinct triple and sequence encoded once."""
    distinct, which = np.unique(chosen.row, return_inverse=True)
    said = [
        f"{names[candidates.subject[row]]} {relation_words(candidates.relations[candidates.relation[row]])} "
        f"{names[candidates.object[row]]}"
        for row in distinct.tolist()
    ]
    triples = encoder.encode(said, progress=progress).astype(np.float16)
    score = np.zeros(len(chosen.head), np.float32)
    sequence = context.sequence[chosen.head]
    for start in range(0, len(context.texts), SEQUENCES_AT_ONCE):
        low, high = np.searchsorted(sequence, (start, start + SEQUENCES_AT_ONCE))
        if low < high:
            needed, at = np.unique(sequence[low:high], return_inverse=True)
            texts = encoder.encode([context.texts[each] for each in needed.tolist()], progress=progress)
            score[low:high] = np.einsum("ij,ij->i", texts[at], triples[which[low:high]].astype(np.float32))
    order = np.lexsort((chosen.row, -score, chosen.head))
    ranked = _Chosen(chosen.head[order], chosen.row[order], score[order])
    place = np.arange(len(order)) - np.searchsorted(ranked.head, ranked.head)
    return ranked.take(np.flatnonzero(place < settings.most))


def drop_rare(chosen: "_Chosen", candidates: CandidateTriples, fewest: int, counts: Counter[str]) -> "_Chosen":
    """Without the relations that are left with few distinct triples."""
    distinct = np.unique(chosen.row)
    left = np.bincount(candidates.relation[distinct], minlength=len(candidates.relations))
    for number in np.flatnonzero((left > 0) & (left < fewest)).tolist():
        counts[f"relation too rare after: {candidates.relations[number]}"] = int(left[number])
    return chosen.take(np.flatnonzero(left[candidates.relation[chosen.row]] >= fewest))


def _relation_counts(chosen: "_Chosen", candidates: CandidateTriples) -> Ints:
    return np.bincount(candidates.relation[chosen.row], minlength=len(candidates.relations))


def _table(
    chosen: "_Chosen",
    context: Context,
    candidates: CandidateTriples,
    graph: GraphContents,
    names: Sequence[str],
    settings: SelectionSettings,
) -> pa.Table:
    entities = read_entities(graph, ("id", "name"))
    ids = entities["id"].combine_chunks()
    sequence, object_ = context.sequence[chosen.head], candidates.object[chosen.row]
    tails = entities["name"].combine_chunks().take(pa.array(object_))
    tails = pc.utf8_lower(tails)
    if settings.tails == "mention":
        tails = _as_mentioned(tails, sequence, object_, context)
    return pa.table(
        {
            "head": pa.array(chosen.head, pa.int32()),
            "sequence": pa.array(sequence, pa.int32()),
            "subject": ids.take(pa.array(context.entity[chosen.head])),
            "relation": pa.array(candidates.relations, pa.string()).take(pa.array(candidates.relation[chosen.row])),
            "object": ids.take(pa.array(object_)),
            "tail": tails,
            "score": pa.array(chosen.score, pa.float32()),
        },
        schema=MATCHES,
    )


def _as_mentioned(tails: pa.Array, sequence: Ints, object_: Ints, context: Context) -> pa.Array:
    """Tails as the sequence words them, where it mentions them: the first mention counts."""
    width = int(max(context.entity.max(initial=0), object_.max(initial=0))) + 1
    keys = context.sequence.astype(np.int64) * width + context.entity
    keys[(context.entity < 0) | np.array([each is None for each in context.written], bool)] = -1
    known, first = np.unique(keys, return_index=True)
    wanted = sequence.astype(np.int64) * width + object_
    at = np.minimum(np.searchsorted(known, wanted), max(len(known) - 1, 0))
    hit = known[at] == wanted if len(known) else np.zeros(len(wanted), bool)
    words = pc.utf8_lower(pa.array(context.written, pa.string())).take(pa.array(first[at]))
    return pc.if_else(pa.array(hit), words, tails)
