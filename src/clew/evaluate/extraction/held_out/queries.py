"""A run that asks about held-out facts only: each fact's head and relation, in the sequences where both ends stand.

Made beside the run that held them out; corpus, sequences, heads and facts are shared, queries are its own. Predictions
and tails then come by the same stages as in any run, with more tails for each query.
"""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from clew.errors import InputError
from clew.evaluate.extraction.held_out.facts import DEPTH
from clew.extract.mentions.heads import read_heads
from clew.extract.predict.predictions import prepare_predictions
from clew.extract.predict.queries import known_signatures, make_queries, write_queries
from clew.extract.predict.relation_matching import MatchedRelations
from clew.extract.predict.tails import DecoderSettings, prepare_tails
from clew.extract.seed.held_out import read_held_out
from clew.extract.sequences.packing import read_sequences
from clew.extract.stage import seal_checksum
from clew.progress import Progress, silent
from clew.traverse import Engine

__all__ = ["MANY_TAILS", "ask_held_out", "predict_held_out"]

SHARED = ("corpus", "sequences", "heads", "held_out", "injected")
# Many tails, since some name one entity, or another true tail; each asked one way, as only the facts are asked.
MANY_TAILS = DecoderSettings(width=64, most=3 * DEPTH, both_ways=False, none=False)


def ask_held_out(run: Path, out: Path, graph: Engine, relations: tuple[str, ...]) -> dict[str, int]:
    """Write the queries of a run's held-out facts under `out`, for a model with these relations."""
    facts = read_held_out(run)
    wanted: dict[int, list[str]] = {}
    for head, relation in zip(facts["head"].to_pylist(), facts["relation"].to_pylist(), strict=True):
        if relation in relations and relation not in wanted.setdefault(head, []):
            wanted[head].append(relation)
    if not wanted:
        raise InputError(f"no held-out fact of {run} has a relation that the model knows")
    heads = read_heads(run)
    asked = heads.filter(pc.is_in(heads["head"], pa.array(list(wanted), pa.int32())))
    matched = [MatchedRelations(tuple(wanted[head]), "held-out") for head in asked["head"].to_pylist()]
    signatures = known_signatures(graph, relations)
    table, queries, counts = make_queries(asked, matched, read_sequences(run), relations, signatures, mentions=heads)
    out.mkdir(parents=True, exist_ok=True)
    for name in SHARED:
        if not (out / name).exists():
            (out / name).symlink_to((run / name).resolve(), target_is_directory=True)
    identity = {"held_out": seal_checksum(run / "held_out"), "relations": json.dumps(relations)}
    write_queries(out, identity, table, queries, signatures, counts)
    return {**counts, "facts": facts.num_rows, "facts asked about": int(np.isin(facts["head"], list(wanted)).sum())}


def predict_held_out(
    run: Path,
    out: Path,
    graph: Engine,
    model: Path,
    *,
    device: str | None = None,
    progress: Progress = silent,
) -> None:
    """Queries, predictions and tails of a run's held-out facts with one model, all under `out`."""
    relations = tuple(json.loads((model / "relations.json").read_text("utf-8")))
    ask_held_out(run, out, graph, relations)
    prepare_predictions(out, model=model, device=device, progress=progress)
    prepare_tails(out, graph, settings=MANY_TAILS, progress=progress)
