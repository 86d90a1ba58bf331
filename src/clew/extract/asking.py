"""From heads to queries: each head of a run with every relation that makes sense for it.

Written are run/asked (a table: query, head, relation; the signatures that decided; counts) and run/queries, the same
rows as arrays for the model.
"""

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

import numpy as np
import pyarrow as pa

from clew.errors import DerivedError, InputError
from clew.extract.heads import read_heads
from clew.extract.parts import COUNTS, seal_checksum, write_table
from clew.extract.queries import Queries, write_queries
from clew.extract.relations import Matched, Matching, RelationChooser, TypeCues, match_relations
from clew.extract.sequences import read_sequences
from clew.extract.signatures import SIGNATURES, Signatures, read_signatures
from clew.extract.stage_files import finished_counts, read_stage_table
from clew.extract.texts import sequence_texts
from clew.files import write_text
from clew.graph import Graph
from clew.lm import LanguageModel
from clew.progress import Progress, silent
from clew.sealed import check_seal, new_sealed

__all__ = ["ASKED", "ask_heads", "known_signatures", "prepare_queries", "read_asked"]

STAGE, QUERIES = "asked", "queries"
ASKED = pa.schema([("query", pa.int32()), ("head", pa.int32()), ("sequence", pa.int32()), ("relation", pa.string())])


def prepare_queries(
    run: Path,
    graph: Graph,
    *,
    model: Path,
    matching: Matching | None = None,
    helper: LanguageModel | None = None,
    progress: Progress = silent,
) -> dict[str, int]:
    """Write run/asked and run/queries for a model directory (of which relations.json counts); returns the counts.

    With a `helper` model, it chooses among the relations of each head by the text.
    """
    run, matching = Path(run), matching or Matching()
    relations = _relations(model)
    identity = {
        **asdict(matching),
        "heads": seal_checksum(run / "heads"),
        "graph": graph.manifest.snapshot,
        "relations": json.dumps(relations),
        "helper": "none" if helper is None else helper.identity,
    }
    counted = finished_counts(run / STAGE, identity)
    if counted is not None and _is_asked(run):
        return counted
    heads = read_heads(run)
    if not heads.num_rows:
        raise InputError(f"no head was found in the texts of {run}: give a seed graph that names what they speak of")
    signatures = known_signatures(graph, relations)
    matched = _match(heads, graph, signatures, matching)
    if helper is not None:
        matched = _chosen(matched, heads, sequence_texts(run), helper, progress)
    table, queries, counts = ask_heads(heads, matched, read_sequences(run), relations)
    if not len(queries):
        raise InputError(
            f"nothing can be asked about the {heads.num_rows:,} heads of {run}: no relation of the model begins at one "
            "of their types"
        )
    with new_sealed(run / STAGE, identity, what="heads and relations to ask") as directory:
        write_table(table, directory / f"{STAGE}.parquet")
        write_text(directory / SIGNATURES, signatures.to_json())
        write_text(directory / COUNTS, json.dumps(counts, indent=1, ensure_ascii=False) + "\n")
    write_queries(run / QUERIES, queries, identity={STAGE: seal_checksum(run / STAGE)})
    return counts


def read_asked(run: Path) -> tuple[pa.Table, Signatures]:
    """What was asked, in the order of the queries, and the signatures that decided it."""
    stage = Path(run) / STAGE
    return read_stage_table(stage), read_signatures(stage / SIGNATURES)


def ask_heads(
    heads: pa.Table, matched: Sequence[Matched], sequences: pa.Table, relations: Sequence[str]
) -> tuple[pa.Table, Queries, dict[str, int]]:
    """Queries of all heads with their relations; of a head that recurs in a sequence only the first is asked."""
    counts: Counter[str] = Counter({"heads": heads.num_rows})
    number = {name: at for at, name in enumerate(relations)}
    columns = (heads[name].to_pylist() for name in ("head", "sequence", "first", "last", "text", "entity"))
    met: set[tuple[int, str]] = set()
    rows: list[tuple[int, int, int, int, int]] = []
    for (head, sequence, first, last, text, entity), asked in zip(zip(*columns, strict=True), matched, strict=True):
        if (place := (sequence, entity or text.casefold())) in met:
            counts["left out: said before in its sequence"] += 1
            continue
        met.add(place)
        if not asked.relations:
            counts["left out: no relation begins at its type"] += 1
            continue
        counts[f"heads by {asked.how}"] += 1
        rows += [(sequence, first, last, number[name], head) for name in asked.relations]
        counts.update(f"queries of {name}" for name in asked.relations)
    counts["queries"] = len(rows)
    rows.sort(key=lambda row: (row[0], row[1], row[3]))
    sequence, first, last, relation, head = np.array(rows, np.int64).reshape(-1, 5).T
    tokens = sequences["tokens"].combine_chunks()
    queries = Queries(
        roots=tokens.flatten().to_numpy(),
        offsets=tokens.offsets.to_numpy().astype(np.int64),
        sequence=sequence,
        first=first,
        last=last,
        relation=relation,
        relations=tuple(relations),
    )
    names = pa.array(relations, pa.string()).take(pa.array(relation))
    table = pa.table(
        [np.arange(len(rows), dtype=np.int32), head.astype(np.int32), sequence.astype(np.int32), names], schema=ASKED
    )
    return table, queries, dict(counts)


def _match(heads: pa.Table, graph: Graph, signatures: Signatures, matching: Matching) -> list[Matched]:
    cues = None
    if heads["type"].null_count:
        cues = TypeCues(graph.entities["name"].to_pylist(), graph.entities["type"].to_pylist())
    texts, types = heads["text"].to_pylist(), heads["type"].to_pylist()
    return match_relations(texts, types, signatures, cues=cues, matching=matching)


def _is_asked(run: Path) -> bool:
    """Whether the arrays were written too: they come last."""
    wanted = {STAGE: seal_checksum(run / STAGE)}
    try:
        check_seal(run / QUERIES, wanted, what="the queries", remedy="clew extract predict")
    except DerivedError:
        return False
    return True


def known_signatures(graph: Graph, relations: Sequence[str]) -> Signatures:
    """The signatures of the relations that both the model and the graph have; none in common is an error."""
    there = {name for each in graph.schema.relations for name in (each.name, each.inverse)}
    shared = [name for name in relations if name in there]
    if not shared:
        raise InputError(
            f"the model's relations ({', '.join(list(relations)[:6])}) are not those of {graph.path}: give the graph "
            "that it was trained with (--seed-graph)"
        )
    return Signatures.of_schema(graph.schema, relations=shared)


def _relations(model: Path) -> tuple[str, ...]:
    try:
        return tuple(json.loads((Path(model) / "relations.json").read_text("utf-8")))
    except (OSError, ValueError) as error:
        raise InputError(f"{model} holds no model of extraction (relations.json: {error})") from error


def _chosen(
    matched: Sequence[Matched], heads: pa.Table, texts: Sequence[str], helper: LanguageModel, progress: Progress
) -> list[Matched]:
    chooser = RelationChooser(helper)
    chosen = []
    rows = zip(matched, heads["text"].to_pylist(), heads["sequence"].to_pylist(), strict=True)
    for at, (each, head, sequence) in enumerate(rows):
        progress("choosing relations", at, len(matched))
        chosen.append(Matched(chooser.choose(each.relations, head=head, sequence=texts[sequence]), helper.name))
    progress("choosing relations", len(matched), len(matched))
    return chosen
