"""Scores of BC5CDR's candidates by a trained model: as it is, with no CID label seen, or fine-tuned on train.

Fine-tuned, each fold of train is scored by a model that did not learn from it, so that thresholds chosen on train are
not optimistic, and dev by a model that learnt from all of train.
"""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from clew.evaluate.extraction.bc5cdr.examples import FOLDS
from clew.progress import Progress, silent

if TYPE_CHECKING:
    from clew.extract.predict.predictor import Predictor
    from clew.extract.ranking.settings import RankingSettings

__all__ = ["finetune_and_score", "finetuning_settings", "score_candidates"]

Scores = NDArray[np.float32]


def score_candidates(predictor: "Predictor", folder: Path, *, progress: Progress = silent) -> Scores:
    """The log-probability of each candidate of a folder: (rows,)."""
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


def finetuning_settings() -> "RankingSettings":
    """The settings that were chosen by cross-validation on train (benchmarks/extraction.md)."""
    from clew.extract.ranking.settings import RankingSettings

    return RankingSettings(loss="share", by_token=False, epochs=8, rate=3e-4, together=True, tokens=8192)


def finetune_and_score(
    model: Path,
    examples: Path,
    scored: Path,
    settings: "RankingSettings",
    *,
    seeds: Sequence[int] = (0,),
    device: str | None = None,
    progress: Progress = silent,
) -> tuple[Scores, Scores]:
    """Fine-tune on `examples` with each seed; the mean scores of the candidates in `scored`, of train and of dev.

    `scored` may be other questions about the same documents, such as those about mentions that a run found.
    """
    from clew.extract.model.attention import pick_kernel
    from clew.extract.model.storage import read_model
    from clew.extract.ranking.batches import read_examples
    from clew.extract.ranking.finetuning import finetune, score_rows
    from clew.extract.training.pretraining import pick_device

    chosen = pick_device(device)
    saved = read_model(model, kernel=pick_kernel(chosen), device=chosen)
    learnt = read_examples(examples / "scoring-train")
    train, dev = (read_examples(scored / f"scoring-{part}") for part in ("train", "dev"))
    sums = np.zeros(train.rows), np.zeros(dev.rows)
    for seed in seeds:
        one = replace(settings, seed=seed)
        for fold in range(FOLDS):
            progress(f"fine-tuning without fold {fold + 1}, seed {seed}", fold, FOLDS + 1)
            tuned = finetune(saved, learnt, one, without_fold=fold).model
            scores = np.zeros(train.rows, np.float32)
            score_rows(tuned, train, np.flatnonzero(train.fold == fold), scores, together=settings.together)
            sums[0][:] += scores
        progress(f"fine-tuning on all of train, seed {seed}", FOLDS, FOLDS + 1)
        scores = np.zeros(dev.rows, np.float32)
        tuned = finetune(saved, learnt, one).model
        score_rows(tuned, dev, np.arange(len(dev)), scores, together=settings.together)
        sums[1][:] += scores
    means = [(total / len(seeds)).astype(np.float32) for total in sums]
    return means[0], means[1]
