"""Prediction over all queries of a run: run/queries and a model in, what the model says of every masked tail out.

Written is run/predictions: for each query the k best tokens of each of the seven slots, flat, with log-probabilities,
and the log-probabilities of [NONE] and of each mention that may be the tail.
"""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from clew.errors import InputError, MissingDependency
from clew.extract.predict.queries import read_queries
from clew.extract.predict.query_arrays import Queries, read_query_arrays
from clew.extract.stage import Stage, seal_checksum
from clew.json_files import read_text
from clew.progress import Progress, silent

if TYPE_CHECKING:
    from clew.extract.predict.predictor import Predictor

__all__ = [
    "PREDICTIONS",
    "STAGE",
    "check_vocabulary",
    "open_predictor",
    "part_of",
    "prepare_predictions",
    "read_predictions",
]

STAGE = Stage(
    "predictions",
    "predict",
    "the model's predictions for each tail",
    reads=("queries", "model"),
    headline=("queries",),
)
PREDICTIONS = pa.schema(
    [
        ("query", pa.int32()),
        ("head", pa.int32()),
        ("sequence", pa.int32()),
        ("relation", pa.string()),
        ("tokens", pa.list_(pa.uint16())),
        ("log_probs", pa.list_(pa.float16())),
        ("scores", pa.list_(pa.float16())),  # of [NONE], then of the query's mentions
    ]
)
PART_QUERIES = 20_000
TOKENIZER = "tokenizer.json"


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

    With k = 0 only the mentions are scored, which is all that their tails need.
    """
    if k < 0 or k == 1:
        raise InputError(f"at least two tokens of each slot are kept, a word and an end, or none at all; not {k}")
    run = Path(run)
    work = STAGE.start(run, {"model": seal_checksum(model), "k": k})
    if work.finished is not None:
        return work.finished
    queries, (asked, _) = read_query_arrays(run / "queries"), read_queries(run)
    parts = work.parts()
    predictor = open_predictor(model, device=device)
    if predictor.saved.relations != queries.relations:
        raise InputError(f"the queries of {run} are for a model with other relations: run `clew extract predict` again")
    check_vocabulary(run, predictor.saved.tokenizer, model)
    for start in range(parts.finished * PART_QUERIES, len(queries), PART_QUERIES):
        end = min(start + PART_QUERIES, len(queries))
        part = part_of(queries, start, end)
        found = predictor.answer(part, k, progress=progress)
        rows = asked.slice(start, end - start)
        parts.write(
            {STAGE.name: _table(rows, part, found.tokens, found.log_probs, found.scores)}, {"queries": end - start}
        )
    table = pa.concat_tables([PREDICTIONS.empty_table(), *parts.tables(STAGE.name)])
    counts = _count(table, k)
    work.write({STAGE.name: table}, counts)
    return counts


def check_vocabulary(run: Path, tokenizer: str, model: Path) -> None:
    """Refuse a run whose texts are cut into other tokens than those of the model."""
    prepared, own = (
        json.loads(each)["model"]["vocab"] for each in (read_text(run / "sequences" / TOKENIZER), tokenizer)
    )
    if prepared != own:
        raise InputError(
            f"the texts of {run} were prepared with another vocabulary than that of {model}: prepare them again in"
            f" another run directory with --tokenizer {model / TOKENIZER}"
        )


def _count(table: pa.Table, k: int) -> dict[str, int]:
    scores = len(table["scores"].combine_chunks().flatten())
    return {"queries": table.num_rows, "tokens of a slot": k, "mentions scored": scores - table.num_rows}


def read_predictions(run: Path) -> pa.Table:
    """The predictions of a run, in the order of its queries."""
    return STAGE.read_table(run)


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
    asked: pa.Table, queries: Queries, tokens: np.ndarray, log_probs: np.ndarray, scores: np.ndarray
) -> pa.Table:
    rows, width = len(tokens), tokens.shape[1] * tokens.shape[2]
    borders = np.arange(rows + 1) * width
    counted = np.arange(rows + 1) + (0 if queries.candidates is None else queries.candidates.offsets)
    lists = [
        _lists(borders, tokens.reshape(-1).astype(np.uint16)),
        _lists(borders, log_probs.reshape(-1).astype(np.float16)),
        _lists(counted, scores.astype(np.float16)),
    ]
    columns = [asked[name].combine_chunks() for name in ("query", "head", "sequence", "relation")]
    return pa.table([*columns, *lists], schema=PREDICTIONS)


def _lists(borders: np.ndarray, values: np.ndarray) -> pa.Array:
    return pa.ListArray.from_arrays(pa.array(borders.astype(np.int32)), pa.array(values))
