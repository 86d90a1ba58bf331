"""From heads to queries: each head of a run with every relation that makes sense for it.

The mentions of its sequence that may be its tail stand with each query. Written is run/queries: a table (query, head,
relation, mentions), the signatures that decided, counts, and the same rows as arrays for the model.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from clew.errors import InputError
from clew.extract.mentions.candidates import Mention, find_candidates, mentions_by_sequence
from clew.extract.mentions.heads import read_heads
from clew.extract.predict.query_arrays import Candidates, Queries, save_query_arrays
from clew.extract.predict.relation_matching import (
    MatchedRelations,
    RelationChooser,
    RelationMatching,
    TypeCues,
    match_relations,
)
from clew.extract.seed.signatures import SIGNATURES, Signatures, read_signatures
from clew.extract.sequences.packing import read_sequences
from clew.extract.sequences.texts import sequence_texts
from clew.extract.stage import Stage, write_counts, write_table
from clew.files import write_text
from clew.graph import GraphContents, read_entities
from clew.json_files import read_json
from clew.lm import LanguageModel
from clew.progress import Progress, silent

__all__ = [
    "QUERIES",
    "STAGE",
    "known_signatures",
    "make_queries",
    "prepare_queries",
    "read_queries",
    "write_queries",
]

STAGE = Stage("queries", "predict", "heads with the relations to ask for", reads=("heads",), headline=("queries",))
QUERIES = pa.schema(
    [
        ("query", pa.int32()),
        ("head", pa.int32()),
        ("sequence", pa.int32()),
        ("relation", pa.string()),
        ("mentions", pa.list_(pa.int32())),  # rows of the heads that may be the tail
    ]
)


def prepare_queries(
    run: Path,
    graph: GraphContents,
    *,
    model: Path,
    matching: RelationMatching | None = None,
    helper: LanguageModel | None = None,
    progress: Progress = silent,
) -> dict[str, int]:
    """Write run/queries for a model directory (of which relations.json counts); returns the counts.

    With a `helper` model, it chooses among the relations of each head by the text.
    """
    run, matching = Path(run), matching or RelationMatching()
    relations = _relations(model)
    made_from = {
        "settings": matching,
        "graph": graph.snapshot.id,
        "relations": relations,
        "helper": "none" if helper is None else helper.identity,
    }
    work = STAGE.start(run, made_from)
    if work.finished is not None:
        return work.finished
    heads = read_heads(run)
    if not heads.num_rows:
        raise InputError(f"no head was found in the texts of {run}: give a seed graph that names their entities")
    signatures = known_signatures(graph, relations)
    matched = _match(heads, graph, signatures, matching)
    if helper is not None:
        matched = _chosen(matched, heads, sequence_texts(run), helper, progress)
    table, queries, counts = make_queries(
        heads, matched, read_sequences(run), relations, signatures, mentioned=matching.mentioned
    )
    if not len(queries):
        raise InputError(
            f"nothing can be asked about the {heads.num_rows:,} heads of {run}: no relation of the model begins at one "
            "of their types"
        )
    write_queries(run, made_from, table, queries, signatures, counts)
    return counts


def write_queries(
    run: Path,
    made_from: Mapping[str, Any],
    table: pa.Table,
    queries: Queries,
    signatures: Signatures,
    counts: Mapping[str, int],
) -> None:
    """Write run/queries: what `make_queries` gave, as a table and as arrays for the model."""
    with STAGE.start(run, made_from).seal() as directory:
        write_table(table, directory / f"{STAGE.name}.parquet")
        write_text(directory / SIGNATURES, signatures.to_json())
        save_query_arrays(directory, queries)
        write_counts(directory, counts)


def read_queries(run: Path) -> tuple[pa.Table, Signatures]:
    """The queries of a run in order, and the signatures that decided them."""
    return STAGE.read_table(run), read_signatures(STAGE.directory(run) / SIGNATURES)


def make_queries(
    heads: pa.Table,
    matched: Sequence[MatchedRelations],
    sequences: pa.Table,
    relations: Sequence[str],
    signatures: Signatures,
    *,
    mentions: pa.Table | None = None,
    mentioned: bool = False,
) -> tuple[pa.Table, Queries, dict[str, int]]:
    """Queries of heads with their relations; of a head that recurs in a sequence only the first is asked.

    `mentions` are all heads of the run, where only some are asked; with `mentioned`, a query without a mention that may
    be its tail is left out.
    """
    counts: Counter[str] = Counter({"heads": heads.num_rows})
    number = {name: at for at, name in enumerate(relations)}
    columns = (heads[name].to_pylist() for name in ("head", "sequence", "first", "last", "text", "entity", "type"))
    met: set[tuple[int, str]] = set()
    asked: list[_Query] = []
    for (head, sequence, first, last, text, entity, type), each in zip(
        zip(*columns, strict=True), matched, strict=True
    ):
        if (place := (sequence, entity or text.casefold())) in met:
            counts["left out: said before in its sequence"] += 1
            continue
        met.add(place)
        if not each.relations:
            counts["left out: no relation begins at its type"] += 1
            continue
        counts[f"heads by {each.how}"] += 1
        asked += [_Query(sequence, first, last, number[name], head, entity, type) for name in each.relations]
    asked.sort(key=lambda each: (each.sequence, each.first, each.relation))
    candidates = _candidates(asked, heads if mentions is None else mentions, sequences, relations, signatures)
    if mentioned:
        counts["left out: no mention fits"] = sum(not each for each in candidates)
        asked = [each for each, some in zip(asked, candidates, strict=True) if some]
        candidates = [some for some in candidates if some]
    counts.update(f"queries of {relations[each.relation]}" for each in asked)
    counts["queries"] = len(asked)
    counts["queries with a mention that fits"] = sum(map(bool, candidates))
    counts["mentions to be weighed"] = sum(map(len, candidates))
    return *_as_tables(asked, candidates, sequences, relations), dict(counts)


@dataclass(frozen=True, slots=True)
class _Query:
    """A head that is asked for a relation, by number."""

    sequence: int
    first: int
    last: int
    relation: int
    head: int
    entity: str | None
    type: str | None


def _candidates(
    asked: Sequence[_Query], heads: pa.Table, sequences: pa.Table, relations: Sequence[str], signatures: Signatures
) -> list[list[Mention]]:
    """For each query the mentions that may be its tail, of each spelling the first."""
    tokens = sequences["tokens"].combine_chunks()
    mentions = dict(mentions_by_sequence(heads))
    types = lru_cache(maxsize=None)(signatures.types_of_tails)
    found, at, here = [], -1, ()
    for each in asked:
        if each.sequence != at:
            at, here = each.sequence, tokens[each.sequence].as_py()
        fitting = find_candidates(each.entity, types(relations[each.relation], each.type), mentions.get(at, ()), here)
        found.append([same[0] for same in fitting.values()])
    return found


def _as_tables(
    asked: Sequence[_Query], candidates: Sequence[Sequence[Mention]], sequences: pa.Table, relations: Sequence[str]
) -> tuple[pa.Table, Queries]:
    rows = [(each.sequence, each.first, each.last, each.relation, each.head) for each in asked]
    sequence, first, last, relation, head = np.array(rows, np.int64).reshape(-1, 5).T
    tokens = sequences["tokens"].combine_chunks()
    flat = [each for some in candidates for each in some]
    queries = Queries(
        roots=tokens.flatten().to_numpy(),
        offsets=tokens.offsets.to_numpy().astype(np.int64),
        sequence=sequence,
        first=first,
        last=last,
        relation=relation,
        relations=tuple(relations),
        candidates=Candidates(
            np.array([len(some) for some in candidates]),
            np.array([each.first for each in flat]),
            np.array([each.last for each in flat]),
        ),
    )
    columns = [
        pa.array(np.arange(len(rows), dtype=np.int32)),
        pa.array(head.astype(np.int32)),
        pa.array(sequence.astype(np.int32)),
        pa.array(relations, pa.string()).take(pa.array(relation)),
        pa.array([[each.head for each in some] for some in candidates], pa.list_(pa.int32())),
    ]
    return pa.table(columns, schema=QUERIES), queries


def _match(
    heads: pa.Table, graph: GraphContents, signatures: Signatures, matching: RelationMatching
) -> list[MatchedRelations]:
    cues = None
    if heads["type"].null_count:
        entities = read_entities(graph, ("name", "type"))
        cues = TypeCues(entities["name"].to_pylist(), entities["type"].to_pylist())
    texts, types = heads["text"].to_pylist(), heads["type"].to_pylist()
    return match_relations(texts, types, signatures, cues=cues, matching=matching)


def known_signatures(graph: GraphContents, relations: Sequence[str]) -> Signatures:
    """The signatures of the relations that both the model and the graph have; none in common is an error."""
    there = {name for each in graph.schema.relations for name in (each.name, each.inverse)}
    shared = [name for name in relations if name in there]
    if not shared:
        raise InputError(
            f"the model's relations ({', '.join(list(relations)[:6])}) are not those of {graph.snapshot}: give the "
            "graph that it was trained with (--seed-graph)"
        )
    return Signatures.of_schema(graph.schema, relations=shared)


def _relations(model: Path) -> tuple[str, ...]:
    try:
        return tuple(map(str, read_json(Path(model) / "relations.json")))
    except (OSError, ValueError, TypeError) as error:
        raise InputError(f"{model} holds no model of extraction (relations.json: {error})") from error


def _chosen(
    matched: Sequence[MatchedRelations],
    heads: pa.Table,
    texts: Sequence[str],
    helper: LanguageModel,
    progress: Progress,
) -> list[MatchedRelations]:
    chooser = RelationChooser(helper)
    chosen = []
    rows = zip(matched, heads["text"].to_pylist(), heads["sequence"].to_pylist(), strict=True)
    for at, (each, head, sequence) in enumerate(rows):
        progress("choosing relations", at, len(matched))
        chosen.append(
            MatchedRelations(chooser.choose(each.relations, head=head, sequence=texts[sequence]), helper.name)
        )
    progress("choosing relations", len(matched), len(matched))
    return chosen
