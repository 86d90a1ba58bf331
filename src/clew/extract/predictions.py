"""Prediction over all queries of a run: run/queries and a model in, the likeliest tokens of every masked tail out.

Written is run/predictions: for each query the k best tokens of each of the seven slots, flat, with log-probabilities.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from clew.errors import InputError, MissingDependency
from clew.extract.asking import read_asked
from clew.extract.chains import SLOTS
from clew.extract.parts import PartFolder, seal_checksum
from clew.extract.queries import Queries, read_queries
from clew.extract.stage_files import Identity, finished_counts, read_stage_table, write_stage
from clew.progress import Progress, silent

if TYPE_CHECKING:
    from clew.extract.prediction import Predictor

__all__ = ["PREDICTIONS", "open_predictor", "part_of", "prepare_predictions", "read_predictions", "take_predictions"]

STAGE = "predictions"
PREDICTIONS = pa.schema(
    [
        ("query", pa.int32()),
        ("head", pa.int32()),
        ("sequence", pa.int32()),
        ("relation", pa.string()),
        ("tokens", pa.list_(pa.uint16())),
        ("log_probs", pa.list_(pa.float16())),
    ]
)
PART_QUERIES = 20_000


def open_predictor(model: Path, *, device: str | None = None) -> "Predictor":
    """The predictor of a model directory; without torch, an error that says what to install."""
    try:
        from clew.extract.prediction import Predictor
    except ImportError as error:
        if (error.name or "").startswith("clew"):
            raise
        raise MissingDependency(f"extraction needs the library {error.name!r}: pip install 'clew[extract]'") from error
    return Predictor.open(model, device=device)


def prepare_predictions(
    run: Path, *, model: Path, k: int = 20, device: str | None = None, progress: Progress = silent
) -> dict[str, int]:
    """Predict the tails of run/queries with a model; a killed run goes on with the next part."""
    if k < 2:
        raise InputError(f"at least two tokens of each slot are kept, a word and an end, not {k}")
    run = Path(run)
    identity: Identity = {"queries": seal_checksum(run / "queries"), "model": seal_checksum(model), "k": k}
    if (counted := finished_counts(run / STAGE, identity)) is not None:
        return counted
    queries, (asked, _) = read_queries(run / "queries"), read_asked(run)
    parts = PartFolder(run / STAGE, identity)
    predictor = open_predictor(model, device=device)
    if predictor.saved.relations != queries.relations:
        raise InputError(f"the queries of {run} are for a model with other relations: run `clew extract predict` again")
    for start in range(parts.finished * PART_QUERIES, len(queries), PART_QUERIES):
        end = min(start + PART_QUERIES, len(queries))
        tokens, log_probs = predictor.top(part_of(queries, start, end), k, progress=progress)
        parts.write({STAGE: _table(asked.slice(start, end - start), tokens, log_probs)}, {"queries": end - start})
    table = pa.concat_tables([PREDICTIONS.empty_table(), *parts.tables(STAGE)])
    counts = {"queries": table.num_rows, "tokens of a slot": k}
    write_stage(run / STAGE, identity, {STAGE: table}, counts, what="predicted tokens of tails")
    parts.remove()
    return counts


def take_predictions(run: Path, folder: Path, *, model: Path) -> dict[str, int]:
    """Write run/predictions from arrays that were predicted on another machine.

    `folder` holds tokens.npy and log_probs.npy, (queries, 7, k) each, whole or as tokens.part-00.npy and so on.
    """
    run = Path(run)
    tokens, log_probs = (_join_arrays(Path(folder), name) for name in ("tokens", "log_probs"))
    asked, _ = read_asked(run)
    if tokens.shape != log_probs.shape or tokens.shape[:2] != (asked.num_rows, SLOTS):
        raise InputError(
            f"{folder} holds tokens {tokens.shape} and log_probs {log_probs.shape}, expected ({asked.num_rows}, "
            f"{SLOTS}, k) each: predict with the queries of {run}"
        )
    k = int(tokens.shape[2])
    identity: Identity = {"queries": seal_checksum(run / "queries"), "model": seal_checksum(model), "k": k}
    counts = {"queries": asked.num_rows, "tokens of a slot": k}
    table = _table(asked, tokens, log_probs)
    write_stage(run / STAGE, identity, {STAGE: table}, counts, what="predicted tokens of tails")
    return counts


def _join_arrays(folder: Path, name: str) -> np.ndarray:
    files = (
        [folder / f"{name}.npy"] if (folder / f"{name}.npy").is_file() else sorted(folder.glob(f"{name}.part-*.npy"))
    )
    if not files:
        raise InputError(f"{folder} has no {name}.npy, nor parts of it")
    return np.concatenate([np.load(file, allow_pickle=False) for file in files])


def read_predictions(run: Path) -> pa.Table:
    """The predictions of a run, in the order of its queries."""
    return read_stage_table(Path(run) / STAGE)


def part_of(queries: Queries, start: int, end: int) -> Queries:
    """Some of the queries, with the sequences that they are about."""
    sequence = queries.sequence[start:end]
    low, high = (int(sequence.min()), int(sequence.max()) + 1) if len(sequence) else (0, 0)
    offsets = queries.offsets[low : high + 1]
    return Queries(
        roots=queries.roots[offsets[0] : offsets[-1]],
        offsets=offsets - offsets[0],
        sequence=sequence - low,
        first=queries.first[start:end],
        last=queries.last[start:end],
        relation=queries.relation[start:end],
        relations=queries.relations,
    )


def _table(asked: pa.Table, tokens: np.ndarray, log_probs: np.ndarray) -> pa.Table:
    rows, width = len(tokens), tokens.shape[1] * tokens.shape[2]
    borders = pa.array(np.arange(rows + 1, dtype=np.int32) * width)
    flat = pa.array(tokens.reshape(-1).astype(np.uint16)), pa.array(log_probs.reshape(-1).astype(np.float16))
    lists = [pa.ListArray.from_arrays(borders, values) for values in flat]
    columns = [asked[name].combine_chunks() for name in ("query", "head", "sequence", "relation")]
    return pa.table([*columns, *lists], schema=PREDICTIONS)
