"""Prediction over all queries of a run: run/queries and a model in, what the model says of every masked tail out.

Written is run/predictions: for each query the k best tokens of each of the seven slots, flat, with log-probabilities,
and the log-probabilities of [NONE] and of each mention that may be the tail.
"""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from clew.errors import InputError, MissingDependency
from clew.extract.chains.graphs import SLOTS
from clew.extract.predict.queries import read_queries
from clew.extract.predict.query_arrays import Queries, read_query_arrays
from clew.extract.stage import Identity, PartFolder, finished_counts, read_stage_table, seal_checksum, write_stage
from clew.progress import Progress, silent

if TYPE_CHECKING:
    from clew.extract.predict.predictor import Predictor

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
        ("weights", pa.list_(pa.float16())),  # of [NONE], then of the query's mentions
    ]
)
PART_QUERIES = 20_000


def open_predictor(model: Path, *, device: str | None = None) -> "Predictor":
    """The predictor of a model directory; without torch, an error that says what to install."""
    try:
        from clew.extract.predict.predictor import Predictor
    except ImportError as error:
        if (error.name or "").startswith("clew"):
            raise
        raise MissingDependency(f"extraction needs the library {error.name!r}: pip install 'clew[extract]'") from error
    return Predictor.open(model, device=device)


def prepare_predictions(
    run: Path, *, model: Path, k: int = 20, device: str | None = None, progress: Progress = silent
) -> dict[str, int]:
    """Predict the tails of run/queries with a model; a killed run goes on with the next part.

    With k = 0 only the mentions are weighed, which is all that their tails need.
    """
    if k < 0 or k == 1:
        raise InputError(f"at least two tokens of each slot are kept, a word and an end, or none at all; not {k}")
    run = Path(run)
    identity: Identity = {"queries": seal_checksum(run / "queries"), "model": seal_checksum(model), "k": k}
    if (counted := finished_counts(run / STAGE, identity)) is not None:
        return counted
    queries, (asked, _) = read_query_arrays(run / "queries"), read_queries(run)
    parts = PartFolder(run / STAGE, identity)
    predictor = open_predictor(model, device=device)
    if predictor.saved.relations != queries.relations:
        raise InputError(f"the queries of {run} are for a model with other relations: run `clew extract predict` again")
    for start in range(parts.finished * PART_QUERIES, len(queries), PART_QUERIES):
        end = min(start + PART_QUERIES, len(queries))
        part = part_of(queries, start, end)
        found = predictor.answer(part, k, progress=progress)
        rows = asked.slice(start, end - start)
        parts.write({STAGE: _table(rows, part, found.tokens, found.log_probs, found.weights)}, {"queries": end - start})
    table = pa.concat_tables([PREDICTIONS.empty_table(), *parts.tables(STAGE)])
    _write(run, identity, table, k)
    parts.remove()
    return _count(table, k)


def take_predictions(run: Path, folder: Path, *, model: Path) -> dict[str, int]:
    """Write run/predictions from arrays that were predicted on another machine.

    `folder` holds weights.npy (queries + mentions,), and unless only mentions were weighed tokens.npy and
    log_probs.npy, (queries, 7, k) each; whole or as tokens.part-00.npy and so on.
    """
    run, folder = Path(run), Path(folder)
    asked, _ = read_queries(run)
    queries = read_query_arrays(run / "queries")
    mentions = 0 if queries.candidates is None else len(queries.candidates.first)
    weights = _join_arrays(folder, "weights")
    tokens = log_probs = np.zeros((asked.num_rows, SLOTS, 0), np.uint16)
    if list(folder.glob("tokens*.npy")):
        tokens, log_probs = (_join_arrays(folder, name) for name in ("tokens", "log_probs"))
    if tokens.shape != log_probs.shape or tokens.shape[:2] != (asked.num_rows, SLOTS):
        raise InputError(
            f"{folder} holds tokens {tokens.shape} and log_probs {log_probs.shape}, expected ({asked.num_rows}, "
            f"{SLOTS}, k) each: predict with the queries of {run}"
        )
    if weights.shape != (asked.num_rows + mentions,):
        raise InputError(
            f"{folder} holds weights {weights.shape}, expected ({asked.num_rows + mentions},): predict with the "
            f"queries of {run}"
        )
    k = int(tokens.shape[2])
    identity: Identity = {"queries": seal_checksum(run / "queries"), "model": seal_checksum(model), "k": k}
    table = _table(asked, queries, tokens, log_probs, weights)
    _write(run, identity, table, k)
    return _count(table, k)


def _write(run: Path, identity: Identity, table: pa.Table, k: int) -> None:
    write_stage(run / STAGE, identity, {STAGE: table}, _count(table, k), what="what is predicted of tails")


def _count(table: pa.Table, k: int) -> dict[str, int]:
    weights = len(table["weights"].combine_chunks().flatten())
    return {"queries": table.num_rows, "tokens of a slot": k, "mentions weighed": weights - table.num_rows}


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
        candidates=None if queries.candidates is None else queries.candidates.of(start, end),
    )


def _table(
    asked: pa.Table, queries: Queries, tokens: np.ndarray, log_probs: np.ndarray, weights: np.ndarray
) -> pa.Table:
    rows, width = len(tokens), tokens.shape[1] * tokens.shape[2]
    borders = np.arange(rows + 1) * width
    counted = np.arange(rows + 1) + (0 if queries.candidates is None else queries.candidates.offsets)
    lists = [
        _lists(borders, tokens.reshape(-1).astype(np.uint16)),
        _lists(borders, log_probs.reshape(-1).astype(np.float16)),
        _lists(counted, weights.astype(np.float16)),
    ]
    columns = [asked[name].combine_chunks() for name in ("query", "head", "sequence", "relation")]
    return pa.table([*columns, *lists], schema=PREDICTIONS)


def _lists(borders: np.ndarray, values: np.ndarray) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(borders.astype(np.int32)), pa.array(values))
