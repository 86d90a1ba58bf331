"""Scores of BC5CDR's questions from a trained model on this machine: what the model knows without any CID label."""

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.progress import Progress, silent

if TYPE_CHECKING:
    from clew.extract.predict.predictor import Predictor

__all__ = ["score_questions"]


def score_questions(predictor: "Predictor", folder: Path, *, progress: Progress = silent) -> NDArray[np.float32]:
    """The log-probability of each row of a scoring folder: (rows,)."""
    from clew.extract.predict.predictor import Tails
    from clew.extract.predict.query_arrays import Queries

    arrays = {path.stem: np.load(path, allow_pickle=False) for path in folder.glob("*.npy")}
    queries = Queries(
        sequence=arrays["query_sequence"],
        first=arrays["query_first"],
        last=arrays["query_last"],
        relation=arrays["query_relation"],
        roots=arrays["roots"],
        offsets=arrays["offsets"],
        relations=predictor.saved.relations,
    )
    tail = arrays["row_tail"]
    tails = Tails(arrays["row_query"], arrays["tail"][tail], arrays["tail_length"][tail])
    return predictor.score_tails(queries, tails, progress=progress)
